/** Draws a card as a card of Google Chat, whose texts are a small HTML. */
import { escapeHtml } from '../../text/clean.ts';
import type { Card } from '../card.ts';
import type { ComposeContext } from '../channel.ts';
import { calledFor, mentionOption } from '../mention-option.ts';
import { TONE_COLOURS } from '../hooks/chat-html.ts';
import { labelOf, linesOf, type ShownOutput } from '../outputs.ts';
import { fitted, type ShownCard, showCard } from '../show-card.ts';
import type { Language } from '../../time/display.ts';
import type { GoogleChatMessage, Widget } from './message.ts';

/** A message holds 32,000 bytes, everything included ("Create a message"). */
const MAX_BYTES = 28_000;

/** Characters of what may be long. */
const ROOM = 6000;

export function composeGoogleChat(card: Card, context: ComposeContext): GoogleChatMessage {
  const called = calledFor(context).map((entry) => `<${idOf(entry)}>`);
  const compose = (room: number) => messageOf(showCard(card, room), card, called.join(' '));
  return fitted(ROOM, compose, (message) => Buffer.byteLength(JSON.stringify(message)) <= MAX_BYTES);
}

/** For where the card is refused. */
export function plainGoogleChat({ fallbackText }: GoogleChatMessage): GoogleChatMessage | undefined {
  return fallbackText === undefined ? undefined : { text: disguised(fallbackText) };
}

function messageOf(shown: ShownCard, { tone, language }: Card, mentions: string): GoogleChatMessage {
  const { title, summary, text, message, isVerbatim, outputs, moreOutputs, facts, link, footer } = shown;
  const widgets: readonly Widget[] = [
    ...paragraph(htmlOf(text.trim())),
    ...paragraph(isVerbatim ? coloured(htmlOf(message), TONE_COLOURS[tone]) : htmlOf(message)),
    ...outputs.map((output) => drawOutput(output, language)),
    ...paragraph(htmlOf(moreOutputs)),
    ...facts.map(({ name, value, url }) =>
      labelled(name, url === '' ? htmlOf(value) : anchor(htmlOf(value), url)),
    ),
    ...paragraph(htmlOf(footer)),
    ...(link === undefined ? [] : [button(link.text, link.url)]),
  ];
  const card = { header: { title: plain(title) }, sections: [{ widgets }] } as const;
  return {
    ...(mentions !== '' && { text: mentions }),
    fallbackText: summary,
    // A card takes no empty section.
    cardsV2: [
      {
        cardId: 'botbell',
        card: widgets.length > 0 ? card : { ...card, sections: [{ widgets: paragraph(htmlOf(summary)) }] },
      },
    ],
  };
}

function paragraph(html: string): readonly Widget[] {
  return html === '' ? [] : [{ textParagraph: { text: html } }];
}

function labelled(label: string, html: string): Widget {
  return { decoratedText: { topLabel: plain(label), text: html === '' ? '–' : html, wrapText: true } };
}

function button(text: string, url: string): Widget {
  return { buttonList: { buttons: [{ text: plain(text), onClick: { openLink: { url } } }] } };
}

function drawOutput(output: ShownOutput, language: Language): Widget {
  const { files } = output;
  const label = labelOf(output, language);
  if (!files.some(({ url }) => url !== ''))
    return labelled(label, htmlOf(linesOf(output, language).join('\n')));
  const lines = files.map((file) => {
    const shown = htmlOf(file.name);
    return `• ${file.url === '' ? shown : anchor(shown, file.url)} ${htmlOf(file.size)}`.trim();
  });
  return labelled(label, [...lines, htmlOf(output.moreFiles)].filter((line) => line !== '').join('<br>'));
}

/** Lines and indentation are kept. */
function htmlOf(text: string): string {
  const indented = text.replace(/^ +/gmu, (blanks) => '\u00a0'.repeat(blanks.length));
  return escapeHtml(indented).replaceAll('\n', '<br>');
}

function anchor(html: string, url: string): string {
  return `<a href="${escapeHtml(url)}">${html || escapeHtml(url)}</a>`;
}

function coloured(html: string, colour: string): string {
  return `<font color="${colour}">${html}</font>`;
}

/** Whether labels and headers know markup is documented nowhere: nothing in them looks like it. */
function plain(text: string): string {
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

const MENTION = /^(?:<?users\/([\w.@-]{1,100})>?|(all))$/;

export const googleChatMentions = mentionOption('all or users/ID', MENTION);

function idOf(entry: string): string {
  const [, user, all] = MENTION.exec(entry) ?? [];
  return `users/${user ?? all ?? ''}`;
}
