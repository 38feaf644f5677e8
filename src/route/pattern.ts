/** What a route's `bot_id` may be: an exact name, a glob (`invoice-*`) or a `/regular expression/`. */
import { regexOf } from '../config/bot-id-pattern.ts';

const GLOB_CHARACTERS = /[*?]/;

/** A name that is longer is nobody's BOT, and not worth the time that a pattern could take over it. */
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
  const expression = regexOf(pattern) ?? globExpression(pattern);
  return (botId) => botId.length <= LONGEST_NAME && expression.test(botId);
}

function globExpression(pattern: string): RegExp {
  const body = pattern
    .replace(/\*+/g, '*')
    .replace(/[.+^${}()|[\]\\/]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${body}$`, 'su');
}
