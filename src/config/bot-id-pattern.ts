/** A route's `bot_id` patterns: an exact id, a glob, or a regular expression between slashes, matched in linear time. */
import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { Fault } from '../text/fault.ts';
import { fault } from './words.ts';

const REGEX = /^\/(.*)\/([a-z]*)$/s;

const isRegex = (pattern: string): boolean => REGEX.test(pattern);

/** Whether the pattern can match more than one id. */
export const isPattern = (pattern: string): boolean => isRegex(pattern) || pattern.includes('*');

/** @returns what is wrong with the pattern; undefined if nothing is */
export function botIdRule(text: string): Fault | undefined {
  if (text === '') return fault('bot_id.empty');
  if (!text.startsWith('/')) return undefined;
  if (!isRegex(text)) return fault('regex.open');
  if (text.startsWith('//')) return fault('regex.empty');
  const compiled = compiledOf(text);
  return compiled instanceof Fault ? compiled : undefined;
}

/** @returns a warning for a valid pattern that is probably a mistake; undefined if there is none */
export function doubtOfBotId(text: string): Fault | undefined {
  if (/^\*+$/.test(text)) return fault('bot_id.every');
  if (text.trim() !== text) return fault('bot_id.blank');
  if (text.startsWith('/')) return undefined;
  const [alike] = ALIKE.exec(text) ?? [];
  if (alike !== undefined) {
    const code = `U+${alike.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
    return fault('bot_id.alike', { sign: alike, code });
  }
  const [foreign] = FOREIGN.exec(text) ?? [];
  return foreign === undefined ? undefined : fault('bot_id.foreign', { sign: foreign });
}

/** Signs that look like others: typographic quotes and dashes, full-width stars and slashes, what cannot be seen, kana in two parts. */
const ALIKE = /^／|[\u2010-\u2015\u2018-\u201f«»−＊\u200b-\u200d\u2060\ufeff\u3099\u309a]/u;

/** Signs of other dialects of globs, and of regular expressions. */
const FOREIGN = /^[!^]|\$$|\\[dwsDWSb]|\([^)]*\|[^)]*\)|\.\+$|\[[^\]]*\]|\{[^}]*\}|[?%,]/u;

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
  const compiled = compiledOf(pattern);
  if (compiled instanceof Fault) throw new SyntaxError(compiled.in('en'));
  return compiled;
}

function compiledOf(pattern: string): BotIdMatcher | Fault {
  const [, source, flags = ''] = REGEX.exec(pattern) ?? [];
  if (source === undefined) return (botId) => matchesGlob(botId, pattern);
  if (flags !== '' && flags !== 'i') return fault('regex.flags');
  const regex = compileLinear(source, flags);
  if (regex instanceof Fault) return regex;
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

function compileLinear(source: string, flags: string): RE2JS | Fault {
  // Loaded with the first regular expression, since loading it takes 20 ms and 2 MB.
  const { RE2JS: Regex, RE2JSSyntaxException } = requireHere('re2js') as typeof import('re2js');
  try {
    return Regex.compile(source, flags === 'i' ? Regex.CASE_INSENSITIVE : 0);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    const part = error.getPattern() ?? '';
    const where = part === '' || part.length > LONGEST_PART_SHOWN ? '' : ` at ${part}`;
    return fault('regex.invalid', { why: `${error.getDescription()}${where}` });
  }
}
