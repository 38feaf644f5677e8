/** What a chat shows of a card: plain text, cleaned, cut to a room and counted, for each channel to escape and mark up. */
import { cleanLine, cleanText } from '../text/clean.ts';
import { cutEnd, cutMiddle } from '../text/cut.ts';
import type { Language } from '../time/display.ts';
import { type Card, type CardLink, type Fact, SYMBOLS } from './card.ts';
import { countMark, emptyMark, leftOutMark } from './marks.ts';
import { type ShownFile, type ShownOutput, recordsOf, showOutputs } from './outputs.ts';

export interface ShownCard {
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

const MAX_LINE = 130;
const MAX_SUMMARY = 600;
const MAX_NAME = 40;
const MAX_FACT = 120;
const MOST_FACTS = 8;
const MOST_OUTPUTS = 15;
const MOST_ITEMS = 10;
const LEAST_OF_AN_OUTPUT = 100;

/** Of the room: what the template's own words, the foreign message and the outputs take at the most. */
const SHARES = { text: 0.2, message: 0.4, outputs: 0.4 } as const;

/** @param room characters for what may be long, about; the rest is some 2,000 at the most */
export function showCard(card: Card, room: number): ShownCard {
  const { tone, language } = card;
  const ofOutputs = room * SHARES.outputs;
  const { shown: outputs, more: moreOutputs } = showOutputs(card, {
    outputs: ofOutputs < LEAST_OF_AN_OUTPUT ? 0 : MOST_OUTPUTS,
    rows: MOST_ITEMS,
    files: MOST_ITEMS,
    room: ofOutputs,
    least: LEAST_OF_AN_OUTPUT,
  });
  const shown = (text: string, share: number) => {
    const limit = Math.floor(room * share);
    return limit === 0 ? '' : cleanText(cutMiddle(text, limit, leftOutMark(language)));
  };
  const message = shown(card.message, SHARES.message);
  return {
    title: cutMiddle(cleanLine(`${SYMBOLS[tone]} ${card.title}`), MAX_LINE, () => '…'),
    summary: cutEnd(cleanLine(`${SYMBOLS[tone]} ${card.summary}`), MAX_SUMMARY, '…'),
    text: shown(card.text, SHARES.text),
    message,
    isVerbatim: message !== '' && (tone === 'error' || tone === 'alert'),
    outputs,
    moreOutputs,
    facts: card.facts.slice(0, MOST_FACTS).map(showFact),
    link: card.link && { ...card.link, text: cutEnd(cleanLine(card.link.text), MAX_NAME, '…') },
    footer: cutEnd(cleanLine(card.footer), MAX_FACT, '…'),
  };
}

function showFact({ name, value, url }: Fact): Fact {
  return {
    name: cutMiddle(cleanLine(name), MAX_NAME, () => '…'),
    value: cutMiddle(cleanLine(value), MAX_FACT, () => '…'),
    url,
  };
}

/** An output as lines, where a chat has neither tables nor files: its text, its items, and the names of its files. */
export function linesOf(output: ShownOutput, language: Language): readonly string[] {
  const { table, text, lines, more, files, moreFiles } = output;
  const rows = table === undefined ? lines : recordsOf(table);
  const shown = [
    ...(text === '' ? [] : text.split('\n')),
    ...rows.map((line) => `• ${line.replaceAll('\n', ' ')}`),
    more,
    ...files.map((file) => `• ${fileText(file)}`),
    moreFiles,
  ].filter((line) => line !== '');
  return shown.length === 0 ? [emptyMark(language)] : shown;
}

/** Its name, and how many items a list has. */
export function labelOf({ name, count }: ShownOutput, language: Language): string {
  return count === undefined ? name : name + countMark(language, count);
}

/** Each under its name, or beside it where it is one line. */
export function linesOfOutputs(outputs: readonly ShownOutput[], language: Language): readonly string[] {
  return outputs.flatMap((output) => {
    const lines = linesOf(output, language);
    const label = labelOf(output, language);
    return lines.length === 1 && !lines[0]?.startsWith('•')
      ? [`${label}: ${lines[0]}`]
      : [`${label}:`, ...lines];
  });
}

/** Everything but title and summary as plain lines, for chats whose messages are text. */
export function linesOfCard(
  { text, outputs, moreOutputs, facts, footer }: ShownCard,
  message: string,
  language: Language,
): readonly string[] {
  const factLines = facts.map(({ name, value, url }) =>
    [`${name}: ${value}`, url].filter((part) => part !== '').join(' '),
  );
  return [
    text.trim(),
    message,
    ...linesOfOutputs(outputs, language),
    moreOutputs,
    ...factLines,
    footer,
  ].filter((line) => line !== '');
}

export function fileText({ name, size, url }: ShownFile): string {
  return [size === '' ? name : `${name} (${size})`, url].filter((part) => part !== '').join(' ');
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
