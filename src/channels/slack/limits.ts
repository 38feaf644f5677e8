/**
 * Makes a message fit what Slack takes: each block by itself, then all of them together. What is cut shows that it was, what
 * is empty is left out.
 */
import { isBlank } from '../../text/blank.ts';
import { cutEnd } from '../../text/cut.ts';
import { cutMark, type Language, moreMark, type TemplateValue } from '../format.ts';
import { EMPTY_CELL, isList, isObject, isUsableUrl, lengthOf, MAX_TABLE_ROWS, typeOf } from './message.ts';
import type { SlackObject } from './message.ts';
import { cutMarkup } from './mrkdwn.ts';
import { readRichText } from './rich-text.ts';

/** By the type of the object that holds a value, then by its key. */
type BySlot<Value> = ReadonlyMap<string, ReadonlyMap<string, Value>>;

function bySlot<Value>(table: Readonly<Record<string, Readonly<Record<string, Value>>>>): BySlot<Value> {
  return new Map(Object.entries(table).map(([type, keys]) => [type, new Map(Object.entries(keys))]));
}

/** Slack: Block Kit reference; text objects, in characters of the escaped text. */
const TEXT_LIMITS = bySlot({
  header: { text: 150 },
  section: { text: 3000, fields: 2000 },
  context: { elements: 3000 },
  button: { text: 75 },
  image: { title: 2000 },
  confirm: { title: 100, text: 300, confirm: 30, deny: 30 },
  options: { text: 75, description: 75 },
});
const DEFAULT_TEXT_LIMIT = 3000;

/** Slack: Block Kit reference; plain strings by key. */
const STRING_LIMITS: ReadonlyMap<string, number> = new Map([
  ['alt_text', 2000],
  ['accessibility_label', 75],
  ['value', 2000],
  // rich_text and markdown; the budget of the whole message cuts further.
  ['text', 8000],
]);

/** Slack: Block Kit reference. */
const LIST_LIMITS = bySlot({
  section: { fields: { most: 10, saysMore: true } },
  context: { elements: { most: 10, saysMore: true } },
  actions: { elements: { most: 25, saysMore: false } },
  table: { rows: { most: MAX_TABLE_ROWS, saysMore: false } },
});

/** Slack: Block Kit reference; the message itself may hold 50 of them. */
const MAX_ID_LENGTH = 255;
const URL_KEYS: ReadonlySet<string> = new Set(['url', 'image_url']);
const ID_KEYS: ReadonlySet<string> = new Set(['block_id', 'action_id']);

/** Text shorter than this has no room for words that say it was cut. */
const ROOM_FOR_WORDS = 300;

/** What a block or element must still hold to be worth sending; types not named here are kept as they are. */
const IS_WORTH_SENDING: ReadonlyMap<string, (object: SlackObject) => boolean> = new Map([
  ['header', (object) => 'text' in object],
  ['section', (object) => 'text' in object || hasItems(object['fields'])],
  ['context', (object) => hasItems(object['elements'])],
  ['actions', (object) => hasItems(object['elements'])],
  ['rich_text', (object) => hasItems(object['elements'])],
  ['rich_text_section', (object) => hasItems(object['elements'])],
  ['rich_text_list', (object) => hasItems(object['elements'])],
  ['rich_text_preformatted', (object) => hasItems(object['elements'])],
  ['rich_text_quote', (object) => hasItems(object['elements'])],
  ['image', (object) => 'image_url' in object || 'slack_file' in object],
  ['button', (object) => 'text' in object],
  ['text', (object) => 'text' in object],
  ['markdown', (object) => 'text' in object],
  ['raw_text', (object) => 'text' in object],
]);

function hasItems(value: TemplateValue | undefined): boolean {
  return isList(value) && value.length > 0;
}

/** The block as Slack takes it, or undefined where nothing of it is left to show. */
export function fitBlock(block: SlackObject, language: Language): SlackObject | undefined {
  return fitObject(block, { holder: '', key: 'blocks' }, language);
}

/** Where a value stands: the type of the object that holds it, and under which key. */
interface Slot {
  readonly holder: string;
  readonly key: string;
}

function fitValue(
  value: TemplateValue | undefined,
  slot: Slot,
  language: Language,
): TemplateValue | undefined {
  if (typeof value === 'string') return fitString(value, slot, language);
  if (isList(value)) return fitList(value, slot, language);
  return isObject(value) ? fitObject(value, slot, language) : value;
}

function fitObject(object: SlackObject, slot: Slot, language: Language): SlackObject | undefined {
  const type = typeOf(object);
  if (type === 'mrkdwn' || type === 'plain_text') return fitTextObject(object, slot, language);
  if (type === 'rich_text' && typeof object['text'] === 'string')
    return richTextWithoutTable(object['text'], language);
  return fitElement(object, type, slot, language);
}

