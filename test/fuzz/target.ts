/** What is attacked: the built program with a small heap, between good remotes and hostile ones. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type MailCatcher, startMailCatcher } from '../../src/stand-ins/mail-catcher.ts';
import { judgeCall } from '../../src/stand-ins/slack-stand-in.ts';
import { type SlackStandIn, startSlackStandIn } from '../support/faulty-slack.ts';
import { serve, type ServeProcess } from '../support/process.ts';
import { slackFaultOf, startHostileMailServer } from './remotes.ts';

export type Mode = 'delivered' | 'accepted';

/** None of these may appear in a log, an answer or a message. */
export const SECRETS = {
  callbackToken: 'fuzz-callback-token-that-nobody-guesses',
  slack: 'xoxb-FUZZ-SLACK-TOKEN',
  password: 'FUZZ-SMTP-PASSWORD',
} as const;

export const HEAP_MB = 256;

export interface Target {
  readonly mode: Mode;
  readonly botbell: ServeProcess;
  readonly port: number;
  /** With the token. */
  readonly path: string;
  /** The good ones. */
  readonly slack: SlackStandIn;
  readonly mail: MailCatcher;
  /** Why the good Slack has refused a message, with the message. */
  readonly refusals: readonly string[];
  /** Of the ledger. */
  readonly file: string;
  /** Bytes; 0 once it has ended. */
  rss(): number;
  close(): Promise<void>;
}

const CHANNELS = [
  { id: 'C0OPS0001', name: '#ops' },
  { id: 'C0LOG0001', name: '#log' },
];

export async function startTarget(mode: Mode, seed: number): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), 'botbell-fuzz-'));
  const workspace = { tokens: [SECRETS.slack], channels: CHANNELS };
  const refusals: string[] = [];
  const slack = await startSlackStandIn({
    ...workspace,
    faultOf: (call) => {
      const verdict = judgeCall(workspace, call);
      if (!verdict.ok)
        refusals.push(`${JSON.stringify(verdict)} ${JSON.stringify(call.args).slice(0, 2000)}`);
      return undefined;
    },
  });
  const login = { user: 'bot', password: SECRETS.password };
  const mail = await startMailCatcher({ login });
  const hostileSlack = await startSlackStandIn({ ...workspace, faultOf: slackFaultOf(seed) });
  const hostileMail = await startHostileMailServer(seed);
  const config = join(folder, 'botbell.yaml');
  const file = join(folder, 'botbell.db');
  const places = {
    slack: slack.apiUrl,
    mail: mail.host,
    oddSlack: hostileSlack.apiUrl,
    oddMail: hostileMail.host,
  };
  writeFileSync(config, configOf(mode, file, places));
  const botbell = await serve(config, {}, { nodeArguments: [`--max-old-space-size=${HEAP_MB}`] });
  const { port, pathname } = new URL(botbell.callbacksUrl.replace('<token>', SECRETS.callbackToken));
  return {
    mode,
    botbell,
    port: Number(port),
    path: pathname,
    slack,
    mail,
    refusals,
    file,
    rss: () => Number(/VmRSS:\s+(\d+)/.exec(procText(botbell.pid, 'status'))?.[1] ?? 0) * 1024,
    async close() {
      botbell.kill('SIGKILL');
      await botbell.exited();
      hostileMail.close();
      await Promise.all([slack.close(), mail.close(), hostileSlack.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function procText(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

/** @param places API addresses of Slack, hosts of mail servers */
function configOf(
  mode: Mode,
  file: string,
  places: Readonly<Record<'slack' | 'mail' | 'oddSlack' | 'oddMail', string>>,
): string {
  const { slack, mail, oddSlack, oddMail } = places;
  const smtp = (host: string) => `smtp://bot:${SECRETS.password}@${host}/?ignoreTLS=true`;
  return `
receiver: { listen: '127.0.0.1:0', token: '${SECRETS.callbackToken}', answer_when: ${mode} }
admin: { listen: '127.0.0.1:0' }
store: { url: 'sqlite:${file}' }
delivery: { alerts: [operators] }
display:
  links: { job: 'https://example.com/jobs/{{ job_id }}', file: 'https://example.com/{{ ref }}' }
channels:
  slack: { type: slack, token: '${SECRETS.slack}', api_url: '${slack}' }
  email: { type: email, smtp: '${smtp(mail)}', from: alerts@example.com }
  odd-slack: { type: slack, token: '${SECRETS.slack}', api_url: '${oddSlack}' }
  odd-email: { type: email, smtp: '${smtp(oddMail)}', from: alerts@example.com }
groups:
  operators: [{ email: [operators@example.com] }]
routes:
  - { bot_id: 'honest-*', notify: [{ slack: '#log' }, { email: [honest@example.com] }] }
  - { bot_id: remote-slack, notify: [{ odd-slack: '#ops' }] }
  - { bot_id: remote-mail, notify: [{ odd-email: [ops@example.com, more@example.com] }] }
  - { bot_id: nobody, notify: [] }
  - { bot_id: '*-*-*-*z', notify: [{ slack: '#ops' }] }
  - { bot_id: '/.*-.*-.*z/', notify: [{ slack: '#ops' }] }
default_route: { notify: [{ slack: '#ops' }, { email: [ops@example.com] }] }
`;
}
