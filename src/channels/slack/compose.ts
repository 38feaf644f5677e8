/** Draws a card as a Slack message of native rich text and tables, so that copying gives the original text. */
import { cleanLine } from '../../text/clean.ts';
import { charactersWithin } from '../../text/cut.ts';
import { type Card, SYMBOLS } from '../card.ts';
import type { Composed, ComposeContext } from '../channel.ts';
import { type Markup, markedUp, UNMARKED, withoutLast } from '../lines.ts';
import { cutMark } from '../marks.ts';
import { shownAs } from '../preview.ts';
import { CARD_PARTS, fitted, linesOfCard, MOST, showCard, withJobId } from '../show-card.ts';
import type { Language } from '../../time/display.ts';
import { textLength } from './block-kit.ts';
import { isUsableUrl, type SlackMessage, type SlackObject } from './message.ts';
import { cutMrkdwn, escapeMrkdwn, mentionsFor } from './mrkdwn.ts';
import { linesOfSlack } from './preview.ts';
import { richText } from './rich-text.ts';

/** Slack: chat.update refuses `text` past 4,000 bytes of UTF-8, chat.postMessage splits it past about 4,040 characters. */
const MAX_TEXT_BYTES = 3000;

/** Characters of all blocks, addresses of links included: see `MAX_TOTAL`. */
const MOST_CHARACTERS = 8000;

/** Characters of text, message and outputs. The other parts, such as facts, seldom bring a message past `MOST_CHARACTERS`. */
const ROOM = 6000;

const MOST_ON_SLACK = { ...MOST, hasTables: true };

export type SlackContext = Pick<ComposeContext, 'options' | 'isError'> &
  Partial<Pick<ComposeContext, 'callback'>>;

export function composeSlack(card: Card, context: SlackContext): Composed<SlackMessage> {
  const draw = (room: number) => {
    const shown = showCard(card, room, MOST_ON_SLACK);
    const body = linesOfCard(shown, ['title', 'text', 'message', 'outputs', 'link']);
    return [...richText(body), ...richText(linesOfCard(shown, ['facts']))];
  };
  const blocks = fitted(ROOM, draw, (drawn) => textLength(drawn) <= MOST_CHARACTERS);
  return messageOf(summaryOf(card), blocks, card, context);
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
  const text = fittingText(line, mentions, '', card.language);
  const mrkdwn: SlackObject = { type: 'mrkdwn', text: mentions, verbatim: true };
  const above = mentions === '' ? [] : [{ type: 'section', text: mrkdwn }];
  const message = blocks.length === 0 ? { text } : { text, blocks: [...above, ...blocks] };
  const plain = () => ({ text: fittingText(line, mentions, linesBelow(card, context), card.language) });
  const hasPlain = blocks.length > 0 && text !== '';
  return { message, ...(hasPlain && { plain }), ...shownAs(() => ({ lines: linesOfSlack(message) })) };
}

function fittingText(line: string, mentions: string, below: string, language: Language): string {
  const mark = cutMark(language);
  const taken = [mentions, below, mark].reduce((sum, part) => sum + Buffer.byteLength(part) + 1, 0);
  const cut = cutMrkdwn(line, charactersWithin(line, MAX_TEXT_BYTES - taken), mark);
  return `${mentions} ${cut}\n${below}`.trim();
}

const { bold, between } = UNMARKED;
const MRKDWN: Markup = {
  text: escapeMrkdwn,
  bold,
  between,
  code: escapeMrkdwn,
  link: (text, url) => (isUsableUrl(url) ? `<${escapeMrkdwn(url)}|${text || escapeMrkdwn(url)}>` : text),
};

/** The most bytes of what stands below the plain text: a link to the job, its id and other facts. */
const MAX_BELOW = 1200;

function linesBelow(card: Card, context: SlackContext): string {
  let lines = linesOfCard(showCard(withJobId(card, context), 0), ['link', 'facts']);
  while (Buffer.byteLength(markedUp(lines, MRKDWN)) > MAX_BELOW) lines = withoutLast(lines) ?? [];
  return markedUp(lines, MRKDWN);
}

/** The blocks that a template may place for each part of the card; none for any other name. */
export function drawCard(card: Card): (part: string) => readonly SlackObject[] {
  const shown = showCard(card, ROOM, MOST_ON_SLACK);
  return (name) => {
    const parts = CARD_PARTS.filter((part) => part === name);
    return richText(linesOfCard(shown, parts));
  };
}
