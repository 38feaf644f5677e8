/** What a route’s `bot_id` may be: an exact name, a glob (`invoice-*`) or a `/regular expression/`. */
import { isRegex, regexOf } from '../config/bot-id-pattern.ts';

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
  if (beginning !== undefined && end !== undefined) {
    const least = beginning.length + end.length;
    return (botId) => botId.length >= least && botId.startsWith(beginning) && botId.endsWith(end);
  }
  const signs = Array.from(pattern);
  const matches = (botId: string) => regex?.test(botId) ?? matchesGlob(signs, Array.from(botId));
  return (botId) => botId.length <= LONGEST_SEARCHED && matches(botId);
}

/** Where a run was begun, only the latest has to be lengthened: whatever fits behind it, fits behind the earlier ones. */
function matchesGlob(signs: readonly string[], name: readonly string[]): boolean {
  let sign = 0;
  let at = 0;
  let behindRun = 0;
  let endOfRun = 0;
  while (at < name.length) {
    if (signs[sign] === '*') {
      sign += 1;
      behindRun = sign;
      endOfRun = at;
    } else if (signs[sign] === '?' || signs[sign] === name[at]) {
      sign += 1;
      at += 1;
    } else if (behindRun === 0) return false;
    else {
      endOfRun += 1;
      at = endOfRun;
      sign = behindRun;
    }
  }
  return signs.slice(sign).every((rest) => rest === '*');
}
