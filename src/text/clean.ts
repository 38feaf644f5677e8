/**
 * Foreign text made safe to display: no controls, nothing invisible that reorders or hides, one normal form; escaped where
 * everybody needs it. A markup's own escaping stands beside its channel.
 */

/** Of U+0000 to U+02FF and the scripts met most, what needs no cleaning: most texts leave here. */
const PLAIN_CLASS =
  '!-~\\u00a1-\\u00ac\\u00ae-\\u02ff\\u0400-\\u0482\\u2010-\\u2027\\u2030-\\u205e\\u2190-\\u2328\\u232b-\\u27bf' +
  '\\u3001-\\u3029\\u3030-\\u3096\\u309b-\\u3163\\u3200-\\u9fff\\uac00-\\ud7a3\\uff01-\\uff9f';
const MAY_NEED_CLEANING = new RegExp(`[^\\t\\n \\u00a0\\u3000${PLAIN_CLASS}]`);
const MAY_BE_NO_LINE = new RegExp(`[^ ${PLAIN_CLASS}]|^ | $| {2}`);

const LINE_BREAK = /\r\n?|[\u0085\u2028\u2029]/g;

/** Flags such as Scotland's are spelt with tag characters (UTS #51, "Emoji Tag Sequences"): the one place these may stay. */
const FLAG = '\\u{1f3f4}[\\u{e0030}-\\u{e0039}\\u{e0061}-\\u{e007a}]{3,6}\\u{e007f}';
const INVISIBLE =
  '(?![\\t\\n\\u200c\\u200d\\p{Variation_Selector}])' +
  '[\\p{Cc}\\p{Default_Ignorable_Code_Point}\\p{Noncharacter_Code_Point}\\ufff9-\\ufffb]';
const FLAG_OR_INVISIBLE = new RegExp(`(${FLAG})|${INVISIBLE}`, 'gu');

/** More marks than this on one letter is not a script but an attack on the line above. */
const MAX_MARKS = 8;
const TOO_MANY_MARKS = marksBeyond(MAX_MARKS);

/**
 * ICU sorts each run of marks by their classes in the square of its length, so runs are cut before that. No text of any
 * language has a longer one (UAX #15, "Stream-Safe Text Format"); composed, fewer are left.
 */
const MOST_MARKS_TO_SORT = 30;
const MORE_THAN_ANY_TEXT_HAS = marksBeyond(MOST_MARKS_TO_SORT);

/** The blocks with the scripts that are spelt with joiners (UAX #31, "Layout and Format Control Characters"). */
const JOINING_LETTER = `(?=\\p{L})[\\u0600-\\u18af][\\p{M}\\u200c\\u200d]{0,${MAX_MARKS}}`;
const PICTOGRAPH = '\\p{Extended_Pictographic}';
/** Each alternative begins with the joiner itself, so that other characters cost no look behind. */
const JOINER = new RegExp(
  `(\\u200d(?<=${PICTOGRAPH}[\\ufe0f\\u{1f3fb}-\\u{1f3ff}]{0,2}\\u200d)(?=${PICTOGRAPH})` +
    `|[\\u200c\\u200d](?<=${JOINING_LETTER}[\\u200c\\u200d])(?![\\u200c\\u200d]))|[\\u200c\\u200d]`,
  'gu',
);

/**
 * Foreign text of several lines, safe to display: lone surrogates are U+FFFD, every line break is LF, controls, bidi
 * controls and invisible characters are gone (tab stays, joiners stay where emoji and scripts need them), NFC. Idempotent.
 */
export function cleanText(text: string): string {
  return MAY_NEED_CLEANING.test(text) ? cleanThoroughly(text) : text;
}

/** The same on one line: every run of white space is one space, none at either end. May be empty. */
export function cleanLine(text: string): string {
  if (!MAY_BE_NO_LINE.test(text)) return text;
  return cleanText(text).replace(/\s+/g, ' ').trim();
}

