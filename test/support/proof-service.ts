/** Plays the job service: posts callbacks, and posts each again until it is answered 2xx, at intervals that the test sets. */
import { setTimeout as sleep } from 'node:timers/promises';
import { post } from './bridge-world.ts';

interface JobService {
  /** Asked before each POST: the program may have come back on another port. */
  readonly urlOf: () => string;
  /** Stands for the service's 30 s. */
  readonly retryMs: number;
  readonly concurrency: number;
}

const WITHIN_MS = 240_000;

/** Resolves when every callback has been answered 2xx. @throws {Error} one was not answered so in time */
export async function postAll(
  { urlOf, retryMs, concurrency }: JobService,
  callbacks: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const waiting = [...callbacks];
  const end = Date.now() + WITHIN_MS;
  const isTaken = async (callback: object) =>
    (await post(urlOf(), callback).catch(() => undefined))?.status === 200;
  const runs = Array.from({ length: concurrency }, async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      while (!(await isTaken(next))) {
        if (Date.now() > end)
          throw new Error(`not answered 2xx within ${WITHIN_MS} ms: ${JSON.stringify(next)}`);
        await sleep(retryMs);
      }
  });
  await Promise.all(runs);
}
