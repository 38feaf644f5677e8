/** Whom the BOTs of a small office tell: its Slack, of which one channel is archived, and its mail server, where one mailbox is full. */
import { type MailCatcher, startMailCatcher } from '../../../src/stand-ins/mail-catcher.ts';
import { type SlackFault, type SlackStandIn, startSlackStandIn } from '../../support/faulty-slack.ts';

export const SLACK_TOKEN = 'xoxb-42-SECRET-OF-THE-PAGE';

const CHANNELS = ['#bot-alerts', '#shop', '#bot-log', '#keiri', '#old-prices'].map((name, index) => ({
  id: `C0OFFICE${index}`,
  name,
}));

/** What Slack says to whoever posts to an archived channel. */
export const ARCHIVED: SlackFault = { kind: 'error', error: 'is_archived' };

export interface Remotes {
  readonly slack: SlackStandIn;
  readonly mail: MailCatcher;
  /** By the channel that is called; each until it is taken out. */
  readonly slackFaults: Map<string, SlackFault>;
  close(): Promise<void>;
}

export async function startRemotes(): Promise<Remotes> {
  const slackFaults = new Map([['#old-prices', ARCHIVED]]);
  const slack = await startSlackStandIn({
    tokens: [SLACK_TOKEN],
    channels: CHANNELS,
    faultOf: ({ args }) => slackFaults.get(String(args?.['channel'])),
  });
  const mail = await startMailCatcher();
  mail.faults.push({
    at: 'rcpt',
    address: 'readers@example.com',
    does: 'refuse',
    code: 452,
    text: '4.2.2 The mailbox is full',
  });
  return {
    slack,
    mail,
    slackFaults,
    async close() {
      await Promise.all([slack.close(), mail.close()]);
    },
  };
}
