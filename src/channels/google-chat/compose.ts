/** Draws a card as a card of Google Chat (developers.google.com/workspace/chat/api/reference/rest/v1/cards). */
import { escapeHtml } from '../../text/clean.ts';
import type { Card, CardLink } from '../card.ts';
import { indented, type Markup, markedUp } from '../card-lines.ts';
import type { ComposeContext, MessageFormat } from '../channel.ts';
import { chatButton, chatCard, chatText, TONE_COLOURS } from '../hooks/chat-html.ts';
import { shownBy } from '../html-text.ts';
import { calledFor, mentionOption } from '../mention-option.ts';
import { fitted, linesOfCard, showCard } from '../show-card.ts';

export interface GoogleChatMessage {
  /** In Chat's own markup, in which mentions take effect. */
  readonly text?: string;
  /** The text of push notifications. */
  readonly fallbackText?: string;
  readonly cardsV2?: readonly ReturnType<typeof cardOf>[];
}

/** @param text in HTML with `b`, `a`, `font` and `br` only */
function cardOf(title: string, text: string, link: CardLink | undefined) {
  const paragraph = { textParagraph: { text } };
  const button = link && { text: withoutTags(link.text), onClick: { openLink: { url: link.url } } };
  const widgets = [paragraph, ...(button === undefined ? [] : [{ buttonList: { buttons: [button] } }])];
  return { cardId: 'botbell', card: { header: { title: withoutTags(title) }, sections: [{ widgets }] } };
}

/** A message takes 32,000 bytes, everything included ("Create a message"). */
const MAX_BYTES = 28_000;

/** Characters of text, message and outputs. */
const ROOM = 6000;

export const googleChatFormat: MessageFormat<GoogleChatMessage> = {
  name: 'google_chat',
  compose: (card, context) =>
    fitted(
      ROOM,
      (room) => messageOf(card, context, room),
      (message) => Buffer.byteLength(JSON.stringify(message)) <= MAX_BYTES,
    ),
  ...shownBy(googleChatAsHtml),
};

function messageOf(card: Card, context: ComposeContext, room: number): GoogleChatMessage {
  const shown = showCard(card, room);
  const { title, summary, link } = shown;
  const mentions = calledFor(context).map((entry) => `<${idOf(entry)}>`);
  const lines = linesOfCard(shown, ['text', 'message', 'outputs', 'facts']);
  // Google Chat refuses an empty paragraph.
  const text = markedUp(lines, markupOf(card)).replaceAll('\n', '<br>') || escapeHtml(summary);
  return {
    ...(mentions.length > 0 && { text: mentions.join(' ') }),
    fallbackText: summary,
    cardsV2: [cardOf(title, text, link)],
  };
}

function markupOf({ tone }: Card): Markup {
  return {
    text: htmlOf,
    bold: (html) => `<b>${html}</b>`,
    code: (text) => `<font color="${TONE_COLOURS[tone]}">${htmlOf(text)}</font>`,
    link: (html, url) => `<a href="${escapeHtml(url)}">${html || escapeHtml(url)}</a>`,
    between: ' · ',
  };
}

function htmlOf(text: string): string {
  return escapeHtml(indented(text));
}

/** The message to send if Google Chat refuses the card. */
export function plainGoogleChat({ fallbackText }: GoogleChatMessage): GoogleChatMessage | undefined {
  return fallbackText === undefined ? undefined : { text: disguised(fallbackText) };
}

/** It is not documented whether headers and buttons support markup, so they get no text that looks like tags. */
function withoutTags(text: string): string {
  return text.replaceAll('<', '‹').replaceAll('>', '›').trim() || '–';
}

/** The text of a message has no escape, so similar characters replace those of its markup. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  '<': '‹',
  '>': '›',
  '*': '＊',
  _: '＿',
  '~': '～',
  '`': 'ˋ',
};

function disguised(text: string): string {
  return text.replace(/[<>*_~`]/g, (sign) => LOOK_ALIKES[sign] ?? sign);
}

function googleChatAsHtml({ text = '', cardsV2 = [] }: GoogleChatMessage): string {
  const [shown] = cardsV2;
  if (shown === undefined) return chatCard({ body: chatText(text) });
  const { header, sections } = shown.card;
  const parts = sections.flatMap(({ widgets }) =>
    widgets.map((widget) =>
      'textParagraph' in widget
        ? widget.textParagraph.text
            .replaceAll('<font color="', '<span style="color:')
            .replaceAll('</font>', '</span>')
        : widget.buttonList.buttons
            .map((button) => chatButton(button.text, button.onClick.openLink.url))
            .join(''),
    ),
  );
  const mentions = text.replace(/<users\/([^<>]+)>/g, '@$1');
  return chatCard({ mentions, title: chatText(header.title), body: parts.join('<br>') });
}

const MENTION = /^(?:<?users\/([\w.@-]{1,100})>?|(all))$/;

export const googleChatMentions = mentionOption('all or users/ID', MENTION);

function idOf(entry: string): string {
  const [, user, all] = MENTION.exec(entry) ?? [];
  return `users/${user ?? all ?? ''}`;
}
