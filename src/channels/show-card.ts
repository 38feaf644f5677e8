/** The parts of a card that a channel shows, as plain text: cleaned and cut, for each channel to escape and mark up. */
import { isAligned } from '../text/aligned.ts';
import { isBlank } from '../text/clean.ts';
import { cutEnd, cutMiddle } from '../text/cut.ts';
import type { Language } from '../time/display.ts';
import { type Card, type Fact, SYMBOLS } from './card.ts';
import { type CardLine, runsOfFact, runsOfText, words } from './lines.ts';
import type { ComposeContext } from './channel.ts';
import { moreMark } from './marks.ts';
import { firstWithin, linesOfOutputs, type MostOfOutputs, textWithin } from './outputs.ts';

/** `title` and `summary` are one line each, with the symbol of the card's tone. */
export interface ShownCard extends Pick<
  Card,
  'title' | 'summary' | 'text' | 'message' | 'facts' | 'link' | 'footer'
> {
  /** Whether the message is drawn as preformatted: every character of an error or alert matters, other messages may be prose. */
  readonly isVerbatim: boolean;
  readonly outputs: readonly CardLine[];
}

/** About how many characters each of the parts may have that can be shortened. */
export type Rooms = Readonly<Record<'message' | 'text' | 'link' | 'facts' | 'outputs', number>>;

/** The most outputs, items of each output and facts, and the most characters of each part. */
export interface CardLimits extends MostOfOutputs {
  readonly facts: number;
  readonly characters: number;
}

/** 99 items: Slack takes 100 rows in a table, including the row of names. */
export const LIMITS: CardLimits = { outputs: 15, items: 99, tables: 0, facts: 20, characters: 7500 };
/** Characters of a fact and of the footer: enough for ids, which can be long. */
const LONGEST_FACT = 250;
const MAX_LINE = 130;
const MAX_SUMMARY = 600;
const MAX_NAME = 40;

/** @param fewer the rooms of parts that may have less than `most` */
export function showCard(card: Card, most = LIMITS, fewer: Partial<Rooms> = {}): ShownCard {
  const { tone, language, link } = card;
  const all = most.characters;
  const rooms = { message: all, text: all, link: all, facts: all, outputs: all, ...fewer };
  const message = textWithin(card.message, rooms.message, language);
  return {
    title: cutMiddle(`${SYMBOLS[tone]} ${card.title}`, MAX_LINE),
    summary: cutEnd(`${SYMBOLS[tone]} ${card.summary}`, MAX_SUMMARY, '…'),
    text: wordsWithin(card.text, rooms.text, language),
    message,
    isVerbatim: tone === 'error' || tone === 'alert' || isAligned(message),
    outputs: linesOfOutputs(card, most, rooms.outputs),
    facts: factsWithin(card, most, rooms.facts),
    link:
      link === undefined || link.url.length > rooms.link
        ? undefined
        : { url: link.url, text: cutEnd(link.text, MAX_NAME, '…') },
    footer: cutEnd(card.footer, LONGEST_FACT, '…'),
  };
}

/** Shortens a template's own words: a list loses its last items, other text its middle. */
function wordsWithin(text: string, room: number, language: Language): string {
  const lines = text.length <= room ? [] : text.split('\n');
  const begin = lines.findIndex(isItem);
  if (begin === -1) return tidied(textWithin(text, room, language));
  const end = lines.findLastIndex(isItem) + 1;
  const items = lines.slice(begin, end);
  const around = text.length - items.join('\n').length + moreMark(language, items.length).length + 1;
  const shown = firstWithin(items, room - around, (item) => item.length + 1);
  const more = moreMark(language, items.length - shown.length);
  const kept = [...lines.slice(0, begin), ...shown, more, ...lines.slice(end)].join('\n');
  return tidied(textWithin(kept, room, language));
}

function isItem(line: string): boolean {
  return line.startsWith('• ');
}

/** The first facts that fit, and how many are left out. A link that needs over half the room is dropped: what identifies the run matters more. */
function factsWithin({ facts, language }: Card, most: CardLimits, room: number): readonly Fact[] {
  const some = facts.slice(0, most.facts).map(({ name, value, url }) => ({
    name: cutMiddle(name, MAX_NAME),
    // Line ends are kept, since every character of an ID matters.
    value: textWithin(value, LONGEST_FACT, language).trim(),
    url: url.length * 2 > room ? '' : url,
  }));
  const shown = firstWithin(some, room, sizeOfFact);
  const more = moreMark(language, facts.length - shown.length);
  return more === '' ? shown : [...shown, { name: '', value: more, url: '' }];
}

export function sizeOfFact({ name, value, url }: Fact): number {
  return name.length + value.length + url.length;
}

/** The card with the job's id among its facts, for plain text. */
export function withJobId(card: Card, { callback }: Partial<Pick<ComposeContext, 'callback'>>): Card {
  const id = callback?.job_id ?? '';
  if (isBlank(id) || card.facts.some(({ value }) => value.includes(id))) return card;
  return { ...card, facts: [{ name: 'job_id', value: id, url: '' }, ...card.facts] };
}

const LINES = {
  title: ({ title }) => words(title, 'bold'),
  /** The title, linked to where the card's link leads. */
  heading: ({ title, link }) => words(title, 'bold', link?.url),
  text: ({ text }) => linesOfText(text),
  message: ({ message, isVerbatim }) =>
    isVerbatim && message !== '' ? [{ code: message }] : linesOfText(message),
  outputs: ({ outputs }) => outputs,
  link: ({ link }) => (link === undefined ? [] : [{ runs: [link] }]),
  facts: ({ facts, footer }) => {
    const all = facts.map(runsOfFact);
    if (footer !== '') all.push([{ text: footer, style: 'italic' }]);
    return all.length === 0 ? [] : [{ facts: all }];
  },
} satisfies Readonly<Record<string, (shown: ShownCard) => readonly CardLine[]>>;

export type CardPart = keyof typeof LINES;

export const CARD_PARTS: readonly CardPart[] = ['title', 'text', 'message', 'outputs', 'link', 'facts'];

export function linesOfCard(shown: ShownCard, parts: readonly CardPart[]): readonly CardLine[] {
  return parts.flatMap((part) => LINES[part](shown));
}

function linesOfText(text: string): readonly CardLine[] {
  return text === '' ? [] : [{ runs: runsOfText(text) }];
}

/** The lookbehind allows a match only at the first blank of a run; without it, a long run takes quadratic time. */
const BLANKS_AT_LINE_END = /(?<![ \t])[ \t]+$/gmu;

/** Removes the blanks and empty lines that a template leaves where it prints nothing. */
export function tidied(text: string): string {
  if (!/[\n\r\u2028\u2029]|[ \t]$/u.test(text)) return text;
  const lines = text.replace(BLANKS_AT_LINE_END, '').replace(/\n{3,}/gu, '\n\n');
  return lines.replace(/^\n+|\n+$/gu, '');
}
