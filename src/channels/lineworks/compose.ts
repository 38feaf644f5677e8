/** A text of LINE WORKS, in which `<m userId="…">` mentions wherever it stands, and one of a stranger refuses the message. */
import { cutEnd } from '../../text/cut.ts';
import type { Card } from '../card.ts';
import { markedUp, UNMARKED } from '../card-lines.ts';
import type { ComposeContext, MessageFormat } from '../channel.ts';
import { shownBy } from '../html-text.ts';
import { chatCard, chatText } from '../hooks/chat-html.ts';
import { calledFor, mentionOption } from '../mention-option.ts';
import { CARD_PARTS, fitted, linesOfCard, showCard } from '../show-card.ts';

export interface LineworksMessage {
  readonly content: { readonly type: 'text'; readonly text: string };
}

/** developers.worksmobile.com/jp/docs/bot-send-text: "text", String, up to 2,000 characters. */
const MAX_CHARACTERS = 2000;

/** Each takes up to a hundred characters. */
const MOST_MENTIONS = 10;

/** Characters of what may be long. */
const ROOM = 1500;

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
  const compose = (room: number) =>
    withoutMentions(markedUp(linesOfCard(showCard(card, room), CARD_PARTS), UNMARKED));
  const text = fitted(Math.min(ROOM, most), compose, ({ length }) => length <= most);
  return messageOf(head + cutEnd(text, most, '…'));
}

/** For where the mentioned member is not in the room, which refuses the whole message. */
export function unmentioned({ content }: LineworksMessage): LineworksMessage | undefined {
  const text = content.text.replace(/^(?:<m userId="[^"<>]*"> ?)+\n/, '');
  return text === content.text ? undefined : messageOf(text);
}

function messageOf(text: string): LineworksMessage {
  return { content: { type: 'text', text } };
}

/** Of foreign text, which a mention may begin on one line and end on the next. */
export function withoutMentions(text: string): string {
  return text.replace(/<(?=\s*\/?\s*m)/gi, '＜');
}

const MEMBER = /^[^\s"<>]{1,100}$/;

export const lineworksMentions = mentionOption('the ID of a member or all', MEMBER);
