/** Draws a card in Chatwork's notation. Its tags take effect anywhere, so brackets in foreign text are replaced. */
import type { Card } from '../card.ts';
import { type Markup, markedUp, UNMARKED } from '../card-lines.ts';
import type { ComposeContext, MessageFormat } from '../channel.ts';
import { shownBy } from '../html-text.ts';
import { chatBox, chatCard, chatText } from '../hooks/chat-html.ts';
import { calledFor, mentionOption } from '../mention-option.ts';
import { fitted, linesOfCard, showCard } from '../show-card.ts';

export interface ChatworkMessage {
  readonly body: string;
}

/** A message holds 65,535 (developer.chatwork.com) of an undocumented unit; this many characters fit in any unit. */
const MAX_CHARACTERS = 20_000;

/** Characters of text, message and outputs. */
const ROOM = 8000;

/** Chatwork has no escape, so full-width brackets, which look alike and have no effect, replace brackets. */
function escape(text: string): string {
  return text.replaceAll('[', '［').replaceAll(']', '］');
}

const MARKUP: Markup = { ...UNMARKED, text: escape, code: (text) => `[code]${escape(text)}[/code]` };

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
  const shown = showCard(card, room);
  const mentions = calledFor(context).map(mentionOf).join('');
  const body = markedUp(linesOfCard(shown, ['text', 'message', 'outputs', 'link', 'facts']), MARKUP);
  const info = `[info][title]${escape(shown.title)}[/title]${body}[/info]`;
  return { body: mentions === '' ? info : `${mentions}\n${info}` };
}

/** The message to send if Chatwork refuses the notation. */
export function plainChatwork({ body }: ChatworkMessage): ChatworkMessage {
  return { body: body.replaceAll('[/title]', '\n').replace(/\[\/?(?:info|title|code)\]/g, '') };
}

const OWN = /^((?:\[To:\d+\]|\[toall\])*)\n?\[info\]\[title\](.*)\[\/title\]([\s\S]*)\[\/info\]$/;

function chatworkAsHtml({ body }: ChatworkMessage): string {
  const [, mentions = '', title = '', rest = body] = OWN.exec(body) ?? [];
  const [before = '', code, behind = ''] = rest.split(/\n?\[code\]|\[\/code\]\n?/);
  const shown = code === undefined ? '' : chatBox('code', chatText(code));
  const called = mentions.replace(/\[(?:To:(\d+)|toall)\]/g, (_, id = 'ALL') => `TO ${id} `).trim();
  const text = chatText(before) + shown + chatText(behind);
  return chatCard({ mentions: called, title: chatText(title), body: text });
}

const MENTION = /^(?:\d{1,18}|all)$/;

export const chatworkMentions = mentionOption('the account id of a person or all', MENTION);

function mentionOf(entry: string): string {
  return entry === 'all' ? '[toall]' : `[To:${entry}]`;
}
