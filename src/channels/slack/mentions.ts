/** Whom a destination has called for an error: `mention_on_error`, and Slack's control sequences for it. */
import type { ComposeContext } from '../channel.ts';
import { calledFor, mentionOption } from '../mention-option.ts';
import type { SlackObject } from './message.ts';

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

export const slackMentions = mentionOption(ACCEPTED, { test: (entry) => sequenceOf(entry) !== undefined });

/** Each once: `<!here> <@U…> <!subteam^S…>`; '' for nobody. */
export function mentionsFor(context: Pick<ComposeContext, 'isError' | 'options'>): string {
  return [...new Set(calledFor(context).flatMap((entry) => sequenceOf(entry) ?? []))].join(' ');
}

function sequenceOf(entry: string): string | undefined {
  for (const { pattern, begin } of FORMS) {
    const [, bare, inBrackets] = pattern.exec(entry) ?? [];
    const name = bare ?? inBrackets;
    if (name !== undefined) return `<${begin}${name}>`;
  }
  return undefined;
}
