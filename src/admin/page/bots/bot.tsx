/** One BOT: how it runs, what goes wrong with it, and who is told of it now. */
import type { Callback } from '../../../callback/callback.ts';
import { ALL_STATUSES, type StatusCode } from '../../../callback/callback.ts';
import type { ArchivedBot, FailedRun, Run, Runs } from '../../../ledger/archive/archive.ts';
import type { RouteExplanation } from '../../../route/router.ts';
import { successRate, usualSeconds } from './bot-list.ts';
import { Scatter } from '../charts/scatter.tsx';
import { type ErrorGroup, errorsByMessage } from './error-groups.ts';
import { RunStatus } from '../parts/status.tsx';
import { DefinitionList, Table } from '../parts/table.tsx';
import { BotName, Code, Foreign, Link, pathTo } from '../parts/text.tsx';
import { Time } from '../parts/time.tsx';
import type { Reader } from '../reader.ts';
import type { Shown, View } from '../view.ts';
import { BOTS_WORDS } from '../words/bots.ts';
import { PAGE_WORDS } from '../words/page.ts';
import { useReader, useWords } from '../use-reader.ts';

const DAY_MS = 86_400_000;
const DAYS_SHOWN = 30;
const RUNS_LISTED = 15;

export interface BotData {
  readonly bot: ArchivedBot;
  readonly runs: Runs;
  readonly failures: readonly FailedRun[];
  readonly routes: readonly StatusRoutes[];
}

/** What each route makes of a run that ends so, by the config in force. */
interface StatusRoutes {
  readonly status: StatusCode;
  readonly explanations: readonly RouteExplanation[];
}

export const showBot: View = async ({ params, reader, services: { archive, surroundings } }) => {
  const { dayOf } = reader.formats;
  const bot = await archive.bot(params['id'] ?? '', dayOf(reader.now - 7 * DAY_MS));
  if (bot === undefined) return undefined;
  const runs = await archive.runsSince(bot, reader.now - DAYS_SHOWN * DAY_MS);
  const failures = await archive.failedRuns(runs.runs);
  const routes = routesFor(bot.botId, surroundings.explainRoutes);
  return botPage({ bot, runs, failures, routes }, reader);
};

function routesFor(
  botId: string,
  explain: (callback: Pick<Callback, 'bot_id' | 'status'>) => readonly RouteExplanation[],
): readonly StatusRoutes[] {
  const codes: readonly StatusCode[] = [1, 0, 2];
  return codes.map((status) => ({ status, explanations: explain({ bot_id: botId, status }) }));
}

export function botPage(data: BotData, reader: Reader): Shown {
  const { bot, runs } = data;
  const words = BOTS_WORDS[reader.language].one;
  const last = runs.runs.find(({ status }) => status !== 2) ?? runs.runs[0];
  const body = (
    <>
      <div class="head">
        <h1>
          <BotName name={bot.botName} id={bot.botId} />
        </h1>
        <p class="facts">
          {last === undefined ? null : <RunStatus status={last.status} />}
          <Code text={bot.botId} />
          <Link to={pathTo(['callbacks'], { bot_id: bot.botId })}>{words.allCallbacks}</Link>
        </p>
      </div>
      <Facts bot={bot} runs={runs.runs} />
      <RunsPanel runs={runs} />
      <ErrorsPanel failures={data.failures} />
      <RoutesPanel routes={data.routes} />
      <RecentPanel runs={runs.runs} />
    </>
  );
  return { title: bot.botName || bot.botId, section: 'bots', body };
}

function durationsOf(runs: readonly Run[], { language, formats }: Reader): string {
  const [usual, slow] = [usualSeconds(runs), usualSeconds(runs, 0.95)];
  if (usual === undefined || slow === undefined) return PAGE_WORDS[language].none;
  return BOTS_WORDS[language].one.durationsOf(formats.elapsed(usual), formats.elapsed(slow));
}

interface FactsProps {
  readonly bot: ArchivedBot;
  readonly runs: readonly Run[];
}

function Facts({ bot, runs }: FactsProps) {
  const reader = useReader();
  const words = useWords(BOTS_WORDS).one;
  const rate = successRate(bot.counts);
  const week =
    rate === undefined
      ? '–'
      : `${reader.formats.percent(rate.share)} · ${BOTS_WORDS[reader.language].ofRuns(rate.ended)}`;
  return (
    <section class="panel">
      <h2>{words.facts}</h2>
      <DefinitionList
        terms={[
          { term: words.lastSuccess, details: <Time at={bot.lastSucceededAt} /> },
          { term: words.lastFailure, details: <Time at={bot.lastFailedAt} /> },
          { term: words.week, details: week },
          { term: words.durations, details: durationsOf(runs, reader) },
          { term: words.retries, details: reader.formats.number(bot.counts.retries) },
        ]}
      />
    </section>
  );
}

