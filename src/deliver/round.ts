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
  readonly onEarlyFinish: (finished: FinishedTrip) => Promise<void>;
  /** A destination came through after the answer was due. */
  readonly onLateFinish: (finished: FinishedTrip) => Promise<void>;
}

export interface Round {
  /** What came through before the answer was due. */
  readonly finished: readonly FinishedTrip[];
  /** Resolves when the late ones are through and written down, too; never rejects while the hooks do not. */
  readonly settled: Promise<void>;
}

export async function runRound(
  records: readonly DeliveryRecord[],
  take: (record: DeliveryRecord) => Promise<Trip>,
  deadline: number,
  clock: Clock,
  hooks: RoundHooks,
): Promise<Round> {
  const finished: FinishedTrip[] = [];
  let open = records.length;
  let isDue = false;
  const runs = records.map(async (record) => {
    const trip = await take(record);
    open -= 1;
    if (isDue) return hooks.onLateFinish({ record, trip });
    finished.push({ record, trip });
    return open > 0 && 'receipt' in trip.outcome ? hooks.onEarlyFinish({ record, trip }) : undefined;
  });
  const settled = Promise.all(runs).then(() => undefined);
  if (records.length > 0) await untilDone(settled, deadline, clock);
  isDue = true;
  return { finished: [...finished], settled };
}

/** Resolves when all is settled or the deadline has come. */
function untilDone(settled: Promise<void>, deadline: number, clock: Clock): Promise<void> {
  return new Promise((resolve, reject) => {
    const stopTimer = clock.startTimer(Math.max(0, deadline - clock.now()), resolve);
    const end = (settle: () => void): void => {
      stopTimer();
      settle();
    };
    settled.then(
      () => end(resolve),
      (error: Error) => end(() => reject(error)),
    );
  });
}
