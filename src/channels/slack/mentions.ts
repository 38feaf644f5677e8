/** Whom a Slack destination mentions: how the config may write them and how Slack wants them. */
import { mixed } from 'yup';
import type { Schema } from 'yup';

/** Slack: Formatting message text, "Mentioning users", "Mentioning groups", "Special mentions". */
const FORMS: readonly { readonly pattern: RegExp; readonly sequence: (name: string) => string }[] = [
  { pattern: /^@?(here|channel|everyone)$/, sequence: (name) => `<!${name}>` },
  { pattern: /^<!(here|channel|everyone)>$/, sequence: (name) => `<!${name}>` },
  { pattern: /^@?([UW][A-Z0-9]{2,})$/, sequence: (id) => `<@${id}>` },
  { pattern: /^<@([UW][A-Z0-9]{2,})>$/, sequence: (id) => `<@${id}>` },
  { pattern: /^@?(S[A-Z0-9]{2,})$/, sequence: (id) => `<!subteam^${id}>` },
  { pattern: /^<!subteam\^(S[A-Z0-9]{2,})>$/, sequence: (id) => `<!subteam^${id}>` },
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
  for (const { pattern, sequence } of FORMS) {
    const name = pattern.exec(entry)?.[1];
    if (name !== undefined) return sequence(name);
  }
  return undefined;
}
