/** The option `mention_on_error` of a Slack destination, and its entries as Slack's control sequences. */
import type { ComposeContext } from '../channel.ts';
import { calledFor, mentionOption } from '../mention-option.ts';
import type { SlackObject } from './message.ts';

export function mentionBlock(mentions: string): SlackObject {
  return { type: 'section', text: { type: 'mrkdwn', text: mentions, verbatim: true } };
}

/** Slack: Formatting message text, "Mentioning users", "Mentioning groups", "Special mentions". */
const FORM = /^(?:@|<@|<!|<!subteam\^)?(?:(here|channel|everyone)|([UW][A-Z0-9]{2,30})|(S[A-Z0-9]{2,30}))>?$/;

const ACCEPTED = '"@here", "@channel", "@everyone", a user ID (U…) or a user group ID (S…)';

export const slackMentions = mentionOption(ACCEPTED, { test: (entry) => sequenceOf(entry) !== undefined });

/** Without duplicates: `<!here> <@U…> <!subteam^S…>`; '' for nobody. */
export function mentionsFor(context: Pick<ComposeContext, 'isError' | 'options'>): string {
  return [...new Set(calledFor(context).flatMap((entry) => sequenceOf(entry) ?? []))].join(' ');
}

function sequenceOf(entry: string): string | undefined {
  const [, everybody, user, group] = FORM.exec(entry) ?? [];
  if (everybody !== undefined) return `<!${everybody}>`;
  if (user !== undefined) return `<@${user}>`;
  return group === undefined ? undefined : `<!subteam^${group}>`;
}
