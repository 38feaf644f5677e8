/** Makes a block fit what Slack takes of it. What is cut shows that it was, and stays whole markup; what is empty is left out. */
import { isBlank } from '../../text/clean.ts';
import { CHARACTERS, cutEnd, fits, graphemeCut, type Unit } from '../../text/cut.ts';
import { type TemplateValue } from '../channel.ts';
import { cutMark, moreMark } from '../marks.ts';
import type { Language } from '../../time/display.ts';
import {
  EMPTY_CELL,
  isList,
  isObject,
  isUsableUrl,
  MAX_TABLE_ROWS,
  type SlackObject,
  typeOf,
} from './message.ts';
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

/** Of which a block or an element must still hold one to be worth sending, and no empty list; other types are kept as they are. */
const WORTH_SENDING: ReadonlyMap<string, readonly string[]> = new Map([
  ['header', ['text']],
  ['section', ['text', 'fields']],
  ['context', ['elements']],
  ['actions', ['elements']],
  ['rich_text', ['elements']],
  ['rich_text_section', ['elements']],
  ['rich_text_list', ['elements']],
  ['rich_text_preformatted', ['elements']],
  ['rich_text_quote', ['elements']],
  ['image', ['image_url', 'slack_file']],
  ['button', ['text']],
  ['text', ['text']],
  ['markdown', ['text']],
  ['raw_text', ['text']],
]);

function isWorthSending(type: string, object: SlackObject): boolean {
  return WORTH_SENDING.get(type)?.some((key) => holds(object, key)) ?? true;
}

function holds(object: SlackObject, key: string): boolean {
  const value = object[key];
  return key === 'elements' || key === 'fields' ? isList(value) && value.length > 0 : value !== undefined;
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
  // Where a rich text is no block of its own, as in a cell, there is no room for a table.
  if (type === 'rich_text' && typeof object['text'] === 'string')
    return readRichText(object['text'], language, () => false).blocks[0];
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
  return isWorthSending(type, fitted) ? fitted : undefined;
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

/** A rich_text link keeps its words; whatever else was there to be clicked goes. */
function withoutItsUrl(type: string, fitted: SlackObject): SlackObject | undefined {
  return type === 'link' && 'text' in fitted ? { ...fitted, type: 'text' } : undefined;
}

/** Characters that the text of a text object may have where it stands. */
export function textLimitAt(holder: string, key: string): number {
  return TEXT_LIMITS.get(holder)?.get(key) ?? DEFAULT_TEXT_LIMIT;
}

function fitTextObject(object: SlackObject, slot: Slot, language: Language): SlackObject | undefined {
  const source = object['text'];
  if (typeof source !== 'string' || isBlank(source)) return undefined;
  const type = typeOf(object);
  const limit = textLimitAt(slot.holder, slot.key);
  const text = cutText(source.toWellFormed().trim(), type, limit, language);
  // Without `verbatim`, Slack looks for channel names, addresses and mentions in the text by itself.
  return type === 'mrkdwn' ? { type, text, verbatim: true } : { type, text, emoji: object['emoji'] === true };
}

/** Cuts at the end; `type` is that of the object that holds the text. */
export function cutText(text: string, type: string, limit: number, language: Language): string {
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
export function moreText(language: Language, count: number): SlackObject {
  return { type: 'plain_text', text: moreMark(language, count), emoji: false };
}

/** Slack takes 50, but refused fewer that held much; two are kept free for mentions and for the line that says how many are missing. */
export const MAX_BLOCKS = 38;

/**
 * As `cutEnd` for escaped mrkdwn: cuts inside no entity and no `<…>`, and closes the ``` fence or `span` it cut open.
 */
export function cutMarkup(text: string, limit: number, mark: string, unit: Unit = CHARACTERS): string {
  if (fits(unit, text, limit)) return text;
  const room = limit - unit.sizeOf(mark);
  if (room <= 0 && mark !== '') return cutMarkup(text, limit, '', unit);
  let reserved = 0;
  for (;;) {
    const kept = wholeMarkup(text, unit.indexWithin(text, room - reserved));
    const closer = closerOf(kept, text);
    if (closer.length <= reserved) return kept + closer + mark;
    reserved = closer.length;
  }
}

/** The longest prefix up to `limit` that ends between graphemes and in the middle of no markup. */
function wholeMarkup(text: string, limit: number): string {
  let kept = graphemeCut(text, limit);
  for (;;) {
    const end = endBeforeMarkup(text, kept.length);
    if (end === kept.length) return kept;
    kept = graphemeCut(text, end);
  }
}

const ENTITY = /&(?:amp|lt|gt);/y;
const CONTROL = /<[^<>]*>/y;

/** `end` itself, or the beginning of the entity, `<…>` or run of backticks that it would split. */
function endBeforeMarkup(text: string, end: number): number {
  const ampersand = text.lastIndexOf('&', end - 1);
  if (splits(ENTITY, text, ampersand, end)) return ampersand;
  const bracket = text.lastIndexOf('<', end - 1);
  if (splits(CONTROL, text, bracket, end)) return bracket;
  let backtick = end;
  if (text[end] === '`') while (text[backtick - 1] === '`') backtick -= 1;
  return backtick;
}

function splits(markup: RegExp, text: string, start: number, end: number): boolean {
  if (start < 0 || end === 0) return false;
  markup.lastIndex = start;
  return markup.test(text) && markup.lastIndex > end;
}

/** What closes the code that `kept`, the beginning of `text`, leaves open; empty where the text never closed it itself. */
function closerOf(kept: string, text: string): string {
  let open = '';
  for (const [token] of kept.matchAll(/```|[`\n]/g)) {
    if (open === '' && token !== '\n') open = token;
    else if (token === open || (token === '\n' && open === '`')) open = '';
  }
  if (open === '') return '';
  const rest = text.slice(kept.length);
  return open === '`' ? (/^[^\n]*`/.test(rest) ? open : '') : rest.includes(open) ? open : '';
}
