/** Draws a mail from a card: a subject of one line, a plain text that stands alone, and HTML. */
import { cleanLine } from '../../text/clean.ts';
import { shortLine } from '../../text/cut.ts';
import type { Language } from '../../time/display.ts';
import { type Card, type Fact, SYMBOLS, type Tone } from '../card.ts';
import { textWithin } from '../outputs.ts';
import { frameOf } from './frame.ts';
import { outputsAsHtml, outputsAsText } from './outputs.ts';

export interface EmailMessage {
  /** One line. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export function composeMail(card: Card): EmailMessage {
  return { subject: subjectOf(card.summary, card.language), text: textOf(card), html: htmlOf(card) };
}

/** Mail readers show the first 40 to 70 characters. */
const LONGEST_SUBJECT = 150;

/** Gmail clips what is longer than about 102 KB and hides the rest behind a link. */
export const MOST_BYTES = 80_000;

/** Characters, but for a message's and those of all outputs. */
const LONGEST_TITLE = 200;
const LONGEST_TEXT = 3000;
const LONGEST_MESSAGE = 12_000;
const LONGEST_FACT = 300;
const LONGEST_NAME = 60;
const LONGEST_FOOTER = 500;
const MOST_FACTS = 20;

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

/** A card's texts, cut and cleaned; those of the template may have blank lines where something is left out. */
interface Words {
  readonly title: string;
  readonly text: string;
  readonly message: string;
  readonly facts: readonly Fact[];
  readonly footer: string;
}

/** @param scale of what each may take, up to 1 */
function wordsOf(card: Card, scale: number): Words {
  const { language } = card;
  const within = (text: string, most: number) =>
    tidied(textWithin(text, { room: Math.max(LONGEST_NAME, most * scale), language }));
  const facts = card.facts.slice(0, MOST_FACTS).map(({ name, value, url }) => ({
    name: shortLine(name, LONGEST_NAME),
    value: within(value, LONGEST_FACT),
    url,
  }));
  return {
    title: shortLine(card.title, LONGEST_TITLE),
    text: within(card.text, LONGEST_TEXT),
    message: within(card.message, LONGEST_MESSAGE),
    facts: facts.filter(({ value }) => value !== ''),
    footer: within(card.footer, LONGEST_FOOTER),
  };
}

/** Looked for at the beginning of each run of blanks only: from every blank on, a long run would take its square. */
const BLANKS_AT_LINE_END = /(?<![ \t])[ \t]+$/gmu;

export function tidied(text: string): string {
  const lines = text.replace(BLANKS_AT_LINE_END, '').replace(/\n{3,}/gu, '\n\n');
  return lines.replace(/^\n+|\n+$/gu, '');
}

/** Draws it smaller until it is small enough; nothing can be cut out of HTML without breaking it. */
function withinBytes(draw: (scale: number) => string): string {
  for (const scale of [1, 0.5, 0.25, 0.1]) {
    const drawn = draw(scale);
    if (Buffer.byteLength(drawn) <= MOST_BYTES) return drawn;
  }
  return draw(0);
}

const RULE = '-'.repeat(40);

export function textOf(card: Card): string {
  return withinBytes((scale) => {
    const { title, text, message, facts, footer } = wordsOf(card, scale);
    const link = card.link === undefined ? '' : `${cleanLine(card.link.text)}: ${card.link.url}`;
    const parts = [
      `${SYMBOLS[card.tone]} ${title}\n${text}`.trim(),
      message,
      outputsAsText(card, scale),
      link,
      `${RULE}\n${facts.map(factLine).join('\n')}`,
      footer,
    ];
    return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
  });
}

function factLine({ name, value, url }: Fact): string {
  return `${name}: ${value}${url === '' ? '' : `\n  ${url}`}`;
}

function htmlOf(card: Card): string {
  const { language, tone, link } = card;
  const { symbol, words, ...look } = LOOKS[tone];
  const isRun = tone !== 'alert' && tone !== 'test';
  return withinBytes((scale) => {
    const { text, ...shown } = wordsOf(card, scale);
    const { bar, rest } = isRun ? barOf(text) : { bar: '', rest: text };
    return frameOf({
      ...look,
      ...shown,
      language,
      link,
      preheader: shortLine(shown.message || rest || bar, LONGEST_SUBJECT),
      bar: `${symbol} ${bar || words[language]}`.trim(),
      text: rest,
      isBoxed: tone === 'error' || tone === 'alert',
      outputs: outputsAsHtml(card, scale),
    });
  });
}

const LONGEST_BAR = 80;

/** The first line of the text says what the bar is for. */
function barOf(text: string): { readonly bar: string; readonly rest: string } {
  const end = text.indexOf('\n');
  const bar = end === -1 ? text : text.slice(0, end);
  if (bar.length > LONGEST_BAR) return { bar: '', rest: text };
  return { bar, rest: text.slice(bar.length).trim() };
}
