/** The overview: what needs somebody, then a row for each BOT, those that fail first. */
import type { ArchivedBot, LateBot, Run } from '../../../ledger/archive/archive.ts';
import type { OpenCounts } from '../../../ledger/ledger.ts';
import { Field, FilterForm } from '../parts/forms.tsx';
import { Head, Section } from '../parts/layout.tsx';
import { KindStatus, RunStatus } from '../parts/status.tsx';
import { type Column, Paging, Table } from '../parts/table.tsx';
import { BotName, Code, Link, pathTo, Time } from '../parts/text.tsx';
import { type Reader, useReader } from '../reader.ts';
import type { View } from '../view.ts';
import { botsOnPage, type BotsOnPage, usualSeconds } from './bot-list.ts';
import { Strip } from './charts.tsx';

const RUNS_SHOWN = 30;
const BOTS_A_PAGE = 50;
/** No more are looked at. */
const MOST_BOTS = 10_000;
const MOST_LATE = 50;

interface Receiver {
  readonly listen: { readonly host: string; readonly port: number };
  readonly path: string;
  readonly hasToken: boolean;
}

export interface BotsData {
  readonly page: BotsOnPage;
  /** What is looked for. */
  readonly name: string;
  readonly after: string | undefined;
  /** Of each BOT of the page, the newest first. */
  readonly runs: ReadonlyMap<string, readonly Run[]>;
  readonly work: OpenCounts;
  /** Of which a result is missing, each once. */
  readonly late: readonly LateBot[];
  /** Ids. */
  readonly snoozed: ReadonlySet<string>;
  /** Routes that have matched nothing for long. */
  readonly idle: number;
  /** How many fail, of all. */
  readonly failing: number;
  readonly isComplete: boolean;
  /** Where callbacks are posted to; only where none has come yet. */
  readonly receiver: Receiver | undefined;
}

export const showBots: View = async ({ query, reader, services: { archive, operations, drawing } }) => {
  const name = query.get('name')?.trim() ?? '';
  const after = query.get('after') ?? undefined;
  const bots = await archive.bots('', MOST_BOTS);
  const page = botsOnPage(bots, name, after, BOTS_A_PAGE);
  const told = await archive.lateBots();
  const { listen, path, tokens } = drawing().config.receiver;
  const data = {
    page,
    name,
    after,
    runs: await archive.lastRuns(page.bots, RUNS_SHOWN),
    work: await archive.countOpen(),
    late: told.filter(({ botId }, index) => told.findIndex((each) => each.botId === botId) === index),
    snoozed: new Set((await operations.snoozes()).flatMap(({ botId }) => botId ?? [])),
    idle: (await archive.idleRoutes()).length,
    failing: bots.filter(({ isFailing }) => isFailing).length,
    isComplete: bots.length < MOST_BOTS,
    receiver: bots.length === 0 ? { listen, path, hasToken: tokens.length > 0 } : undefined,
  };
  return { title: reader.t('nav.bots'), body: <Bots data={data} /> };
};

interface BotsProps {
  readonly data: BotsData;
}

export function Bots({ data }: BotsProps) {
  const { t } = useReader();
  return (
    <>
      <Head title={t('nav.bots')} />
      <Tiles data={data} />
      <Late late={data.late} />
      {data.idle === 0 ? null : (
        <p>
          <Link to="/config">{t('bots.idle', { routes: data.idle })}</Link>
        </p>
      )}
      {data.receiver === undefined ? <BotList data={data} /> : <Start receiver={data.receiver} />}
    </>
  );
}

