/** One BOT: its runs, their durations, and its current destinations. */
import type { Run } from '../../../ledger/archive/archive.ts';
import { LARGEST_PAGE } from '../../../ledger/archive/stories.ts';
import { keysFor } from '../../../ledger/callbacks/keys.ts';
import { DAY_MS } from '../../../signal/calendar.ts';
import { Entries } from '../incidents/incidents.tsx';
import { Snoozed } from '../operation/snoozes.tsx';
import { type Columns, Section, Table } from '../parts/layout.tsx';
import { RunStatus } from '../parts/status.tsx';
import { Chips, Code, Gist, JobLink, nameOf, pathTo, Time } from '../parts/text.tsx';
import { useReader, type View, type ViewRequest } from '../reader.ts';
import { countOf, latestOf, Scatter } from './charts.tsx';

const DAYS_SHOWN = 30;
const MOST_RUNS = 1000;
const RUNS_LISTED = 15;
const STATUSES = [1, 0, 2] as const;

type BotData = Exclude<Awaited<ReturnType<typeof loadBot>>, undefined>;

export const showBot: View = async (request) => {
  const data = await loadBot(request);
  if (data === undefined) return undefined;
  const { botName, botId } = data.bot;
  return { title: nameOf(botName, botId), facts: <BotFacts {...data} />, body: <Bot {...data} /> };
};

async function loadBot({ query, open, reader: { now }, services: { archive, drawing } }: ViewRequest) {
  const bot = await archive.bot(query.get('bot_id') ?? '');
  if (bot === undefined) return undefined;
  const last = (await archive.lastRuns([bot], MOST_RUNS)).get(bot.botId) ?? [];
  const { router } = drawing();
  const told = STATUSES.map((status) => {
    const { explanations } = router.route({ bot_id: bot.botId, status });
    return { status, names: explanations.flatMap(({ reaches }) => reaches) };
  });
  const reached = [...new Set(told.flatMap(({ names }) => names))].slice(0, LARGEST_PAGE);
  const snoozes = await archive.snoozes(
    { limit: LARGEST_PAGE },
    { botIds: [bot.botId], destinations: reached },
  );
  return {
    bot,
    /** Newest first. */
    runs: last.filter(({ receivedAt }) => receivedAt >= now - DAYS_SHOWN * DAY_MS),
    /** Destinations for each status, by the config in force. */
    told,
    open: (await open).filter(({ kind, subject }) => kind === 'bot' && keysFor(subject).includes(bot.botId)),
    /** Snoozes of this BOT, and of whole destinations that it reaches. */
    snoozes: snoozes.items.filter(({ botId = bot.botId }) => keysFor(botId).includes(bot.botId)),
  };
}

function BotFacts({ bot: { botId: bot_id }, runs }: BotData) {
  const { t } = useReader();
  const last = latestOf(runs);
  return (
    <>
      {last === undefined ? null : <RunStatus status={last.status} />}
      <Code text={bot_id} />
      <a href={pathTo(['callbacks'], { bot_id })}>{t('bot.callbacks')}</a>
      <a href={pathTo(['reports'], { bot_id })}>{t('nav.reports')}</a>
      <a href={pathTo(['snoozes'], { bot_id })}>{t('snoozes.link')}</a>
    </>
  );
}

function Bot({ bot, runs, told, snoozes, open }: BotData) {
  const reader = useReader();
  const { t, now } = reader;
  const count = countOf(runs, reader);
  return (
    <>
      <Snoozed snoozes={snoozes} of={bot.botId} />
      <Entries incidents={open} />
      {runs.length === 0 ? null : (
        <Section title={t('bot.runs')} aside={count}>
          <Scatter runs={runs} to={now} title={`${t('bot.runs')}: ${count}`} />
          {runs.length < MOST_RUNS ? null : <p class="quiet">{t('bot.runs, cut')}</p>}
        </Section>
      )}
      <Section title={t('bot.told')}>
        <Table caption="bot.told" rows={told} columns={TOLD} />
      </Section>
      <Section title={t('bots.runs')}>
        <Table caption="bots.runs" rows={runs.slice(0, RUNS_LISTED)} empty="bot.no runs" columns={RUNS} />
      </Section>
    </>
  );
}

const TOLD: Columns<BotData['told'][number]> = [
  ['status', ({ status }) => <RunStatus status={status} />, 'main'],
  ['destination', ({ names }) => <Chips of={names} />],
];

const RUNS: Columns<Run> = [
  ['status', linkTo, 'main'],
  ['started', ({ startedAt }) => <Time at={startedAt} />, 'narrow'],
  ['took', ({ elapsedSeconds }, { formats }) => formats.took(elapsedSeconds), 'number'],
  ['job', ({ jobId }) => <JobLink id={jobId} />, 'narrow'],
];

function linkTo({ callbackId, status, gist }: Run) {
  return (
    <>
      <a href={pathTo(['callbacks', callbackId])}>
        <RunStatus status={status} />
      </a>
      <Gist text={gist} />
    </>
  );
}
