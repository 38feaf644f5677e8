/** The overview: a row for each BOT, those that fail first. */
import type { BotStanding, Counted, Counts, OpenWork, Run } from '../../../ledger/archive/archive.ts';
import {
  BOT_STATES,
  type BotFilter,
  botsOnPage,
  type BotsOnPage,
  failuresInARow,
  successRate,
  usualSeconds,
} from './bot-list.ts';
import { Strip } from '../charts/strip.tsx';
import { Field, FilterForm } from '../parts/forms.tsx';
import { RunStatus, Status } from '../parts/status.tsx';
import { type Column, Paging, Table } from '../parts/table.tsx';
import { BotName, Code, Link, pathTo } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import type { Reader } from '../reader.ts';
import type { Shown, View } from '../view.ts';
import { BOTS_WORDS } from '../words/bots.ts';
import { PAGE_WORDS } from '../words/page.ts';
import { useReader, useWords } from '../use-reader.ts';

export const RUNS_SHOWN = 30;
const BOTS_A_PAGE = 50;
const WEEK_MS = 7 * 86_400_000;

export interface BotsData {
  readonly page: BotsOnPage;
  readonly filter: BotFilter;
  readonly after: string | undefined;
  readonly runs: ReadonlyMap<string, readonly Run[]>;
  readonly counts: ReadonlyMap<string, Counts>;
  readonly work: OpenWork;
  /** How many fail, of all. */
  readonly failing: number;
  readonly total: number;
  readonly isComplete: boolean;
}

export const showBots: View = async ({ query, reader, services: { archive } }) => {
  const filter = {
    name: query.get('name')?.trim() ?? '',
    state: BOT_STATES.find((state) => state === query.get('state')),
  };
  const after = query.get('after') ?? undefined;
  const { bots, isComplete } = await archive.everyBot();
  const page = botsOnPage(bots, filter, after, BOTS_A_PAGE);
  const ids = page.bots.map(({ botId }) => botId);
  const [runs, counts, work] = await Promise.all([
    archive.lastRuns(page.bots, RUNS_SHOWN),
    archive.countsOf(ids, reader.formats.dayOf(reader.now - WEEK_MS)),
    archive.openWork(),
  ]);
  const data = {
    page,
    filter,
    after,
    runs,
    counts,
    work,
    failing: bots.filter(({ isFailing }) => isFailing).length,
    total: bots.length,
    isComplete,
  };
  return botsPage(data, reader);
};

export function botsPage(data: BotsData, reader: Reader): Shown {
  const words = BOTS_WORDS[reader.language];
  const body = (
    <>
      <div class="head">
        <h1>{words.title}</h1>
        <p class="lead">{words.lead}</p>
      </div>
      <Tiles data={data} />
      <section class="panel" aria-label={words.title}>
        {data.total === 0 ? null : <Filter filter={data.filter} />}
        <Table
          caption={words.caption}
          columns={columnsOf(data, reader)}
          rows={data.page.bots}
          keyOf={({ botId }) => botId}
          empty={data.total === 0 ? words.empty : words.noMatch}
        />
        {data.isComplete ? null : <p class="quiet">{words.isMore}</p>}
        <Paging {...pagesOf(data)} />
      </section>
    </>
  );
  return { title: words.title, section: 'bots', body };
}

function pagesOf({ filter: { name, state }, after, page: { next } }: BotsData) {
  const path = (last: string | undefined) => pathTo([''], { name, state, after: last });
  return {
    newest: after === undefined ? undefined : path(undefined),
    older: next === undefined ? undefined : path(next),
  };
}

