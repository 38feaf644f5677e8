/** Makes untrusted text safe to display, and escapes it for terminals, HTML and URLs; channels escape for their own markup. */
/** Characters that need no cleaning, from U+0000 to U+02FF and the most frequent scripts: the fast path of most texts. */
const PLAIN_CLASS =
  '!-~\\u00a1-\\u00ac\\u00ae-\\u02ff\\u0400-\\u0482\\u2010-\\u2027\\u2030-\\u205e\\u2190-\\u2328\\u232b-\\u27bf' +
  '\\u3001-\\u3029\\u3030-\\u3096\\u309b-\\u3163\\u3200-\\u9fff\\uac00-\\ud7a3\\uf900-\\ufaff\\uff01-\\uff9f';
const MAY_NEED_CLEANING = new RegExp(`[^\\t\\n \\u00a0\\u3000${PLAIN_CLASS}]`);
const MAY_BE_NO_LINE = new RegExp(`[^ ${PLAIN_CLASS}]|^ | $| {2}`);

/** Line breaks other than LF, but no lone CR, which overwrites its line. Printed lists begin a page with a form feed. */
const LINE_BREAK = /\r\n|[\v\f\u0085\u2028\u2029]/g;

/** Sequences of terminals (ECMA-48, and xterm's OSC). C1's CSI and OSC match only as a whole, since wrongly decoded text is full of these. */
const ESCAPE_SEQUENCE = new RegExp(
  [
    '\\x1b\\[[0-?]*[ -/]*[@-~]?', // CSI: colours, cursor
    '\\x9b[0-?]*[ -/]*[@-~]',
    '(?:\\x1b[PX\\]^_]|\\x9d(?=\\d+;))[^\\x07\\x1b\\x9c\\r\\n\\x85\\u2028\\u2029]*(?:\\x07|\\x9c|\\x1b\\\\)?', // OSC, DCS, SOS, PM, APC: links, titles
    '\\x1b[ -/]*[0-~]', // all others: ESC c, ESC ( B
  ].join('|'),
  'g',
);
/** Moves the cursor to the first column: progress bars write this in place of a carriage return. */
const TO_LINE_START = /\x1b\[(?:[01]?G|\d{3,}D)/g;
const MAY_BE_ESCAPE_SEQUENCE = /[\x1b\x9b\x9d]/;

/** Tag characters are kept only in flags such as Scotland's, which are spelt with them (UTS #51, "Emoji Tag Sequences"). */
const FLAG = '\\u{1f3f4}[\\u{e0030}-\\u{e0039}\\u{e0061}-\\u{e007a}]{3,6}\\u{e007f}';
const INVISIBLE =
  '(?![\\t\\n\\u200c\\u200d\\p{Variation_Selector}])' +
  '[\\p{Cc}\\p{Default_Ignorable_Code_Point}\\p{Noncharacter_Code_Point}\\ufff9-\\ufffb]';
const FLAG_OR_INVISIBLE = new RegExp(`(${FLAG})|${INVISIBLE}`, 'gu');

/** No script needs more combining marks on one letter; more of them paint over the line above. */
const MAX_MARKS = 8;
const TOO_MANY_MARKS = marksBeyond(MAX_MARKS);

/** Normalisation sorts a run of marks in quadratic time, so runs longer than any text has are cut first (UAX #15, "Stream-Safe"). */
const MOST_MARKS_TO_SORT = 30;
const MORE_THAN_ANY_TEXT_HAS = marksBeyond(MOST_MARKS_TO_SORT);

/** A letter of the blocks whose scripts need joiners (UAX #31, "Layout and Format Control Characters"), with its marks; not Hangul's parts, which compose. */
const JOINING_LETTER = `(?=\\p{L})[\\u0600-\\u10ff\\u1200-\\u18af][\\p{M}\\u200c\\u200d]{0,${MAX_MARKS}}`;
const PICTOGRAPH = '\\p{Extended_Pictographic}';
/** Each alternative begins with the joiner itself, so that the lookbehind runs only at joiners. */
const JOINER = new RegExp(
  `(\\u200d(?<=${PICTOGRAPH}[\\ufe0f\\u{1f3fb}-\\u{1f3ff}]{0,2}\\u200d)(?=${PICTOGRAPH})` +
    `|[\\u200c\\u200d](?<=${JOINING_LETTER}[\\u200c\\u200d])(?![\\u200c\\u200d]))|[\\u200c\\u200d]`,
  'gu',
);

/**
 * Safe to display, in several lines: lone surrogates become U+FFFD, line breaks LF. Removes escape sequences, what a carriage return
 * or a backspace overwrites, control, bidi and invisible characters, but keeps tabs, and joiners where emoji and scripts need them. In NFC, but for
 * compatibility ideographs. Linear, and idempotent.
 */
export function cleanText(text: string): string {
  return MAY_NEED_CLEANING.test(text) ? cleanThoroughly(text) : text;
}

/** Like `cleanText`, on one line: each run of white space becomes one space, and is removed at both ends. May be empty. */
export function cleanLine(text: string): string {
  if (!MAY_BE_NO_LINE.test(text)) return text;
  return cleanText(text).replace(/\s+/g, ' ').trim();
}

function cleanThoroughly(text: string): string {
  const visible = inLines(withoutEscapes(text.toWellFormed())).replace(FLAG_OR_INVISIBLE, '$1');
  const sortable =
    visible.length > MOST_MARKS_TO_SORT ? visible.replace(MORE_THAN_ANY_TEXT_HAS, '$1') : visible;
  // JOINER needs normalised text, and the neighbours of a removed joiner may compose: so it is normalised twice.
  const joined = normalised(normalised(sortable).replace(JOINER, '$1'));
  return joined.replace(TOO_MANY_MARKS, '$1');
}

function withoutEscapes(text: string): string {
  if (!MAY_BE_ESCAPE_SEQUENCE.test(text)) return text;
  return text.replace(TO_LINE_START, '\r').replace(ESCAPE_SEQUENCE, '');
}

function inLines(text: string): string {
  const typed = text.replace(LINE_BREAK, '\n');
  const lines = typed.includes('\b') ? typed.split('\n').map(withoutErased).join('\n') : typed;
  return lines.includes('\r') ? lines.split('\n').map(overwritten).join('\n') : lines;
}

/** A backspace takes the sign before it away: spinners and some progress bars write so. */
function withoutErased(line: string): string {
  const shown: string[] = [];
  for (const sign of line)
    if (sign !== '\b') shown.push(sign);
    else if (shown.at(-1) !== '\r') shown.pop();
  return shown.join('');
}

/** Text behind a lone carriage return overwrites what stands before it, as in progress bars; two in a row end a line. */
function overwritten(line: string): string {
  const [first = '', ...others] = line.split('\r');
  const last = others.findLast((part) => !isBlank(part));
  if (last === undefined) return first;
  return first !== '' && others[0] === '' ? `${first}\n${last}` : last;
}

/** NFC would replace compatibility ideographs, but people's names are written with them. */
const NO_COMPATIBILITY_IDEOGRAPHS = /[^\uf900-\ufaff\u{2f800}-\u{2fa1f}]+/gu;

function normalised(text: string): string {
  return text.replace(NO_COMPATIBILITY_IDEOGRAPHS, (part) => part.normalize('NFC'));
}

/** Counts joiners as marks: useless ones are removed later, and the marks around them then become one run. */
function marksBeyond(most: number): RegExp {
  return new RegExp(`([\\p{M}\\u200c\\u200d]{${most}})[\\p{M}\\u200c\\u200d]+`, 'gu');
}

const INK = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\ufff9-\ufffb]/u;

