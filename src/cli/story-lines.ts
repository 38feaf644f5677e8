/** A callback's story as lines on a terminal. */
import { type StatusName, statusNameOf } from '../callback/callback.ts';
import type { CallbackStory } from '../ledger/archive/archive.ts';
import type { StoryEvent, StoryEventName } from '../story/event.ts';
import type { LoadedStory } from '../story/story.ts';
import { visibleOnOneLine } from '../text/clean.ts';
import { shortLine } from '../text/cut.ts';
import { formatInstant, type Language } from '../time/display.ts';
import { type CommandContext, styled } from './context.ts';

interface Display {
  readonly language: Language;
  readonly timezone: string;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
}

const LONGEST_NAME = 200;

const STATUS: Readonly<Record<Language, Readonly<Record<StatusName, string>>>> = {
  en: { succeeded: 'succeeded', error: 'error', executing: 'executing' },
  ja: { succeeded: '成功', error: 'エラー', executing: '実行中' },
};

const JOB: Readonly<Record<Language, string>> = { en: 'job', ja: 'ジョブ' };
const REMEDY: Readonly<Record<Language, string>> = { en: 'To have it told: ', ja: '通知するには：' };

type Style = Parameters<typeof styled>[1];

/** Symbol and colour; the sentence says it in words. */
const MARKS: Partial<Readonly<Record<StoryEventName, readonly [mark: string, style: Style]>>> = {
  received: ['▸', 'bold'],
  delivered: ['✓', 'green'],
  attempt: ['!', 'yellow'],
  dead: ['✗', 'red'],
  held: ['‖', 'yellow'],
  superseded: ['‖', 'yellow'],
};

/**
 * Ends with an empty line.
 * @param remedy the command that would help; undefined: there is nothing to add
 */
export function storyInLines(
  context: Pick<CommandContext, 'isTerminal'>,
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
  const name = (text: string) => shortLine(redact(text), LONGEST_NAME);
  const status = kind === 'callback' ? STATUS[language][statusNameOf(callback)] : kind;
  const job = jobId === '' ? '' : `${JOB[language]} ${name(jobId)} · `;
  return visibleOnOneLine(`${job}BOT ${name(botId)} (${name(botName)}) · ${status}`);
}

function lineOf(context: Pick<CommandContext, 'isTerminal'>, event: StoryEvent, time: string): string {
  const [mark, style] = MARKS[event.what] ?? ['·', 'dim'];
  const small =
    event.small === undefined ? '' : ` ${styled(context, 'dim', `(${visibleOnOneLine(event.small)})`)}`;
  return `  ${time} ${styled(context, style, mark)} ${visibleOnOneLine(event.text)}${small}`;
}

function dayIn({ timezone, language }: Display) {
  const times = new Intl.DateTimeFormat('en-GB', { timeZone: timezone, timeStyle: 'medium' });
  return {
    timeOf: (ms: number) => times.format(ms),
    /** With the zone, and without the time. */
    dayOf: (ms: number) => formatInstant(ms, timezone, language).replace(/,? \d+:\d+:\d+/, ''),
  };
}
