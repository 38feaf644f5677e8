/** Posts ordinary callbacks and asks for /healthz all the while, from a process and an address of its own. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { HonestNews, HonestPlan, HonestRecord } from './honest-client.ts';

const CLIENT = join(import.meta.dirname, 'honest-client.ts');

/** Not the attacker's 127.0.0.1. */
export const HONEST_ADDRESS = '127.0.0.2';

/** Their BOTs' ids begin so. */
export const HONEST_BOTS = 'honest-';

const DEFAULTS = {
  from: HONEST_ADDRESS,
  postEveryMs: 100,
  healthEveryMs: 20,
  retryMs: 1000,
  botPrefix: HONEST_BOTS,
  firstKey: 0,
};

export interface HonestProber {
  /** Resolves, once everybody has been answered, with all that was seen. */
  stop(): Promise<HonestSeen>;
  kill(): void;
}

export interface HonestSeen extends HonestRecord {
  /** Milliseconds of the slowest answer to /healthz: how long the program's event loop stood still. */
  readonly slowestHealthMs: number;
  readonly slowestPostMs: number;
  /** HTTP status to how many posts were answered with it; 0: no answer. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Of /healthz. */
  readonly healthStatuses: Readonly<Record<string, number>>;
  /** Job ids of the posts, each once. */
  readonly keys: readonly string[];
}

export type HonestOptions = Pick<HonestPlan, 'port' | 'path'> & Partial<HonestPlan>;

/** Resolves once its first callback has been answered. */
export async function startHonestProber(options: HonestOptions): Promise<HonestProber> {
  const child = fork(CLIENT, [], { execArgv: ['--import', 'tsx'] });
  child.send({ ...DEFAULTS, ...options } satisfies HonestPlan);
  await newsOf(child);
  return {
    async stop() {
      child.send('stop');
      const news = await newsOf(child);
      if (news === 'ready') throw new Error('the honest client was ready twice');
      return seenIn(news);
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

/** @throws {Error} it has ended */
async function newsOf(child: ChildProcess): Promise<HonestNews> {
  const ended = once(child, 'exit').then(() => {
    throw new Error('the honest client has ended');
  });
  const [news] = (await Promise.race([once(child, 'message'), ended])) as [HonestNews];
  return news;
}

function seenIn(record: HonestRecord): HonestSeen {
  return {
    ...record,
    slowestHealthMs: slowest(record.health),
    slowestPostMs: slowest(record.posts),
    statuses: countByStatus(record.posts),
    healthStatuses: countByStatus(record.health),
    keys: [...new Set(record.posts.map(({ key }) => key))],
  };
}

function slowest(probes: readonly { readonly ms: number }[]): number {
  return Math.max(0, ...probes.map(({ ms }) => ms));
}

function countByStatus(probes: readonly { readonly status: number }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of probes) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
