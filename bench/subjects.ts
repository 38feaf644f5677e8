/** What is measured: the product in its modes, and the bare programs that it is held against. */
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeArgumentsOfStart } from '../test/support/process.ts';
import { BOT_ID } from './callbacks.ts';
import { Child } from './child.ts';
import { discard, folderOnDisk } from './scratch.ts';
import type { StandIns } from './stand-ins.ts';

const ROOT = join(import.meta.dirname, '..');

export interface Running {
  readonly child: Child;
  readonly url: string;
  /** Of the product's admin listener. */
  readonly adminUrl?: string;
  /** The product's SQLite file. */
  readonly ledger?: string;
  readonly end: () => Promise<void>;
}

export interface Subject {
  readonly name: string;
  start(standIns: StandIns): Promise<Running>;
}

/** @param message what it sends instead of its own short one, about the first callback: see `messageOf` */
export function bare(program: string, { name = program, message = '' } = {}): Subject {
  return {
    name,
    async start({ slackApi, smtpPort }) {
      const variables = { SLACK_API: slackApi, SMTP_PORT: String(smtpPort), MESSAGE: message };
      const child = new Child([join(ROOT, `bench/subjects/${program}.mjs`)], variables);
      const { port } = await child.announced<{ port: number }>('port');
      return { child, url: `http://127.0.0.1:${port}/`, end: () => child.end() };
    },
  };
}

export interface BotbellOptions {
  readonly answerWhen?: 'delivered' | 'accepted';
  readonly channel?: 'slack' | 'email';
  readonly routes?: number;
  /** Of YAML, a list item each. */
  readonly moreRoutes?: readonly string[];
  /** Of the store; without it, the default. */
  readonly maxSize?: string;
  /** Another store than a SQLite file of its own; asked for at each start. */
  readonly storeUrl?: () => Promise<string>;
  /** A SQLite file to start with a copy of. */
  readonly ledger?: string;
  /** Where its SQLite file is left when it has ended. */
  readonly keepsLedgerAt?: string;
  readonly profileFolder?: string | undefined;
  /** Where it answers how long the longest turn of its event loop was. */
  readonly longestTurnSocket?: string;
  /** Where another version lies, built, that is to be started instead. */
  readonly root?: string;
}

interface Addresses {
  readonly callbacks: string;
  readonly admin: string;
}

/** The built product with everything on, each time on a ledger of its own. */
export function botbell(name: string, options: BotbellOptions = {}): Subject {
  return {
    name,
    async start(standIns) {
      const folder = folderOnDisk();
      const ledger = join(folder, 'botbell.db');
      if (options.ledger !== undefined) copyFileSync(options.ledger, ledger);
      const config = join(folder, 'botbell.yaml');
      writeFileSync(config, configOf((await options.storeUrl?.()) ?? `sqlite:${ledger}`, standIns, options));
      const root = options.root ?? ROOT;
      const main = [...nodeArgumentsOfStart(root), join(root, 'dist/main.js'), 'serve', '--config', config];
      const child = new Child([...profiling(options.profileFolder), ...watching(options), ...main], {
        LONGEST_TURN_SOCKET: options.longestTurnSocket ?? '',
      });
      const { callbacks, admin } = await child.announced<Addresses>('callbacks', 'admin');
      const end = async () => {
        await child.end();
        if (options.keepsLedgerAt !== undefined) copyFileSync(ledger, options.keepsLedgerAt);
        discard(folder);
      };
      return { child, url: callbacks, adminUrl: admin, ledger, end };
    },
  };
}

function profiling(folder: string | undefined): string[] {
  return folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`];
}

function watching({ longestTurnSocket }: BotbellOptions): string[] {
  return longestTurnSocket === undefined ? [] : ['--import', join(ROOT, 'bench/subjects/longest-turn.mjs')];
}

function configOf(store: string, { slackApi, smtpPort }: StandIns, options: BotbellOptions): string {
  const { answerWhen = 'delivered', channel = 'slack', routes = 10, maxSize = '2gb' } = options;
  const notify = channel === 'slack' ? "slack: '#bench'" : 'email: ops@example.com';
  const more = (options.moreRoutes ?? []).map((route) => `  - ${route}\n`).join('');
  const botIds = [...Array.from({ length: routes - 1 }, (_, index) => `other-${index}`), BOT_ID];
  return `receiver: { listen: '127.0.0.1:0', answer_when: ${answerWhen} }
admin: { listen: '127.0.0.1:0' }
store: { url: '${store}', max_size: ${maxSize} }
channels:
  slack: { type: slack, token: xoxb-bench, api_url: '${slackApi}' }
  email: { type: email, smtp: 'smtp://127.0.0.1:${smtpPort}/?ignoreTLS=true', from: 'BOT alerts <alerts@example.com>' }
routes:
${botIds.map((botId) => `  - { bot_id: ${botId}, notify: [{ ${notify} }] }`).join('\n')}
${more}`;
}
