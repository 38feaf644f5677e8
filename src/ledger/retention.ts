/** Keeps the ledger from growing without bound: old callbacks are forgotten, a little at a time. */
import type { Clock } from '../time/clock.ts';
import type { Ledger } from './ledger.ts';

const INTERVAL_MS = 10 * 60_000;

/** Between two steps, so that callbacks get their turn. */
const PAUSE_MS = 50;

/**
 * So often it begins anew, once a day. Until then it goes on where it was: what was undelivered when its time came may be
 * very much, and hardly any of it changes.
 */
const LOOKS_PER_ROUND = 144;

export interface Retention {
  stop(): Promise<void>;
}

/** @param keepMs how long a callback is kept of which nothing is undelivered */
export function startRetention(
  ledger: Pick<Ledger, 'prune'>,
  keepMs: number,
  clock: Clock,
  onTrouble: (error: unknown) => void,
): Retention {
  const stopped = new AbortController();
  const { signal } = stopped;
  /** The callback up to which has been looked. */
  let lookedAt = 0;
  const step = async (): Promise<boolean> => {
    try {
      const done = await ledger.prune(clock.now() - keepMs, lookedAt);
      lookedAt = done.lookedAt;
      return done.isThrough;
    } catch (error) {
      onTrouble(error);
      return true;
    }
  };
  const run = async () => {
    for (let looks = 0; !signal.aborted;) {
      const isThrough = await step();
      if (isThrough) looks = (looks + 1) % LOOKS_PER_ROUND;
      if (isThrough && looks === 0) lookedAt = 0;
      await clock.sleep(isThrough ? INTERVAL_MS : PAUSE_MS, signal).catch(() => undefined);
    }
  };
  const running = run();
  return {
    async stop() {
      stopped.abort();
      await running;
    },
  };
}
