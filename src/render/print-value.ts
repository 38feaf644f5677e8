/** Prints a value into a message: escaped for where it lands, and cut where it alone would fill the message. */
import { toValue } from 'liquidjs';
import { leftOutMark } from '../channels/cut-marks.ts';
import type { Language } from '../channels/format.ts';
import { linesAsHtml, textAsHtml } from '../channels/html-text.ts';
import { Escaped, escapeCode, escapeFor, escapeMarkdownCode } from '../text/escape.ts';
import type { Landing } from '../text/landing.ts';
import { CHARACTERS, fits, UTF8_BYTES } from '../text/unit.ts';
import type { Unit } from '../text/unit.ts';
import { markAddresses, withoutMarks } from '../text/value-marks.ts';
import { cutterOf } from './cut-value.ts';
import type { PositionedPrinter } from './direct-output.ts';
import type { Meter } from './meter.ts';
import { positionInHtml, positionInMarkdown, positionInMrkdwn } from './value-position.ts';
import type { ValuePosition } from './value-position.ts';
import { textOf } from './value-text.ts';
import { escapeUrlForMarkdown, escapeUrlForMrkdwn, isUrl, wholeUrl } from '../text/whole-url.ts';

/** A landing, or a string that begins with a value and may so be a whole address: `url: "{{ job_url }}"`. */
export type PrintLanding = Landing | 'whole-url';

/** What one value may take once it is escaped, in its landing's unit; a Slack section holds 3,000 with the words around it. */
const VALUE_LIMITS: Readonly<Record<PrintLanding, number>> = {
  mrkdwn: 2400,
  markdown: 2400,
  rich: 2000,
  literal: 2400,
  plain: 2400,
  html: 20_000,
  text: 60_000,
  line: 300,
  url: Infinity,
  'whole-url': Infinity,
};

/** What a value may take of HTML at the least: no name or id that stands behind long values is lost for their sake. */
const LEAST_HTML_BYTES = 300;

const CUT_TO_NOTHING = '…';
/** Less room than this has none for the words that say what was cut. */
const SMALLEST_ROOM = 60;

export interface Printer {
  readonly print: (value: unknown) => string;
  /** For the inside of a Slack code fence or span; elsewhere as any value. */
  readonly printCode: (value: unknown) => string;
  /** With its line ends and its indentation in HTML; elsewhere as any value. */
  readonly printLines: (value: unknown) => string;
  /** The same within `room`, which counts in `unit`, with addresses as links in HTML and in rich texts. */
  readonly printText: (value: unknown, room: number) => string;
  /** As `printText`, but whole. */
  readonly write: (text: string) => string;
  readonly unit: Unit;
}

const CODE_ESCAPES: ReadonlyMap<PrintLanding, (text: string) => string> = new Map([
  ['mrkdwn', escapeCode],
  ['markdown', escapeMarkdownCode],
]);

/** Where each address in a text becomes a link that shows it. */
const LINKING: ReadonlyMap<PrintLanding, (text: string) => string> = new Map([
  ['html', textAsHtml],
  ['rich', markAddresses],
]);

/** What a markup makes of an address, and where in it values stand. */
interface MarkupOfLinks {
  readonly escapeUrl: (url: string) => string;
  readonly positionOf: (source: string, offset: number) => ValuePosition;
}

const MRKDWN_LINKS: MarkupOfLinks = { escapeUrl: escapeUrlForMrkdwn, positionOf: positionInMrkdwn };

const MARKUPS_OF_LINKS: ReadonlyMap<PrintLanding, MarkupOfLinks> = new Map<PrintLanding, MarkupOfLinks>([
  ['mrkdwn', MRKDWN_LINKS],
  // What the template itself writes of a rich text is mrkdwn.
  ['rich', MRKDWN_LINKS],
  ['markdown', { escapeUrl: escapeUrlForMarkdown, positionOf: positionInMarkdown }],
  ['html', { escapeUrl: escapeFor('html'), positionOf: positionInHtml }],
]);

export function createPrinter(landing: PrintLanding, language: Language, meter: Meter): Printer {
  const escape = escapeOf(landing);
  const lines = landing === 'html' ? linesAsHtml : escape;
  const write = LINKING.get(landing) ?? escape;
  const printed = (value: unknown, escapeText: (text: string) => string, room = Infinity) => {
    const text =
      value instanceof Escaped
        ? value.text
        : fit(textOf(toValue(value)), escapeText, { landing, room, language, meter });
    meter.spend(text.length);
    return text;
  };
  return {
    print: (value) => printed(value, escape),
    printCode: (value) => printed(value, CODE_ESCAPES.get(landing) ?? escape),
    printLines: (value) => printed(value, lines),
    printText: (value, room) => printed(value, write, room),
    write,
    unit: unitOf(landing),
  };
}

/** What mail may hold is counted in bytes. */
function unitOf(landing: PrintLanding): Unit {
  return landing === 'html' || landing === 'text' ? UTF8_BYTES : CHARACTERS;
}

/** Undefined where no markup lands. */
export function printerByPosition(landing: PrintLanding, meter: Meter): PositionedPrinter | undefined {
  const markup = MARKUPS_OF_LINKS.get(landing);
  if (markup === undefined) return undefined;
  const { escapeUrl, positionOf } = markup;
  const metered = (text: string) => {
    meter.spend(text.length);
    return text;
  };
  return {
    positionOf,
    printAddress: (value) => metered(escapeUrl(wholeUrl(plainTextOf(value)) ?? '')),
    printAddressPart: (value) => metered(escapeFor('url')(plainTextOf(value))),
  };
}

/** What is captured is escaped for a text; taken for an address, its `&amp;` would lead elsewhere, but do no harm. */
function plainTextOf(value: unknown): string {
  return value instanceof Escaped ? withoutMarks(value.text) : textOf(toValue(value));
}

function escapeOf(landing: PrintLanding): (text: string) => string {
  if (landing === 'whole-url') return (text) => wholeUrl(text) ?? escapeFor('url')(text);
  const escape = escapeFor(landing);
  // Look-alikes for formatting marks would lead an address elsewhere.
  return landing === 'mrkdwn' ? (text) => (isUrl(text) ? escapeUrlForMrkdwn(text) : escape(text)) : escape;
}

interface Fitting {
  readonly landing: PrintLanding;
  readonly room: number;
  readonly language: Language;
  readonly meter: Meter;
}

function fit(
  text: string,
  escape: (text: string) => string,
  { landing, room, language, meter }: Fitting,
): string {
  const most = Math.min(VALUE_LIMITS[landing], room);
  if (landing !== 'html') return fitTo(text, most, unitOf(landing), escape, language);
  const limit = Math.min(most, Math.max(LEAST_HTML_BYTES, meter.htmlBytesLeft));
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
