/** What a process needs to know to have the ledger hold the timers of its config. */
import type { Tx } from '../database.ts';
import { digestFrom } from './digest.ts';
import { openRuns } from './runs.ts';
import { timersOf } from './timers.ts';

/** @param marginMs as for `digestCounts` */
export async function standing(
  tx: Tx,
  { marginMs, isWatchingRuns }: { readonly marginMs: number; readonly isWatchingRuns: boolean },
) {
  return {
    now: tx.now,
    /** Timers that a config asks for, of whichever config. */
    begun: await timersOf(tx, ['digest', 'expect']),
    digest: await digestFrom(tx, { since: tx.now, position: 0 }, marginMs),
    runs: isWatchingRuns ? await openRuns(tx) : [],
  };
}
