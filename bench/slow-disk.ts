/** Measures how long the product takes to answer on a disk whose flushes take long: `delivered` waits for none, `accepted` for one. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { askInside, type Inside } from './inside.ts';
import { deliverAll, deliverAtRate, withStarted } from './measure.ts';
import { discard, folderOnDisk } from './scratch.ts';
import { median, percentile } from './statistics.ts';
import { botbell, type BotbellOptions } from './subjects.ts';

export const FLUSH_MS = 200;
/** Callbacks a second. */
export const RATE = 150;

const WARM_UP = 3000;

const ANSWERS = ['delivered', 'accepted'] as const;

export interface Waited {
  readonly answerWhen: (typeof ANSWERS)[number];
  /** Milliseconds: the medians of the rounds. */
  readonly p50: number;
  readonly p99: number;
  /** Of the event loop: the longest of all rounds. */
  readonly longestTurn: number;
}

/** Needs a C compiler, `cc`. */
export async function measureSlowDisk(rounds: number, seconds: number): Promise<Waited[]> {
  const folder = folderOnDisk();
  const library = join(folder, 'slow-flush.so');
  const source = join(import.meta.dirname, 'subjects/slow-flush.c');
  execFileSync('cc', ['-shared', '-fPIC', '-o', library, source]);
  const options = {
    environment: { LD_PRELOAD: library, SLOW_FLUSH_MS: String(FLUSH_MS) },
    inside: { program: 'longest-turn', socket: join(folder, 'longest-turn') },
  } satisfies BotbellOptions;
  const waited: Waited[] = [];
  for (const answerWhen of ANSWERS) {
    const measured: Answered[] = [];
    for (let round = 0; round < rounds; round += 1)
      measured.push(await measureOnce({ ...options, answerWhen }, seconds));
    const at = (share: number) => median(measured.map(({ latencies }) => percentile(latencies, share)));
    const longestTurn = Math.max(...measured.map((each) => each.longestTurn));
    waited.push({ answerWhen, p50: at(0.5), p99: at(0.99), longestTurn });
  }
  discard(folder);
  return waited;
}

interface Answered extends Pick<Waited, 'longestTurn'> {
  readonly latencies: readonly number[];
}

async function measureOnce(
  options: BotbellOptions & { readonly inside: Inside },
  seconds: number,
): Promise<Answered> {
  const { inside } = options;
  return withStarted(botbell('slow disk', options), async ({ load, ...laboratory }) => {
    await deliverAll(load, WARM_UP, laboratory.standIns);
    await askInside(inside);
    const latencies = await deliverAtRate(load, RATE * seconds, RATE, laboratory);
    return { latencies, longestTurn: await askInside(inside) };
  });
}
