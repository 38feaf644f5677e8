/** `botbell why`: tells the stories of a job's callbacks, or of a BOT's latest ones, or what did not reach a destination, from the ledger. */
import { decidedBy } from '../app/settings.ts';
import { type StatusName, statusNameOf } from '../callback/callback.ts';
import type { Config } from '../config/config.ts';
import type { ArchivedCallback, CallbackFilter, CallbackStory } from '../ledger/archive/archive.ts';
import { NO_LONGER_ROUTED } from '../ledger/ledger.ts';
import { openArchive } from '../ledger/open-ledger.ts';
import type { Archive } from '../ledger/registry.ts';
import { destinationOf } from '../people/destinations.ts';
import { notToldJson, storyJson } from '../people/json.ts';
import { notTold } from '../people/not-told.ts';
import { createRouter } from '../route/router.ts';
import type { StoryContext, StoryEvent, StoryEventName } from '../story/sayings.ts';
import { type LoadedStory, loadStory } from '../story/story.ts';
import { visible, visibleOnOneLine } from '../text/clean.ts';
import { shortLine } from '../text/cut.ts';
import { systemClock } from '../time/clock.ts';
import { formatInstant, type Language } from '../time/display.ts';
import { CommandFailed, type CommandContext, styled, WrongUsage } from './context.ts';
import { loadLedgerConfig } from './load-config.ts';

interface Options {
  readonly bot?: string;
  readonly notTold?: string;
  /** Milliseconds. */
  readonly since?: number;
  /** Left out: `MOST_OF_JOB` or `MOST_OF_BOT`. */
  readonly last?: number;
  readonly format: 'text' | 'json';
}

/** The newest callbacks of a job that are shown without `--last`. */
const MOST_OF_JOB = 100;
const MOST_OF_BOT = 5;
const SINCE_MS = 86_400_000;

const LONGEST_ID = 200;

interface Asked {
  readonly context: CommandContext;
  readonly config: Config;
  readonly archive: Archive;
  readonly display: Display;
}

export async function run(
  context: CommandContext,
  jobId: string | undefined,
  options: Options,
): Promise<number> {
  const { bot, notTold: destination, since, last, format } = options;
  if ([jobId, bot, destination].filter((each) => each !== undefined).length !== 1)
    throw new WrongUsage('name either a job or, with --bot, a BOT, or with --not-told a destination');
  if (since !== undefined && destination === undefined) throw new WrongUsage('--since goes with --not-told');
  const config = await loadLedgerConfig(context);
  const { archive, close } = await openArchive(config.store.url);
  const asked = { context, config, archive, display: { ...config.display, redact: context.secrets.hide } };
  try {
    if (destination !== undefined) await tellNotTold(asked, destination, since, format);
    else await tellStories(asked, { jobId, botId: bot }, last, format);
    return 0;
  } finally {
    await close();
  }
}

async function tellStories(
  { context, config, archive, display }: Asked,
  filter: Pick<CallbackFilter, 'jobId' | 'botId'>,
  last: number | undefined,
  format: Options['format'],
): Promise<void> {
  const most = last ?? (filter.jobId === undefined ? MOST_OF_BOT : MOST_OF_JOB);
  const { ids, isMore } = await newest(archive, filter, most);
  if (ids.length === 0) throw new CommandFailed(nothingKnown(filter));
  if (isMore && filter.jobId !== undefined)
    context.message(`these are the last ${most} callbacks of the job; for more, say --last <n>`);
  const shapes: unknown[] = [];
  // One at a time, so that a thousand stories are not in memory at once.
  for (const id of ids.toReversed()) {
    const told = await loadStory(archive, id, now(display));
    if (told === undefined) continue;
    if (format === 'json') shapes.push(storyJson(told, display.redact));
    else context.result(storyInLines(context, told, remedyFor(told.callback, config), display));
  }
  if (format === 'json') context.result(visible(JSON.stringify(shapes, null, 2)));
}

function now(display: Display): StoryContext {
  return { ...display, now: systemClock.now() };
}

/** Reads page by page, since a page is bounded. */
async function newest(archive: Archive, filter: CallbackFilter, most: number) {
  const ids: number[] = [];
  let before: number | undefined;
  do {
    const { items, next } = await archive.callbacks(filter, { before, limit: most - ids.length });
    ids.push(...items.map(({ id }) => id));
    before = next;
  } while (before !== undefined && ids.length < most);
  return { ids, isMore: before !== undefined };
}

/** @throws {Refused} the config tells nobody there */
async function tellNotTold(
  { context, config, archive, display }: Asked,
  name: string,
  since: number | undefined,
  format: Options['format'],
): Promise<void> {
  const destination = destinationOf(name, decidedBy({ config, configHash: '' }));
  const from = systemClock.now() - (since ?? SINCE_MS);
  const found = await notTold(archive, { destination, from }, now(display));
  if (format === 'json') {
    const shapes = found.map((each) => notToldJson(each, display.redact));
    return context.result(visible(JSON.stringify(shapes, null, 2)));
  }
  if (found.length === 0) context.message(`whatever has come since then was told at ${destination}`);
  const { timezone, language } = display;
  for (const { count, last, why } of found) {
    const at = formatInstant(last.receivedAt, timezone, language);
    const heading = styled(context, 'bold', headingOf(last, display));
    context.result(`${count} × ${heading} · ${at}\n  ${visibleOnOneLine(display.redact(why))}\n`);
  }
}

function nothingKnown({ jobId, botId = '' }: Pick<CallbackFilter, 'jobId' | 'botId'>): string {
  const id = JSON.stringify(shortLine(jobId ?? botId, LONGEST_ID));
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

function headingOf(callback: ArchivedCallback, { language, redact }: Display): string {
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
