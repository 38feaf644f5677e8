/** Everything the demo needs on this machine: a Slack, a mail server, a folder, and Botbell between them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMailCatcher } from '../../stand-ins/mail-catcher.ts';
import { startSlackStandIn } from '../../stand-ins/slack-stand-in.ts';

const SLACK_TOKEN = 'xoxb-demo';
const SLACK_CHANNELS = [
  { id: 'C0ALERTS1', name: '#bot-alerts' },
  { id: 'C0SHOP001', name: '#shop' },
];

export type DemoWorld = Awaited<ReturnType<typeof createDemoWorld>>;

export async function createDemoWorld() {
  const slack = await startSlackStandIn({ tokens: [SLACK_TOKEN], channels: SLACK_CHANNELS });
  const mail = await startMailCatcher();
  // Made last, so that whatever fails leaves none behind.
  const folder = mkdtempSync(join(tmpdir(), 'botbell-demo-'));
  return {
    slack,
    mail,
    folder,
    /** What the demo's config asks for as `${…}`. */
    variables: {
      DEMO_FOLDER: folder,
      DEMO_SLACK_TOKEN: SLACK_TOKEN,
      DEMO_SLACK_API: slack.apiUrl,
      DEMO_SMTP_URL: `smtp://${mail.host}/?ignoreTLS=true`,
    },
    /** Leaves nothing behind. */
    async close() {
      await Promise.all([slack.close(), mail.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