function cleanThoroughly(text: string): string {
  const visible = text.toWellFormed().replace(LINE_BREAK, '\n').replace(FLAG_OR_INVISIBLE, '$1');
  const sortable =
    visible.length > MOST_MARKS_TO_SORT ? visible.replace(MORE_THAN_ANY_TEXT_HAS, '$1') : visible;
  // Joiners are judged on normalised text, and taking one away may let its neighbours compose: hence twice.
  const joined = sortable.normalize('NFC').replace(JOINER, '$1').normalize('NFC');
  return joined.replace(TOO_MANY_MARKS, '$1');
}

/** Joiners count, since those that join nothing are taken away, and what they parted is then one run. */
function marksBeyond(most: number): RegExp {
  return new RegExp(`([\\p{M}\\u200c\\u200d]{${most}})[\\p{M}\\u200c\\u200d]+`, 'gu');
}

const INK = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\ufff9-\ufffb]/u;

/** True where a reader would see nothing: white space, controls, characters without width. */
export function isBlank(text: string): boolean {
  return !INK.test(text);
}

/**
 * C0, DEL and C1, which move the cursor, colour or ring; line and paragraph separators; what turns the direction of
 * reading (Unicode's Bidi_Control). Tab and line feed are told apart by who prints.
 */
const ACTING = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const EACH_ACTING = new RegExp(ACTING, 'g');

const INDENT = '  ';

/** Every character that acts is written as JSON writes it, e.g. `\u001b`: JSON stays JSON. Tab and line feed stay. */
export function visible(text: string): string {
  return ACTING.test(text) ? text.replace(EACH_ACTING, asEscape) : text;
}

/** The same on one line: a line feed is `\n`. */
export function visibleOnOneLine(text: string): string {
  return visible(text).replaceAll('\n', '\\n');
}

/** The same line by line, each indented, since what begins a line is ours to say; an empty one gets no blanks. */
export function visibleAndIndented(text: string, indent = INDENT): string {
  const lines = visible(text).split('\n');
  return lines.map((line) => (line === '' ? indent.trimEnd() : indent + line)).join('\n');
}

function asEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A value that is already escaped for where it is printed. */
export class Escaped {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const HTML_ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Nothing opens an address of this length, so that what is left out of it leads nowhere else. */
const LONGEST_URL_PART = 10_000;

/** For content and quoted attributes. Never to be applied to its own result, as no escaping is. */
export function escapeHtml(text: string): string {
  const cleaned = cleanText(text);
  if (!/[&<>"']/.test(cleaned)) return cleaned;
  return cleaned.replace(/[&<>"']/g, (character) => HTML_ENTITIES[character] ?? character);
}

/** An apostrophe would end a quoted attribute; encodeURIComponent leaves it. */
export function escapeUrlPart(text: string): string {
  return encodeURIComponent(text.slice(0, LONGEST_URL_PART).toWellFormed()).replaceAll("'", '%27');
}

const LOOKS_LIKE_URL = /^https?:\/\/[^\s<>"]+$/iu;
/** In its normal form; what is longer, some mail readers and browsers open cut short. */
export const LONGEST_ADDRESS = 2000;
/** A path that climbs leaves the folder its link was made for. */
const CLIMBS = /\/(?:\.|%2e){1,2}(?:[/?#\\]|$)/iu;

/** The address in its normal form, or undefined where the text is no http or https address as a whole, or one too long to open. */
export function wholeUrl(text: string): string | undefined {
  if (text.length > LONGEST_ADDRESS || !LOOKS_LIKE_URL.test(text)) return undefined;
  if (!text.isWellFormed() || CLIMBS.test(text) || !URL.canParse(text)) return undefined;
  const address = new URL(text).href.replaceAll('|', '%7C').replaceAll("'", '%27');
  return address.length > LONGEST_ADDRESS ? undefined : address;
}
