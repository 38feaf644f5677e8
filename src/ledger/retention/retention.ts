/** Keeps the ledger from growing without bound: old callbacks are forgotten, a little at a time. */
import type { Clock } from '../../time/clock.ts';
import type { PruneRequest, Pruning } from './pruning.ts';

const INTERVAL_MS = 10 * 60_000;

/** Between two steps, so that callbacks get their turn. */
const PAUSE_MS = 50;

/** Whoever may post can write these, and nobody was meant to read them. */
const REACHED_NOBODY_KEPT_MS = 3 * 86_400_000;

/**
 * So often the sweep through what is done begins anew: at the start, and once a day. Until then it goes on where it was:
 * what was undelivered when its time came may be very much, and hardly any of it changes. What reached nobody reaches
 * nobody later.
 */
const LOOKS_PER_ROUND = 144;

export interface Retention {
  stop(): Promise<void>;
}

/** @param keepMs how long a callback is kept of which nothing is undelivered */
export function startRetention(
  ledger: Pruning,
  keepMs: () => number,
  clock: Clock,
  onTrouble: (error: unknown) => void,
): Retention {
  const stopped = new AbortController();
  const { signal } = stopped;
  const pause = (ms: number) => clock.sleep(ms, signal).catch(() => undefined);
  const untilThrough = async (step: () => Promise<boolean>) => {
    while (!signal.aborted && !(await step())) await pause(PAUSE_MS);
  };
  const sweep = async (request: Omit<PruneRequest, 'before'>, ageMs: number) => {
    let { after } = request;
    await untilThrough(async () => {
      const step = await ledger.prune({ ...request, before: clock.now() - ageMs, after });
      after = undefined;
      return step.isThrough;
    });
  };
  const look = async (isAnew: boolean) => {
    await sweep({ sweep: 'done', after: isAnew ? 0 : undefined }, keepMs());
    await sweep({ sweep: 'reached_nobody' }, Math.min(keepMs(), REACHED_NOBODY_KEPT_MS));
    await untilThrough(async () => !(await ledger.tidy()));
  };
  const run = async () => {
    for (let looks = 0; !signal.aborted; looks = (looks + 1) % LOOKS_PER_ROUND) {
      await look(looks === 0).catch(onTrouble);
      await pause(INTERVAL_MS);
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
