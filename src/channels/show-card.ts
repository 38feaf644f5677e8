/** What a chat shows of a card: plain text, cleaned, cut to a room and counted, for each channel to escape and mark up. */
import { cleanLine } from '../text/clean.ts';
import { cutEnd, cutMiddle } from '../text/cut.ts';
import { type Card, type CardLink, type Fact, SYMBOLS } from './card.ts';
import type { Language } from '../time/display.ts';
import { moreMark } from './marks.ts';
import { type ShownOutput, showOutputs, textWithin } from './outputs.ts';

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
  readonly outputs: readonly ShownOutput[];
  /** What is left out of the outputs; '' for nothing. */
  readonly moreOutputs: string;
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
  const outputs = showOutputs(card, most.outputs, { items: most.items, room: room * SHARES.outputs });
  const within = (text: string, share: number) => textWithin(text, { room: room * share, language });
  const message = within(card.message, SHARES.message);
  return {
    language,
    title: cutMiddle(cleanLine(`${SYMBOLS[tone]} ${card.title}`), MAX_LINE, () => '…'),
    summary: cutEnd(cleanLine(`${SYMBOLS[tone]} ${card.summary}`), MAX_SUMMARY, '…'),
    text: tidied(within(card.text, SHARES.text)),
    message,
    isVerbatim: message !== '' && (tone === 'error' || tone === 'alert'),
    outputs,
    moreOutputs: moreMark(language, card.outputCount - outputs.length),
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
