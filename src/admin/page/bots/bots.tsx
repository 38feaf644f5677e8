/** The overview: what needs somebody, then a row for each BOT. */
import { COMMON_PAGE, LARGEST_PAGE } from '../../../ledger/archive/stories.ts';
import type { Config } from '../../../config/config.ts';
import { keysFor } from '../../../ledger/callbacks/keys.ts';
import { callbackUrlOf } from '../../../config/callback-url.ts';
import { pageAfter } from '../../../people/filters.ts';
import { Entries } from '../incidents/incidents.tsx';
import { Field, FilterForm } from '../parts/forms.tsx';
import { type Columns, Section, Table } from '../parts/layout.tsx';
import { RunStatus } from '../parts/status.tsx';
import { At, BotName, Code, Gist, LinkLine, NextPage, pathTo, Time } from '../parts/text.tsx';
import { type Reader, useReader, type View, type ViewRequest } from '../reader.ts';
import type { Word } from '../words.ts';
import { latestOf, Strip } from './charts.tsx';

const RUNS_SHOWN = 30;

type BotsData = Awaited<ReturnType<typeof loadBots>>;

export const showBots: View = async (request) => {
  const data = await loadBots(request);
  const facts = <Facts {...data} />;
  return { title: request.reader.t(data.title), facts, body: <Bots {...data} /> };
};

async function loadBots({ query, counts, services, ...request }: ViewRequest) {
  const { archive, drawing, storeTrouble } = services;
  const open = await request.open;
  const search = query.get('search')?.trim() ?? '';
  const page = { after: query.get('after') ?? undefined, limit: COMMON_PAGE };
  const found = await archive.bots(page.after, page.limit + 1, search);
  const { items: bots, next } = pageAfter(found, ({ botId }) => botId, page);
  const runs = await archive.lastRuns(bots, RUNS_SHOWN);
  const botIds = bots.map(({ botId }) => botId);
  const { items: snoozes } = await archive.snoozes({ limit: LARGEST_PAGE }, { botIds });
  const snoozed = new Set(snoozes.flatMap(({ botId = '' }) => keysFor(botId)));
  const [last] = (await archive.callbacks({ kind: 'callback' }, { limit: 1 })).items;
  const isNeeding = open.some(({ isWaiting }) => !isWaiting) || storeTrouble() !== undefined;
  return {
    title: titleOf(isNeeding, last === undefined),
    search,
    rows: bots.map((bot) => {
      const own = runs.get(bot.botId) ?? [];
      return { ...bot, runs: own, last: latestOf(own), isSnoozed: snoozed.has(bot.botId) };
    }),
    next,
    open,
    lastAt: last?.receivedAt,
    pending: counts?.pending ?? 0,
    /** Set only before the first callback, to show where to post one. */
    receiver: last === undefined ? drawing().config.receiver : undefined,
  };
}

function titleOf(isNeeding: boolean, isNew: boolean): Word {
  if (isNeeding) return 'incidents.needs';
  return isNew ? 'bots.empty' : 'incidents.well';
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
      <At word="incidents.last callback" at={title === 'incidents.well' ? lastAt : undefined} />
      {pending === 0 ? null : (
        <a href={pathTo(['callbacks'], { state: 'pending' })}>{t('bots.pending', { number: pending })}</a>
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
      <LinkLine href="/playground" word={t('bots.empty, try')} />
    </Section>
  );
}

function BotList({ search, rows, next }: BotsData) {
  const { t } = useReader();
  return (
    <Section title={t('nav.bots')}>
      <FilterForm path="/" isFiltered={search !== ''}>
        <Field name="search" label={t('bots.search')} value={search} />
      </FilterForm>
      <Table caption="nav.bots" rows={rows} empty="bots.none" columns={COLUMNS} />
      <NextPage of="" query={{ search }} after={next} />
    </Section>
  );
}

type Row = BotsData['rows'][number];

const COLUMNS: Columns<Row> = [
  ['bot', linkTo, 'main'],
  ['bots.runs', ({ runs }) => <Strip runs={runs} />, 'narrow'],
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
