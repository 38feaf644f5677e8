/** One BOT: its runs, their durations, and its current destinations. */
import type { Run } from '../../../ledger/archive/archive.ts';
import { Snoozed } from '../operation/snoozes.tsx';
import { Section } from '../parts/layout.tsx';
import { KindStatus, RunStatus } from '../parts/status.tsx';
import { Table, Term } from '../parts/table.tsx';
import { Chips, Code, JobLink, nameOf, pathTo, Time } from '../parts/text.tsx';
import { useReader } from '../reader.ts';
import type { View, ViewRequest } from '../view.ts';
import { Scatter } from './charts.tsx';

const DAY_MS = 86_400_000;
const DAYS_SHOWN = 30;
const MOST_RUNS = 1000;
const RUNS_LISTED = 15;
const STATUSES = [1, 0, 2] as const;

export type BotData = Exclude<Awaited<ReturnType<typeof loadBot>>, undefined>;

export const showBot: View = async (request) => {
  const data = await loadBot(request);
  if (data === undefined) return undefined;
  const { botName, botId } = data.bot;
  return { title: nameOf(botName, botId), facts: <BotFacts data={data} />, body: <Bot data={data} /> };
};

async function loadBot({
  params,
  query,
  reader: { now },
  services: { archive, people, drawing },
}: ViewRequest) {
  const bot = await archive.bot(params['bot_id'] ?? query.get('bot_id') ?? '');
  if (bot === undefined) return undefined;
  const last = (await archive.lastRuns([bot], MOST_RUNS)).get(bot.botId) ?? [];
  const { router } = drawing();
  const told = STATUSES.map((status) => {
    const { explanations } = router.route({ bot_id: bot.botId, status });
    return { status, names: explanations.flatMap(({ reaches }) => reaches) };
  });
  const reached = new Set(told.flatMap(({ names }) => names));
  /** Newest first. */
  const runs = last.filter(({ receivedAt }) => receivedAt >= now - DAYS_SHOWN * DAY_MS);
  return {
    bot,
    runs,
    isCut: runs.length === MOST_RUNS,
    /** Destinations for each status, by the config in force. */
    told,
    /** Notices of a result that was missed or is overdue, and has not come since. */
    late: (await archive.lateBots()).filter(({ botId }) => botId === bot.botId),
    /** Snoozes of this BOT, and those of whole destinations that it reaches. */
    snoozes: (await people.snoozes()).filter(({ botId, destination = '' }) =>
      botId === undefined ? reached.has(destination) : botId === bot.botId,
    ),
  };
}

interface BotProps {
  readonly data: BotData;
}

export function BotFacts({ data: { bot, runs, late } }: BotProps) {
  const { t } = useReader();
  const last = runs.find(({ status }) => status !== 2) ?? runs[0];
  return (
    <>
      {last === undefined ? null : <RunStatus status={last.status} />}
      {late.map(({ kind, noticeId }) => (
        <a key={noticeId} href={pathTo(['callbacks', noticeId])}>
          <KindStatus callback={{ kind, status: 1 }} />
        </a>
      ))}
      <Code text={bot.botId} />
      <a href={pathTo(['callbacks'], { bot_id: bot.botId })}>{t('bot.callbacks')}</a>
      <a href={pathTo(['snoozes'], { bot_id: bot.botId })}>{t('snoozes.link')}</a>
    </>
  );
}

export function Bot({ data }: BotProps) {
  const { t } = useReader();
  const { bot, runs, told, snoozes } = data;
  return (
    <>
      <Snoozed snoozes={snoozes} of={bot.botId} />
      {runs.length === 0 ? null : <MonthOfRuns data={data} />}
      <Section title={t('bot.told')}>
        <dl class="terms">
          {told.map(({ status, names }) => (
            <Term key={status} of={<RunStatus status={status} />}>
              <Chips names={names} />
            </Term>
          ))}
        </dl>
      </Section>
      <LatestRuns runs={runs.slice(0, RUNS_LISTED)} />
    </>
  );
}

function MonthOfRuns({ data: { runs, isCut } }: BotProps) {
  const { t, now } = useReader();
  const failed = runs.filter(({ status }) => status === 1).length;
  const count = t('bots.strip', { runs: runs.length, failed });
  return (
    <Section title={t('bot.runs')} aside={count}>
      <Scatter runs={runs} to={now} title={`${t('bot.runs')}: ${count}`} />
      {isCut ? <p class="quiet">{t('bot.runs, cut')}</p> : null}
    </Section>
  );
}

function LatestRuns({ runs }: { readonly runs: readonly Run[] }) {
  const { t, formats } = useReader();
  const took = ({ elapsedSeconds }: Run) =>
    elapsedSeconds === undefined ? '–' : formats.elapsed(elapsedSeconds);
  const status = (run: Run) => (
    <a href={pathTo(['callbacks', run.callbackId])}>
      <RunStatus status={run.status} />
    </a>
  );
  return (
    <Section title={t('bot.recent')}>
      <Table
        caption={t('bot.recent')}
        rows={runs}
        empty={t('bot.no runs')}
        columns={[
          { head: t('status'), kind: 'main', cell: status },
          { head: t('started'), kind: 'narrow', cell: ({ startedAt }) => <Time at={startedAt} /> },
          { head: t('took'), kind: 'number', cell: took },
          { head: t('job'), kind: 'narrow', cell: ({ jobId }) => <JobLink id={jobId} /> },
        ]}
      />
    </Section>
  );
}
