/** Draws a card as text. LINE WORKS takes `<m userId="…">` anywhere as a mention, and refuses one of a user outside the room. */
import { cutEnd } from '../../text/cut.ts';
import type { Card } from '../card.ts';
import { type Markup, markedUp, UNMARKED } from '../card-lines.ts';
import type { ComposeContext, MessageFormat } from '../channel.ts';
import { shownBy } from '../html-text.ts';
import { chatCard, chatText } from '../hooks/chat-html.ts';
import { calledFor, mentionOption } from '../mention-option.ts';
import { CARD_PARTS, type CardPart, fitted, linesOfCard, showCard } from '../show-card.ts';

export interface LineworksMessage {
  readonly content: { readonly type: 'text'; readonly text: string };
}

/** developers.worksmobile.com/jp/docs/bot-send-text: "text", String, up to 2,000 characters. */
const MAX_CHARACTERS = 2000;

/** Each mention has an ID of up to a hundred characters. */
const MOST_MENTIONS = 10;

/** Text, message and outputs rarely need all of their room, and what is too long takes 0.6 of it: that leaves 0.2 for the facts. */
const ROOM = 1.3;

/** A longer URL is left out, since it would take the room of the error message. */
const LONGEST_URL = 300;

const MARKUP: Markup = {
  ...UNMARKED,
  link: (text, url) => UNMARKED.link(text, url.length > LONGEST_URL ? '' : url),
};

export const botFormat: MessageFormat<LineworksMessage> = {
  name: 'lineworks',
  compose: composeText,
  ...shownBy(({ content }: LineworksMessage) => chatCard({ body: chatText(content.text) })),
};

function composeText(card: Card, context: ComposeContext): LineworksMessage {
  const mentions = calledFor(context)
    .slice(0, MOST_MENTIONS)
    .map((id) => `<m userId="${id}">`);
  const head = mentions.length === 0 ? '' : `${mentions.join(' ')}\n`;
  const most = MAX_CHARACTERS - head.length;
  return messageOf(head + textIn(card, most, CARD_PARTS));
}

/** @param most characters */
export function textIn(card: Card, most: number, parts: readonly CardPart[]): string {
  const draw = (less: number) => withoutMentions(markedUp(linesOfCard(showCard(card, less), parts), MARKUP));
  return cutEnd(
    fitted(most * ROOM, draw, ({ length }) => length <= most),
    most,
    '…',
  );
}

/** The message without mentions, since LINE WORKS refuses it if a mentioned member is not in the room. */
export function unmentioned({ content }: LineworksMessage): LineworksMessage | undefined {
  const text = content.text.replace(/^(?:<m userId="[^"<>]*"> ?)+\n/, '');
  return text === content.text ? undefined : messageOf(text);
}

function messageOf(text: string): LineworksMessage {
  return { content: { type: 'text', text } };
}

/** Foreign text with its mentions disabled, also those that continue on the next line. */
export function withoutMentions(text: string): string {
  return text.replace(/<(?=\s*\/?\s*m)/gi, '＜');
}

const MEMBER = /^[^\s"<>]{1,100}$/;

export const lineworksMentions = mentionOption('the ID of a member or all', MEMBER);
