/** The destinations' states, with a button that sends a test message to each. */
import { failureInWords } from '../../../channels/failure.ts';
import { printsOnly } from '../../../channels/registry.ts';
import type { ArchivedDestination } from '../../../ledger/archive/archive.ts';
import type { KeptSnooze } from '../../../ledger/signal/snoozes.ts';
import { destinationsOf } from '../../../route/router.ts';
import { PostButton } from '../parts/forms.tsx';
import { Status } from '../parts/status.tsx';
import { Table } from '../parts/table.tsx';
import { Code, Foreign, pathTo, Time } from '../parts/text.tsx';
import { useReader } from '../reader.ts';
import type { View, ViewRequest } from '../view.ts';
import { Snoozed } from './snoozes.tsx';

interface Row extends ArchivedDestination {
  readonly isPrinted: boolean;
  /** Milliseconds until the pause of the destination or its channel ends; undefined if neither is paused. */
  readonly pausedMs: number | undefined;
  readonly snoozes: readonly KeptSnooze[];
}

export const destinationsView: View = async (request) => {
  const { t } = request.reader;
  const rows = await loadRows(request);
  const body = (
    <Table
      caption={t('nav.destinations')}
      rows={rows}
      empty={t('destinations.none')}
      columns={[
        { head: t('destination'), kind: 'main', cell: (row) => <Name row={row} /> },
        { head: t('destinations.state'), kind: 'narrow', cell: (row) => <Standing row={row} /> },
        {
          head: t('destinations.lastTold'),
          kind: 'narrow',
          cell: (row) => <Time at={row.lastDeliveredAt} />,
        },
        { head: t('destinations.lastError'), cell: (row) => <LastError row={row} /> },
        { head: t('destinations.test'), kind: 'narrow', cell: (row) => <Actions row={row} /> },
      ]}
    />
  );
  return { title: t('nav.destinations'), lead: t('destinations.lead'), body };
};

async function loadRows({ services }: ViewRequest): Promise<readonly Row[]> {
  const { archive, people, drawing, paused } = services;
  const { config } = drawing();
  const channels = destinationsOf(config);
  const snoozed = await people.snoozes();
  const waits = new Map(paused().map(({ key, ms }) => [key, ms]));
  const standings = await archive.destinations([...channels.keys()]);
  return standings.map((standing) => {
    const { destination } = standing;
    const channel = channels.get(destination)?.channel ?? '';
    return {
      ...standing,
      isPrinted: printsOnly(config.channels.get(channel)?.type ?? ''),
      pausedMs: waits.get(destination) ?? waits.get(channel),
      snoozes: snoozed.filter((snooze) => snooze.destination === destination),
    };
  });
}

interface OfRow {
  readonly row: Row;
}

function Name({ row: { destination, snoozes } }: OfRow) {
  return (
    <>
      <a href={pathTo(['callbacks'], { destination })}>
        <Code text={destination} />
      </a>
      <Snoozed snoozes={snoozes} of={destination} />
    </>
  );
}

/** The destination's state by its latest delivery or failure. */
function Standing({ row: { lastDeliveredAt, lastFailedAt, pausedMs, isPrinted } }: OfRow) {
  const { t, formats } = useReader();
  if (pausedMs !== undefined)
    return <Status tone="wait" word={t('destinations.paused', { time: formats.duration(pausedMs) })} />;
  if ((lastFailedAt ?? 0) > (lastDeliveredAt ?? 0))
    return <Status tone="bad" word={t('destinations.fails')} />;
  if (isPrinted) return <Status tone="idle" word={t('state.printed')} />;
  if (lastDeliveredAt === undefined) return <Status tone="idle" word={t('destinations.unused')} />;
  return <Status tone="good" word={t('destinations.works')} />;
}

function LastError({ row: { lastFailedAt, lastError } }: OfRow) {
  const { t, language } = useReader();
  if (lastError === undefined) return <span class="quiet">–</span>;
  return (
    <>
      {t(`error_class.${lastError.class}`)} · <Time at={lastFailedAt} />
      <small>
        <Foreign text={`${lastError.code}: ${failureInWords(lastError, language)}`} />
      </small>
    </>
  );
}

function Actions({ row: { destination } }: OfRow) {
  const { t } = useReader();
  return (
    <div class="actions">
      <PostButton action="/act/test" fields={{ destination }} kind="small" word={t('destinations.send')} />
      <a href={pathTo(['snoozes'], { destination })}>{t('snoozes.link')}</a>
    </div>
  );
}
