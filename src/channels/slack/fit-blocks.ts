/** Makes a template's own blocks such as Slack takes them: cuts what is too long so that it shows, drops what is empty. */
import { isBlank } from '../../text/clean.ts';
import { cutEnd } from '../../text/cut.ts';
import { cutMark, moreMark } from '../marks.ts';
import type { TemplateValue } from '../channel.ts';
import type { Language } from '../../time/display.ts';
import { ruleOf } from './block-flaws.ts';
import { BLOCKS, type ListRule, MAX_BLOCKS, type ObjectRule, type Rule } from './block-kit.ts';
import { isList, isObject, isUsableUrl, rowsOfTable, type SlackObject, stringAt, typeOf } from './message.ts';
import { cutMrkdwn } from './mrkdwn.ts';
import { fieldsOf, RichText } from './rich-text.ts';
import { textOfBlock } from './text.ts';

/**
 * Slack does not document how many characters a message holds (`msg_blocks_too_long`); refusals were seen from about 9,600
 * on.
 */
const MAX_TOTAL = 8000;

/** Two of the 50 are kept free: for mentions, and for the line that says how many are missing. */
const MOST_BLOCKS = MAX_BLOCKS - 2;

/** Below this a text says too little to be worth its block. */
const SHORTEST_TEXT = 200;

/** Less has no room for the words that say that something was cut. */
const ROOM_FOR_WORDS = 80;

export function fitBlocks(blocks: readonly TemplateValue[], language: Language): readonly SlackObject[] {
  const fitted = blocks.flatMap((block) => fit(BLOCKS.item, block, language) ?? []).filter(isObject);
  return fitTotal(withOneTable(fitted), language);
}

/** The value as Slack takes it; undefined where nothing of it is left. What the rules do not know stays as it is. */
function fit(rule: Rule, value: TemplateValue, language: Language): TemplateValue | undefined {
  if (typeof value === 'string') return fitString(rule, value, language);
  if (isList(value)) return rule.kind === 'list' ? fitList(rule, value, language) : value;
  if (!isObject(value)) return value;
  if (rule.kind === 'object') return fitObject(rule, value, language);
  const known = rule.kind === 'byType' ? ruleOf(rule.types, typeOf(value)) : undefined;
  return known === undefined ? value : fit(known, value, language);
}

function fitString(rule: Rule, text: string, language: Language): string | undefined {
  if (rule.kind === 'url') return isUsableUrl(text) ? text : undefined;
  if (rule.kind !== 'text') return text;
  const clean = text.toWellFormed();
  return isBlank(clean) ? undefined : cutText(clean, rule.most, rule.isMrkdwn === true, language);
}

function cutText(text: string, most: number, isMrkdwn: boolean, language: Language): string {
  if (text.length <= most) return text;
  const mark = most < ROOM_FOR_WORDS ? '…' : cutMark(language);
  return isMrkdwn ? cutMrkdwn(text, most, mark) : cutEnd(text, most, mark);
}

function fitList(
  { item, most, nothing }: ListRule,
  list: readonly TemplateValue[],
  language: Language,
): readonly TemplateValue[] | undefined {
  const fitted: TemplateValue[] = [];
  for (const each of list.slice(0, most)) {
    const kept = fit(item, each, language) ?? nothing;
    if (kept !== undefined) fitted.push(kept);
  }
  return fitted.length === 0 ? undefined : fitted;
}

function fitObject(rule: ObjectRule, object: SlackObject, language: Language): SlackObject | undefined {
  const fitted: Record<string, TemplateValue> = {};
  for (const [key, value] of Object.entries(object)) {
    const known = ruleOf(rule.required, key) ?? ruleOf(rule.optional, key);
    const member = known === undefined ? value : fit(known, value, language);
    if (member !== undefined) fitted[key] = member;
    // What was there to be clicked leads nowhere now.
    else if (key === 'url') return wordsOf(fitted, object, language);
  }
  if (typeOf(object) === 'mrkdwn') fitted['verbatim'] = true;
  const isWhole = Object.keys(rule.required).every((key) => !(key in object) || key in fitted);
  const hasOne = rule.anyOf.length === 0 || rule.anyOf.some((key) => key in fitted);
  return isWhole && hasOne ? fitted : undefined;
}

/** A link keeps its words; of a button nothing is left. */
function wordsOf(fitted: SlackObject, link: SlackObject, language: Language): SlackObject | undefined {
  const text = cutText(stringAt(link, 'text'), MAX_TOTAL, false, language);
  if (typeOf(link) !== 'link') return typeOf(link) === 'date' ? fitted : undefined;
  return isBlank(text)
    ? undefined
    : { type: 'text', text, ...('style' in fitted && { style: fitted['style'] }) };
}

/** Slack takes one table: a further one is a list of its rows. */
function withOneTable(blocks: readonly SlackObject[]): readonly SlackObject[] {
  const first = blocks.findIndex((block) => typeOf(block) === 'table');
  return blocks.flatMap((block, index) => {
    if (typeOf(block) !== 'table' || index === first) return [block];
    const [names = [], ...rows] = rowsOfTable(block).map((row) => row.map(textOfBlock));
    const text = new RichText();
    text.list(rows.map((row) => fieldsOf(names, row)));
    return text.end();
  });
}

/** The longest texts are cut first, all to the same length; where that is not enough, blocks go from the end. */
function fitTotal(blocks: readonly SlackObject[], language: Language): readonly SlackObject[] {
  let kept = blocks.slice(0, MOST_BLOCKS);
  for (let most = MAX_TOTAL / 2; lengthOf(kept) > MAX_TOTAL; most = Math.floor(most * 0.8)) {
    if (most < SHORTEST_TEXT) kept = kept.slice(0, -1);
    else kept = kept.map((block) => shrink(block, most, language)).filter(isObject);
  }
  const more = blocks.length - kept.length;
  if (more === 0) return kept;
  const text: SlackObject = { type: 'plain_text', text: moreMark(language, more), emoji: false };
  return [...kept, { type: 'context', elements: [text] }];
}

/** Characters in all strings of a value. */
function lengthOf(value: TemplateValue): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, member: TemplateValue) => sum + lengthOf(member), 0);
}

function shrink(value: TemplateValue, most: number, language: Language): TemplateValue {
  if (isList(value)) return value.map((item) => shrink(item, most, language));
  if (!isObject(value)) return value;
  const isMrkdwn = typeOf(value) === 'mrkdwn';
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) =>
      key === 'text' && typeof member === 'string'
        ? [key, cutText(member, most, isMrkdwn, language)]
        : [key, shrink(member, most, language)],
    ),
  );
}
