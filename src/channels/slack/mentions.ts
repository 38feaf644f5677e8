/** Whom a destination has called for an error: `mention_on_error`, and Slack's control sequences for it. */
import { mixed, type Schema } from 'yup';
import type { SlackObject } from './message.ts';

/** Room that the mentions may take of the notification line. */
const MAX_MENTIONS_LENGTH = 1000;

/** The mentions that the channel's option schema has let through, as many as there is room for. */
export function joinedMentions(option: unknown): string {
  let joined = '';
  for (const mention of mentionsOf(option)) {
    if (joined.length + mention.length >= MAX_MENTIONS_LENGTH) continue;
    joined = joined === '' ? mention : `${joined} ${mention}`;
  }
  return joined;
}

export function mentionBlock(mentions: string): SlackObject {
  return { type: 'section', text: { type: 'mrkdwn', text: mentions, verbatim: true } };
}

/** Slack: Formatting message text, "Mentioning users", "Mentioning groups", "Special mentions". */
const FORMS: readonly { readonly pattern: RegExp; readonly begin: string }[] = [
  { pattern: /^@?(here|channel|everyone)$|^<!(here|channel|everyone)>$/, begin: '!' },
  { pattern: /^@?([UW][A-Z0-9]{2,})$|^<@([UW][A-Z0-9]{2,})>$/, begin: '@' },
  { pattern: /^@?(S[A-Z0-9]{2,})$|^<!subteam\^(S[A-Z0-9]{2,})>$/, begin: '!subteam^' },
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
