/** One round of telling: every claimed destination in parallel until all are through or the answer is due. */
import type { AttemptRecord, DeliveryRecord } from '../ledger/ledger.ts';
import type { Clock } from '../time/clock.ts';
import type { Trip } from './courier.ts';
import { attemptRecords } from './outcome.ts';
import type { Standing } from './verdict.ts';

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
  readonly early: ReadonlySet<number>;
  /** Resolves when all are through and written down; undefined where they are already. */
  readonly late: Promise<unknown> | undefined;
}

/**
 * Rejects only where `take` or a hook does.
 * @param deadline by the monotonic clock
 */
export function runRound(
  records: readonly DeliveryRecord[],
  take: (record: DeliveryRecord) => Promise<Trip>,
  deadline: number,
  clock: Clock,
  hooks: RoundHooks,
): Promise<Round> {
  const finished: FinishedTrip[] = [];
  const early = new Set<number>();
  let isDue = false;
  const finish = (record: DeliveryRecord, trip: Trip): Promise<unknown> | undefined => {
    if (isDue) return hooks.onLateFinish({ record, trip });
    finished.push({ record, trip });
    if (finished.length === records.length || !('receipt' in trip.outcome)) return undefined;
    early.add(record.id);
    return hooks.onEarlyFinish({ record, trip });
  };
  const settled = allOf(records.map((record) => take(record).then((trip) => finish(record, trip))));
  return new Promise((resolve, reject) => {
    const end = (late: Promise<unknown> | undefined): void => {
      isDue = true;
      stopTimer();
      resolve({ records, finished: [...finished], early, late });
    };
    const stopTimer = clock.startTimer(Math.max(0, deadline - clock.monotonic()), () => end(settled));
    settled.then(
      () => end(undefined),
      (error: Error) => {
        stopTimer();
        reject(error);
      },
    );
  });
}

/**
 * Rejects only once all are through: until then they need what the callback holds. Most often it is one, and a list takes
 * more promises.
 */
async function allOf(runs: readonly Promise<unknown>[]): Promise<unknown> {
  const [only] = runs;
  if (only !== undefined && runs.length === 1) return only;
  for (const end of await Promise.allSettled(runs)) if (end.status === 'rejected') throw end.reason;
  return undefined;
}

/** How each delivery stands when the answer is due. */
export function standingsOf(
  records: readonly DeliveryRecord[],
  finished: readonly FinishedTrip[],
  others: readonly DeliveryRecord[],
): Standing[] {
  const trips = new Map(finished.map(({ record, trip }) => [record.id, trip]));
  const own = records.map((record) => {
    const trip = trips.get(record.id);
    return { record, trip, isBeingMade: trip === undefined };
  });
  // What somebody else's attempts came to stands in the ledger already.
  const made = others.map((record) => ({ record, trip: undefined, isBeingMade: record.isClaimed }));
  return [...own, ...made].sort((a, b) => a.record.id - b.record.id);
}

/** What the ledger keeps of the attempts. */
export function attemptsOf(finished: readonly FinishedTrip[]): AttemptRecord[] {
  const attempts: AttemptRecord[] = [];
  for (const { record, trip } of finished) attempts.push(...attemptRecords(record, trip));
  return attempts;
}
