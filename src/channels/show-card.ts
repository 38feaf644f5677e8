/** What a chat shows of a card: plain text, cleaned, cut to a room and counted, for each channel to escape and mark up. */
import { cleanLine } from '../text/clean.ts';
import { cutEnd, cutMiddle } from '../text/cut.ts';
import { type Card, type CardLink, type Fact, SYMBOLS } from './card.ts';
import type { Language } from '../time/display.ts';
import { type CardLine, type Run, words } from './card-lines.ts';
import { linesOfOutputs, textWithin } from './outputs.ts';

export interface ShownCard {
  readonly language: Language;
  /** With the symbol of its status. */
  readonly title: string;
  /** One line, with the symbol of its status. */
  readonly summary: string;
  readonly text: string;
  /** Foreign text, in several lines. */
  readonly message: string;
  /** Every character of the message counts: of an error, and of what a remote answered. What else a BOT says is read. */
  readonly isVerbatim: boolean;
  readonly outputs: readonly CardLine[];
  readonly facts: readonly Fact[];
  readonly link: CardLink | undefined;
  readonly footer: string;
}

/** How many outputs, items of each, and facts are shown, and characters of one fact and of the footer. */
export interface Most {
  readonly outputs: number;
  readonly items: number;
  readonly facts: number;
  readonly factLength: number;
}

const MOST: Most = { outputs: 15, items: 10, facts: 8, factLength: 120 };
const MAX_LINE = 130;
const MAX_SUMMARY = 600;
const MAX_NAME = 40;

/** Of the room: what the template's own words, the foreign message and the outputs take at the most. */
const SHARES = { text: 0.2, message: 0.4, outputs: 0.4 } as const;

/** @param room characters for what may be long, about; the rest is some 2,000 at the most of what a chat shows */
export function showCard(card: Card, room: number, most = MOST): ShownCard {
  const { tone, language } = card;
  const within = (text: string, share: number) => textWithin(text, { room: room * share, language });
  const message = within(card.message, SHARES.message);
  return {
    language,
    title: cutMiddle(cleanLine(`${SYMBOLS[tone]} ${card.title}`), MAX_LINE, () => '…'),
    summary: cutEnd(cleanLine(`${SYMBOLS[tone]} ${card.summary}`), MAX_SUMMARY, '…'),
    text: tidied(within(card.text, SHARES.text)),
    message,
    isVerbatim: message !== '' && (tone === 'error' || tone === 'alert'),
    outputs: linesOfOutputs(card, most.outputs, { items: most.items, room: room * SHARES.outputs }),
    facts: card.facts
      .slice(0, most.facts)
      .map(({ name, value, url }) => ({
        name: cutMiddle(cleanLine(name), MAX_NAME, () => '…'),
        // Of an ID, too, every character counts: line ends are kept.
        value: textWithin(value, { room: most.factLength, language }).trim(),
        url,
      }))
      .filter(({ value }) => value !== ''),
    link: card.link && { ...card.link, text: cutEnd(cleanLine(card.link.text), MAX_NAME, '…') },
    footer: cutEnd(cleanLine(card.footer), most.factLength, '…'),
  };
}

/** In the order of a message. */
export const CARD_PARTS = ['title', 'text', 'message', 'outputs', 'link', 'facts'] as const;

export type CardPart = (typeof CARD_PARTS)[number];

const LINES: Readonly<Record<CardPart, (shown: ShownCard) => readonly CardLine[]>> = {
  title: ({ title }) => words(title, 'bold'),
  text: ({ text }) => words(text),
  message: ({ message, isVerbatim }) => (isVerbatim ? [{ code: message }] : words(message)),
  outputs: ({ outputs }) => outputs,
  link: ({ link }) => (link === undefined ? [] : [{ runs: [link] }]),
  facts: ({ facts, footer }) => {
    const runs = [...facts.map(runOfFact), ...words(footer, 'italic').flatMap((line) => line.runs)];
    return runs.length === 0 ? [] : [{ facts: runs }];
  },
};

export function linesOfCard(shown: ShownCard, parts: readonly CardPart[]): readonly CardLine[] {
  return parts.flatMap((part) => LINES[part](shown));
}

function runOfFact({ name, value, url }: Fact): Run {
  return { text: `${name} ${value}`.trim(), url };
}

/** Looked for at the beginning of each run of blanks only: from every blank on, a long run would take its square. */
const BLANKS_AT_LINE_END = /(?<![ \t])[ \t]+$/gmu;

/** Without the gaps that are there where a template left something out. */
export function tidied(text: string): string {
  const lines = text.replace(BLANKS_AT_LINE_END, '').replace(/\n{3,}/gu, '\n\n');
  return lines.replace(/^\n+|\n+$/gu, '');
}

/** How much of what may be long is shown, until a message is small enough; at last nothing of it. */
const LADDER: readonly number[] = [0.6, 0.35, 0.2, 0.1, 0];

/**
 * The first message that fits of those with ever less room.
 * @param compose of the characters that `showCard` may take
 */
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
