/** Draws a card as a Slack message of native rich text and tables, so that copying gives the original text. */
import { cleanLine } from '../../text/clean.ts';
import { charactersWithin } from '../../text/cut.ts';
import { type Card, SYMBOLS } from '../card.ts';
import type { Composed, ComposeContext } from '../channel.ts';
import { fitted } from '../fit.ts';
import { type CardLine, type Markup, markedUp } from '../lines.ts';
import { cutMark } from '../marks.ts';
import { shownAs } from '../preview.ts';
import { CARD_PARTS, linesOfCard, MOST, showCard, withJobId } from '../show-card.ts';
import { isUsableUrl, type SlackMessage, type SlackObject } from './message.ts';
import { cutMrkdwn, escapeMrkdwn, mentionsFor } from './mrkdwn.ts';
import { textLength } from './own-blocks.ts';
import { linesOfSlack } from './preview.ts';
import { richText } from './rich-text.ts';

/** Slack: chat.update refuses `text` past 4,000 bytes of UTF-8, chat.postMessage splits it past about 4,040 characters. */
const MAX_TEXT_BYTES = 3000;

/** Characters of all blocks, addresses of links included: see `MAX_TOTAL`. */
const MOST_CHARACTERS = 8000;

const MOST_ON_SLACK = { ...MOST, hasTables: true };

export type SlackContext = Pick<ComposeContext, 'options' | 'isError'> &
  Partial<Pick<ComposeContext, 'callback'>>;

export function composeSlack(card: Card, context: SlackContext): Composed<SlackMessage> {
  const limit = { most: MOST_CHARACTERS - mentionsFor(context).length, of: textLength };
  const { message: blocks } = fitted(card, MOST_ON_SLACK, limit, (shown) => [
    ...richText(linesOfCard(shown, ['heading', 'text', 'message', 'outputs', 'link'])),
    ...linesOfCard(shown, ['facts']).flatMap(quietly),
  ]);
  return messageOf(summaryOf(card), blocks, card, context);
}

/** Slack: Block Kit reference, context. */
const MAX_CONTEXT = 3000;

/** What would become markup, a mention, an emoji or a quotation, and be copied without its signs. */
const ACTS = /(?<![\p{L}\p{N}])[*_~`@#]|(?<!\d):[\w+'-]+:|\n/u;

/** Facts in the small grey text of a context; like other lines if that would change or not hold them. */
function quietly(line: CardLine): readonly SlackObject[] {
  const text = markedUp([line], MRKDWN);
  const isSafe = 'facts' in line && !line.facts.flat().some((run) => ACTS.test(run.text));
  if (!isSafe || text.length > MAX_CONTEXT) return richText([line]);
  return [{ type: 'context', elements: [{ type: 'mrkdwn', text, verbatim: true }] }];
}

/** The line of a push notification, in mrkdwn. */
export function summaryOf({ tone, summary }: Card): string {
  return escapeMrkdwn(cleanLine(`${SYMBOLS[tone]} ${summary}`));
}

/** @param line mrkdwn of any length; it is cut here */
export function messageOf(
  line: string,
  blocks: readonly SlackObject[],
  card: Card,
  context: SlackContext,
): Composed<SlackMessage> {
  const mentions = mentionsFor(context);
  const text = fittingText(line, mentions, cutMark(card.language));
  const mrkdwn: SlackObject = { type: 'mrkdwn', text: mentions, verbatim: true };
  const above = mentions === '' ? [] : [{ type: 'section', text: mrkdwn }];
  const message = blocks.length === 0 ? { text } : { text, blocks: [...above, ...blocks] };
  const plain = () => ({ text: plainText(withJobId(card, context), mentions) });
  const hasPlain = blocks.length > 0 && text !== '';
  return { message, ...(hasPlain && { plain }), ...shownAs(() => ({ lines: linesOfSlack(message) })) };
}

function fittingText(line: string, mentions: string, mark: string): string {
  const taken = Buffer.byteLength(mentions) + Buffer.byteLength(mark) + 1;
  return `${mentions} ${cutMrkdwn(line, charactersWithin(line, MAX_TEXT_BYTES - taken), mark)}`.trim();
}

const MRKDWN: Markup = {
  text: escapeMrkdwn,
  bold: (text) => text,
  between: ' · ',
  code: escapeMrkdwn,
  link: (text, url) => (isUsableUrl(url) ? `<${escapeMrkdwn(url)}|${text || escapeMrkdwn(url)}>` : text),
};

function plainText(card: Card, mentions: string): string {
  const limit = { most: MAX_TEXT_BYTES, of: (text: string) => Buffer.byteLength(text) };
  const { message } = fitted(card, MOST, limit, (shown) =>
    `${mentions}\n${markedUp(linesOfCard(shown, CARD_PARTS), MRKDWN)}`.trim(),
  );
  return message;
}

/** The blocks that a template may place for each part of the card; none for any other name. */
export function drawCard(card: Card): (part: string) => readonly SlackObject[] {
  const shown = showCard(card, MOST_ON_SLACK);
  return (name) => {
    const parts = CARD_PARTS.filter((part) => part === name);
    return richText(linesOfCard(shown, parts));
  };
}
