/** Whether a failure concerns one address, or everything sent by its channel: alerts are counted by that. */
import type { FailureDetails } from './failure.ts';

/** Codes by which a remote refuses one address, whatever the message and whoever sends it. */
const OF_AN_ADDRESS: ReadonlySet<string> = new Set([
  'channel_not_found',
  'not_in_channel',
  'is_archived',
  'is_inactive',
  'messages_tab_disabled',
  'posting_to_channel_denied',
  'team_not_found',
  'user_not_found',
  'EENVELOPE',
]);

/** Slack's `restricted_action_…`, and RFC 5321: what a mail server says of a recipient for good. */
const OF_AN_ADDRESS_BY_FORM = /^restricted_action|^slack_connect_|^55\d$/;

export function concernsAddress({
  class: failureClass,
  code,
}: Pick<FailureDetails, 'class' | 'code'>): boolean {
  const isLasting = failureClass === 'permanent' || failureClass === 'config';
  return isLasting && (OF_AN_ADDRESS.has(code) || OF_AN_ADDRESS_BY_FORM.test(code));
}
