/** One round of telling: every claimed destination in parallel until all are through or the answer is due. */
import type { DeliveryRecord } from '../ledger/ledger.ts';
import type { Clock } from '../time/clock.ts';
import type { Trip } from './courier.ts';

export interface FinishedTrip {
  readonly record: DeliveryRecord;
  readonly trip: Trip;
}

export interface RoundHooks {
  /** A destination was told while others are still open: worth writing down at once, a crash must not forget it. */
  readonly onEarlyFinish: (finished: FinishedTrip) => Promise<unknown>;
  /** A destination came through after the answer was due. */
  readonly onLateFinish: (finished: FinishedTrip) => Promise<unknown>;
}

export interface Round {
  /** Whom it was to tell. */
  readonly records: readonly DeliveryRecord[];
  /** What came through before the answer was due. */
  readonly finished: readonly FinishedTrip[];
  /** Of these, by their records' ids, what `onEarlyFinish` has had. */
  readonly early: readonly number[];
  /** Resolves when all are through and written down; undefined where they are already. */
  readonly late: Promise<unknown> | undefined;
}

/** Rejects only where `take` or a hook does. */
export function runRound(
  records: readonly DeliveryRecord[],
  take: (record: DeliveryRecord) => Promise<Trip>,
  deadline: number,
  clock: Clock,
  hooks: RoundHooks,
): Promise<Round> {
  const finished: FinishedTrip[] = [];
  const early: number[] = [];
  let isDue = false;
  const finish = (record: DeliveryRecord, trip: Trip): Promise<unknown> | undefined => {
    if (isDue) return hooks.onLateFinish({ record, trip });
    finished.push({ record, trip });
    if (finished.length === records.length || !('receipt' in trip.outcome)) return undefined;
    early.push(record.id);
    return hooks.onEarlyFinish({ record, trip });
  };
  const settled = allOf(records.map((record) => take(record).then((trip) => finish(record, trip))));
  return new Promise((resolve, reject) => {
    const end = (late: Promise<unknown> | undefined): void => {
      isDue = true;
      stopTimer();
      resolve({ records, finished: [...finished], early, late });
    };
    const stopTimer = clock.startTimer(Math.max(0, deadline - clock.now()), () => end(settled));
    settled.then(
      () => end(undefined),
      (error: Error) => {
        stopTimer();
        reject(error);
      },
    );
  });
}

/** Most often it is one, and a list takes more promises. */
function allOf(runs: readonly Promise<unknown>[]): Promise<unknown> {
  const [only] = runs;
  return only !== undefined && runs.length === 1 ? only : Promise.all(runs);
}
