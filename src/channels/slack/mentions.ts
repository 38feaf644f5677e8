/** The option `mention_on_error` of a Slack destination, and its entries as Slack's control sequences. */
import type { ComposeContext } from '../channel.ts';
import { mentionsOf } from '../mention-option.ts';
import type { SlackObject } from './message.ts';

export function mentionBlock(mentions: string): SlackObject {
  return { type: 'section', text: { type: 'mrkdwn', text: mentions, verbatim: true } };
}

/** Slack: Formatting message text, "Mentioning users", "Mentioning groups", "Special mentions". */
const FORM = /^(?:@|<@|<!|<!subteam\^)?(?:(here|channel|everyone)|([UW][A-Z0-9]{2,30})|(S[A-Z0-9]{2,30}))>?$/;

export const slackMentions = mentionsOf(
  '"@here", "@channel", "@everyone", a user ID (U…) or a user group ID (S…)',
  FORM,
  (entry) => {
    const [, everybody, user, group = ''] = FORM.exec(entry) ?? [];
    if (everybody !== undefined) return `<!${everybody}>`;
    return user === undefined ? `<!subteam^${group}>` : `<@${user}>`;
  },
);

/** Without duplicates: `<!here> <@U…> <!subteam^S…>`; '' for nobody. */
export function mentionsFor(context: Pick<ComposeContext, 'isError' | 'options'>): string {
  const called = slackMentions.of(context).filter((entry) => FORM.test(entry));
  return [...new Set(called.map((entry) => slackMentions.write(entry)))].join(' ');
}
