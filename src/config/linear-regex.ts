/** Regular expressions in RE2's syntax, which has nothing that could take more time than a text is long. */
import { createRequire } from 'node:module';

const requireHere = createRequire(import.meta.url);

export interface LinearRegex {
  /** Whether it matches anywhere in the text. */
  test(text: string): boolean;
}

/** What others have and RE2 lacks, by the part that it refuses; `$1` is what of it is shown. */
const LACKING: readonly (readonly [part: RegExp, fault: string])[] = [
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
export function compileLinear(source: string, flags: string): LinearRegex {
  // Loaded for whoever writes one: it would take every other start 20 ms and 2 MB.
  const { RE2JS, RE2JSSyntaxException } = requireHere('re2js') as typeof import('re2js');
  try {
    return RE2JS.compile(source, flags === 'i' ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    const isFault = error instanceof RE2JSSyntaxException;
    const fault = isFault ? faultOf(error.getDescription(), error.getPattern() ?? '') : String(error);
    throw new SyntaxError(fault, { cause: error });
  }
}

function faultOf(description: string, part: string): string {
  const [form, fault] = LACKING.find(([lacking]) => lacking.test(part)) ?? [];
  if (form !== undefined && fault !== undefined) return part.replace(form, fault);
  const where = part === '' || part.length > LONGEST_PART_SHOWN ? '' : ` at ${part}`;
  return `is not a valid regular expression in RE2 syntax: ${description}${where}`;
}
