/** Keeps a whole Slack message within what Slack takes of all its blocks together. */
import type { Language, TemplateValue } from '../format.ts';
import { cutText, moreText } from './limits.ts';
import { isList, isObject, lengthOf, typeOf } from './message.ts';
import type { SlackObject } from './message.ts';

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
