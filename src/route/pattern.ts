/** What a route's `bot_id` may be: an exact name, a glob (`invoice-*`) or a `/regular expression/`. */
import { regexOf } from '../config/bot-id-pattern.ts';

const GLOB_CHARACTERS = /[*?]/;

/** One `*` and no `?`: nothing to look back for, however long the name. */
const SIMPLE_GLOB = /^([^*?]*)\*+([^*?]*)$/;

/** A name that is longer is not worth the time that an expression which looks back could take over it. */
const LONGEST_NAME = 1000;

export type BotIdMatcher = (botId: string) => boolean;

/** Exact patterns, so that thousands of them can be looked up instead of tried. */
export function isExact(pattern: string): boolean {
  return regexOf(pattern) === undefined && !GLOB_CHARACTERS.test(pattern);
}

/**
 * A glob's `*` stands for any run of characters and `?` for one; it must match the whole name.
 * A regular expression matches anywhere unless it is anchored.
 * @throws {SyntaxError} an impossible regular expression; the config's check has refused it before
 */
export function compilePattern(pattern: string): BotIdMatcher {
  const regex = regexOf(pattern);
  const [, beginning, end] = (regex === undefined && SIMPLE_GLOB.exec(pattern)) || [];
  if (beginning !== undefined && end !== undefined) return simpleGlob(beginning, end);
  const expression = regex ?? globExpression(pattern);
  return (botId) => botId.length <= LONGEST_NAME && expression.test(botId);
}

function simpleGlob(beginning: string, end: string): BotIdMatcher {
  return (botId) =>
    botId.length >= beginning.length + end.length && botId.startsWith(beginning) && botId.endsWith(end);
}

function globExpression(pattern: string): RegExp {
  const body = pattern
    .replace(/\*+/g, '*')
    .replace(/[.+^${}()|[\]\\/]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${body}$`, 'su');
}
