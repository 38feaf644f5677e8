/** A wait that ends, whatever is waited for. */
import type { Clock } from './clock.ts';

/** Waits for the promise, but no longer than `ms`. */
export async function within(
  ms: number,
  promise: Promise<unknown>,
  clock: Pick<Clock, 'sleep'>,
): Promise<void> {
  const timer = new AbortController();
  await Promise.race([promise, clock.sleep(ms, timer.signal).catch(() => undefined)]);
  timer.abort();
}
