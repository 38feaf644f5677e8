/** What a route's `bot_id` may be: an exact name, a glob (`invoice-*`) or a `/regular expression/`. */
import { isRegex, regexOf } from '../config/bot-id-pattern.ts';
import { compileGlob } from './glob.ts';

const GLOB_CHARACTERS = /[*?]/;

/** One `*` and no `?`: nothing to search for, however long the name. */
const SIMPLE_GLOB = /^([^*?]*)\*+([^*?]*)$/;

/**
 * What must search a name looks at no longer one, in characters: no BOT has one, and however little a search of megabytes
 * may take, a config may have a thousand patterns.
 */
export const LONGEST_SEARCHED = 1000;

export type BotIdMatcher = (botId: string) => boolean;

/** Exact patterns, so that thousands of them can be looked up instead of tried. */
export function isExact(pattern: string): boolean {
  return !isRegex(pattern) && !GLOB_CHARACTERS.test(pattern);
}

/** Whether it must search a name: a regular expression, or a glob with more than one `*` or with `?`. */
export function isSearched(pattern: string): boolean {
  return !isExact(pattern) && (isRegex(pattern) || !SIMPLE_GLOB.test(pattern));
}

/**
 * A glob's `*` stands for any run of characters and `?` for one; it must match the whole name.
 * A regular expression (RE2 syntax) matches anywhere unless it is anchored.
 * Either takes time linear in the name.
 * @throws {SyntaxError} an impossible regular expression; the config's check has refused it before
 */
export function compilePattern(pattern: string): BotIdMatcher {
  const regex = regexOf(pattern);
  const [, beginning, end] = (regex === undefined && SIMPLE_GLOB.exec(pattern)) || [];
  if (beginning !== undefined && end !== undefined) return simpleGlob(beginning, end);
  const matches = regex === undefined ? compileGlob(pattern) : (botId: string) => regex.test(botId);
  return (botId) => botId.length <= LONGEST_SEARCHED && matches(botId);
}

function simpleGlob(beginning: string, end: string): BotIdMatcher {
  return (botId) =>
    botId.length >= beginning.length + end.length && botId.startsWith(beginning) && botId.endsWith(end);
}
