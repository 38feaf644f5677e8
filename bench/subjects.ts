/** What is measured: the product in its modes, and the bare programs that it is held against. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from './child.ts';

const ROOT = join(import.meta.dirname, '..');

export interface Remotes {
  readonly slackPort: number;
  readonly smtpPort: number;
}

export interface Running {
  readonly child: Child;
  readonly url: string;
  readonly end: () => Promise<void>;
}

export interface Subject {
  readonly name: string;
  /** Which remote takes its messages. */
  readonly remote: 'slack' | 'mail';
  start(remotes: Remotes): Promise<Running>;
}

function bare(name: string, file: string, remote: Subject['remote']): Subject {
  return {
    name,
    remote,
    async start({ slackPort, smtpPort }) {
      const child = new Child([join(ROOT, 'bench/subjects', file)], {
        SLACK_API: `http://127.0.0.1:${slackPort}/api/`,
        SMTP_PORT: String(smtpPort),
      });
      const { port } = await child.announced<{ port: number }>('port');
      return { child, url: `http://127.0.0.1:${port}/`, end: () => child.end() };
    },
  };
}

export interface BotbellOptions {
  readonly answerWhen?: 'delivered' | 'accepted';
  readonly remote?: Subject['remote'];
  readonly routes?: number;
  readonly storeUrl?: string;
}

export function botbell(name: string, options: BotbellOptions = {}): Subject {
  const { remote = 'slack' } = options;
  return {
    name,
    remote,
    async start(remotes) {
      const folder = mkdtempSync(join(tmpdir(), 'botbell-bench-'));
      const config = join(folder, 'botbell.yaml');
      writeFileSync(config, configOf(folder, remotes, options));
      const child = new Child([join(ROOT, 'dist/main.js'), 'serve', '--config', config], {});
      const { callbacks } = await child.announced<{ callbacks: string }>('callbacks');
      const end = async () => {
        await child.end();
        rmSync(folder, { recursive: true, force: true });
      };
      return { child, url: callbacks, end };
    },
  };
}

function configOf(folder: string, { slackPort, smtpPort }: Remotes, options: BotbellOptions): string {
  const { answerWhen = 'delivered', remote = 'slack', routes = 10, storeUrl } = options;
  const notify = remote === 'slack' ? "slack: '#bench'" : 'email: ops@example.com';
  const others = Array.from(
    { length: routes - 1 },
    (_, index) => `  - { bot_id: other-${index}, notify: [{ ${notify} }] }`,
  );
  return `receiver: { listen: '127.0.0.1:0', answer_when: ${answerWhen} }
admin: { listen: '127.0.0.1:0' }
store: { url: '${storeUrl ?? `sqlite:${folder}/botbell.db`}' }
channels:
  slack: { type: slack, token: xoxb-bench, api_url: 'http://127.0.0.1:${slackPort}/api/' }
  email: { type: email, smtp: 'smtp://127.0.0.1:${smtpPort}/?ignoreTLS=true', from: 'BOT alerts <alerts@example.com>' }
routes:
${others.join('\n')}
  - { bot_id: bench, notify: [{ ${notify} }] }
`;
}

export const BARE = bare('bare', 'bare.mjs', 'slack');
export const BARE_SLACK = bare('bare-slack', 'bare-slack.mjs', 'slack');
export const BARE_MAIL = bare('bare-mail', 'bare-mail.mjs', 'mail');
