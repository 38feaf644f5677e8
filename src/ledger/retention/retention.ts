/** Keeps the ledger from growing without bound: old callbacks are forgotten, a little at a time. */
import type { Clock } from '../../time/clock.ts';

/**
 * What goes: all of which nothing is undelivered, or only what reached nobody, since nobody was to be told or its result
 * was there first.
 */
export type Sweep = 'done' | 'reached_nobody';

export interface PruneRequest {
  readonly sweep: Sweep;
  /** What came before goes; milliseconds since the epoch. */
  readonly before: number;
  /** The id of a callback, up to which has been looked; undefined: where the last step of the sweep has come to. */
  readonly after?: number | undefined;
}

export interface PruneStep {
  /** How many callbacks went. */
  readonly forgotten: number;
  /** The id of the last one that was looked at. */
  readonly lookedAt: number;
  /** What comes after that is too young. */
  readonly isThrough: boolean;
}

export interface Pruning {
  /**
   * Forgets some of the callbacks that are old enough to go; how far the sweep has come is kept over restarts.
   * @throws {LedgerUnavailable}
   */
  prune(request: PruneRequest): Promise<PruneStep>;
  /**
   * Forgets some of the causes of alerts, BOTs and days that nobody needs any more, and counts some of the callbacks that a
   * version before has not counted.
   * @returns whether there is more to do
   * @throws {LedgerUnavailable}
   */
  tidy(): Promise<boolean>;
}

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
