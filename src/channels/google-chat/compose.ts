/** Draws a card as a card of Google Chat (developers.google.com/workspace/chat/api/reference/rest/v1/cards). */
import { escapeHtml } from '../../text/clean.ts';
import type { Card } from '../card.ts';
import { linesOfCard, type Markup, markedUp } from '../card-lines.ts';
import type { ComposeContext, MessageFormat } from '../channel.ts';
import { chatCard, chatText, TONE_COLOURS } from '../hooks/chat-html.ts';
import { shownBy } from '../html-text.ts';
import { calledFor, mentionOption } from '../mention-option.ts';
import { fitted, showCard } from '../show-card.ts';

export interface GoogleChatMessage {
  /** In Chat's own markup, where mentions act. */
  readonly text?: string;
  /** What a notification shows of the card. */
  readonly fallbackText?: string;
  readonly cardsV2?: readonly [{ readonly cardId: string; readonly card: GoogleChatCard }];
}

interface GoogleChatCard {
  /** Plain text. */
  readonly header: { readonly title: string };
  readonly sections: readonly [{ readonly widgets: readonly [Paragraph, Buttons?] }];
}

/** In a small HTML: `b`, `a`, `font` and `br`. */
interface Paragraph {
  readonly textParagraph: { readonly text: string };
}

interface Buttons {
  readonly buttonList: {
    readonly buttons: readonly [
      { readonly text: string; readonly onClick: { readonly openLink: { readonly url: string } } },
    ];
  };
}

/** A message holds 32,000 bytes, everything included ("Create a message"). */
const MAX_BYTES = 28_000;

/** Characters of what may be long. */
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
  // A card takes no empty paragraph.
  const text = markedUp(lines, markupOf(card)).replaceAll('\n', '<br>') || escapeHtml(summary);
  const paragraph = { textParagraph: { text } };
  return {
    ...(mentions.length > 0 && { text: mentions.join(' ') }),
    fallbackText: summary,
    cardsV2: [
      {
        cardId: 'botbell',
        card: {
          header: { title: withoutTags(title) },
          sections: [
            {
              widgets:
                link === undefined
                  ? [paragraph]
                  : [
                      paragraph,
                      {
                        buttonList: {
                          buttons: [
                            { text: withoutTags(link.text), onClick: { openLink: { url: link.url } } },
                          ],
                        },
                      },
                    ],
            },
          ],
        },
      },
    ],
  };
}

function markupOf({ tone }: Card): Markup {
  return {
    text: indented,
    bold: (html) => `<b>${html}</b>`,
    code: (text) => `<font color="${TONE_COLOURS[tone]}">${indented(text)}</font>`,
    link: (html, url) => `<a href="${escapeHtml(url)}">${html || escapeHtml(url)}</a>`,
    between: ' · ',
  };
}

function indented(text: string): string {
  return escapeHtml(text.replace(/^ +/gmu, (blanks) => '\u00a0'.repeat(blanks.length)));
}

/** For where the card is refused. */
export function plainGoogleChat({ fallbackText }: GoogleChatMessage): GoogleChatMessage | undefined {
  return fallbackText === undefined ? undefined : { text: disguised(fallbackText) };
}

/** Whether headers and buttons know markup is documented nowhere: nothing in them looks like it. */
function withoutTags(text: string): string {
  return text.replaceAll('<', '‹').replaceAll('>', '›').trim() || '–';
}

/** In a message's text no sign can be escaped: what acts there stands as one that looks like it. */
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

function googleChatAsHtml({ text = '', cardsV2 }: GoogleChatMessage): string {
  const shown = cardsV2?.[0];
  if (shown === undefined) return chatCard({ body: chatText(text) });
  const { header, sections } = shown.card;
  const [{ textParagraph }, buttonList] = sections[0].widgets;
  const [button] = buttonList?.buttonList.buttons ?? [];
  return chatCard({
    mentions: text,
    title: chatText(header.title),
    body: textParagraph.text
      .replace(/<font color="(#\w+)">/g, '<span style="color:$1">')
      .replaceAll('</font>', '</span>'),
    ...(button !== undefined && { button: { text: button.text, url: button.onClick.openLink.url } }),
  });
}

const MENTION = /^(?:<?users\/([\w.@-]{1,100})>?|(all))$/;

export const googleChatMentions = mentionOption('all or users/ID', MENTION);

function idOf(entry: string): string {
  const [, user, all] = MENTION.exec(entry) ?? [];
  return `users/${user ?? all ?? ''}`;
}
