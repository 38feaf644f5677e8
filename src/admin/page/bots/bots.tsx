/** The overview: what needs somebody, then a row for each BOT, those with an open incident first. */
import type { ArchivedBot, Run } from '../../../ledger/archive/archive.ts';
import type { Config } from '../../../config/config.ts';
import { keysFor } from '../../../ledger/callbacks/keys.ts';
import { callbackUrlOf } from '../../../config/callback-url.ts';
import { Entries } from '../incidents/incidents.tsx';
import { Field, FilterForm } from '../parts/forms.tsx';
import { type Columns, Section, Table } from '../parts/layout.tsx';
import { RunStatus } from '../parts/status.tsx';
import { BotName, Code, Gist, Older, pathTo, Time } from '../parts/text.tsx';
import { type Reader, useReader, type View, type ViewRequest } from '../reader.ts';
import type { Word } from '../words.ts';
import { Strip } from './charts.tsx';

const RUNS_SHOWN = 30;
const BOTS_A_PAGE = 50;
/** The most BOTs that the overview considers. */
const MOST_BOTS = 10_000;
/** What is counted below the title, and the list that the count leads to shows. */
const PENDING = { state: 'pending' } as const;

type BotsData = Awaited<ReturnType<typeof loadBots>>;

export const showBots: View = async (request) => {
  const data = await loadBots(request);
  const facts = <Facts {...data} />;
  return { title: request.reader.t(data.title), facts, body: <Bots {...data} /> };
};

async function loadBots({ query, open, counts, services: { archive, drawing, storeTrouble } }: ViewRequest) {
  const name = query.get('name')?.trim() ?? '';
  const after = query.get('after') ?? undefined;
  const bots = await archive.bots('', MOST_BOTS);
  const failing = new Set(open.flatMap(({ kind, subject }) => (kind === 'bot' ? keysFor(subject) : [])));
  const isFailing = ({ botId }: ArchivedBot) => failing.has(botId);
  const page = botsOnPage(bots, isFailing, { name, after, size: BOTS_A_PAGE });
  const runs = await archive.lastRuns(page.bots, RUNS_SHOWN);
  const snoozed = new Set((await archive.snoozes()).map(({ botId }) => botId));
  const isNeeding = open.some(({ isWaiting }) => !isWaiting) || storeTrouble() !== undefined;
  return {
    title: titleOf(isNeeding, bots.length === 0),
    name,
    rows: page.bots.map((bot) => ({
      ...rowOf(bot, runs.get(bot.botId) ?? []),
      isSnoozed: snoozed.has(bot.botId),
      isFailing: isFailing(bot),
    })),
    next: page.next,
    open,
    lastAt: bots.reduce<number | undefined>(
      (last, { lastReceivedAt }) => Math.max(last ?? 0, lastReceivedAt),
      undefined,
    ),
    pending: counts?.pending ?? 0,
    isCut: bots.length === MOST_BOTS,
    /** Set only before the first callback, to show where to post one. */
    receiver: bots.length === 0 ? drawing().config.receiver : undefined,
  };
}

function titleOf(isNeeding: boolean, isNew: boolean): Word {
  if (isNeeding) return 'incidents.needs';
  return isNew ? 'bots.empty' : 'incidents.well';
}

interface Wanted {
  /** Part of a name or id, in any case; empty for all. */
  readonly name: string;
  /** The last BOT of the page before; if it no longer matches, the list begins anew. */
  readonly after: string | undefined;
  readonly size: number;
}

/** Selects and sorts BOTs, failing ones first. @returns `next`: the value of `after` for the next page; undefined if there is none */
export function botsOnPage(
  all: readonly ArchivedBot[],
  isFailing: (bot: ArchivedBot) => boolean,
  { name, after, size }: Wanted,
) {
  const part = comparable(name);
  const matching = all
    .filter(({ botId, botName }) => part === '' || comparable(`${botId}\n${botName}`).includes(part))
    .toSorted((a, b) => Number(isFailing(b)) - Number(isFailing(a)) || laterFirst(a, b));
  const start = matching.findIndex(({ botId }) => botId === after) + 1;
  const bots = matching.slice(start, start + size);
  return { bots, next: start + size < matching.length ? bots.at(-1)?.botId : undefined };
}

