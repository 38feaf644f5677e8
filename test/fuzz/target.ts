/** What is attacked: the built program with a small heap, between good remotes and hostile ones. */
import { existsSync, readFileSync } from 'node:fs';
import { judgeCall } from '../../src/stand-ins/slack-stand-in.ts';
import { startSlackStandIn } from '../support/faulty-slack.ts';
import type { ServeProcess } from '../support/process.ts';
import { createProgramWorld, type ProgramWorld, TOKEN } from '../support/program-world.ts';
import { slackFaultOf, startHostileMailServer } from './remotes.ts';

export type Mode = 'delivered' | 'accepted';

/** None of these may appear in a log, an answer or a message. */
export const SECRETS = {
  callbackToken: 'fuzz-callback-token-that-nobody-guesses',
  slack: TOKEN,
  password: 'FUZZ-SMTP-PASSWORD',
} as const;

const HEAP_MB = 256;

export interface Target {
  readonly botbell: ServeProcess;
  /** Of the receiver, with the token. */
  readonly url: string;
  /** With the good remotes. */
  readonly world: ProgramWorld;
  /** Why the good Slack has refused a message, with the message. */
  readonly refusals: readonly string[];
  /** Bytes; 0 once it has ended. */
  rss(): number;
  close(): Promise<void>;
}

const WORKSPACE = {
  tokens: [TOKEN],
  channels: [
    { id: 'C0OPS0001', name: '#ops' },
    { id: 'C0LOG0001', name: '#log' },
  ],
};

const ROUTES = `routes:
  - { bot_id: 'honest-*', notify: [{ slack: '#log' }, { email: [honest@example.com] }] }
  - { bot_id: remote-slack, notify: [{ odd-slack: '#ops' }] }
  - { bot_id: remote-mail, notify: [{ odd-email: [ops@example.com, more@example.com] }] }
  - { bot_id: '*-*-*-*z', notify: [{ slack: '#ops' }] }
  - { bot_id: '/.*-.*-.*z/', notify: [{ slack: '#ops' }] }
display:
  links: { job: 'https://example.com/jobs/{{ job_id }}', file: 'https://example.com/{{ ref }}' }`;

export async function startTarget(mode: Mode, seed: number): Promise<Target> {
  const refusals: string[] = [];
  const world = await createProgramWorld({
    receiver: `token: '${SECRETS.callbackToken}', answer_when: ${mode}`,
    delivery: 'alerts: [operators]',
    routes: ROUTES,
    faultOf: (call) => {
      const verdict = judgeCall(WORKSPACE, call);
      if (!verdict.ok)
        refusals.push(`${JSON.stringify(verdict)} ${JSON.stringify(call.args).slice(0, 2000)}`);
      return undefined;
    },
  });
  const oddSlack = await startSlackStandIn({ ...WORKSPACE, faultOf: slackFaultOf(seed) });
  const oddMail = await startHostileMailServer(seed);
  world.rewrite((yaml) =>
    yaml.replace(
      'groups:',
      `  odd-slack: { type: slack, token: '${TOKEN}', api_url: '${oddSlack.apiUrl}' }
  odd-email: { type: email, smtp: 'smtp://bot:${SECRETS.password}@${oddMail.host}/?ignoreTLS=true', from: alerts@example.com }
groups:`,
    ),
  );
  const botbell = await world.start({ nodeArguments: [`--max-old-space-size=${HEAP_MB}`] });
  const status = `/proc/${botbell.pid}/status`;
  return {
    botbell,
    url: botbell.callbacksUrl.replace('<token>', SECRETS.callbackToken),
    world,
    refusals,
    rss: () =>
      existsSync(status) ? Number(/VmRSS:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1] ?? 0) * 1024 : 0,
    async close() {
      await world.close();
      oddMail.close();
      await oddSlack.close();
    },
  };
}
