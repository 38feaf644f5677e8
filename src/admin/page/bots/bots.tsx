/** The overview: what needs attention, then a row for each BOT, failing ones first. */
import type { ReceiverConfig } from '../../../config/config.ts';
import type { ArchivedBot, Run } from '../../../ledger/archive/archive.ts';
import { NeedsSomebody } from '../incidents/incidents.tsx';
import { Field, FilterForm } from '../parts/forms.tsx';
import { type Columns, Section, Table } from '../parts/layout.tsx';
import { RunStatus } from '../parts/status.tsx';
import { BotName, Code, Gist, Older, pathTo, Time } from '../parts/text.tsx';
import { type Reader, useReader, type View, type ViewRequest } from '../reader.ts';
import { Strip } from './charts.tsx';

const RUNS_SHOWN = 30;
const BOTS_A_PAGE = 50;
/** The most BOTs that the overview considers. */
const MOST_BOTS = 10_000;
/** What a tile counts, and the list that it leads to shows. */
const PENDING = { state: 'pending' } as const;

type BotsData = Awaited<ReturnType<typeof loadBots>>;

export const showBots: View = async (request) => {
  const data = await loadBots(request);
  return { title: request.reader.t('nav.bots'), body: <Bots {...data} /> };
};

async function loadBots({ query, services: { archive, people, drawing } }: ViewRequest) {
  const name = query.get('name')?.trim() ?? '';
  const after = query.get('after') ?? undefined;
  const bots = await archive.bots('', MOST_BOTS);
  const page = botsOnPage(bots, name, after, BOTS_A_PAGE);
  const runs = await archive.lastRuns(page.bots, RUNS_SHOWN);
  const open = await archive.openIncidents();
  const snoozed = new Set((await people.snoozes()).map(({ botId }) => botId));
  return {
    name,
    rows: page.bots.map((bot) => rowOf(bot, runs.get(bot.botId) ?? [], snoozed.has(bot.botId))),
    next: page.next,
    open,
    lastAt: bots.reduce<number | undefined>(
      (last, { lastReceivedAt }) => Math.max(last ?? 0, lastReceivedAt),
      undefined,
    ),
    work: await archive.countOpen(),
    pending: await archive.countCallbacks(PENDING),
    failing: bots.filter(({ isFailing }) => isFailing).length,
    isCut: bots.length === MOST_BOTS,
    /** Set only before the first callback, to show where to post one. */
    receiver: bots.length === 0 ? drawing().config.receiver : undefined,
  };
}

/**
 * Selects and sorts BOTs, failing ones first.
 * @param name part of a name or id, in any case; empty for all
 * @param after the last BOT of the page before; if it no longer matches, the list begins anew
 * @returns `next`: the value of `after` for the next page; undefined if there is none
 */
export function botsOnPage(
  all: readonly ArchivedBot[],
  name: string,
  after: string | undefined,
  size: number,
) {
  const part = comparable(name);
  const matching = all
    .filter(({ botId, botName }) => [botId, botName].some((each) => comparable(each).includes(part)))
    .toSorted((a, b) => Number(b.isFailing) - Number(a.isFailing) || laterFirst(a, b));
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

/** The median duration of ended runs, in seconds; undefined if none is known. */
export function usualSeconds(runs: readonly Run[]): number | undefined {
  const known = runs.flatMap(({ status, elapsedSeconds }) =>
    status === 2 || elapsedSeconds === undefined ? [] : [elapsedSeconds],
  );
  return known.toSorted((a, b) => a - b)[Math.ceil(known.length / 2) - 1];
}

/** @param runs newest first */
function rowOf(bot: ArchivedBot, runs: readonly Run[], isSnoozed: boolean) {
  const last = runs.find(({ status }) => status !== 2) ?? runs[0];
  const failed = runs.filter(({ status }) => status === 1).length;
  return { ...bot, runs, last, failed, usual: usualSeconds(runs), isSnoozed };
}

function Bots(data: BotsData) {
  const { receiver } = data;
  const reader = useReader();
  return (
    <>
      {receiver === undefined || data.open.length > 0 ? <NeedsSomebody {...data} /> : null}
      <Tiles {...data} />
      {receiver === undefined ? <BotList {...data} /> : start(receiver, reader)}
    </>
  );
}

function Tiles({ work, pending, failing }: BotsData) {
  const { t, formats } = useReader();
  const tiles = [
    { word: 'bots.failing', count: failing, to: '/', tone: 'bad' },
    { word: 'state.pending', count: pending, to: pathTo(['callbacks'], PENDING), tone: 'wait' },
    { word: 'nav.dead', count: work.dead, to: '/dead', tone: 'bad' },
    { word: 'nav.refused', count: work.refused, to: '/refused', tone: 'wait' },
  ] as const;
  return (
    <ul class="tiles">
      {tiles.map(({ word, count, to, tone }) => (
        <li key={word} class={count === 0 ? 'idle' : tone}>
          <a href={to}>
            <strong>{formats.number(count)}</strong>
            <span>{t(word)}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Instructions shown until the first callback has come. */
function start({ listen, path, tokens }: ReceiverConfig, { t }: Reader) {
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host;
  const token = tokens.length > 0 ? '/<receiver.token>' : '';
  return (
    <Section title={t('bots.empty')}>
      <p>{t('bots.empty, address')}</p>
      <pre class="box">{`http://${host}:${listen.port}${path}${token}`}</pre>
      <p>{t('bots.empty, sample')}</p>
      <pre class="box">npm run -s botbell -- send config/samples/error.json --fresh</pre>
      <p>
        <a href="/playground">{t('bots.empty, try')}</a>
      </p>
    </Section>
  );
}

function BotList({ name, rows, next, isCut }: BotsData) {
  const { t } = useReader();
  return (
    <Section>
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
  ['took', durationsOf, 'number'],
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

function durationsOf({ last, usual }: Row, { t, formats }: Reader) {
  return (
    <>
      {last?.elapsedSeconds === undefined ? '–' : formats.elapsed(last.elapsedSeconds)}
      {usual === undefined ? null : <small>{t('bots.usually', { duration: formats.elapsed(usual) })}</small>}
    </>
  );
}
