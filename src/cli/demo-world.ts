/** Everything the demo needs on this machine: a Slack, a mail server, a folder, and Botbell between them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type MailCatcher, startMailCatcher } from '../stand-ins/mail-catcher.ts';
import { type SlackStandIn, startSlackStandIn } from '../stand-ins/slack-stand-in.ts';

const SLACK_TOKEN = 'xoxb-demo';
const SLACK_CHANNELS = [
  { id: 'C0ALERTS1', name: '#bot-alerts' },
  { id: 'C0SHOP001', name: '#shop' },
];

export interface DemoWorld {
  readonly slack: SlackStandIn;
  readonly mail: MailCatcher;
  readonly folder: string;
  /** What the demo's config asks for as `${…}`. */
  readonly variables: Readonly<Record<string, string>>;
  /** Leaves nothing behind. */
  close(): Promise<void>;
}

export async function createDemoWorld(): Promise<DemoWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'botbell-demo-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  try {
    const slack = await startSlackStandIn({ tokens: [SLACK_TOKEN], channels: SLACK_CHANNELS });
    const mail = await startMailCatcher();
    return {
      slack,
      mail,
      folder,
      variables: {
        DEMO_FOLDER: folder,
        DEMO_SLACK_TOKEN: SLACK_TOKEN,
        DEMO_SLACK_API: slack.apiUrl,
        DEMO_SMTP_URL: `smtp://${mail.host}/?ignoreTLS=true`,
      },
      async close() {
        await Promise.all([slack.close(), mail.close()]);
        removeFolder();
      },
    };
  } catch (error) {
    removeFolder();
    throw error;
  }
}
