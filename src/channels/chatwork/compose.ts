/** Draws a card in Chatwork's notation, all of whose tags act wherever they stand: foreign text has no brackets of theirs. */
import type { Card } from '../card.ts';
import type { ComposeContext, MessageFormat } from '../channel.ts';
import { shownBy } from '../html-text.ts';
import { chatBox, chatText } from '../hooks/chat-html.ts';
import { calledFor, mentionOption } from '../mention-option.ts';
import { linesOfCard } from '../hooks/card-lines.ts';
import { fitted, showCard } from '../show-card.ts';

export interface ChatworkMessage {
  readonly body: string;
}

/** A message holds 65,535 (developer.chatwork.com); of which unit is documented nowhere, and this many fit in each. */
const MAX_CHARACTERS = 20_000;

/** Characters of what may be long. */
const ROOM = 8000;

export const chatworkFormat: MessageFormat<ChatworkMessage> = {
  name: 'chatwork',
  compose: (card, context) =>
    fitted(
      ROOM,
      (room) => messageOf(card, context, room),
      ({ body }) => body.length <= MAX_CHARACTERS,
    ),
  ...shownBy(chatworkAsHtml),
};

function messageOf(card: Card, context: ComposeContext, room: number): ChatworkMessage {
  const { language } = card;
  const shown = showCard(card, room);
  const mentions = calledFor(context).map(mentionOf).join('');
  const message = shown.isVerbatim ? `[code]${escape(shown.message)}[/code]` : escape(shown.message);
  const lines = linesOfCard({ ...shown, message: '' }, '', language).map(escape);
  const link = shown.link === undefined ? [] : [`${escape(shown.link.text)}: ${shown.link.url}`];
  const body = [message, ...lines, ...link].filter((line) => line !== '').join('\n');
  const info = `[info][title]${escape(shown.title)}[/title]${body}[/info]`;
  return { body: mentions === '' ? info : `${mentions}\n${info}` };
}

/** There is no escape: full-width brackets look alike and do nothing. */
function escape(text: string): string {
  return text.replaceAll('[', '［').replaceAll(']', '］');
}

/** For where the notation is refused. */
export function plainChatwork({ body }: ChatworkMessage): ChatworkMessage {
  return { body: withoutTags(body) };
}

function withoutTags(body: string): string {
  return body.replaceAll('[/title]', '\n').replace(/\[\/?(?:info|title|code)\]/g, '');
}

function chatworkAsHtml({ body }: ChatworkMessage): string {
  const [, mentions = '', title = '', rest = ''] =
    /^((?:\[To:\d+\]|\[toall\])*\n)?\[info\]\[title\](.*)\[\/title\]([\s\S]*)\[\/info\]$/.exec(body) ?? [];
  const [, code, lines = rest] = /^\[code\]([\s\S]*?)\[\/code\]\n?([\s\S]*)$/.exec(rest) ?? [];
  const parts = [
    chatBox('title', chatText(title)),
    code === undefined ? '' : chatBox('code', chatText(code)),
    chatText(lines),
  ];
  const called = mentions.trim() === '' ? '' : chatBox('mention', chatText(mentions.trim()));
  return chatBox('message', called + chatBox('card', parts.join('\n')));
}

const MENTION = /^(?:\d{1,18}|all)$/;

export const chatworkMentions = mentionOption('the account id of a person or all', MENTION);

function mentionOf(entry: string): string {
  return entry === 'all' ? '[toall]' : `[To:${entry}]`;
}
