/** One BOT: how it runs, how long it takes, and who is told of it now. */
import type { StatusCode } from '../../../callback/callback.ts';
import type { ArchivedBot, Run } from '../../../ledger/archive/archive.ts';
import type { KeptSnooze } from '../../../ledger/signal/snoozes.ts';
import type { RouteExplanation } from '../../../route/router.ts';
import { Head, Section } from '../parts/layout.tsx';
import { RunStatus } from '../parts/status.tsx';
import { type Column, Table, Terms } from '../parts/table.tsx';
import { BotName, Chips, Code, JobLink, Link, pathTo, Time } from '../parts/text.tsx';
import { Snoozed } from '../operation/snoozes.tsx';
import { type Reader, useReader } from '../reader.ts';
import type { View } from '../view.ts';
import { usualSeconds } from './bot-list.ts';
import { Scatter } from './charts.tsx';

const DAY_MS = 86_400_000;
const DAYS_SHOWN = 30;
const MOST_RUNS = 1000;
const RUNS_LISTED = 15;
const STATUSES = [1, 0, 2] as const;

/** The newest first. */
interface Runs {
  readonly runs: readonly Run[];
  /** There are no more since then. */
  readonly isComplete: boolean;
}

export interface BotData {
  readonly bot: ArchivedBot;
  readonly runs: Runs;
  /** What each route makes of a run that ends so, by the config in force. */
  readonly routes: ReadonlyMap<StatusCode, readonly RouteExplanation[]>;
  /** Of this BOT, and of destinations that it reaches. */
  readonly snoozes: readonly KeptSnooze[];
}

export const showBot: View = async ({ params, reader, services: { archive, operations, drawing } }) => {
  const bot = await archive.bot(params['id'] ?? '');
  if (bot === undefined) return undefined;
  const last = (await archive.lastRuns([bot], MOST_RUNS)).get(bot.botId) ?? [];
  const shown = last.filter(({ receivedAt }) => receivedAt >= reader.now - DAYS_SHOWN * DAY_MS);
  const runs = { runs: shown, isComplete: last.length < MOST_RUNS || shown.length < last.length };
  const { router } = drawing();
  const routes = new Map(
    STATUSES.map((status) => [status, router.explainAll({ bot_id: bot.botId, status })]),
  );
  const reached = new Set([...routes.values()].flat().flatMap(({ reaches }) => reaches));
  const snoozes = (await operations.snoozes()).filter(({ botId, destination = '' }) =>
    botId === undefined ? reached.has(destination) : botId === bot.botId,
  );
  const data = { bot, runs, routes, snoozes };
  return { title: bot.botName || bot.botId, body: <Bot data={data} /> };
};

export function Bot({ data: { bot, runs, routes, snoozes } }: { readonly data: BotData }) {
  const reader = useReader();
  const { t, formats } = reader;
  const usual = usualSeconds(runs.runs);
  const last = runs.runs.find(({ status }) => status !== 2) ?? runs.runs[0];
  const told = [...routes].map(([status, explanations]) => ({
    term: <RunStatus status={status} />,
    details: <Chips names={[...new Set(explanations.flatMap(({ reaches }) => reaches))]} />,
  }));
  return (
    <>
      <Head title={<BotName name={bot.botName} id={bot.botId} />}>
        {last === undefined ? null : <RunStatus status={last.status} />}
        <Code text={bot.botId} />
        <Link to={pathTo(['callbacks'], { bot_id: bot.botId })}>{t('bot.callbacks')}</Link>
        <Link to={pathTo(['snoozes'], { bot_id: bot.botId })}>{t('snoozes.link')}</Link>
      </Head>
      <Snoozed snoozes={snoozes} of={bot.botId} />
      <Section>
        <Terms
          terms={[
            { term: t('bot.last success'), details: <Time at={bot.lastSucceededAt} /> },
            { term: t('bot.last failure'), details: <Time at={bot.lastFailedAt} /> },
            { term: t('bot.takes'), details: usual === undefined ? '–' : formats.elapsed(usual) },
          ]}
        />
      </Section>
      <MonthOfRuns runs={runs} />
      <Section title={t('bot.told')}>
        <Terms terms={told} />
      </Section>
      <Section title={t('bot.recent')}>
        <Table
          caption={t('bot.recent')}
          columns={columnsFor(reader)}
          rows={runs.runs.slice(0, RUNS_LISTED)}
          keyOf={({ callbackId }) => callbackId}
          empty={t('bot.no runs')}
        />
      </Section>
    </>
  );
}

function MonthOfRuns({ runs: { runs, isComplete } }: { readonly runs: Runs }) {
  const { t, now } = useReader();
  if (runs.length === 0) return null;
  const failed = runs.filter(({ status }) => status === 1).length;
  const count = t('bots.strip', { runs: runs.length, failed });
  return (
    <Section title={t('bot.runs')} aside={count}>
      <Scatter runs={runs} from={now - DAYS_SHOWN * DAY_MS} to={now} title={`${t('bot.runs')}: ${count}`} />
      {isComplete ? null : <p class="quiet">{t('bot.runs, cut')}</p>}
    </Section>
  );
}

function columnsFor({ t, formats }: Reader): readonly Column<Run>[] {
  return [
    {
      head: t('status'),
      kind: 'main',
      cell: ({ status, callbackId }) => (
        <Link to={pathTo(['callbacks', callbackId])}>
          <RunStatus status={status} />
        </Link>
      ),
    },
    { head: t('started'), kind: 'narrow', cell: ({ startedAt }) => <Time at={startedAt} /> },
    {
      head: t('took'),
      kind: 'number',
      cell: ({ elapsedSeconds: took }) => (took === undefined ? '–' : formats.elapsed(took)),
    },
    { head: t('job'), kind: 'narrow', cell: ({ jobId }) => <JobLink id={jobId} /> },
  ];
}
