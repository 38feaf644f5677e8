/** Makes a template's own blocks such as Slack takes them: cuts what is too long so that it shows, drops what is empty. */
import type { Language } from '../../time/display.ts';
import type { TemplateValue } from '../channel.ts';
import { moreMark } from '../marks.ts';
import { MAX_BLOCKS, mendedBlock } from './block-kit.ts';
import { cutText } from './block-rules.ts';
import { isList, isObject, type SlackObject, typeOf } from './message.ts';

/**
 * Slack does not document how many characters a message holds (`msg_blocks_too_long`); refusals were seen from about 9,600
 * on.
 */
const MAX_TOTAL = 8000;

/** Two of the 50 are kept free: for mentions, and for the line that says how many are missing. */
const MOST_BLOCKS = MAX_BLOCKS - 2;

/** Below this a text says too little to be worth its block. */
const SHORTEST_TEXT = 200;

export function fitBlocks(blocks: readonly TemplateValue[], language: Language): readonly SlackObject[] {
  const fitted = blocks.map((block) => mendedBlock(block, language) as TemplateValue).filter(isObject);
  const isTable = (block: SlackObject) => typeOf(block) === 'table';
  // Slack takes one table.
  const first = fitted.findIndex(isTable);
  const kept = fitted.filter((block, index) => index === first || !isTable(block));
  return fitTotal(kept, fitted.length - kept.length, language);
}

/** The longest texts are cut first, all to the same length; where that is not enough, blocks go from the end. */
function fitTotal(
  blocks: readonly SlackObject[],
  leftOut: number,
  language: Language,
): readonly SlackObject[] {
  let kept = blocks.slice(0, MOST_BLOCKS);
  for (let most = MAX_TOTAL / 2; lengthOf(kept) > MAX_TOTAL; most = Math.floor(most * 0.8)) {
    if (most < SHORTEST_TEXT) kept = kept.slice(0, -1);
    else kept = kept.map((block) => shrink(block, most, language)).filter(isObject);
  }
  const more = leftOut + blocks.length - kept.length;
  if (more === 0) return kept;
  const text: SlackObject = { type: 'plain_text', text: moreMark(language, more), emoji: false };
  return [...kept, { type: 'context', elements: [text] }];
}

/** Characters in all strings of a value, and so a little more than its texts. */
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
