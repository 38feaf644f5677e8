/** `botbell why`: tells the stories of a job's callbacks, or of a BOT's latest ones, from the ledger. */
import { type StatusName, statusNameOf } from '../callback/callback.ts';
import type { Config } from '../config/config.ts';
import type { CallbackStory } from '../ledger/archive/archive.ts';
import { NO_LONGER_ROUTED } from '../ledger/ledger.ts';
import { openArchive } from '../ledger/open-ledger.ts';
import { createRouter } from '../route/router.ts';
import type { StoryEvent, StoryEventName } from '../story/sayings.ts';
import { type LoadedStory, loadStory } from '../story/story.ts';
import { storyJson } from '../story/story-json.ts';
import { visible, visibleOnOneLine } from '../text/clean.ts';
import { shortLine } from '../text/cut.ts';
import { systemClock } from '../time/clock.ts';
import { formatInstant, type Language } from '../time/display.ts';
import { CommandFailed, type CommandContext, styled, WrongUsage } from './context.ts';
import { loadLedgerConfig } from './load-config.ts';

interface Options {
  readonly bot?: string;
  /** Left out: `MOST_OF_JOB` or `MOST_OF_BOT`. */
  readonly last?: number;
  readonly format: 'text' | 'json';
}

/** The newest callbacks of a job that are shown without `--last`. */
const MOST_OF_JOB = 100;
const MOST_OF_BOT = 5;

const LONGEST_ID = 200;

export async function run(
  context: CommandContext,
  jobId: string | undefined,
  options: Options,
): Promise<number> {
  const { bot, last, format } = options;
  if ((jobId === undefined) === (bot === undefined))
    throw new WrongUsage('name either a job or, with --bot, a BOT');
  const config = await loadLedgerConfig(context);
  const { archive, close } = await openArchive(config.store.url);
  try {
    const limit = last ?? (jobId === undefined ? MOST_OF_BOT : MOST_OF_JOB);
    const { items, next } = await archive.callbacks({ jobId, botId: bot }, { limit });
    if (items.length === 0) throw new CommandFailed(nothingKnown(jobId, bot));
    if (next !== undefined && jobId !== undefined)
      context.message(`these are the last ${limit} callbacks of the job; for more, say --last <n>`);
    const display = { ...config.display, redact: context.secrets.hide };
    const shapes: unknown[] = [];
    // One at a time, so that a thousand stories are not in memory at once.
    for (const { id } of items.toReversed()) {
      const told = await loadStory(archive, id, { ...display, now: systemClock.now() });
      if (told === undefined) continue;
      if (format === 'json') shapes.push(storyJson(told, display.redact));
      else context.result(storyInLines(context, told, remedyFor(told.callback, config), display));
    }
    if (format === 'json') context.result(visible(JSON.stringify(shapes, null, 2)));
    return 0;
  } finally {
    await close();
  }
}

function nothingKnown(jobId: string | undefined, bot = ''): string {
  const id = JSON.stringify(shortLine(jobId ?? bot, LONGEST_ID));
  return visibleOnOneLine(
    `no callback of ${jobId === undefined ? 'the BOT' : 'job'} ${id} is known here: it never came, was refused (its body is then kept with the reason), came to another store.url, or has been forgotten (store.keep)`,
  );
}

/** Text that a shell reads as one plain word. */
const PLAIN_WORD = /^[\w.:@][\w.:@-]*$/;

const MOST_IDS = 5;

/** The command that would deliver what was not delivered; undefined if nothing is missing, or the config notifies nobody. */
function remedyFor(callback: CallbackStory, { routes, defaultRoute }: Config): string | undefined {
  const { deliveries, result, kind, jobId, botId, status } = callback;
  const dead = deliveries.filter(({ state }) => state === 'dead');
  const isDone = deliveries.length > 0 && dead.length === 0;
  if (kind === 'alert' || result === 'superseded' || isDone) return undefined;
  const ids = dead.filter(({ reason }) => reason !== NO_LONGER_ROUTED).map(({ id }) => id);
  if (ids.length > 0) return `botbell redeliver ${ids.slice(0, MOST_IDS).join(' ')}`;
  const { destinations } = createRouter(routes, defaultRoute).route({ bot_id: botId, status });
  if (destinations.length === 0) return undefined;
  return `botbell redeliver --route ${PLAIN_WORD.test(jobId) ? jobId : '<job_id>'}`;
}

interface Display {
  readonly language: Language;
  readonly timezone: string;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
}

const STATUS: Readonly<Record<Language, Readonly<Record<StatusName, string>>>> = {
  en: { succeeded: 'succeeded', error: 'error', executing: 'executing' },
  ja: { succeeded: '成功', error: 'エラー', executing: '実行中' },
};

const JOB: Readonly<Record<Language, string>> = { en: 'job', ja: 'ジョブ' };
const REMEDY: Readonly<Record<Language, string>> = { en: 'To have it told: ', ja: '通知するには：' };

type Style = Parameters<typeof styled>[1];

/** Symbol and colour of events; the sentence has the same meaning in words. */
const MARKS: Partial<Readonly<Record<StoryEventName, readonly [mark: string, style: Style]>>> = {
  received: ['▸', 'bold'],
  delivered: ['✓', 'green'],
  attempt: ['!', 'yellow'],
  dead: ['✗', 'red'],
  held: ['‖', 'yellow'],
  superseded: ['‖', 'yellow'],
};

/**
 * The text ends with an empty line.
 * @param remedy a command to suggest, if any
 */
function storyInLines(
  context: CommandContext,
  { callback, story }: LoadedStory,
  remedy: string | undefined,
  display: Display,
): string {
  const days = dayIn(display);
  const lines = [
    styled(context, 'bold', headingOf(callback, display)),
    `  ${visibleOnOneLine(story.summary)}`,
  ];
  let day = '';
  for (const event of story.events) {
    const own = days.dayOf(event.at);
    if (own !== day) lines.push(`  ${styled(context, 'dim', own)}`);
    day = own;
    lines.push(lineOf(context, event, days.timeOf(event.at)));
  }
  if (remedy !== undefined)
    lines.push(`  ${styled(context, 'cyan', '→')} ${REMEDY[display.language]}${remedy}`);
  return `${lines.join('\n')}\n`;
}

function headingOf(callback: CallbackStory, { language, redact }: Display): string {
  const { jobId, botId, botName, kind } = callback;
  const name = (text: string) => shortLine(redact(text), LONGEST_ID);
  const status = kind === 'callback' ? STATUS[language][statusNameOf(callback)] : kind;
  const job = jobId === '' ? '' : `${JOB[language]} ${name(jobId)} · `;
  const named = botName === '' ? '' : ` (${name(botName)})`;
  return visibleOnOneLine(`${job}BOT ${name(botId)}${named} · ${status}`);
}

function lineOf(context: CommandContext, event: StoryEvent, time: string): string {
  const [mark, style] = MARKS[event.what] ?? ['·', 'dim'];
  const small =
    event.small === undefined ? '' : ` ${styled(context, 'dim', `(${visibleOnOneLine(event.small)})`)}`;
  return `  ${time} ${styled(context, style, mark)} ${visibleOnOneLine(event.text)}${small}`;
}

function dayIn({ timezone, language }: Display) {
  const times = new Intl.DateTimeFormat('en-GB', { timeZone: timezone, timeStyle: 'medium' });
  return {
    timeOf: (ms: number) => times.format(ms),
    /** The date with its time zone. */
    dayOf: (ms: number) => formatInstant(ms, timezone, language).replace(/,? \d+:\d+:\d+/, ''),
  };
}
