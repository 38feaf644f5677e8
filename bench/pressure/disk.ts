/** A disk that takes 400 ms a flush must not stop the event loop. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { discard, folderOnDisk } from '../scratch.ts';
import { atMost, type Figure, figure, latencies, tallied } from './figures.ts';
import { labelsOf, refusals } from './job-service.ts';
import type { Laboratory } from './laboratory.ts';

const FLUSH_MS = 400;
const HEALTH_EVERY_MS = 50;

/** No answer by then counts as one after so long. */
const HEALTH_TIMEOUT_MS = 10_000;

const SETTLED_WITHIN_MS = 60_000;

export async function disk(laboratory: Laboratory): Promise<Figure[]> {
  if (laboratory.setup.store !== 'sqlite')
    return [figure('skipped', 'PostgreSQL flushes in a process of its own')];
  const folder = folderOnDisk();
  const library = compileSlowFlush(folder);
  if (library === undefined) return [figure('skipped', 'no C compiler (cc) that makes a Linux library')];
  try {
    return await measureSlowDisk(laboratory, library);
  } finally {
    discard(folder);
  }
}

/** @returns undefined where it cannot be compiled here */
function compileSlowFlush(folder: string): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const library = join(folder, 'slow-flush.so');
  const source = join(import.meta.dirname, 'slow-flush.c');
  const { status } = spawnSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl']);
  return status === 0 ? library : undefined;
}

async function measureSlowDisk(laboratory: Laboratory, library: string): Promise<Figure[]> {
  const seconds = laboratory.setup.isQuick ? 8 : 30;
  const remote = await laboratory.remotes({ channels: ['#ops'] });
  const bridge = await laboratory.bridge({
    remote,
    routes: { bot: [{ slack: '#ops' }] },
    variables: { LD_PRELOAD: library, SLOW_FLUSH_MS: String(FLUSH_MS) },
  });
  const service = laboratory.service(bridge);
  const health = new URL('/healthz', bridge.urls[0]);
  const asking = askEvenly(health, (seconds * 1000) / HEALTH_EVERY_MS);
  await service.postEvenly(20 * seconds, seconds * 1000, () => 'bot');
  const healthMs = await asking;
  await service.settled(SETTLED_WITHIN_MS);
  const answers = service.postings.flatMap((posting) => posting.answers);
  return [
    ...latencies('/healthz', healthMs, { p99: 50 }),
    ...latencies(
      'callbacks: until answered',
      answers.map(({ tookMs }) => tookMs),
    ),
    atMost('callbacks: answers that were not 2xx', refusals(service.postings), 0),
    figure('callbacks: answers', tallied(labelsOf(service.postings))),
    figure('CPU of the server', bridge.cpuMs(), 'ms'),
  ];
}

/** Whatever the answers take. @returns milliseconds, each counted from when it was to be asked */
async function askEvenly(url: URL, count: number): Promise<number[]> {
  const startedAt = performance.now();
  const ask = async (index: number) => {
    const dueAt = startedAt + index * HEALTH_EVERY_MS;
    await sleep(Math.max(0, dueAt - performance.now()));
    const signal = AbortSignal.timeout(HEALTH_TIMEOUT_MS);
    const passed = await request(url, { signal }).then(
      ({ statusCode, body }) => body.dump().then(() => statusCode === 200),
      () => false,
    );
    return passed ? performance.now() - dueAt : HEALTH_TIMEOUT_MS;
  };
  return Promise.all(Array.from({ length: count }, (_, index) => ask(index)));
}