function RunsPanel({ runs: { runs, isComplete } }: { readonly runs: Runs }) {
  const reader = useReader();
  const words = useWords(BOTS_WORDS).one;
  const failed = runs.filter(({ status }) => status === 1).length;
  const title = useWords(BOTS_WORDS).strip(runs.length, failed);
  return (
    <section class="panel">
      <header>
        <h2>{words.runs}</h2>
        <p class="quiet">{title}</p>
      </header>
      {runs.length === 0 ? (
        <p class="empty">{words.noRuns}</p>
      ) : (
        <>
          <Scatter
            runs={runs}
            from={reader.now - DAYS_SHOWN * DAY_MS}
            to={reader.now}
            title={`${words.runs}: ${title}`}
          />
          <p class="quiet">{words.runsLead}</p>
        </>
      )}
      {isComplete ? null : <p class="quiet">{words.runsCut}</p>}
    </section>
  );
}

function ErrorsPanel({ failures }: { readonly failures: readonly FailedRun[] }) {
  const reader = useReader();
  const words = useWords(BOTS_WORDS).one;
  return (
    <section class="panel">
      <h2>{words.errors}</h2>
      {failures.length === 0 ? null : <p class="quiet">{words.errorsLead}</p>}
      <Table<ErrorGroup>
        caption={words.errorsCaption}
        columns={[
          {
            head: words.message,
            kind: 'main',
            cell: ({ message, latestId }) => (
              <Link to={pathTo(['callbacks', latestId])}>
                {message === undefined ? words.noMessage : <Foreign text={message} />}
              </Link>
            ),
          },
          { head: words.times, kind: 'number', cell: ({ count }) => reader.formats.number(count) },
          { head: words.latest, kind: 'narrow', cell: ({ latestAt }) => <Time at={latestAt} /> },
        ]}
        rows={errorsByMessage(failures)}
        keyOf={({ latestId }) => latestId}
        empty={words.noErrors}
      />
    </section>
  );
}

function RoutesPanel({ routes }: { readonly routes: readonly StatusRoutes[] }) {
  const words = useWords(BOTS_WORDS).one;
  return (
    <section class="panel">
      <h2>{words.routes}</h2>
      {routes.map(({ status, explanations }) => {
        const name = ALL_STATUSES[status] ?? 'succeeded';
        const heard = explanations.filter(
          ({ verdict }) => verdict !== 'another BOT' && verdict !== 'not needed',
        );
        const isTold = heard.some(({ reaches }) => reaches.length > 0);
        return (
          <div key={name} class="routes">
            <h3>
              <RunStatus status={status} />
            </h3>
            {isTold ? null : <p>{words.nobody}</p>}
            <ul>
              {heard.map((each) => (
                <Route key={each.route} explanation={each} />
              ))}
            </ul>
            {heard.length === explanations.length ? null : (
              <p class="quiet">
                <small>{words.others(explanations.length - heard.length)}</small>
              </p>
            )}
          </div>
        );
      })}
    </section>
  );
}

function Route({
  explanation: { route, verdict, pattern, reaches },
}: {
  readonly explanation: RouteExplanation;
}) {
  const words = useWords(BOTS_WORDS).one;
  return (
    <li>
      <Code text={pattern === undefined ? route : `${route} (${pattern})`} />
      {`: ${words.verdict[verdict]}`}
      {reaches.length === 0 ? null : (
        <ul class="chips">
          {reaches.map((destination) => (
            <li key={destination} class="chip idle">
              <Code text={destination} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function RecentPanel({ runs }: { readonly runs: readonly Run[] }) {
  const reader = useReader();
  const words = useWords(BOTS_WORDS).one;
  return (
    <section class="panel">
      <h2>{words.recent}</h2>
      <Table<Run>
        caption={words.recentCaption}
        columns={[
          {
            head: words.status,
            kind: 'main',
            cell: ({ status, callbackId }) => (
              <Link to={pathTo(['callbacks', callbackId])}>
                <RunStatus status={status} />
              </Link>
            ),
          },
          { head: words.when, cell: ({ startedAt }) => <Time at={startedAt} /> },
          {
            head: words.took,
            kind: 'number',
            cell: ({ elapsedSeconds }) =>
              elapsedSeconds === undefined ? '–' : reader.formats.elapsed(elapsedSeconds),
          },
          {
            head: words.job,
            cell: ({ jobId }) => (
              <Link to={pathTo(['jobs', jobId])}>
                <Code text={jobId} />
              </Link>
            ),
          },
        ]}
        rows={runs.slice(0, RUNS_LISTED)}
        keyOf={({ callbackId }) => callbackId}
        empty={words.noRuns}
      />
    </section>
  );
}
