/** How a route names BOTs: an exact id, a glob, or a regular expression between slashes, in linear time. */
import { FOREIGN_QUOTES, isInForeignQuotes } from './field-rules.ts';
import { createRequire } from 'node:module';

const REGEX = /^\/(.*)\/([a-z]*)$/s;

/** The worst that a matcher of everything is asked; what matches all of these leaves nothing out. */
const SAMPLES = ['', 'a', '0', 'Z-9_z', 'get_items', '結果', '5f0c2a34-9d1e-4a77-8d0e-6a1f3f6f0b11', ' !~ '];

/** What is wrong with a pattern; undefined: nothing. */
export function botIdRule(text: string): string | undefined {
  if (text === '') return 'must not be empty';
  if (!text.startsWith('/')) return undefined;
  const [, source, flags] = REGEX.exec(text) ?? [];
  if (source === undefined)
    return 'begins with a slash, so it must be a regular expression that ends with one: /…/';
  if (source === '') return 'is an empty regular expression';
  if (flags !== '' && flags !== 'i') return 'may have the flag i only: /…/i';
  try {
    compileLinear(source, '');
    return undefined;
  } catch (error) {
    return (error as SyntaxError).message;
  }
}

/**
 * The regular expression of a pattern between slashes (`/…/`, `/…/i`), not anchored;
 * undefined for an exact id or a glob.
 * @throws {SyntaxError} for one that `botIdRule` refuses
 */
export function regexOf(pattern: string): LinearRegex | undefined {
  const [, source, flags = ''] = REGEX.exec(pattern) ?? [];
  if (source === undefined) return undefined;
  if (flags !== '' && flags !== 'i') throw new SyntaxError(`${pattern} may have the flag i only`);
  return compileLinear(source, flags);
}

/** Whether a pattern is a regular expression. */
export function isRegex(pattern: string): boolean {
  return REGEX.test(pattern);
}

/** Signs that only look like those of a pattern, and what is meant by them. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  '？': 'any single character is written ?',
  '／': 'a regular expression stands between two /',
};

/** Anchors, classes, and alternatives in brackets: in names and globs they mean nothing. */
const LIKE_REGEX = /^\^|\$$|\\[dwsDWSb]|\[[^\]]+\][*+]|\([^)]*\|[^)]*\)|\.\+$/u;

/** What a person who writes this probably means, since no bot_id looks like it; undefined: it may be meant as it is. */
export function doubtOfBotId(text: string): string | undefined {
  if (text.trim() !== text) return 'begins or ends with a blank: remove it, no bot_id has one there';
  if (text.startsWith('/')) return undefined;
  if (isInForeignQuotes(text)) return FOREIGN_QUOTES;
  const [lookalike] = /[%％＊？／]/u.exec(text) ?? [];
  if (lookalike !== undefined) {
    const width = lookalike === '%' ? '' : 'full-width ';
    return `has a ${width}${lookalike}: ${LOOKALIKES[lookalike] ?? 'any run of characters is written *'}`;
  }
  if (LIKE_REGEX.test(text))
    return 'looks like a regular expression, but is read as a name: put it between slashes, such as /^invoice/';
  return /[^,、，]\s*[,、，]\s*[^,、，]/u.test(text)
    ? 'names several in one text: make it a list, such as [a, b]'
    : undefined;
}

/** Whether a valid pattern leaves no BOT to anybody else. */
export function matchesEverything(pattern: string): boolean {
  if (/^\*+$/.test(pattern)) return true;
  const regex = regexOf(pattern);
  return regex !== undefined && SAMPLES.every((sample) => regex.test(sample));
}

const requireHere = createRequire(import.meta.url);

interface LinearRegex {
  /** Whether it matches anywhere in the text. */
  test(text: string): boolean;
}

/** What others have and RE2 lacks, by the part that it refuses; `$1` is what of it is shown. */
const LACKING: readonly (readonly [part: RegExp, message: string])[] = [
  [/^(\(\?<?[=!]).*$/s, 'looks around, $1…), which RE2 syntax lacks'],
  [/^(\\[1-9k]).*$/s, 'refers back, $1, which RE2 syntax lacks'],
  [/^(\\u).*$/s, String.raw`has $1: in RE2 syntax, a character's code is written \x{3042}`],
  [/^(\[\^?\]).*$/s, 'has $1: in RE2 syntax, any character is written (?s:.)'],
  [
    /^(\\[pP]\{).*$/s,
    String.raw`has $1…}: RE2 syntax knows short categories and scripts only, \p{L} or \p{Han}`,
  ],
];

/** A longer one could be a piece of what nobody should see. */
const LONGEST_PART_SHOWN = 3;

/**
 * @param flags `i` or none
 * @throws {SyntaxError} where it is none; the message goes on behind what it is about: `is not …`
 */
function compileLinear(source: string, flags: string): LinearRegex {
  // Loaded for whoever writes one: it would take every other start 20 ms and 2 MB.
  const { RE2JS, RE2JSSyntaxException } = requireHere('re2js') as typeof import('re2js');
  try {
    return RE2JS.compile(source, flags === 'i' ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    const isSyntaxError = error instanceof RE2JSSyntaxException;
    const message = isSyntaxError
      ? messageOf(error.getDescription(), error.getPattern() ?? '')
      : String(error);
    throw new SyntaxError(message, { cause: error });
  }
}

function messageOf(description: string, part: string): string {
  const [form, message] = LACKING.find(([lacking]) => lacking.test(part)) ?? [];
  if (form !== undefined && message !== undefined) return part.replace(form, message);
  const where = part === '' || part.length > LONGEST_PART_SHOWN ? '' : ` at ${part}`;
  return `is not a valid regular expression in RE2 syntax: ${description}${where}`;
}
