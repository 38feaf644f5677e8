/** How a route names BOTs: an exact id, a glob, or a regular expression between slashes. */
import { safeRegex } from 'safe-regex2';

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
  return regexFault(source);
}

function regexFault(source: string): string | undefined {
  try {
    compileRegex(source, '');
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split(': ').at(-1) ?? '') : '';
    return `is not a valid regular expression: ${reason}`;
  }
  return undefined;
}

/**
 * Unicode-aware where the source allows it; otherwise as JavaScript reads it without (`\-`, `\_`).
 * @throws {SyntaxError}
 */
function compileRegex(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, `u${flags}`);
  } catch {
    return new RegExp(source, flags);
  }
}

/** Whether a valid pattern repeats a repetition, so that some names could take it very long. */
export function mayBeSlow(pattern: string): boolean {
  const regex = regexOf(pattern);
  return regex !== undefined && !safeRegex(regex);
}

/**
 * The regular expression of a pattern between slashes (`/…/`, `/…/i`), not anchored;
 * undefined for an exact id or a glob.
 * @throws {SyntaxError} for one that `botIdRule` refuses
 */
export function regexOf(pattern: string): RegExp | undefined {
  const [, source, flags] = REGEX.exec(pattern) ?? [];
  return source === undefined ? undefined : compileRegex(source, flags ?? '');
}

/** Whether a valid pattern leaves no BOT to anybody else. */
export function matchesEverything(pattern: string): boolean {
  if (/^\*+$/.test(pattern)) return true;
  const regex = regexOf(pattern);
  return regex !== undefined && SAMPLES.every((sample) => regex.test(sample));
}
