/** The overview: what needs somebody, then a row for each BOT, those that fail first. */
import type { ArchivedBot, Counted, OpenWork, Run } from '../../../ledger/archive/archive.ts';
import { Field, FilterForm } from '../parts/forms.tsx';
import { Head, Section } from '../parts/layout.tsx';
import { RunStatus, Status } from '../parts/status.tsx';
import { Paging, Table } from '../parts/table.tsx';
import { BotName, Code, Link, pathTo } from '../parts/text.tsx';
import { Time } from '../parts/time.tsx';
import { type Reader, useReader } from '../reader.ts';
import type { View } from '../view.ts';
import { type BotFilter, botsOnPage, type BotsOnPage, usualSeconds } from './bot-list.ts';
import { Strip } from './charts.tsx';

export const RUNS_SHOWN = 30;
const BOTS_A_PAGE = 50;
/** No more are looked at. */
const MOST_BOTS = 10_000;

interface Receiver {
  readonly listen: { readonly host: string; readonly port: number };
  readonly path: string;
  readonly hasToken: boolean;
}

export interface BotsData {
  readonly page: BotsOnPage;
  readonly filter: BotFilter;
  readonly after: string | undefined;
  readonly runs: ReadonlyMap<string, readonly Run[]>;
  readonly work: OpenWork;
  /** How many fail, of all. */
  readonly failing: number;
  readonly isComplete: boolean;
  /** Where callbacks are posted to; only where none has come yet. */
  readonly receiver: Receiver | undefined;
}

export const showBots: View = async ({ query, reader, services: { archive, drawing } }) => {
  const filter = { name: query.get('name')?.trim() ?? '', isFailing: query.get('state') === 'failing' };
  const after = query.get('after') ?? undefined;
  const bots = await archive.bots('', MOST_BOTS);
  const page = botsOnPage(bots, filter, after, BOTS_A_PAGE);
  const [runs, work] = await Promise.all([archive.lastRuns(page.bots, RUNS_SHOWN), archive.openWork()]);
  const failing = bots.filter(({ isFailing }) => isFailing).length;
  const { listen, path, tokens } = drawing().config.receiver;
  const receiver = bots.length === 0 ? { listen, path, hasToken: tokens.length > 0 } : undefined;
  const data = { page, filter, after, runs, work, failing, isComplete: bots.length < MOST_BOTS, receiver };
  return { title: reader.t('nav.bots'), section: 'bots', body: <Bots data={data} /> };
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
      {data.receiver === undefined ? <BotList data={data} /> : <Start receiver={data.receiver} />}
    </>
  );
}

function Tiles({ data: { work, failing } }: BotsProps) {
  const reader = useReader();
  const tiles = [
    { word: 'bots.failing', counted: { count: failing, isMore: false }, to: '/?state=failing', tone: 'bad' },
    { word: 'bots.pending', counted: work.pending, to: '/callbacks?state=pending', tone: 'wait' },
    { word: 'nav.dead', counted: work.dead, to: '/dead', tone: 'bad' },
    { word: 'refused.title', counted: work.refused, to: '/refused', tone: 'wait' },
  ] as const;
  return (
    <ul class="tiles">
      {tiles.map(({ word, counted, to, tone }) => (
        <li key={word} class={counted.count === 0 ? 'idle' : tone}>
          <Link to={to}>
            <strong>{countedText(counted, reader)}</strong>
            <span>{reader.t(word)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** `1,000+` */
export function countedText({ count, isMore }: Counted, { t, formats }: Reader): string {
  const number = formats.number(count);
  return isMore ? t('moreThan', { number }) : number;
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

function BotList({ data }: BotsProps) {
  const { t } = useReader();
  const { filter, page, after, isComplete } = data;
  const state = filter.isFailing ? 'failing' : undefined;
  const path = (last: string | undefined) => pathTo([''], { name: filter.name, state, after: last });
  return (
    <Section>
      <FilterForm path="/" isFiltered={filter.name !== '' || filter.isFailing}>
        <Field name="name" label={t('bots.search')} value={filter.name} />
        {filter.isFailing ? <input type="hidden" name="state" value="failing" /> : null}
      </FilterForm>
      <Table<ArchivedBot>
        caption={t('nav.bots')}
        columns={[
          { head: t('bot'), kind: 'main', cell: (bot) => <Name bot={bot} /> },
          { head: t('bots.runs'), cell: (bot) => <LastRuns bot={bot} data={data} /> },
          { head: t('bots.last'), cell: (bot) => <LastResult bot={bot} data={data} /> },
          { head: t('bots.duration'), kind: 'number', cell: (bot) => <Duration bot={bot} data={data} /> },
        ]}
        rows={page.bots}
        keyOf={({ botId }) => botId}
        empty={t('bots.none')}
      />
      {isComplete ? null : <p class="quiet">{t('bots.isMore')}</p>}
      <Paging
        newest={after === undefined ? undefined : path(undefined)}
        older={page.next === undefined ? undefined : path(page.next)}
      />
    </Section>
  );
}

interface OfBot extends BotsProps {
  readonly bot: ArchivedBot;
}

function Name({ bot: { botId, botName } }: Pick<OfBot, 'bot'>) {
  return (
    <>
      <Link to={pathTo(['bots', botId])}>
        <BotName name={botName} id={botId} />
      </Link>
      <small>
        <Code text={botId} />
      </small>
    </>
  );
}

function LastRuns({ bot: { botId }, data }: OfBot) {
  const { t } = useReader();
  const runs = data.runs.get(botId) ?? [];
  const failed = runs.filter(({ status }) => status === 1).length;
  return (
    <Link to={pathTo(['bots', botId])}>
      <Strip runs={runs} room={RUNS_SHOWN} title={t('bots.strip', { runs: runs.length, failed })} />
    </Link>
  );
}

function LastResult({ bot: { botId, lastResultAt }, data }: OfBot) {
  const { t } = useReader();
  const runs = data.runs.get(botId) ?? [];
  const last = runs.find(({ status }) => status !== 2);
  if (last === undefined)
    return runs.length === 0 ? <Status tone="idle" word={t('bots.no result')} /> : <RunStatus status={2} />;
  return (
    <>
      <RunStatus status={last.status} />
      <small>
        <Time as="ago" at={lastResultAt ?? last.receivedAt} />
      </small>
    </>
  );
}

function Duration({ bot: { botId }, data }: OfBot) {
  const { t, formats } = useReader();
  const runs = data.runs.get(botId) ?? [];
  const last = runs.find(({ status }) => status !== 2)?.elapsedSeconds;
  const usual = usualSeconds(runs);
  if (last === undefined || usual === undefined) return <span class="quiet">–</span>;
  return (
    <>
      {formats.elapsed(last)}
      <small>{t('bots.usually', { duration: formats.elapsed(usual) })}</small>
    </>
  );
}
