/** The whole bridge over HTTP, between a strict Slack and a real mail server, all in this process and on loopback. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { problemLines } from '../../src/config/problems.ts';
import { type MailCatcher, startMailCatcher } from '../../src/stand-ins/mail-catcher.ts';
import { CHANNELS, type SlackFault, type SlackStandIn, startSlackStandIn } from './faulty-slack.ts';
import type { ReceivedCall } from '../../src/stand-ins/slack-stand-in.ts';
import type { Logger } from '../../src/observe/logger.ts';
import { keyedCallback } from './proof-tally.ts';
import { startTestApp } from './started-app.ts';
import { tempFolder } from './temp-folder.ts';

export const SLACK_TOKEN = 'xoxb-9-SECRET-TOKEN';
export const SMTP_PASSWORD = 'SMTP-SECRET-PASSWORD';

interface Answered {
  readonly result?: string;
  readonly deliveries?: readonly { destination: string; state: string; error?: string }[];
  readonly [member: string]: unknown;
}

export type BridgeWorld = Awaited<ReturnType<typeof createBridgeWorld>>;

interface Options {
  readonly faultOf?: (call: ReceivedCall) => SlackFault | undefined;
  readonly logger?: Logger;
}

export async function createBridgeWorld(config: string, { faultOf, logger }: Options = {}) {
  const folder = tempFolder();
  const slack = await startSlackStandIn({ tokens: [SLACK_TOKEN], channels: CHANNELS, faultOf });
  const mail = await startMailCatcher({ login: { user: 'bot', password: SMTP_PASSWORD } });
  const file = join(folder, 'botbell.yaml');
  writeFileSync(file, `${channelsYaml(slack, mail, folder)}\n${config}`);
  const start = () => startTestApp(file, {}, logger);
  const world = {
    slack,
    mail,
    folder,
    app: await start(),
    post: (callback: unknown): ReturnType<typeof post> =>
      post(`http://127.0.0.1:${world.app.receiver.port}/callbacks`, callback),
    async metrics(): Promise<string> {
      const { body } = await request(`http://127.0.0.1:${world.app.admin?.port}/metrics`);
      return body.text();
    },
    async restart(mend = (yaml: string) => yaml): Promise<void> {
      await world.app.stop();
      writeFileSync(file, mend(readFileSync(file, 'utf8')));
      world.app = await start();
    },
    async swap(mend: (yaml: string) => string): Promise<void> {
      writeFileSync(file, mend(readFileSync(file, 'utf8')));
      const result = await world.app.reload('a test');
      if (!result.isLoaded) throw new Error(problemLines(result.problems).join('\n'));
    },
    async close(): Promise<void> {
      await world.app.stop();
      await Promise.all([slack.close(), mail.close()]);
    },
  };
  return world;
}

function channelsYaml(slack: SlackStandIn, mail: MailCatcher, folder: string): string {
  const smtp = `smtp://bot:${SMTP_PASSWORD}@${mail.host}/?ignoreTLS=true`;
  return `
store: { url: 'sqlite:${folder}/botbell.db' }
admin: { listen: '127.0.0.1:0' }
channels:
  slack: { type: slack, token: '${SLACK_TOKEN}', api_url: '${slack.apiUrl}' }
  email: { type: email, smtp: '${smtp}', from: 'BOT alerts <alerts@example.com>' }`;
}

export async function post(url: string, callback: unknown) {
  const { statusCode, headers, body } = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof callback === 'string' ? callback : JSON.stringify(callback),
  });
  return { status: statusCode, headers, body: (await body.json()) as Answered };
}

let jobs = 0;

export function callback(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  jobs += 1;
  return keyedCallback(`job-${jobs}`, { bot_name: '請求書取込BOT', ...changes });
}
