/** Draws a mail from a card: a subject of one line, a plain text that stands alone, and HTML. */
import { linesOfOutputs } from '../outputs.ts';
import { shortLine } from '../../text/cut.ts';
import type { Language } from '../../time/display.ts';
import type { Card, Tone } from '../card.ts';
import { fitted, type Most, showCard, type ShownCard } from '../show-card.ts';
import { frameOf } from './frame.ts';
import { outputsAsHtml } from './outputs.ts';

export interface EmailMessage {
  /** One line. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Characters of what may be long. */
const ROOM = 32_000;

const MOST: Most = { outputs: 40, items: 50, facts: 20, factLength: 250 };

/** Gmail clips what is longer than about 102 KB and hides the rest behind a link. */
export const MOST_BYTES = 80_000;

/** Nothing can be cut out of HTML without breaking it: it is drawn with less until it is small enough. */
export function composeMail(card: Card): EmailMessage {
  const { summary, language } = card;
  const draw = (room: number) => {
    const shown = showMail(card, room);
    return {
      subject: subjectOf(summary, language),
      text: textOf(shown, language),
      html: htmlOf(shown, card),
    };
  };
  const isSmall = ({ text, html }: EmailMessage) =>
    [text, html].every((part) => Buffer.byteLength(part) <= MOST_BYTES);
  return fitted(ROOM, draw, isSmall);
}

/** What a mail shows of a card. */
export function showMail(card: Card, room = ROOM): ShownCard {
  return showCard(card, room, MOST);
}

/** Mail readers show the first 40 to 70 characters. */
const LONGEST_SUBJECT = 150;

const NO_SUBJECT: Readonly<Record<Language, string>> = { en: 'Notification', ja: '通知' };

export function subjectOf(summary: string, language: Language): string {
  return shortLine(summary, LONGEST_SUBJECT) || NO_SUBJECT[language];
}

/** Colours of a bar with its symbol, and of a message's box; the symbol is no emoji, which a bar would not show white. */
interface Look {
  readonly colour: string;
  readonly tint: string;
  readonly symbol: string;
  readonly words: Readonly<Record<Language, string>>;
}

const LOOKS: Readonly<Record<Tone, Look>> = {
  succeeded: { colour: '#1a7f4b', tint: '#e9f6ef', symbol: '✓', words: { en: 'Succeeded', ja: '成功' } },
  error: { colour: '#c0392b', tint: '#fcefed', symbol: '✕', words: { en: 'Failed', ja: 'エラー' } },
  executing: { colour: '#2563b0', tint: '#eaf1fa', symbol: '▶', words: { en: 'Running', ja: '実行中' } },
  alert: {
    colour: '#b35900',
    tint: '#fdf3e7',
    symbol: '!',
    words: { en: 'From Botbell', ja: 'Botbellからのお知らせ' },
  },
  test: { colour: '#2f5fa8', tint: '#eaf1fa', symbol: '', words: { en: 'Test', ja: 'テスト' } },
};

const RULE = '-'.repeat(40);

function textOf(shown: ShownCard, language: Language): string {
  const { title, text, message, link, facts, footer } = shown;
  const parts = [
    `${title}\n${text}`.trim(),
    message,
    outputsAsText(shown, language),
    link === undefined ? '' : `${link.text}: ${link.url}`,
    [RULE, ...facts.map(({ name, value, url }) => `${name}: ${value}${url === '' ? '' : `\n  ${url}`}`)].join(
      '\n',
    ),
    footer,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

export function outputsAsText({ outputs, moreOutputs }: ShownCard, language: Language): string {
  return [...linesOfOutputs(outputs, language), moreOutputs].filter((line) => line !== '').join('\n');
}

function htmlOf(shown: ShownCard, { title, language, tone }: Card): string {
  const { symbol, words, ...look } = LOOKS[tone];
  const isRun = tone !== 'alert' && tone !== 'test';
  const { bar, rest } = isRun ? barOf(shown.text) : { bar: '', rest: shown.text };
  return frameOf({
    ...look,
    ...shown,
    language,
    title: shortLine(title, LONGEST_TITLE),
    preheader: shortLine(shown.message || rest || bar, LONGEST_SUBJECT),
    bar: `${symbol} ${bar || words[language]}`.trim(),
    text: rest,
    isBoxed: shown.isVerbatim,
    outputs: outputsAsHtml(shown, language),
  });
}

const LONGEST_TITLE = 200;
const LONGEST_BAR = 80;

/** The first line of the text says what the bar is for. */
function barOf(text: string): { readonly bar: string; readonly rest: string } {
  const end = text.indexOf('\n');
  const bar = end === -1 ? text : text.slice(0, end);
  if (bar.length > LONGEST_BAR) return { bar: '', rest: text };
  return { bar, rest: text.slice(bar.length).trim() };
}
