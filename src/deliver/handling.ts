/** One callback while it is handled: what came, the time there is for it, and its deliveries, all at once. */
import type { CheckedCallback } from '../callback/callback.ts';
import type { Admission, AttemptRecord, DeliveryRecord } from '../ledger/ledger.ts';
import { noticeOf } from '../notice/notice.ts';
import type { DeliveryUnderWay } from './deliveries-under-way.ts';
import type { Occupancy } from './capacity.ts';
import { addressed, type AddressedNotice, type Plan, plannedFor, type Settings } from './settings.ts';
import type { Clock } from '../time/clock.ts';
import type { SendResult } from './sender.ts';
import { attemptRecords, type Standing } from './outcome.ts';

/** One POST, from the moment its body was there: how slowly the sender sends is not the answer's time. */
export interface Incoming extends CheckedCallback {
  /** The JSON that it was read from, in UTF-8. */
  readonly body: Uint8Array;
  readonly receivedAt: number;
  /** The same moment by the monotonic clock. */
  readonly arrivedAt: number;
  /** What the callback takes of memory is in use until this has settled, even if its answer is out before. */
  readonly keepUntil: (late: Promise<unknown>) => void;
}

/** Of `answer_within`, and at most so much; a store that works needs a hundredth of it. */
const SHARE = 0.05;
const MOST_MS = 250;

/** For the answer itself to be on its way. */
const ANSWERING = 0.4;

/** Of `answer_within`: whose turn in its job comes later would hardly be told in time, and all who wait stop at once. */
const WAITING = 3 / 4;

export interface TimeBudget {
  /** Whoever waits for his turn in a job waits until here, by the monotonic clock. */
  readonly waitUntil: number;
  /** Whoever is to be told is told until here, by the monotonic clock. */
  readonly tellUntil: number;
  /** The store is waited for until here, whatever it is asked. */
  readonly writeUntil: number;
  /** An outcome that comes later than it should, since the process is busy, is waited for so many milliseconds all the same. */
  readonly leastWriteMs: number;
}

export function timeBudgetOf(arrivedAt: number, answerWithinMs: number): TimeBudget {
  const answerBy = arrivedAt + answerWithinMs;
  const reserveMs = Math.min(answerWithinMs * SHARE, MOST_MS);
  const waitUntil = arrivedAt + answerWithinMs * WAITING;
  const leastWriteMs = reserveMs * ANSWERING;
  return { waitUntil, tellUntil: answerBy - reserveMs, writeUntil: answerBy - leastWriteMs, leastWriteMs };
}

/** Milliseconds for which the store is waited for to write down what came of the attempts. */
export function timeToWrite({ writeUntil, leastWriteMs }: TimeBudget, now: number): number {
  return Math.max(leastWriteMs, writeUntil - now);
}

export interface Handling {
  readonly incoming: Incoming;
  /** In force when it came, and its own to the end. */
  readonly settings: Settings;
  readonly admission: Admission;
  /** Its deliveries by their ids. */
  readonly records: ReadonlyMap<number, DeliveryRecord>;
  readonly plan: Plan;
  readonly budget: TimeBudget;
  readonly occupancy: Occupancy;
  /** Those that are this request's to make, by their ids. */
  readonly underWay: ReadonlyMap<number, DeliveryUnderWay>;
}

export function ownOf({ admission, underWay }: Handling): readonly DeliveryRecord[] {
  const { deliveries } = admission;
  return underWay.size === deliveries.length ? deliveries : deliveries.filter(({ id }) => underWay.has(id));
}

/** Undefined: the config does not send it there any more. */
export function noticeFor(
  { incoming, admission, plan }: Handling,
  record: DeliveryRecord,
): AddressedNotice | undefined {
  const planned = plannedFor(record, plan);
  return planned && addressed(noticeOf(incoming, admission.timesReceived), planned);
}

export interface Finished {
  readonly record: DeliveryRecord;
  readonly sent: SendResult;
}

export interface FanOut {
  /** Whom it was to tell. */
  readonly records: readonly DeliveryRecord[];
  /** What came through before the answer was due. */
  readonly finished: readonly Finished[];
  /** Of these, by their records' ids, what `onFinish` has had. */
  readonly early: ReadonlySet<number>;
  /** Resolves when all are through and written down; undefined where they are already. */
  readonly late: Promise<unknown> | undefined;
}

/**
 * Rejects only where `send` or `onFinish` does.
 * @param deadline by the monotonic clock
 * @param onFinish a destination was told while others are still open, which a crash must not forget; or, late, one came
 *   through after the answer was due
 */
export function startFanOut(
  records: readonly DeliveryRecord[],
  send: (record: DeliveryRecord) => Promise<SendResult>,
  deadline: number,
  clock: Clock,
  onFinish: (finished: Finished, isLate: boolean) => Promise<unknown>,
): Promise<FanOut> {
  const finished: Finished[] = [];
  const early = new Set<number>();
  let isDue = false;
  const finish = (record: DeliveryRecord, sent: SendResult): Promise<unknown> | undefined => {
    if (isDue) return onFinish({ record, sent }, true);
    finished.push({ record, sent });
    if (finished.length === records.length || !('receipt' in sent.outcome)) return undefined;
    early.add(record.id);
    return onFinish({ record, sent }, false);
  };
  const settled = allOf(records.map((record) => send(record).then((sent) => finish(record, sent))));
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
  finished: readonly Finished[],
  others: readonly DeliveryRecord[],
): Standing[] {
  const results = new Map(finished.map(({ record, sent }) => [record.id, sent]));
  const own = records.map((record) => {
    const sent = results.get(record.id);
    return { record, sent, isBeingMade: sent === undefined };
  });
  // What somebody else's attempts came to stands in the ledger already.
  const made = others.map((record) => ({ record, sent: undefined, isBeingMade: record.isClaimed }));
  return [...own, ...made].sort((a, b) => a.record.id - b.record.id);
}

/** What the ledger keeps of the attempts. */
export function attemptsOf(finished: readonly Finished[]): AttemptRecord[] {
  const attempts: AttemptRecord[] = [];
  for (const { record, sent } of finished) attempts.push(...attemptRecords(record, sent));
  return attempts;
}
