/** Prints a value into a message: escaped for where it lands, and cut where it alone would fill the message. */
import { toValue } from 'liquidjs';
import { leftOutMark } from '../channels/cut-marks.ts';
import type { Language } from '../channels/format.ts';
import { Escaped, escapeCode, escapeFor } from '../text/escape.ts';
import type { Landing } from '../text/landing.ts';
import { CHARACTERS, fits, UTF8_BYTES } from '../text/unit.ts';
import type { Unit } from '../text/unit.ts';
import { cutValue } from './cut-value.ts';
import type { PositionedPrinter } from './direct-output.ts';
import type { Meter } from './meter.ts';
import { positionInHtml, positionInMrkdwn } from './value-position.ts';
import { textOf } from './value-text.ts';
import { escapeUrlForMrkdwn, isUrl, wholeUrl } from './whole-url.ts';

/** A landing, or a string that begins with a value and may so be a whole address: `url: "{{ job_url }}"`. */
export type PrintLanding = Landing | 'whole-url';

/** Characters of the escaped text that one value may take; a Slack section holds 3,000 with the words around it. */
const VALUE_LIMITS: Readonly<Record<PrintLanding, number>> = {
  mrkdwn: 2400,
  plain: 2400,
  html: 20_000,
  text: 20_000,
  line: 300,
  url: Infinity,
  'whole-url': Infinity,
};

const CUT_TO_NOTHING = '…';
/** Less room than this has none for the words that say what was cut. */
const SMALLEST_ROOM = 60;

export interface Printer {
  readonly print: (value: unknown) => string;
  /** For the inside of a Slack code fence or span; elsewhere as any value. */
  readonly printCode: (value: unknown) => string;
  /** With `<br>` for line ends in HTML; elsewhere as any value. */
  readonly printLines: (value: unknown) => string;
}

export function createPrinter(landing: PrintLanding, language: Language, meter: Meter): Printer {
  const escape = escapeOf(landing);
  const through = (escapeText: (text: string) => string) => (value: unknown) => {
    const text =
      value instanceof Escaped
        ? value.text
        : fit(textOf(toValue(value)), escapeText, landing, language, meter);
    meter.spend(text.length);
    return text;
  };
  return {
    print: through(escape),
    printCode: through(landing === 'mrkdwn' ? escapeCode : escape),
    printLines: through(landing === 'html' ? (text) => escape(text).replaceAll('\n', '<br>') : escape),
  };
}

/** Undefined where no markup lands. */
export function printerByPosition(landing: PrintLanding, meter: Meter): PositionedPrinter | undefined {
  if (landing !== 'mrkdwn' && landing !== 'html') return undefined;
  const escapeUrl = landing === 'mrkdwn' ? escapeUrlForMrkdwn : escapeFor('html');
  const metered = (text: string) => {
    meter.spend(text.length);
    return text;
  };
  return {
    positionOf: landing === 'mrkdwn' ? positionInMrkdwn : positionInHtml,
    printAddress: (value) => metered(escapeUrl(wholeUrl(plainTextOf(value)) ?? '')),
    printAddressPart: (value) => metered(escapeFor('url')(plainTextOf(value))),
  };
}

/** What is captured is escaped for a text; taken for an address, its `&amp;` would lead elsewhere, but do no harm. */
function plainTextOf(value: unknown): string {
  return value instanceof Escaped ? value.text : textOf(toValue(value));
}

function escapeOf(landing: PrintLanding): (text: string) => string {
  if (landing === 'whole-url') return (text) => wholeUrl(text) ?? escapeFor('url')(text);
  const escape = escapeFor(landing);
  // Look-alikes for formatting marks would lead an address elsewhere.
  return landing === 'mrkdwn' ? (text) => (isUrl(text) ? escapeUrlForMrkdwn(text) : escape(text)) : escape;
}

function fit(
  text: string,
  escape: (text: string) => string,
  landing: PrintLanding,
  language: Language,
  meter: Meter,
): string {
  if (landing !== 'html') return fitTo(text, VALUE_LIMITS[landing], CHARACTERS, escape, language);
  const limit = Math.min(VALUE_LIMITS.html, meter.htmlBytesLeft);
  const fitted = fitTo(text, limit, UTF8_BYTES, escape, language);
  meter.htmlBytesLeft = Math.max(0, meter.htmlBytesLeft - UTF8_BYTES.sizeOf(fitted));
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
  const mark = leftOutMark(language);
  // Cleaning megabytes to show a page of them would take longer than all the rest.
  const escaped = escape(text.length > limit ? cutValue(text, limit, mark) : text);
  if (fits(unit, escaped, limit)) return escaped;
  let room = Math.floor((Math.min(text.length, limit) * limit) / unit.sizeOf(escaped));
  while (room >= SMALLEST_ROOM) {
    const cut = escape(cutValue(text, room, mark));
    if (fits(unit, cut, limit)) return cut;
    room = Math.floor(room * 0.9);
  }
  return CUT_TO_NOTHING;
}
