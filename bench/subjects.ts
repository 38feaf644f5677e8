/** The measured subjects: the product, and the bare programs that it is compared with. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from './child.ts';
import { type Inside, loading } from './inside.ts';
import { discard, folderOnDisk } from './scratch.ts';
import type { StandIns } from './stand-ins.ts';

const ROOT = join(import.meta.dirname, '..');

export interface Running {
  readonly child: Child;
  readonly url: string;
  readonly end: () => Promise<void>;
}

export interface Subject {
  readonly name: string;
  start(standIns: StandIns): Promise<Running>;
}

export function bare(program: string): Subject {
  return {
    name: program,
    async start({ slackApi }) {
      const variables = { SLACK_API: slackApi };
      const child = new Child([join(ROOT, `bench/subjects/${program}.mjs`)], variables);
      const { port } = await child.announced<{ port: number }>('port');
      return { child, url: `http://127.0.0.1:${port}/`, end: () => child.end() };
    },
  };
}

export interface BotbellOptions {
  readonly profileFolder?: string | undefined;
  readonly inside?: Inside;
  /** The folder of another built version to start instead of this one. */
  readonly root?: string | undefined;
  /** `store.url`; undefined: a new SQLite file for each start. */
  readonly store?: string | undefined;
  /** `receiver.answer_when`, `store.keep`; left out: their defaults. */
  readonly answerWhen?: 'delivered' | 'accepted';
  readonly keep?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The built product with everything on: ledger, log, page and metrics. */
export function botbell(name: string, options: BotbellOptions = {}): Subject {
  return {
    name,
    async start(standIns) {
      const folder = folderOnDisk();
      const config = join(folder, 'botbell.yaml');
      writeFileSync(
        config,
        configOf({ store: `sqlite:${join(folder, 'botbell.db')}`, ...options }, standIns),
      );
      const root = options.root ?? ROOT;
      const main = [join(root, 'dist/main.js'), 'serve', '--config', config];
      const child = new Child([...profiling(options.profileFolder), ...loading(options.inside), ...main], {
        INSIDE_SOCKET: options.inside?.socket ?? '',
        ...options.environment,
      });
      const { callbacks } = await child.announced<{ callbacks: string }>('callbacks');
      const end = async () => {
        await child.end();
        discard(folder);
      };
      return { child, url: callbacks, end };
    },
  };
}

function profiling(folder: string | undefined): string[] {
  return folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`];
}

function configOf(
  { store, answerWhen = 'delivered', keep = '30d' }: BotbellOptions,
  { slackApi }: StandIns,
): string {
  return `receiver: { listen: '127.0.0.1:0', answer_when: ${answerWhen} }
admin: { listen: '127.0.0.1:0' }
store: { url: '${store}', keep: ${keep} }
display: { timezone: Asia/Tokyo, language: ja }
channels: { slack: { type: slack, token: xoxb-bench, api_url: '${slackApi}' } }
default_route: { notify: [{ slack: C0BENCH01 }] }
`;
}