function fitElement(
  object: SlackObject,
  type: string,
  slot: Slot,
  language: Language,
): SlackObject | undefined {
  const fitted = fitMembers(object, type === '' ? slot.key : type, language);
  if ('url' in object && !('url' in fitted)) return withoutItsUrl(type, fitted);
  if (type === 'image' && !('alt_text' in fitted)) fitted['alt_text'] = language === 'ja' ? '画像' : 'image';
  return IS_WORTH_SENDING.get(type)?.(fitted) === false ? undefined : fitted;
}

function fitMembers(object: SlackObject, holder: string, language: Language): Record<string, TemplateValue> {
  const fitted: Record<string, TemplateValue> = { ...object };
  for (const key of Object.keys(fitted)) {
    const member = fitValue(fitted[key], { holder, key }, language);
    if (member === undefined) delete fitted[key];
    else fitted[key] = member;
  }
  return fitted;
}

/** Where a rich text is no block of its own, as in a cell, there is no room for a table. */
function richTextWithoutTable(text: string, language: Language): SlackObject | undefined {
  return readRichText(text, language, () => false).blocks[0];
}

/** A rich_text link keeps its words; whatever else was there to be clicked goes. */
function withoutItsUrl(type: string, fitted: SlackObject): SlackObject | undefined {
  return type === 'link' && 'text' in fitted ? { ...fitted, type: 'text' } : undefined;
}

function fitTextObject(object: SlackObject, slot: Slot, language: Language): SlackObject | undefined {
  const source = object['text'];
  if (typeof source !== 'string' || isBlank(source)) return undefined;
  const type = typeOf(object);
  const limit = TEXT_LIMITS.get(slot.holder)?.get(slot.key) ?? DEFAULT_TEXT_LIMIT;
  const text = cutText(source.toWellFormed().trim(), type, limit, language);
  // Without `verbatim`, Slack looks for channel names, addresses and mentions in the text by itself.
  return type === 'mrkdwn' ? { type, text, verbatim: true } : { type, text, emoji: object['emoji'] === true };
}

/** Cuts at the end; `type` is that of the object that holds the text. */
function cutText(text: string, type: string, limit: number, language: Language): string {
  if (text.length <= limit) return text;
  const mark = limit < ROOM_FOR_WORDS ? '…' : cutMark(language);
  return type === 'mrkdwn' || type === 'markdown' ? cutMarkup(text, limit, mark) : cutEnd(text, limit, mark);
}

function fitString(text: string, { holder, key }: Slot, language: Language): string | undefined {
  if (URL_KEYS.has(key)) return isUsableUrl(text) ? text : undefined;
  if (ID_KEYS.has(key)) return text !== '' && text.length <= MAX_ID_LENGTH ? text.toWellFormed() : undefined;
  if (STRING_LIMITS.has(key) && isBlank(text)) return undefined;
  return cutText(text.toWellFormed(), holder, STRING_LIMITS.get(key) ?? DEFAULT_TEXT_LIMIT, language);
}

function fitList(
  list: readonly TemplateValue[],
  slot: Slot,
  language: Language,
): readonly TemplateValue[] | undefined {
  const fitted: TemplateValue[] = [];
  for (const item of list) {
    const kept = fitValue(item, slot, language) ?? (isRow(slot) ? EMPTY_CELL : undefined);
    if (kept !== undefined) fitted.push(kept);
  }
  if (list.length > 0 && fitted.length === 0) return undefined;
  const limit = LIST_LIMITS.get(slot.holder)?.get(slot.key);
  if (limit === undefined || fitted.length <= limit.most) return fitted;
  if (!limit.saysMore) return fitted.slice(0, limit.most);
  return [...fitted.slice(0, limit.most - 1), moreText(language, fitted.length - limit.most + 1)];
}

function isRow({ holder, key }: Slot): boolean {
  return holder === 'table' && key === 'rows';
}

/** A text object that says how much is missing. */
function moreText(language: Language, count: number): SlackObject {
  return { type: 'plain_text', text: moreMark(language, count), emoji: false };
}

/** Slack takes 50, but refused fewer that held much; two are kept free for mentions and for the line that says how many are missing. */
export const MAX_BLOCKS = 38;

/** Slack does not document its limit (`msg_blocks_too_long`); refusals were seen from about 9,600 characters on. */
export const MAX_TOTAL_LENGTH = 8000;

/** Below this a text says too little to be worth its block. */
const SHORTEST_TEXT = 200;

/**
 * Shrinks the longest texts first, all to the same length; where that is not enough, drops blocks from the end.
 * @param length characters in all strings of the blocks, or more
 */
export function fitTotal(
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
