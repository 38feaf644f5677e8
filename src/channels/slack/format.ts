/** The format of Slack messages, drawn from a card, or written by a template as `text` in mrkdwn and `blocks` of Block Kit. */
import { array, object } from 'yup';
import { cleanLine, cleanText, isBlank } from '../../text/clean.ts';
import { type Card, SYMBOLS } from '../card.ts';
import {
  ADDRESS_TEXT,
  type Composed,
  type ComposeContext,
  isList,
  type MessageFormat,
  type OwnMessages,
  type RenderedParts,
  type TemplateValue,
  type TextKind,
  type ValuePlace,
} from '../channel.ts';
import { moreMark } from '../marks.ts';
import { shownAs } from '../preview.ts';
import { TEMPLATE_TEXT } from '../settings.ts';
import { drawnSlack, messageOf } from './compose.ts';
import {
  escapeMrkdwn,
  isObject,
  slackMentions,
  type SlackMessage,
  type SlackObject,
  typeOf,
} from './message.ts';
import { cutBlocks, OWN_BLOCK } from './own-blocks.ts';
import { linesOfSlack } from './preview.ts';

/** Characters of one value: a text object takes 3,000, and a message some 8,000. */
const LONGEST_VALUE = 2000;

/** Text that Slack shows without parsing it. */
const LITERAL: TextKind = { escape: cleanText, most: LONGEST_VALUE, placeOf: () => 'text' };

const MRKDWN: TextKind = {
  escape: (text) => escapeMrkdwn(cleanText(text)),
  most: LONGEST_VALUE,
  placeOf: placeInMrkdwn,
};

/** Strings that Slack interprets, such as IDs and styles. */
const NOWHERE: TextKind = { escape: () => '', most: 0, placeOf: () => 'nowhere' };

const ADDRESS_KEYS: ReadonlySet<unknown> = new Set(['url', 'image_url']);
const TEXT_KEYS: ReadonlySet<unknown> = new Set(['text', 'alt_text', 'fallback', 'accessibility_label']);

export const slackMessages = {
  parts: object({ text: TEMPLATE_TEXT, blocks: array(OWN_BLOCK) }),
  textAt,
  compose,
} satisfies OwnMessages<SlackMessage>;

export const slackFormat = { ...drawnSlack, own: slackMessages } satisfies MessageFormat<SlackMessage>;

function textAt(path: readonly (string | number)[], parent: TemplateValue): TextKind {
  const key = path.at(-1);
  if (path.length === 1) return MRKDWN;
  if (ADDRESS_KEYS.has(key)) return ADDRESS_TEXT;
  if (!TEXT_KEYS.has(key)) return NOWHERE;
  const type = isObject(parent) && key === 'text' ? typeOf(parent) : '';
  // Slack does not document whether text in a markdown block can mention.
  if (type === 'markdown') return NOWHERE;
  return type === 'mrkdwn' ? MRKDWN : LITERAL;
}

/** Inside `<address|words>`, a value can be the whole address or a part of the words. */
function placeInMrkdwn(before: string, behind: string): ValuePlace {
  const control = /<([^<>]*)$/.exec(before)?.[1];
  if (control === undefined || control.includes('|')) return 'text';
  return control === '' && /^[|>]/.test(behind) ? 'address' : 'nowhere';
}

function compose(
  { text, blocks }: RenderedParts,
  card: Card,
  context: ComposeContext,
): Composed<SlackMessage> {
  const { tone, summary } = card;
  const isSaid = typeof text === 'string' && !isBlank(text);
  const line = isSaid ? text.toWellFormed().trim() : escapeMrkdwn(cleanLine(`${SYMBOLS[tone]} ${summary}`));
  const called = slackMentions.of(context).map((entry) => slackMentions.write(entry));
  const message = messageOf(line, isList(blocks) ? fittedBlocks(blocks, card) : [], called);
  return {
    message,
    plain: message.blocks && (() => drawnSlack.compose(card, context).plain?.() ?? message),
    ...shownAs(() => ({ lines: linesOfSlack(message) })),
  };
}

function fittedBlocks(blocks: readonly TemplateValue[], card: Card): readonly SlackObject[] {
  const { language } = card;
  const { kept, leftOut } = cutBlocks(blocks);
  if (leftOut === 0) return kept;
  const text: SlackObject = { type: 'plain_text', text: moreMark(language, leftOut), emoji: false };
  return [...kept, { type: 'context', elements: [text] }];
}
