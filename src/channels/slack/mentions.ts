/** Whom a destination has called for an error: `mention_on_error`, and Slack's control sequences for it. */
import { mixed, type Schema } from 'yup';
import type { SlackObject } from './message.ts';

/** More would take the room of what they are called for. */
const MOST_MENTIONS = 20;

/** The mentions that the channel's option schema has let through. */
export function joinedMentions(option: unknown): string {
  return mentionsOf(option).slice(0, MOST_MENTIONS).join(' ');
}

export function mentionBlock(mentions: string): SlackObject {
  return { type: 'section', text: { type: 'mrkdwn', text: mentions, verbatim: true } };
}

/** Slack: Formatting message text, "Mentioning users", "Mentioning groups", "Special mentions". */
const FORMS: readonly { readonly pattern: RegExp; readonly begin: string }[] = [
  { pattern: /^@?(here|channel|everyone)$|^<!(here|channel|everyone)>$/, begin: '!' },
  { pattern: /^@?([UW][A-Z0-9]{2,30})$|^<@([UW][A-Z0-9]{2,30})>$/, begin: '@' },
  { pattern: /^@?(S[A-Z0-9]{2,30})$|^<!subteam\^(S[A-Z0-9]{2,30})>$/, begin: '!subteam^' },
];

const ACCEPTED = '"@here", "@channel", "@everyone", a user ID (U…) or a user group ID (S…)';

/**
 * Slack's control sequences for a `mention_on_error`, each once: `<!here>`, `<@U…>`, `<!subteam^S…>`.
 * Takes what the config may say as well as its own result; what is neither is left out.
 */
export function mentionsOf(option: unknown): string[] {
  return [...new Set(listOf(option).flatMap((entry) => sequenceOf(entry) ?? []))];
}

/** A strict schema: one mention or a list of them. */
export function mentionSchema(): Schema {
  return mixed().test('mention', `\${path} must be ${ACCEPTED}, or a list of these`, (value) =>
    listOf(value).every((entry) => sequenceOf(entry) !== undefined),
  );
}

function listOf(option: unknown): readonly unknown[] {
  if (option === undefined) return [];
  return Array.isArray(option) ? option : [option];
}

function sequenceOf(entry: unknown): string | undefined {
  if (typeof entry !== 'string') return undefined;
  for (const { pattern, begin } of FORMS) {
    const [, bare, inBrackets] = pattern.exec(entry) ?? [];
    const name = bare ?? inBrackets;
    if (name !== undefined) return `<${begin}${name}>`;
  }
  return undefined;
}
