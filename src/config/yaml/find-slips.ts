/** Finds the mistakes in the writing of a YAML text, each with its likely cause, and reads on as if they were mended. */
import { findBlanks } from './blanks.ts';
import { findBrackets } from './brackets.ts';
import { findIndentation } from './indentation.ts';
import { readingOf, type Reading } from './reading.ts';
import { Mended, type Slip } from './slip.ts';
import { findWords } from './words.ts';

export interface Slips {
  /** In order, at their places in the text as it was written. */
  readonly slips: readonly Slip[];
  readonly mended: Mended;
  /** The text is only mended up to here; where it is as a whole, its length. */
  readonly mendedTo: number;
}

/** Each looks at what the ones before it have mended: what a line begins with decides what it is. */
const PASSES: readonly ((reading: Reading) => Slip[])[] = [
  findBlanks,
  findBlanks,
  findWords,
  findBrackets,
  findIndentation,
];

export function findSlips(text: string): Slips {
  let mended = new Mended(text);
  let reading = readingOf(text);
  const found: Slip[] = [];
  for (const pass of PASSES) {
    const slips = pass(reading);
    if (slips.length === 0) continue;
    const before = mended;
    found.push(...slips.map((slip) => ({ ...slip, offset: before.origin(slip.offset) })));
    mended = before.with(slips.flatMap(({ edits = [] }) => edits));
    reading = readingOf(mended.text);
  }
  found.sort((one, other) => one.offset - other.offset);
  const mendedTo = found.find(({ edits }) => edits === undefined)?.offset ?? text.length;
  return { slips: found.filter(({ offset }) => offset <= mendedTo), mended, mendedTo };
}