function Tiles({ data }: { readonly data: BotsData }) {
  const reader = useReader();
  const { tiles } = useWords(BOTS_WORDS);
  const { work, failing } = data;
  const all = [
    { word: tiles.failing, counted: { count: failing, isMore: false }, to: '/?state=failing', tone: 'bad' },
    { word: tiles.pending, counted: work.pending, to: '/callbacks?state=pending', tone: 'wait' },
    { word: tiles.dead, counted: work.dead, to: '/dead', tone: 'bad' },
    { word: tiles.refused, counted: work.refused, to: '/refused', tone: 'wait' },
  ];
  return (
    <ul class="tiles">
      {all.map(({ word, counted, to, tone }) => (
        <li key={word} class={counted.count === 0 ? 'idle' : tone}>
          <Link to={to}>
            <strong>{countedText(counted, reader)}</strong>
            <span>{word}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** `1,000+` */
export function countedText({ count, isMore }: Counted, { language, formats }: Reader): string {
  const number = formats.number(count);
  return isMore ? PAGE_WORDS[language].moreThan(number) : number;
}

function Filter({ filter }: { readonly filter: BotFilter }) {
  const { fields, states } = useWords(BOTS_WORDS);
  const words = useWords(PAGE_WORDS);
  const isFiltered = filter.name !== '' || filter.state !== undefined;
  return (
    <FilterForm path="/" isFiltered={isFiltered}>
      <Field name="name" label={fields.name} value={filter.name} />
      <Field
        name="state"
        label={fields.state}
        value={filter.state}
        options={[
          { value: '', word: words.any },
          ...BOT_STATES.map((value) => ({ value, word: states[value] })),
        ]}
      />
    </FilterForm>
  );
}

function columnsOf({ runs, counts }: BotsData, reader: Reader): readonly Column<BotStanding>[] {
  const { columns } = BOTS_WORDS[reader.language];
  const runsOf = ({ botId }: BotStanding) => runs.get(botId) ?? [];
  return [
    { head: columns.bot, kind: 'main', cell: (bot) => <Name bot={bot} /> },
    { head: columns.runs, cell: (bot) => <BotStrip bot={bot} runs={runsOf(bot)} /> },
    { head: columns.last, cell: (bot) => <LastResult bot={bot} runs={runsOf(bot)} /> },
    { head: columns.rate, kind: 'number', cell: ({ botId }) => <Rate counts={counts.get(botId)} /> },
    { head: columns.duration, kind: 'number', cell: (bot) => <Duration runs={runsOf(bot)} /> },
  ];
}

function Name({ bot: { botId, botName } }: { readonly bot: BotStanding }) {
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

interface OfBot {
  readonly bot: BotStanding;
  readonly runs: readonly Run[];
}

function BotStrip({ bot, runs }: OfBot) {
  const reader = useReader();
  return (
    <Link to={pathTo(['bots', bot.botId])} className="quiet-link">
      <Strip runs={runs} room={RUNS_SHOWN} title={stripTitle(runs, reader)} />
    </Link>
  );
}

export function stripTitle(runs: readonly Run[], { language, formats }: Reader): string {
  const words = BOTS_WORDS[language];
  const failed = runs.filter(({ status }) => status === 1);
  const [last] = failed;
  const title = words.strip(runs.length, failed.length);
  return last === undefined ? title : title + words.stripLast(formats.relative(last.receivedAt));
}

function LastResult({ bot, runs }: OfBot) {
  const reader = useReader();
  const words = useWords(BOTS_WORDS);
  const last = runs.find(({ status }) => status !== 2);
  if (last === undefined) {
    return runs.length === 0 ? <Status tone="idle" word={words.noResult} /> : <RunStatus status={2} />;
  }
  const inARow = failuresInARow(runs);
  const isCut = inARow >= RUNS_SHOWN;
  const number = isCut ? PAGE_WORDS[reader.language].moreThan(String(inARow)) : String(inARow);
  return (
    <>
      <RunStatus status={last.status} />
      <small>
        <Ago at={bot.lastResultAt ?? last.receivedAt} />
        {inARow > 1 ? ` · ${words.inARow(number)}` : null}
      </small>
    </>
  );
}

function Rate({ counts }: { readonly counts: Counts | undefined }) {
  const reader = useReader();
  const rate = successRate(counts);
  if (rate === undefined) return <span class="quiet">{PAGE_WORDS[reader.language].none}</span>;
  return (
    <>
      {reader.formats.percent(rate.share)}
      <small>{BOTS_WORDS[reader.language].ofRuns(rate.ended)}</small>
    </>
  );
}

function Duration({ runs }: { readonly runs: readonly Run[] }) {
  const reader = useReader();
  const last = runs.find(({ status }) => status !== 2)?.elapsedSeconds;
  const usual = usualSeconds(runs);
  if (last === undefined || usual === undefined) {
    return <span class="quiet">{PAGE_WORDS[reader.language].none}</span>;
  }
  return (
    <>
      {reader.formats.elapsed(last)}
      <small>{BOTS_WORDS[reader.language].usually(reader.formats.elapsed(usual))}</small>
    </>
  );
}