/** Sorts by the time of the last result, newest first; a BOT without one by its last callback. */
function laterFirst(a: ArchivedBot, b: ArchivedBot): number {
  const [atA, atB] = [a, b].map(({ lastResultAt, lastReceivedAt }) => lastResultAt ?? lastReceivedAt);
  return (atB ?? 0) - (atA ?? 0) || (a.botId < b.botId ? -1 : 1);
}

/** Ignores case and the difference between full-width and half-width characters. */
function comparable(text: string): string {
  return text.normalize('NFKC').toLowerCase().trim();
}

/** @param runs newest first */
function rowOf(bot: ArchivedBot, runs: readonly Run[]) {
  const last = runs.find(({ status }) => status !== 2) ?? runs[0];
  const failed = runs.filter(({ status }) => status === 1).length;
  return { ...bot, runs, last, failed };
}

function Bots(data: BotsData) {
  const { receiver, open } = data;
  const reader = useReader();
  return (
    <>
      <Entries incidents={open} />
      {receiver === undefined ? <BotList {...data} /> : start(receiver, reader)}
    </>
  );
}

/** When the last callback came, while all is well, and how many messages wait. */
function Facts({ title, lastAt, pending }: BotsData) {
  const { t } = useReader();
  return (
    <>
      {title === 'incidents.well' ? (
        <span>
          {t('incidents.last callback')} <Time at={lastAt} />
        </span>
      ) : null}
      {pending === 0 ? null : (
        <a href={pathTo(['callbacks'], PENDING)}>{t('bots.pending', { number: pending })}</a>
      )}
    </>
  );
}

/** Instructions shown until the first callback has come. */
function start(receiver: Config['receiver'], { t }: Reader) {
  return (
    <Section>
      <p>{t('bots.empty, address')}</p>
      <pre class="box">{callbackUrlOf(receiver, '<receiver.token>', '<host>')}</pre>
      <p>
        <a href="/playground">{t('bots.empty, try')}</a>
      </p>
    </Section>
  );
}

function BotList({ name, rows, next, isCut }: BotsData) {
  const { t } = useReader();
  return (
    <Section title={t('nav.bots')}>
      <FilterForm path="/" isFiltered={name !== ''}>
        <Field name="name" label={t('bots.search')} value={name} />
      </FilterForm>
      <Table
        caption="nav.bots"
        rows={rows}
        empty="bots.none"
        toneOf={({ isFailing }) => (isFailing ? 'bad' : undefined)}
        columns={COLUMNS}
      />
      {isCut ? <p class="quiet">{t('bots.isMore')}</p> : null}
      {next === undefined ? null : <Older to={pathTo([''], { name, after: next })} />}
    </Section>
  );
}

type Row = BotsData['rows'][number];

const COLUMNS: Columns<Row> = [
  ['bot', linkTo, 'main'],
  ['bots.runs', stripOf, 'narrow'],
  ['bots.last', lastResultOf, 'narrow'],
  ['took', ({ last }, { formats }) => formats.took(last?.elapsedSeconds), 'number'],
];

function linkTo({ botId, botName, isSnoozed, last }: Row, { t }: Reader) {
  return (
    <>
      <a href={pathTo(['bots'], { bot_id: botId })}>
        <BotName name={botName} id={botId} />
      </a>
      <Gist text={last?.gist} />
      <small>
        <Code text={botId} /> {isSnoozed ? <a href="/snoozes">{t('snoozed')}</a> : null}
      </small>
    </>
  );
}

function stripOf({ runs, failed }: Row, { t }: Reader) {
  return <Strip runs={runs} title={t('bots.strip', { runs: runs.length, failed })} />;
}

function lastResultOf({ last, lastReceivedAt, lastResultAt }: Row, { t }: Reader) {
  return (
    <>
      {last === undefined ? t('bots.no result') : <RunStatus status={last.status} />}
      <small>
        <Time as="ago" at={last?.status === 2 ? last.receivedAt : (lastResultAt ?? lastReceivedAt)} />
      </small>
    </>
  );
}
