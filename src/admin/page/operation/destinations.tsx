/** Destinations by their channels: how each does, what waits for it, and a button that sends it a test. */
import { failureInWords } from '../../../channels/failure.ts';
import { printsOnly } from '../../../channels/registry.ts';
import type { ArchivedDestination } from '../../../ledger/archive/archive.ts';
import type { KeptSnooze } from '../../../ledger/signal/snoozes.ts';
import { destinationsOf } from '../../../route/router.ts';
import { PostButton } from '../parts/forms.tsx';
import { Head } from '../parts/layout.tsx';
import { Status } from '../parts/status.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Code, Foreign, Link, pathTo, Time } from '../parts/text.tsx';
import { type Reader, useReader } from '../reader.ts';
import type { View } from '../view.ts';
import { Snoozed } from './snoozes.tsx';

/** More would be no page that anybody reads. */
const MOST_SHOWN = 500;

interface Row extends ArchivedDestination {
  readonly dead: number;
  readonly isPrinted: boolean;
  /** Milliseconds, of its channel or its own; undefined: it is not paused. */
  readonly pausedMs: number | undefined;
  readonly snoozes: readonly KeptSnooze[];
}

export const destinationsView: View = async ({ reader, services }) => {
  const { t } = reader;
  const { archive, operations, drawing, paused } = services;
  const { config } = drawing();
  const named = new Map(destinationsOf(config).map((each) => [each.destination, each.channel]));
  const standings = await archive.destinations([...named.keys()].slice(0, MOST_SHOWN));
  const { groups } = await archive.deadLetters();
  const snoozed = await operations.snoozes();
  const waits = new Map(paused().map(({ key, ms }) => [key, ms]));
  const rows = standings.map((standing): Row => {
    const { destination } = standing;
    const channel = named.get(destination) ?? '';
    const dead = groups.filter((group) => group.destination === destination);
    return {
      ...standing,
      dead: dead.reduce((sum, { count }) => sum + count, 0),
      isPrinted: printsOnly(config.channels.get(channel)?.type ?? ''),
      pausedMs: waits.get(destination) ?? waits.get(channel),
      snoozes: snoozed.filter((snooze) => snooze.destination === destination),
    };
  });
  const body = (
    <>
      <Head title={t('nav.destinations')} lead={t('destinations.lead')}>
        {named.size > MOST_SHOWN ? t('destinations.tooMany', { number: MOST_SHOWN }) : undefined}
      </Head>
      <Table
        caption={t('nav.destinations')}
        columns={columnsFor(reader)}
        rows={rows}
        keyOf={({ destination }) => destination}
        empty={t('destinations.none')}
      />
    </>
  );
  return { title: t('nav.destinations'), body };
};

function columnsFor({ t }: Reader): readonly Column<Row>[] {
  return [
    {
      head: t('destination'),
      kind: 'main',
      cell: ({ destination, snoozes }) => (
        <>
          <Link to={pathTo(['callbacks'], { destination })}>
            <Code text={destination} />
          </Link>
          <Snoozed snoozes={snoozes} of={destination} />
        </>
      ),
    },
    { head: t('destinations.state'), kind: 'narrow', cell: (row) => <Standing row={row} /> },
    {
      head: t('destinations.lastTold'),
      kind: 'narrow',
      cell: ({ isPrinted, lastDeliveredAt: at }) =>
        isPrinted ? <span class="quiet">–</span> : <Time at={at} />,
    },
    { head: t('destinations.lastError'), cell: (row) => <LastError row={row} /> },
    { head: t('destinations.waiting'), kind: 'number', cell: (row) => <Count row={row} state="pending" /> },
    { head: t('destinations.dead'), kind: 'number', cell: (row) => <Count row={row} state="dead" /> },
    {
      head: t('destinations.test'),
      kind: 'narrow',
      cell: ({ destination }) => (
        <div class="actions">
          <PostButton
            action="/act/test"
            fields={{ destination }}
            kind="small"
            word={t('destinations.send')}
            label={t('callback.of', { word: t('destinations.send'), destination })}
          />
          <Link
            to={pathTo(['snoozes'], { destination })}
            label={t('callback.of', { word: t('snoozes.link'), destination })}
          >
            {t('snoozes.link')}
          </Link>
        </div>
      ),
    },
  ];
}

interface OfRow {
  readonly row: Row;
}

/** What it did last counts. */
function Standing({ row: { lastDeliveredAt, lastFailedAt, pausedMs, isPrinted } }: OfRow) {
  const { t, formats } = useReader();
  if (pausedMs !== undefined)
    return <Status tone="wait" word={t('destinations.paused', { time: formats.duration(pausedMs) })} />;
  if ((lastFailedAt ?? 0) > (lastDeliveredAt ?? 0))
    return <Status tone="bad" word={t('destinations.fails')} />;
  if (isPrinted) return <Status tone="idle" word={t('printed')} />;
  if (lastDeliveredAt === undefined) return <Status tone="idle" word={t('destinations.unused')} />;
  return <Status tone="good" word={t('destinations.works')} />;
}

function LastError({ row: { lastFailedAt, lastError } }: OfRow) {
  const { t, language } = useReader();
  if (lastFailedAt === undefined || lastError === undefined) return <span class="quiet">–</span>;
  return (
    <>
      {t(`error_class.${lastError.class}`)} · <Time at={lastFailedAt} />
      <small>
        <Foreign text={`${lastError.code}: ${failureInWords(lastError, language)}`} />
      </small>
    </>
  );
}

function Count({ row, state }: OfRow & { readonly state: 'pending' | 'dead' }) {
  const { formats } = useReader();
  const { destination, [state]: count } = row;
  if (count === 0) return <span class="quiet">0</span>;
  return <Link to={pathTo(['callbacks'], { state, destination })}>{formats.number(count)}</Link>;
}
