/** The destinations' states, with a button that sends a test message to each. */
import { failureInWords } from '../../../channels/failure.ts';
import { SIGN_WORDS } from '../../../incident/incident.ts';
import { printsOnly } from '../../../channels/registry.ts';
import type { ArchivedDestination } from '../../../ledger/archive/archive.ts';
import { LARGEST_PAGE } from '../../../ledger/archive/stories.ts';
import type { KeptSnooze } from '../../../ledger/timers/timers.ts';
import { pageAfter } from '../../../people/filters.ts';
import { destinationsOf } from '../../../route/router.ts';
import type { Tone } from '../../../story/standing.ts';
import type { AdminServices } from '../../services.ts';
import { PostButton } from '../parts/forms.tsx';
import { type Columns, Table } from '../parts/layout.tsx';
import { Status } from '../parts/status.tsx';
import { Code, Gist, NextPage, pathTo, Time } from '../parts/text.tsx';
import type { Reader, View } from '../reader.ts';
import { Snoozed } from './snoozes.tsx';

const A_PAGE = 100;

interface Row extends ArchivedDestination {
  readonly isPrinted: boolean;
  readonly snoozes: readonly KeptSnooze[];
}

export const destinationsView: View = async ({ query, reader: { t }, services }) => {
  const { rows, next } = await loadRows(services, query.get('after') ?? '');
  const body = (
    <>
      <Table caption="nav.destinations" rows={rows} empty="destinations.none" columns={COLUMNS} />
      <NextPage of="destinations" after={next} />
    </>
  );
  return { title: t('nav.destinations'), lead: t('destinations.lead'), body };
};

async function loadRows({ archive, drawing }: AdminServices, after: string) {
  const { config } = drawing();
  const channels = destinationsOf(config);
  const page = { after, limit: A_PAGE };
  const { items: names, next } = pageAfter([...channels.keys()], (name) => name, page);
  const standings = await archive.destinations(names);
  const { items: snoozed } = await archive.snoozes({ limit: LARGEST_PAGE }, { destinations: names });
  const rows = standings.map((standing): Row => {
    const { destination } = standing;
    const channel = channels.get(destination)?.channel ?? '';
    return {
      ...standing,
      isPrinted: printsOnly(config.channels.get(channel)?.type ?? ''),
      snoozes: snoozed.filter((snooze) => snooze.destination === destination),
    };
  });
  return { rows, next };
}

const COLUMNS: Columns<Row> = [
  ['destination', nameOf, 'main'],
  ['status', statusOf, 'narrow'],
  ['destinations.lastTold', ({ lastDeliveredAt }) => <Time at={lastDeliveredAt} />, 'narrow'],
  ['destinations.lastError', errorOf],
  ['destinations.test', actionsOn, 'narrow'],
];

function nameOf({ destination, snoozes }: Row) {
  return (
    <>
      <a href={pathTo(['callbacks'], { destination })}>
        <Code text={destination} />
      </a>
      <Snoozed snoozes={snoozes} of={destination} />
    </>
  );
}

function statusOf(row: Row, reader: Reader) {
  const [tone, word] = standingOf(row, reader);
  const { destination, downSince, waiting: number, waitingSince } = row;
  return (
    <>
      <Status tone={tone} word={word} /> {downSince === undefined ? null : <Time at={downSince} />}
      {number === 0 ? null : (
        <small>
          <a href={pathTo(['callbacks'], { destination, state: 'pending' })}>
            {reader.t('bots.pending', { number })}
          </a>{' '}
          <Time as="ago" at={waitingSince} />
        </small>
      )}
    </>
  );
}

/** The destination's state by its latest delivery or failure, and by what waits. */
function standingOf(
  { lastDeliveredAt, lastFailedAt, pausedMs, downSince, isPrinted, waiting }: Row,
  { t, formats, language }: Reader,
): readonly [tone: Tone, word: string] {
  if (downSince !== undefined) return ['bad', SIGN_WORDS.down[language]];
  if (pausedMs !== undefined) {
    const time = formats.elapsed(Math.ceil(pausedMs / 1000));
    return ['wait', t('destinations.paused', { time })];
  }
  if ((lastFailedAt ?? 0) > (lastDeliveredAt ?? 0)) return ['bad', t('destinations.fails')];
  if (waiting > 0) return ['wait', t('destinations.waits')];
  if (isPrinted) return ['idle', t('standing.printed')];
  if (lastDeliveredAt === undefined) return ['idle', t('destinations.unused')];
  return ['good', t('destinations.works')];
}

function errorOf({ lastFailedAt, lastError }: Row, { t, language }: Reader) {
  if (lastError === undefined) return <span class="quiet">–</span>;
  return (
    <>
      {t(`error_class.${lastError.class}`)} · <Time at={lastFailedAt} />
      <Gist text={`${lastError.code}: ${failureInWords(lastError, language)}`} />
    </>
  );
}

function actionsOn({ destination }: Row, { t }: Reader) {
  return (
    <div class="actions">
      <PostButton action="/act/test" fields={{ destination }} kind="small" word={t('destinations.send')} />
      <a href={pathTo(['snoozes'], { destination })}>{t('snoozes.link')}</a>
    </div>
  );
}
