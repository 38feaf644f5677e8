/** The shape of a Slack message: a notification line in mrkdwn, and Block Kit blocks that Slack takes together; its mentions. */
import { mixed, type Schema } from 'yup';
import { isBlank } from '../../text/clean.ts';
import { UTF8_BYTES } from '../../text/cut.ts';
import {
  type OldComposeContext as ComposeContext,
  type OldMessageFormat as MessageFormat,
  type RenderedParts,
  type TemplateValue,
} from '../channel.ts';
import { cutMark } from '../marks.ts';
import type { Language } from '../../time/display.ts';
import { type Markup, URL_PART } from '../markup.ts';
import { SLACK_THEMES, slackAsHtml } from './html.ts';
import { inspectSlack } from './inspect.ts';
import { slackLimitsOf } from './limits-used.ts';
import { cutMarkup, cutText, fitBlock, MAX_BLOCKS, moreText } from './limits.ts';
import { LITERAL, MARKDOWN, MRKDWN, PLAIN_TEXT, RICH_TEXT } from './markup.ts';
import {
  isList,
  isObject,
  lengthOf,
  type SlackMessage,
  type SlackObject,
  stringAt,
  tableAsList,
  typeOf,
} from './message.ts';
import { readRichText } from './rich-text.ts';
import { slackAsText, textOfBlock } from './text.ts';

/** Slack: chat.update refuses `text` past 4,000 bytes of UTF-8, chat.postMessage splits it past about 4,040 characters. */
const MAX_TEXT_BYTES = 3000;

/** Slack does not document its limit (`msg_blocks_too_long`); refusals were seen from about 9,600 characters on. */
const MAX_TOTAL_LENGTH = 8000;

/** Below this a text says too little to be worth its block. */
const SHORTEST_TEXT = 200;

/** Room that the mentions may take of the notification line. */
const MAX_MENTIONS_LENGTH = 1000;

/** Stands for a message of which nothing is left. */
const NOTHING_TO_SAY: Readonly<Record<Language, string>> = { en: 'Notification', ja: '通知' };

const URL_KEYS: ReadonlySet<string | number> = new Set(['url', 'image_url']);
/** What the `text` of an object of such a type is; of any other, plain text. */
const MARKUPS: ReadonlyMap<string, Markup> = new Map([
  ['mrkdwn', MRKDWN],
  ['markdown', MARKDOWN],
  ['rich_text', RICH_TEXT],
  ['text', LITERAL],
  ['link', LITERAL],
  ['raw_text', LITERAL],
]);

export const slackFormat: MessageFormat<SlackMessage> = {
  name: 'slack',
  parts: {
    text: { required: false, kind: 'string' },
    blocks: { required: false, kind: 'list', mayBeLeftOut: true },
  },
  markupOf,
  compose,
  inspect: inspectSlack,
  limitsOf: (message) => slackLimitsOf(message, { textBytes: MAX_TEXT_BYTES, total: MAX_TOTAL_LENGTH }),
  asText: slackAsText,
  asHtml: slackAsHtml,
  themes: SLACK_THEMES,
};

function markupOf(path: readonly (string | number)[], parent: TemplateValue): Markup {
  const key = path.at(-1);
  if (path.length === 1) return MRKDWN;
  if (key !== undefined && URL_KEYS.has(key)) return URL_PART;
  if (key !== 'text' || !isObject(parent)) return PLAIN_TEXT;
  return MARKUPS.get(typeOf(parent)) ?? PLAIN_TEXT;
}

function compose(parts: RenderedParts, context: ComposeContext): SlackMessage {
  const { language } = context;
  const mentions = context.isError ? joinedMentions(context.options['mention_on_error']) : '';
  const first = mentions === '' ? [] : [mentionBlock(mentions)];
  const fitted = fitBlocks(parts['blocks'], MAX_TOTAL_LENGTH - lengthOf(first), language);
  const text = notificationOf(parts['text'], fitted, mentions, language);
  return fitted.length === 0 ? { text } : { text, blocks: [...first, ...fitted] };
}

