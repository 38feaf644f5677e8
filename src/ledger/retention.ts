/** Keeps the ledger from growing without bound: old callbacks are forgotten, a little at a time. */
import type { Clock } from '../time/clock.ts';
import type { Ledger } from './ledger.ts';

const INTERVAL_MS = 10 * 60_000;

/** Between two steps, so that callbacks get their turn. */
const PAUSE_MS = 50;

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
  const run = async () => {
    while (!signal.aborted) {
      const count = await ledger.prune(clock.now() - keepMs).catch((error: unknown) => {
        onTrouble(error);
        return 0;
      });
      await clock.sleep(count > 0 ? PAUSE_MS : INTERVAL_MS, signal).catch(() => undefined);
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
