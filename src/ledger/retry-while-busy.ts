/** Waiting a moment for a store that somebody else holds. */
import type { Clock } from '../time/clock.ts';

/** How long the store is waited for, and how often it is asked. */
const PATIENCE_MS = 2000;
const INTERVAL_MS = 50;

/**
 * @param withinMs where there is less time than patience
 * @throws what `work` throws: at once, or, where the store is only busy, when patience is at an end
 */
export async function retryWhileBusy<T>(
  clock: Clock,
  isBusy: (error: unknown) => boolean,
  work: () => T | Promise<T>,
  withinMs: number = PATIENCE_MS,
): Promise<T> {
  const until = clock.monotonic() + Math.min(PATIENCE_MS, withinMs);
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || clock.monotonic() >= until) throw error;
      await clock.sleep(INTERVAL_MS);
    }
  }
}