function fitBlocks(
  value: TemplateValue | undefined,
  budget: number,
  language: Language,
): readonly SlackObject[] {
  if (!isList(value)) return [];
  const fitting = new FittingBlocks(language);
  for (const block of value) if (isObject(block)) fitting.add(block);
  return fitTotal(withUniqueIds(fitting.blocks), fitting.length, budget, language);
}

/** A message's blocks, one after the other: each as Slack takes it, with one table among them. */
class FittingBlocks {
  readonly blocks: SlackObject[] = [];
  /** Characters in all strings of the blocks, or more. */
  length = 0;
  readonly #language: Language;
  #hasTable = false;

  constructor(language: Language) {
    this.#language = language;
  }

  add(block: SlackObject): void {
    const type = typeOf(block);
    if (type === 'rich_text' && typeof block['text'] === 'string') return this.#addRichText(block['text']);
    const single = type === 'table' && !this.#takeTable() ? tableAsList(block) : block;
    const kept = fitBlock(single, this.#language);
    if (kept === undefined) return;
    this.blocks.push(kept);
    this.length += lengthOf(kept);
  }

  #addRichText(source: string): void {
    const { blocks, length } = readRichText(source, this.#language, () => this.#takeTable());
    this.blocks.push(...blocks);
    this.length += length;
  }

  /** Slack: `only_one_table_allowed`. */
  #takeTable(): boolean {
    if (this.#hasTable) return false;
    this.#hasTable = true;
    return true;
  }
}

/** Slack refuses a message in which two blocks have the same id; where there is none, Slack makes one. */
function withUniqueIds(blocks: readonly SlackObject[]): readonly SlackObject[] {
  if (!blocks.some((block) => 'block_id' in block)) return blocks;
  const seen = new Set<string>();
  return blocks.map((block) => {
    const id = stringAt(block, 'block_id');
    if (id === '' || !seen.has(id)) {
      seen.add(id);
      return block;
    }
    return Object.fromEntries(Object.entries(block).filter(([key]) => key !== 'block_id'));
  });
}

/** The mentions that the channel's option schema has let through, as many as there is room for. */
function joinedMentions(option: unknown): string {
  let joined = '';
  for (const mention of mentionsOf(option)) {
    if (joined.length + mention.length >= MAX_MENTIONS_LENGTH) continue;
    joined = joined === '' ? mention : `${joined} ${mention}`;
  }
  return joined;
}

function mentionBlock(mentions: string): SlackObject {
  return { type: 'section', text: { type: 'mrkdwn', text: mentions, verbatim: true } };
}

function notificationOf(
  part: TemplateValue | undefined,
  blocks: readonly SlackObject[],
  mentions: string,
  language: Language,
): string {
  const written = typeof part === 'string' ? part.toWellFormed().trim() : '';
  const text = isBlank(written) ? firstWords(blocks, language) : written;
  const room = MAX_TEXT_BYTES - (mentions === '' ? 0 : mentions.length + 1);
  const cut = cutMarkup(text, room, cutMark(language), UTF8_BYTES);
  return mentions === '' ? cut : `${mentions} ${cut}`;
}

function firstWords(blocks: readonly SlackObject[], language: Language): string {
  for (const block of blocks) {
    const [line = ''] = textOfBlock(block).trim().split('\n');
    if (!isBlank(line)) return MRKDWN.escape(line);
  }
  return NOTHING_TO_SAY[language];
}

/** Slack: Formatting message text, "Mentioning users", "Mentioning groups", "Special mentions". */
const FORMS: readonly { readonly pattern: RegExp; readonly begin: string }[] = [
  { pattern: /^@?(here|channel|everyone)$|^<!(here|channel|everyone)>$/, begin: '!' },
  { pattern: /^@?([UW][A-Z0-9]{2,})$|^<@([UW][A-Z0-9]{2,})>$/, begin: '@' },
  { pattern: /^@?(S[A-Z0-9]{2,})$|^<!subteam\^(S[A-Z0-9]{2,})>$/, begin: '!subteam^' },
];

const ACCEPTED = '"@here", "@channel", "@everyone", a user ID (U…) or a user group ID (S…)';

/**
 * Slack's control sequences for a `mention_on_error`, each once: `<!here>`, `<@U…>`, `<!subteam^S…>`.
 * Takes what the config may say as well as its own result; what is neither is left out.
 */
export function mentionsOf(option: unknown): string[] {
  return [...new Set(listOf(option).flatMap((entry) => sequenceOf(entry) ?? []))];
}

/** A strict schema: one mention or a list of them. */
export function mentionSchema(): Schema {
  return mixed().test('mention', `\${path} must be ${ACCEPTED}, or a list of these`, (value) =>
    listOf(value).every((entry) => sequenceOf(entry) !== undefined),
  );
}

function listOf(option: unknown): readonly unknown[] {
  if (option === undefined) return [];
  return Array.isArray(option) ? option : [option];
}

function sequenceOf(entry: unknown): string | undefined {
  if (typeof entry !== 'string') return undefined;
  for (const { pattern, begin } of FORMS) {
    const [, bare, inBrackets] = pattern.exec(entry) ?? [];
    const name = bare ?? inBrackets;
    if (name !== undefined) return `<${begin}${name}>`;
  }
  return undefined;
}

/**
 * Shrinks the longest texts first, all to the same length; where that is not enough, drops blocks from the end.
 * @param length characters in all strings of the blocks, or more
 */
function fitTotal(
  blocks: readonly SlackObject[],
  length: number,
  budget: number,
  language: Language,
): readonly SlackObject[] {
  if (blocks.length <= MAX_BLOCKS && length <= budget) return blocks;
  for (let count = Math.min(blocks.length, MAX_BLOCKS); count > 0; count -= 1) {
    const kept = keepFirst(blocks, count, language);
    const level = longestAllowed(kept, budget);
    if (level >= SHORTEST_TEXT) return kept.map((block) => shrink(block, level, language));
  }
  return [];
}

function keepFirst(
  blocks: readonly SlackObject[],
  count: number,
  language: Language,
): readonly SlackObject[] {
  if (count === blocks.length) return blocks;
  const more: SlackObject = { type: 'context', elements: [moreText(language, blocks.length - count)] };
  return [...blocks.slice(0, count), more];
}

/** The length to which every longer text must be cut for all of them to fit; negative where nothing helps. */
function longestAllowed(blocks: readonly SlackObject[], budget: number): number {
  const lengths = blocks.flatMap(textLengths).sort((a, b) => a - b);
  let left = budget - lengthOf(blocks) + lengths.reduce((sum, length) => sum + length, 0);
  for (const [index, length] of lengths.entries()) {
    const share = Math.floor(left / (lengths.length - index));
    if (share < length) return share;
    left -= length;
  }
  return left < 0 ? -1 : Infinity;
}

function textLengths(value: TemplateValue): number[] {
  if (isList(value)) return value.flatMap(textLengths);
  if (!isObject(value)) return [];
  const own = value['text'];
  return typeof own === 'string' ? [own.length] : Object.values(value).flatMap(textLengths);
}

function shrink<Value extends TemplateValue>(value: Value, level: number, language: Language): Value;
function shrink(value: TemplateValue, level: number, language: Language): TemplateValue {
  if (isList(value)) return value.map((item) => shrink(item, level, language));
  if (!isObject(value)) return value;
  const own = value['text'];
  if (typeof own === 'string') return { ...value, text: cutText(own, typeOf(value), level, language) };
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shrink(item, level, language)]));
}
