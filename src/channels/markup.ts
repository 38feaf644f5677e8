/** The kinds of text that messages are made of: how each shows a foreign value, depending on where it stands. A message format owns its own. */
import { escapeUrlPart, wholeUrl } from '../text/clean.ts';
import { CHARACTERS, type Unit } from '../text/cut.ts';

/** What the renderer asks of a kind of text. All functions are pure. */
export interface Markup {
  /** Cleans and escapes a foreign value: it is shown as it is and does nothing. Never applied to its own result. */
  readonly escape: (text: string) => string;
  /** For the inside of a code span or fence; otherwise as `escape`. */
  readonly escapeCode?: (text: string) => string;
  /** With its line ends and its indentation; otherwise as `escape`. */
  readonly escapeLines?: (text: string) => string;
  /** With each address in it as a link that shows it; otherwise as `escape`. */
  readonly escapeText?: (text: string) => string;
  /** The most that one value takes once it is escaped, in `unit`. */
  readonly longestValue: number;
  readonly unit: Unit;
  /** What all values of a message may take before each gets little, in `unit`; otherwise as much as they need. */
  readonly roomOfValues?: number;
  /** @param words escaped. Otherwise words lead nowhere, and are all that is shown of a link. */
  readonly linkTo?: (words: string, address: string) => string;
  /** Whether a link shows its address after its words. */
  readonly spellsOutAddresses?: boolean;
  readonly lineBreak: string;
  /**
   * How the filters `lines` and `table` print a list: as lines that are escaped as one value; as rows of values, each with
   * its line ends, and cells between bars; or as records, the members of an object on lines of their own.
   */
  readonly lists: 'lines' | 'rows' | 'records';
  /** Of records that are alike. */
  readonly table?: TableMarkup;
  /** What an output takes beside its value. */
  readonly outputFrame: OutputFrame;
  /** Of text in which the template itself makes links, by its own markup. */
  readonly addresses?: AddressMarkup;
  /** What a reader sees of what is escaped; otherwise all of it. */
  readonly readableText?: (escaped: string) => string;
  /** Of a string that begins with a value, which may be all that the string is for. */
  readonly ofWholeValue?: Markup;
}

export interface TableMarkup {
  /** @param names escaped, as all cells are */
  readonly write: (names: readonly string[], rows: readonly (readonly string[])[]) => string;
  /** What a row takes beside its cells, and a cell beside what is in it, in the markup's unit. */
  readonly rowSize: number;
  readonly cellSize: number;
}

/** In the markup's unit. */
export interface OutputFrame {
  readonly around: number;
  /** For each character of the output's name, at the most. */
  readonly aCharacter: number;
}

export interface AddressMarkup {
  readonly escapeUrl: (url: string) => string;
  /**
   * @param source the template that holds the value
   * @param offset of the value's `{{` in it
   */
  readonly positionOf: (source: string, offset: number) => ValuePosition;
}

/** Of an output's name and what stands around it in a text. */
export const TEXT_FRAME: OutputFrame = { around: 10, aCharacter: 3 };

const URL_BASICS = {
  longestValue: Infinity,
  unit: CHARACTERS,
  linkTo: (_words: string, address: string) => address,
  lineBreak: '\n',
  lists: 'lines',
  outputFrame: TEXT_FRAME,
} as const;

/** A part of an address, or all of it: `url: "{{ job_url }}"`. */
export const URL_PART: Markup = {
  ...URL_BASICS,
  escape: escapeUrlPart,
  ofWholeValue: { ...URL_BASICS, escape: (text) => wholeUrl(text) ?? escapeUrlPart(text) },
};

/** `nowhere`: no escaping makes a value harmless there. */
export type ValuePosition = 'content' | 'address' | 'part of an address' | 'nowhere';

/** Stands for a value, and so for something. */
const VALUE = '\u0001';

const LIQUID = /\{\{.*?\}\}|\{%.*?%\}/gs;

const SCHEME = /^(?:https?:\/\/|mailto:|tel:)/i;

/** @param begun what the template has of the address before the value */
export function positionInAddress(begun: string): ValuePosition {
  if (begun.trim() === '') return 'address';
  return SCHEME.test(begun) ? 'part of an address' : 'nowhere';
}

/** The template's own markup, a `\u0001` in the place of each value. */
export function withoutLiquid(source: string): string {
  return source.replace(LIQUID, (tag) => (tag.startsWith('{{') ? VALUE : ''));
}