function Tiles({ data: { work, failing } }: BotsProps) {
  const { t, formats } = useReader();
  const tiles = [
    { word: 'bots.failing', count: failing, to: '/', tone: 'bad' },
    { word: 'bots.pending', count: work.pending, to: '/callbacks?state=pending', tone: 'wait' },
    { word: 'nav.dead', count: work.dead, to: '/dead', tone: 'bad' },
    { word: 'refused.title', count: work.refused, to: '/refused', tone: 'wait' },
  ] as const;
  return (
    <ul class="tiles">
      {tiles.map(({ word, count, to, tone }) => (
        <li key={word} class={count === 0 ? 'idle' : tone}>
          <Link to={to}>
            <strong>{formats.number(count)}</strong>
            <span>{t(word)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** Each leads to what was told; also of BOTs of which nothing has ever come. */
function Late({ late }: Pick<BotsData, 'late'>) {
  const { t, formats } = useReader();
  if (late.length === 0) return null;
  return (
    <Section title={t('bots.late')} aside={formats.number(late.length)}>
      <ul class="problems">
        {late.slice(0, MOST_LATE).map(({ botId, botName, kind, noticeId, toldAt }) => (
          <li key={botId} class="facts">
            <KindStatus callback={{ kind, status: 1 }} />
            <Link to={pathTo(['callbacks', noticeId])}>
              <BotName name={botName} id={botId} />
            </Link>
            <span class="quiet">
              <Time as="ago" at={toldAt} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** For whoever sees the page before anything has come. */
function Start({ receiver: { listen, path, hasToken } }: { readonly receiver: Receiver }) {
  const { t } = useReader();
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host;
  const address = `http://${host}:${listen.port}${path}${hasToken ? '/<token>' : ''}`;
  return (
    <Section title={t('bots.empty')}>
      <p>{t('bots.empty, address')}</p>
      <pre class="box">{address}</pre>
      {hasToken ? <p class="quiet">{t('bots.empty, token')}</p> : null}
      <p>{t('bots.empty, sample')}</p>
      <pre class="box">npm run -s botbell -- send config/samples/error.json --fresh</pre>
      <p>
        <Link to="/playground">{t('bots.empty, try')}</Link>
      </p>
    </Section>
  );
}

function BotList({ data: { page, name, after, runs, snoozed, isComplete } }: BotsProps) {
  const reader = useReader();
  const { t } = reader;
  const rows = page.bots.map((bot) => ({
    ...rowOf(bot, runs.get(bot.botId) ?? []),
    isSnoozed: snoozed.has(bot.botId),
  }));
  return (
    <Section>
      <FilterForm path="/" isFiltered={name !== ''}>
        <Field name="name" label={t('bots.search')} value={name} />
      </FilterForm>
      <Table
        caption={t('nav.bots')}
        columns={columnsFor(reader)}
        rows={rows}
        keyOf={({ botId }) => botId}
        empty={t('bots.none')}
      />
      {isComplete ? null : <p class="quiet">{t('bots.isMore')}</p>}
      <Paging
        newest={after === undefined ? undefined : pathTo([''], { name })}
        older={page.next === undefined ? undefined : pathTo([''], { name, after: page.next })}
      />
    </Section>
  );
}

interface Row extends ReturnType<typeof rowOf> {
  readonly isSnoozed: boolean;
}

function rowOf(bot: ArchivedBot, runs: readonly Run[]) {
  const last = runs.find(({ status }) => status !== 2) ?? runs[0];
  const failed = runs.filter(({ status }) => status === 1).length;
  return { ...bot, runs, last, failed, usual: usualSeconds(runs) };
}

function columnsFor({ t, formats }: Reader): readonly Column<Row>[] {
  return [
    {
      head: t('bot'),
      kind: 'main',
      cell: ({ botId, botName, isSnoozed }) => (
        <>
          <Link to={pathTo(['bots', botId])}>
            <BotName name={botName} id={botId} />
          </Link>
          <small>
            <Code text={botId} /> {isSnoozed ? <Link to="/snoozes">{t('snoozed')}</Link> : null}
          </small>
        </>
      ),
    },
    {
      head: t('bots.runs'),
      kind: 'narrow',
      cell: ({ runs, failed }) => (
        <Strip runs={runs} room={RUNS_SHOWN} title={t('bots.strip', { runs: runs.length, failed })} />
      ),
    },
    { head: t('bots.last'), kind: 'narrow', cell: (row) => <LastResult row={row} /> },
    {
      head: t('bots.duration'),
      kind: 'number',
      cell: ({ last, usual }) => (
        <>
          {last?.elapsedSeconds === undefined ? '–' : formats.elapsed(last.elapsedSeconds)}
          {usual === undefined ? null : (
            <small>{t('bots.usually', { duration: formats.elapsed(usual) })}</small>
          )}
        </>
      ),
    },
  ];
}

function LastResult({ row: { last, lastReceivedAt, lastResultAt } }: { readonly row: Row }) {
  const { t } = useReader();
  return (
    <>
      {last === undefined ? t('bots.no result') : <RunStatus status={last.status} />}
      <small>
        <Time as="ago" at={last?.status === 2 ? last.receivedAt : (lastResultAt ?? lastReceivedAt)} />
      </small>
    </>
  );
}
