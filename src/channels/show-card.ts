/** The parts of a card that a chat shows, as plain text: cleaned and cut to a room, for each channel to escape and mark up. */
import { isAligned } from '../text/aligned.ts';
import { cleanLine } from '../text/clean.ts';
import { cutEnd, cutMiddle } from '../text/cut.ts';
import { type Card, SYMBOLS } from './card.ts';
import { type CardLine, runsOfFact, runsOfText, words } from './lines.ts';
import type { ComposeContext } from './channel.ts';
import { linesOfOutputs, type MostOfOutputs, textWithin } from './outputs.ts';

/** `title` and `summary` are one line each, with the symbol of the card's tone. */
export interface ShownCard extends Pick<
  Card,
  'title' | 'summary' | 'text' | 'message' | 'facts' | 'link' | 'footer'
> {
  /** Whether the message is drawn as preformatted: every character of an error or alert matters, other messages may be prose. */
  readonly isVerbatim: boolean;
  readonly outputs: readonly CardLine[];
}

/** The most outputs, items of each output and facts, and the most characters of a fact and of the footer. */
export interface Most extends MostOfOutputs {
  readonly facts: number;
  readonly factLength: number;
}

/** Slack takes 100 rows in a table, with the one of names. */
export const MOST: Most = { outputs: 15, items: 99, facts: 8, factLength: 120 };
const MAX_LINE = 130;
const MAX_SUMMARY = 600;
const MAX_NAME = 40;

/** The shares of the room that are kept for the template's own words and for outputs, if there are any. */
const SHARES = { text: 0.2, outputs: 0.4 } as const;

/** @param room approximate characters for text, message and outputs; the other parts add about 2,000 at most */
export function showCard(card: Card, room: number, most = MOST): ShownCard {
  const { tone, language } = card;
  const within = (text: string, characters: number) => textWithin(text, characters, language);
  const forOutputs = room * SHARES.outputs;
  const left = card.outputs.length === 0 ? room : room - forOutputs;
  const message = within(card.message, left - Math.min(card.text.length, room * SHARES.text));
  const text = tidied(within(card.text, left - message.length));
  return {
    title: cutMiddle(cleanLine(`${SYMBOLS[tone]} ${card.title}`), MAX_LINE, () => '…'),
    summary: cutEnd(cleanLine(`${SYMBOLS[tone]} ${card.summary}`), MAX_SUMMARY, '…'),
    text,
    message,
    isVerbatim: message !== '' && (tone === 'error' || tone === 'alert' || isAligned(message)),
    outputs: linesOfOutputs(card, most, Math.max(forOutputs, room - message.length - text.length)),
    facts: card.facts
      .slice(0, most.facts)
      .map(({ name, value, url }) => ({
        name: cutMiddle(cleanLine(name), MAX_NAME, () => '…'),
        // Line ends are kept, since every character of an ID matters.
        value: within(value, most.factLength).trim(),
        url,
      }))
      .filter(({ value }) => value !== ''),
    link: card.link && { ...card.link, text: cutEnd(cleanLine(card.link.text), MAX_NAME, '…') },
    footer: cutEnd(cleanLine(card.footer), most.factLength, '…'),
  };
}

/** The card with the job's id among its facts, for plain text. */
export function withJobId(card: Card, { callback }: Partial<Pick<ComposeContext, 'callback'>>): Card {
  const id = callback?.job_id ?? '';
  if (id === '' || card.facts.some(({ value }) => value.includes(id))) return card;
  return { ...card, facts: [{ name: 'job_id', value: id, url: '' }, ...card.facts] };
}

const LINES = {
  /** Stands for all but link and facts where there is plain text only. */
  summary: ({ summary }) => words(summary),
  title: ({ title }) => words(title, 'bold'),
  text: ({ text }) => linesOfText(text),
  message: ({ message, isVerbatim }) => (isVerbatim ? [{ code: message }] : linesOfText(message)),
  outputs: ({ outputs }) => outputs,
  link: ({ link }) => (link === undefined ? [] : [{ runs: [link] }]),
  facts: ({ facts, footer }) => {
    const all = [...facts.map(runsOfFact), ...words(footer, 'italic').map((line) => line.runs)];
    return all.length === 0 ? [] : [{ facts: all }];
  },
} satisfies Readonly<Record<string, (shown: ShownCard) => readonly CardLine[]>>;

export type CardPart = keyof typeof LINES;

/** In the order in which a message shows them. */
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

/** The shares of the room to try in turn; with 0, text, message and outputs are dropped. */
const LADDER: readonly number[] = [0.6, 0.35, 0.2, 0.1, 0];

/** Composes with ever less room for `showCard` until the message fits; if none fits, returns the smallest. */
export function fitted<Message>(
  room: number,
  compose: (room: number) => Message,
  fits: (message: Message) => boolean,
): Message {
  let message = compose(room);
  for (const share of LADDER) {
    if (fits(message)) break;
    message = compose(Math.floor(room * share));
  }
  return message;
}
