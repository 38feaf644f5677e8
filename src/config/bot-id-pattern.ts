/** A route's `bot_id` patterns: an exact id, a glob, or a regular expression between slashes, matched in linear time. */
import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

const REGEX = /^\/(.*)\/([a-z]*)$/s;

const isRegex = (pattern: string): boolean => REGEX.test(pattern);

/** Whether the pattern can match more than one id. */
export const isPattern = (pattern: string): boolean => isRegex(pattern) || pattern.includes('*');

/** @returns what is wrong with the pattern, to be read after the value's path; undefined if nothing is */
export function botIdRule(text: string): string | undefined {
  if (text === '') return 'must not be empty';
  if (!text.startsWith('/')) return undefined;
  if (!isRegex(text))
    return 'begins with a slash, so it must be a regular expression that ends with one: /…/';
  if (text.startsWith('//')) return 'is an empty regular expression';
  try {
    compilePattern(text);
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
}

/** @returns a warning for a valid pattern that is probably a mistake; undefined if there is none */
export function doubtOfBotId(text: string): string | undefined {
  if (/^\*+$/.test(text)) return 'matches every BOT, which leaves nothing to default_route';
  if (text.trim() !== text) return 'begins or ends with a blank, which no bot_id has';
  if (text.startsWith('/')) return undefined;
  const [, alike] = ALIKE.find(([sign]) => sign.test(text)) ?? [];
  if (alike !== undefined) return `has ${alike}: write it as the job service does`;
  const looksLikeRegex = /^[\^／]|\$$|\\[dwsDWSb]|\[[^\]]+\][*+]|\([^)]*\|[^)]*\)|\.\+$/u.test(text);
  if (looksLikeRegex)
    return 'looks like a regular expression, but is read as a name: put it between slashes, such as /^invoice/';
  const [, foreign] = FOREIGN.find(([sign]) => sign.test(text)) ?? [];
  return foreign && `has ${foreign}, which stands for itself here: only * is a wildcard; ${INSTEAD}`;
}

/** Signs that look like others, which an editor or an input method puts in. */
const ALIKE: readonly (readonly [sign: RegExp, name: string])[] = [
  [/[“”‘’«»]/, 'typographic quotes'],
  [/[–—−]/, 'a typographic dash'],
  [/＊/, 'a full-width ＊, which is no wildcard'],
  [/[\u200b-\u200d\u2060\ufeff]/, 'a character that cannot be seen'],
  [/[\u3099\u309a]/, 'kana in two parts (NFD)'],
];

/** Signs that are none of a glob here, but of another dialect. */
const FOREIGN: readonly (readonly [sign: RegExp, name: string])[] = [
  [/^!/, 'an !'],
  [/\?/, 'a ?'],
  [/\[[^\]]*\]/, 'a […]'],
  [/\{[^}]*\}/, 'a {…}'],
  [/%/, 'a %'],
  [/,/, 'a comma'],
];

const INSTEAD = 'write a list, [a, b], or a /regular expression/';

/** In characters. No BOT has a longer id, and a config may have a thousand patterns, so none searches in longer ids. */
const LONGEST_SEARCHED = 1000;

export type BotIdMatcher = (botId: string) => boolean;

/**
 * A glob's `*` stands for any number of characters, and a glob must match the whole id. Of an id that is too long to be
 * searched, it can match the beginning and the end alone, so that `*` is still every BOT.
 * A regular expression (RE2 syntax) matches anywhere in the id unless it is anchored.
 * Both take time linear in the length of an id up to that limit, and no more past it.
 * @throws {SyntaxError} for an expression that `botIdRule` refuses
 */
export function compilePattern(pattern: string): BotIdMatcher {
  const [, source, flags = ''] = REGEX.exec(pattern) ?? [];
  if (source === undefined) return (botId) => matchesGlob(botId, pattern);
  if (flags !== '' && flags !== 'i') throw new SyntaxError('may have the flag i only: /…/i');
  const regex = compileLinear(source, flags);
  return (botId) => botId.length <= LONGEST_SEARCHED && regex.test(botId);
}

function matchesGlob(botId: string, glob: string): boolean {
  const [beginning = '', ...parts] = glob.split('*');
  const end = parts.pop();
  if (end === undefined) return botId === glob;
  if (!botId.startsWith(beginning) || !botId.endsWith(end)) return false;
  if (botId.length > LONGEST_SEARCHED && parts.some((part) => part !== '')) return false;
  let from = beginning.length;
  for (const part of parts) {
    const found = botId.indexOf(part, from);
    if (found === -1) return false;
    from = found + part.length;
  }
  return from <= botId.length - end.length;
}

const requireHere = createRequire(import.meta.url);

/** In characters. The pattern may contain a secret by interpolation, and a longer part could reveal some of it. */
const LONGEST_PART_SHOWN = 3;

/** @throws {SyntaxError} for an invalid expression; the message is to be read after the value's path: `is not …` */
function compileLinear(source: string, flags: string): RE2JS {
  // Loaded with the first regular expression, since loading it takes 20 ms and 2 MB.
  const { RE2JS: Regex, RE2JSSyntaxException } = requireHere('re2js') as typeof import('re2js');
  try {
    return Regex.compile(source, flags === 'i' ? Regex.CASE_INSENSITIVE : 0);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw new SyntaxError(String(error), { cause: error });
    const part = error.getPattern() ?? '';
    const where = part === '' || part.length > LONGEST_PART_SHOWN ? '' : ` at ${part}`;
    const message = `is not a valid regular expression in RE2 syntax: ${error.getDescription()}${where}`;
    throw new SyntaxError(message, { cause: error });
  }
}
