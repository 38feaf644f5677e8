/** Draws a card as a Slack message of native rich text and tables, so that copying gives the original text. */
import { cleanLine } from '../../text/clean.ts';
import { charactersWithin } from '../../text/cut.ts';
import { type Card, SYMBOLS } from '../card.ts';
import type { ComposeContext, TemplateValue } from '../channel.ts';
import { cutMark } from '../marks.ts';
import { CARD_PARTS, fitted, linesOfCard, showCard } from '../show-card.ts';
import type { Language } from '../../time/display.ts';
import { mentionBlock, mentionsFor } from './mentions.ts';
import { isList, isObject, type SlackMessage, type SlackObject } from './message.ts';
import { cutMrkdwn, escapeMrkdwn } from './mrkdwn.ts';
import { richText } from './rich-text.ts';

/** Slack: chat.update refuses `text` past 4,000 bytes of UTF-8, chat.postMessage splits it past about 4,040 characters. */
const MAX_TEXT_BYTES = 3000;

/**
 * Characters of all blocks, addresses of links included. Slack does not document how many it takes (`msg_blocks_too_long`); refusals
 * were seen from about 9,600 on.
 */
const MOST_CHARACTERS = 8000;

/** Characters of text, message and outputs. The other parts, such as facts, seldom bring a message past `MOST_CHARACTERS`. */
const ROOM = 6000;

type SlackContext = Pick<ComposeContext, 'options' | 'isError'>;

export function composeSlack(card: Card, context: SlackContext): SlackMessage {
  const draw = (room: number) => {
    const shown = showCard(card, room);
    const body = linesOfCard(shown, ['title', 'text', 'message', 'outputs', 'link']);
    const blocks = [...richText(body), ...richText(linesOfCard(shown, ['facts']))];
    return messageOf(summaryOf(card), blocks, card.language, context);
  };
  return fitted(ROOM, draw, ({ blocks = [] }) => charactersIn(blocks) <= MOST_CHARACTERS);
}

function charactersIn(value: TemplateValue | undefined): number {
  if (typeof value === 'string') return value.length;
  if (isList(value)) return value.reduce<number>((sum, each) => sum + charactersIn(each), 0);
  if (!isObject(value)) return 0;
  return Object.keys(value).reduce((sum, key) => (key === 'type' ? sum : sum + charactersIn(value[key])), 0);
}

/** The line of a push notification, in mrkdwn. */
export function summaryOf({ tone, summary }: Card): string {
  return escapeMrkdwn(cleanLine(`${SYMBOLS[tone]} ${summary}`));
}

/** @param line mrkdwn of any length; it is cut here */
export function messageOf(
  line: string,
  blocks: readonly SlackObject[],
  language: Language,
  context: SlackContext,
): SlackMessage {
  const mentions = mentionsFor(context);
  const mark = cutMark(language);
  const room = MAX_TEXT_BYTES - mentions.length - 1 - Buffer.byteLength(mark);
  const text = `${mentions} ${cutMrkdwn(line, charactersWithin(line, room), mark)}`.trim();
  if (blocks.length === 0) return { text };
  return { text, blocks: [...(mentions === '' ? [] : [mentionBlock(mentions)]), ...blocks] };
}

/** The blocks that a template may place for each part of the card; none for any other name. */
export function drawCard(card: Card): (part: string) => readonly SlackObject[] {
  const shown = showCard(card, ROOM);
  return (name) =>
    richText(
      linesOfCard(
        shown,
        CARD_PARTS.filter((part) => part === name),
      ),
    );
}
