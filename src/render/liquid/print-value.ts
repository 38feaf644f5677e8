/** Prints a value into a message: escaped in the markup around it, cut where it alone would fill the message, and metered. */
import { toValue } from 'liquidjs';
import { leftOutMark } from '../../channels/marks.ts';
import type { Language } from '../../time/display.ts';
import type { Markup, ValuePosition } from '../../channels/markup.ts';
import { Escaped, escapeUrlPart, wholeUrl } from '../../text/clean.ts';
import { cutterOf, fits, type Unit } from '../../text/cut.ts';
import { textOf } from '../../channels/value-text.ts';

/** What a value may take at the least: no name or id that stands behind long values is lost for their sake. */
const LEAST_ROOM = 300;

const CUT_TO_NOTHING = '…';
/** Less room than this has none for the words that say what was cut. */
const SMALLEST_ROOM = 60;

/** A longer text takes time to clean and to escape. */
const LONG = 1000;

export interface Printer {
  readonly markup: Markup;
  readonly print: (value: unknown) => string;
  /** For the inside of a code fence or span, where there are such. */
  readonly printCode: (value: unknown) => string;
  /** With its line ends and its indentation. */
  readonly printLines: (value: unknown) => string;
  /** The same within `room`, which counts in the markup's unit, with addresses as links where that can be. */
  readonly printText: (value: unknown, room: number) => string;
  /** As `printText`, but whole. */
  readonly write: (text: string) => string;
  /** Where a value stands in the template's own markup: its `{{` begins at `offset` of `source`. */
  readonly positionOf: (source: string, offset: number) => ValuePosition;
  /** What is no address comes out empty. */
  readonly printAddress: (value: unknown) => string;
  readonly printAddressPart: (value: unknown) => string;
}

export function createPrinter(markup: Markup, language: Language, meter: Meter): Printer {
  const { escape, escapeCode = escape, escapeLines = escape, escapeText = escape } = markup;
  const metered = (text: string) => {
    meter.spend(text.length);
    return text;
  };
  const printed = (value: unknown, escapeValue: (text: string) => string, room = Infinity) => {
    if (value instanceof Escaped) return metered(value.text);
    if (isLarge(value)) meter.checkTime();
    return metered(fit(textOf(toValue(value)), escapeValue, { markup, room, language, meter }));
  };
  return {
    markup,
    print: (value) => printed(value, escape),
    printCode: (value) => printed(value, escapeCode),
    printLines: (value) => printed(value, escapeLines),
    printText: (value, room) => printed(value, escapeText, room),
    write: escapeText,
    ...addressesOf(markup, metered),
  };
}

function addressesOf(
  { addresses, escape, readableText }: Markup,
  metered: (text: string) => string,
): Pick<Printer, 'positionOf' | 'printAddress' | 'printAddressPart'> {
  const { escapeUrl = escape, positionOf = () => 'content' } = addresses ?? {};
  /** What is captured is escaped for a text; taken for an address, its `&amp;` would lead elsewhere, but do no harm. */
  const plainTextOf = (value: unknown) =>
    value instanceof Escaped ? (readableText?.(value.text) ?? value.text) : textOf(toValue(value));
  return {
    positionOf,
    printAddress: (value) => metered(escapeUrl(wholeUrl(plainTextOf(value)) ?? '')),
    printAddressPart: (value) => metered(escapeUrlPart(plainTextOf(value))),
  };
}

/** Anything else takes no time worth a look at the clock. */
function isLarge(value: unknown): boolean {
  return typeof value === 'string' ? value.length > LONG : typeof value === 'object';
}

interface Fitting {
  readonly markup: Markup;
  readonly room: number;
  readonly language: Language;
  readonly meter: Meter;
}

function fit(
  text: string,
  escape: (text: string) => string,
  { markup, room, language, meter }: Fitting,
): string {
  const { longestValue, unit, roomOfValues } = markup;
  const most = Math.min(longestValue, room);
  if (roomOfValues === undefined) return fitTo(text, most, unit, escape, language);
  const left = meter.roomLeft ?? roomOfValues;
  const fitted = fitTo(text, Math.min(most, Math.max(LEAST_ROOM, left)), unit, escape, language);
  meter.roomLeft = Math.max(0, left - unit.sizeOf(fitted));
  return fitted;
}

/** Keeps the beginning and the end; escaping makes texts longer, so the cut is tried until the result fits. */
function fitTo(
  text: string,
  limit: number,
  unit: Unit,
  escape: (text: string) => string,
  language: Language,
): string {
  if (limit < SMALLEST_ROOM) return text === '' ? '' : CUT_TO_NOTHING;
  const cut = cutterOf(text, limit, leftOutMark(language));
  // Cleaning megabytes to show a page of them would take longer than all the rest.
  const escaped = escape(text.length > limit ? cut(limit) : text);
  if (fits(unit, escaped, limit)) return escaped;
  let room = Math.floor((Math.min(text.length, limit) * limit) / unit.sizeOf(escaped));
  while (room >= SMALLEST_ROOM) {
    const shorter = escape(cut(room));
    if (fits(unit, shorter, limit)) return shorter;
    room = Math.floor(room * 0.9);
  }
  return CUT_TO_NOTHING;
}

/** A message of the built-in templates takes far less than a millisecond. */
const MAX_RENDER_MS = 250;

/** Values and whole strings, so twice what is printed; beyond what any channel takes. */
const MAX_CHARACTERS = 2_000_000;

/** As Ruby's Liquid has it, and more than any callback is nested; what is deeper is a text that brings in itself. */
export const MAX_DEPTH = 100;

/** In liquidjs' words. */
export const OUT_OF_TIME = 'template render limit exceeded';

/** Started anew for each message; rendering is synchronous, so one meter serves one message at a time. */
export class Meter {
  /** Of what all values of the message may take, in the unit of their markup; undefined before the first one. */
  roomLeft: number | undefined;
  private charactersLeft = 0;
  private deadline = 0;
  private depth = 0;

  start(): void {
    this.depth = 0;
    this.roomLeft = undefined;
    this.charactersLeft = MAX_CHARACTERS;
    this.deadline = performance.now() + MAX_RENDER_MS;
  }

  /** For what liquidjs looks at its own clock before. */
  get msLeft(): number {
    return this.deadline - performance.now();
  }

  /** @throws {Error} when the message has had its time */
  checkTime(): void {
    if (this.msLeft < 0) throw new Error(OUT_OF_TIME);
  }

  /**
   * What one text brings into another, a partial or a layout, begins; `leave` ends it.
   * @throws {Error} when it is so deep that it must be one that renders itself
   */
  enter(): void {
    if (this.depth === MAX_DEPTH) throw new Error(`partials render each other more than ${MAX_DEPTH} deep`);
    this.depth += 1;
  }

  leave(): void {
    this.depth -= 1;
  }

  /** @throws {Error} when the message is longer than any channel takes */
  spend(characters: number): void {
    this.charactersLeft -= characters;
    if (this.charactersLeft < 0) {
      throw new Error('the message is longer than any channel takes');
    }
  }
}
