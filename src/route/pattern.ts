/** What a route’s `bot_id` may be: an exact name, a glob (`invoice-*`) or a `/regular expression/`. */
import { isPattern, isRegex, regexOf } from '../config/bot-id-pattern.ts';

/** One `*` and no `?`: nothing to search for, however long the name. */
const SIMPLE_GLOB = /^([^*?]*)\*+([^*?]*)$/;

/**
 * What must search a name looks at no longer one, in characters: no BOT has one, and however little a search of megabytes
 * may take, a config may have a thousand patterns.
 */
export const LONGEST_SEARCHED = 1000;

export type BotIdMatcher = (botId: string) => boolean;

/** Whether it must search a name: a regular expression, or a glob with more than one `*` or with `?`. */
export function isSearched(pattern: string): boolean {
  return isPattern(pattern) && (isRegex(pattern) || !SIMPLE_GLOB.test(pattern));
}

/**
 * A glob's `*` stands for any run of characters and `?` for one; it must match the whole name.
 * A regular expression (RE2 syntax) matches anywhere unless it is anchored.
 * Either takes time linear in the name.
 * @throws {SyntaxError} an impossible regular expression; the config's check has refused it before
 */
export function compilePattern(pattern: string): BotIdMatcher {
  const [, beginning, end] = (!isRegex(pattern) && SIMPLE_GLOB.exec(pattern)) || [];
  if (beginning !== undefined && end !== undefined) {
    const least = beginning.length + end.length;
    return (botId) => botId.length >= least && botId.startsWith(beginning) && botId.endsWith(end);
  }
  const regex = regexOf(isRegex(pattern) ? pattern : globAsRegex(pattern));
  return (botId) => botId.length <= LONGEST_SEARCHED && regex?.test(botId) === true;
}

function globAsRegex(glob: string): string {
  const literal = glob.replace(/[\\^$.+()[\]{}|]/g, '\\$&');
  return `/(?s)\\A${literal.replaceAll('*', '.*').replaceAll('?', '.')}\\z/`;
}
