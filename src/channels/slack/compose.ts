/** Draws a card as a Slack message of native rich text and tables, so that copying gives the original text. */
import { charactersWithin } from '../../text/cut.ts';
import { drawnFormat } from '../chat/draw.ts';
import { CARD_PARTS } from '../show-card.ts';
import {
  cutMrkdwn,
  escapeMrkdwn,
  MRKDWN,
  slackMentions,
  type SlackMessage,
  type SlackObject,
} from './message.ts';
import { textLength } from './own-blocks.ts';
import { richText } from './rich-text.ts';

/** Slack: chat.update refuses `text` past 4,000 bytes of UTF-8, chat.postMessage splits it past about 4,040 characters. */
const MAX_TEXT_BYTES = 3000;

/** Characters of all blocks, addresses of links included: see `MAX_TOTAL`. */
const MOST_CHARACTERS = 8000;

export const drawnSlack = drawnFormat<SlackMessage>({
  name: 'slack',
  mentions: slackMentions,
  markup: MRKDWN,
  // Of one message, Slack takes no more.
  tables: 1,
  parts: CARD_PARTS.map((part) => (part === 'title' ? 'heading' : part)),
  limit: {
    most: MOST_CHARACTERS,
    of: ({ text, blocks }) =>
      blocks === undefined
        ? (Buffer.byteLength(text) * MOST_CHARACTERS) / MAX_TEXT_BYTES
        : textLength(blocks),
  },
  message: ({ mentions, summary, lines }) => messageOf(escapeMrkdwn(summary), richText(lines), mentions),
  plain: ({ whole }) => ({ text: whole }),
});

/** @param line mrkdwn of any length; it is cut here */
export function messageOf(
  line: string,
  blocks: readonly SlackObject[],
  mentions: readonly string[],
): SlackMessage {
  const called = mentions.join(' ');
  const room = MAX_TEXT_BYTES - Buffer.byteLength(`${called} …`);
  const text = `${called} ${cutMrkdwn(line, charactersWithin(line, room))}`.trim();
  if (blocks.length === 0) return { text };
  const mrkdwn: SlackObject = { type: 'mrkdwn', text: called, verbatim: true };
  return { text, blocks: [...(called === '' ? [] : [{ type: 'section', text: mrkdwn }]), ...blocks] };
}