/** Whether the text has only white space, controls and characters without width. */
export function isBlank(text: string): boolean {
  return !INK.test(text);
}

/** Characters that act on a terminal, but for tab and line feed: C0, DEL, C1, line and paragraph separators, Bidi_Control. */
const ACTING = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const EACH_ACTING = new RegExp(ACTING, 'g');

/** Escapes characters that act on a terminal as JSON does, e.g. `\u001b`, so that JSON stays valid. Keeps tab and line feed. */
export function visible(text: string): string {
  return ACTING.test(text) ? text.replace(EACH_ACTING, asEscape) : text;
}

/** Like `visible`, with line feeds as `\n`. */
export function visibleOnOneLine(text: string): string {
  return visible(text).replaceAll('\n', '\\n');
}

/** Like `visible`, each line indented, so that foreign text never starts a line. Empty lines get no trailing blanks. */
export function visibleAndIndented(text: string, indent = '  '): string {
  const lines = visible(text).split('\n');
  return lines.map((line) => (line === '' ? indent.trimEnd() : indent + line)).join('\n');
}

/** Characters that cannot be told apart by sight: those without width, and blanks other than a space. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;

/** The text as a JSON string in which every character can be seen. */
export function quotedExactly(text: string): string {
  return JSON.stringify(text).replace(UNSEEN, (unseen) => unseen.split('').map(asEscape).join(''));
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

/** No program opens an address of this length, so that a cut one cannot lead to another place. */
const LONGEST_URL_PART = 10_000;

/** Escapes a text for content and quoted attributes. Not idempotent. */
export function escapeHtml(text: string): string {
  const cleaned = cleanText(text);
  if (!/[&<>"']/.test(cleaned)) return cleaned;
  return cleaned.replace(/[&<>"']/g, (character) => HTML_ENTITIES[character] ?? character);
}

/** Also encodes the apostrophe, which encodeURIComponent keeps and which would end a quoted attribute. */
export function escapeUrlPart(text: string): string {
  return encodeURIComponent(text.slice(0, LONGEST_URL_PART).toWellFormed()).replaceAll("'", '%27');
}

/** The decoded text, or the text itself when its percent-encoding is invalid. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const LOOKS_LIKE_URL = /^https?:\/\/[^\s<>"]+$/iu;
/** Characters of an address in its normal form; channels that take fewer leave a longer one out. Signed addresses of files have some 2,200. */
export const LONGEST_ADDRESS = 4000;
/** A path with `..` segments can leave the folder that its link was made for. */
const CLIMBS = /\/(?:\.|%2e){1,2}(?:[/?#\\]|$)/iu;

/** The address in its normal form; undefined when the whole text is not one http or https address, or it is too long to open. */
export function wholeUrl(text: string): string | undefined {
  if (text.length > LONGEST_ADDRESS || !LOOKS_LIKE_URL.test(text)) return undefined;
  if (!text.isWellFormed() || CLIMBS.test(text.replace(/[?#].*/su, '')) || !URL.canParse(text))
    return undefined;
  const address = new URL(text).href.replaceAll('|', '%7C').replaceAll("'", '%27');
  return address.length > LONGEST_ADDRESS ? undefined : address;
}

/** One word of a POSIX shell's command, to be copied: in quotes where the shell would read more into it. */
export function shellWord(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
