/** One callback in, everybody told who has not been, one honest answer out. */
import type { Callback } from '../callback/callback.ts';
import { identityOf } from '../callback/identity.ts';
import type {
  Admission,
  AttemptRecord,
  DeliveryRecord,
  DeliveryTarget,
  Ledger,
  Settlement,
} from '../ledger/ledger.ts';
import type { Clock } from '../time/clock.ts';
import type { Courier } from './courier.ts';
import type { KeyedQueue } from './keyed-queue.ts';
import type { Errand } from './messenger.ts';
import { type FinishedTrip, runRound } from './round.ts';
import {
  type DeliveryPolicy,
  errorOf,
  judge,
  type Standing,
  updateAfter,
  type Verdict,
  withRefusal,
} from './verdict.ts';

/** How often a delivery that somebody else is making is looked at. */
const WATCH_INTERVAL_MS = 200;

/** Whom a callback is to reach and how it should look there. */
export interface PlannedErrand extends DeliveryTarget {
  readonly templateSet: string | undefined;
  readonly options: Readonly<Record<string, unknown>>;
}

export interface Plan {
  readonly errands: readonly PlannedErrand[];
  /** Why each route matched or not, for the ledger. */
  readonly routing: unknown;
}

export interface BridgeDependencies {
  readonly clock: Clock;
  readonly ledger: Ledger;
  /** Shared by all who handle callbacks in this process, so that identical ones do not overtake each other. */
  readonly queue: KeyedQueue;
  readonly take: Courier;
  readonly answerWithinMs: number;
  readonly policy: DeliveryPolicy;
  readonly plan: (callback: Callback) => Plan;
  /** Milliseconds since the epoch. */
  readonly startedAt: (callback: Callback) => number;
  /** What was told could not be written down. */
  readonly onUnwritten: (error: unknown) => void;
}

/** One POST, from the moment its first byte came. */
export interface Incoming {
  readonly callback: Callback;
  readonly receivedAt: number;
}

export class Bridge {
  readonly #dependencies: BridgeDependencies;
  readonly #late = new Set<Promise<void>>();

  constructor(dependencies: BridgeDependencies) {
    this.#dependencies = dependencies;
  }

  /** @throws {LedgerUnavailable} before anyone is told, or when what is still to be told could not be written down */
  handle(incoming: Incoming): Promise<Verdict> {
    const identity = identityOf(incoming.callback);
    return this.#dependencies.queue.run(identity, () => this.#handle(incoming, identity));
  }

  /** Resolves when every delivery that outlived its answer is through. */
  async drained(): Promise<void> {
    while (this.#late.size > 0) await Promise.all(this.#late);
  }

  async #handle(incoming: Incoming, identity: string): Promise<Verdict> {
    const { ledger, answerWithinMs, plan, startedAt } = this.#dependencies;
    const { callback, receivedAt } = incoming;
    const deadline = receivedAt + answerWithinMs;
    const { errands, routing } = plan(callback);
    const admission = await ledger.admit({
      identity,
      callback,
      startedAt: startedAt(callback),
      receivedAt,
      planned: errands,
      routing,
    });
    const told = await this.#tell(admission, errandsOf(incoming, identity, admission, errands), deadline);
    const others = await this.#watchOthers(admission, deadline);
    return this.#answer(receivedAt, admission, told, others);
  }

  async #tell(
    admission: Admission,
    errandOf: (record: DeliveryRecord) => Errand,
    deadline: number,
  ): Promise<Told> {
    const { clock, take, onUnwritten } = this.#dependencies;
    const own = admission.deliveries.filter((record) => admission.claimed.has(record.id));
    const written = new Set<number>();
    const writing: Promise<void>[] = [];
    const round = await runRound(own, (record) => take(errandOf(record), deadline), deadline, clock, {
      onEarlyFinish: (finished) => {
        const early = this.#write(finished, admission).then(
          () => void written.add(finished.record.id),
          onUnwritten,
        );
        writing.push(early);
        return early;
      },
      onLateFinish: (finished) => this.#write(finished, admission).catch(onUnwritten),
    });
    this.#keepUntil(round.settled);
    await Promise.all(writing);
    return { own, finished: round.finished, written };
  }

  /** A delivery that another process, or an earlier request's late attempt, is making: its outcome is ours to answer, too. */
  async #watchOthers(admission: Admission, deadline: number): Promise<readonly DeliveryRecord[]> {
    const { clock, ledger } = this.#dependencies;
    let others = admission.deliveries.filter((record) => !admission.claimed.has(record.id));
    while (others.some((record) => isBeingMade(record, clock.now())) && clock.now() < deadline) {
      await clock.sleep(Math.min(WATCH_INTERVAL_MS, deadline - clock.now()));
      const all = await ledger.deliveriesOf(admission.callbackId);
      others = all.filter((record) => !admission.claimed.has(record.id));
    }
    return others;
  }

  async #answer(
    receivedAt: number,
    admission: Admission,
    { own, finished, written }: Told,
    others: readonly DeliveryRecord[],
  ): Promise<Verdict> {
    const { clock, policy } = this.#dependencies;
    const now = clock.now();
    const trips = new Map(finished.map(({ record, trip }) => [record.id, trip]));
    const standings: Standing[] = [
      ...own.map((record) => ({ record, trip: trips.get(record.id), isBeingMade: !trips.has(record.id) })),
      // What somebody else's attempts came to stands in the ledger already.
      ...others.map((record) => ({ record, trip: undefined, isBeingMade: isBeingMade(record, now) })),
    ].sort((a, b) => a.record.id - b.record.id);
    const { isSuperseded, firstReceivedAt, callbackId } = admission;
    const verdict = judge({ standings, isSuperseded, firstReceivedAt, now, policy });
    const unwritten = finished.filter(({ record }) => !written.has(record.id));
    await this.#writeAnswer(verdict, {
      attempts: unwritten.flatMap(attemptRecords),
      deliveries: verdict.updates.filter((update) => !written.has(update.id)),
      answer: { callbackId, receivedAt, answeredAt: now, status: verdict.status, result: verdict.result },
      isDurable: verdict.status !== 200 || verdict.result === 'gave_up',
    });
    return verdict;
  }

  /** That everybody was told stays true when it cannot be written; whatever is still to be done must not be answered 200. */
  async #writeAnswer(verdict: Verdict, settlement: Settlement): Promise<void> {
    try {
      await this.#dependencies.ledger.settle(settlement);
    } catch (error) {
      if (verdict.status === 200 && verdict.result === 'gave_up') throw error;
      this.#dependencies.onUnwritten(error);
    }
  }

  #write(finished: FinishedTrip, { firstReceivedAt }: Admission): Promise<void> {
    const { clock, ledger, policy } = this.#dependencies;
    const situation = { firstReceivedAt, now: clock.now(), policy };
    // A failure comes here only when it is late: the callback has been answered 504.
    const update = withRefusal(updateAfter(finished.record, finished.trip, situation));
    return ledger.settle({
      attempts: attemptRecords(finished),
      deliveries: [update],
      answer: undefined,
      isDurable: update.state !== 'delivered',
    });
  }

  #keepUntil(settled: Promise<void>): void {
    const late = settled.finally(() => this.#late.delete(late));
    this.#late.add(late);
  }
}

interface Told {
  readonly own: readonly DeliveryRecord[];
  readonly finished: readonly FinishedTrip[];
  /** Ids of those that the ledger knows already. */
  readonly written: ReadonlySet<number>;
}

function errandsOf(
  { callback }: Incoming,
  identity: string,
  { timesReceived }: Admission,
  planned: readonly PlannedErrand[],
): (record: DeliveryRecord) => Errand {
  const byDestination = new Map(planned.map((errand) => [errand.destination, errand]));
  return ({ destination, channel, address }) => {
    const { templateSet, options } = byDestination.get(destination) ?? {
      templateSet: undefined,
      options: {},
    };
    return { callback, identity, destination, channel, address, templateSet, options, timesReceived };
  };
}

function isBeingMade({ state, claimedUntil }: DeliveryRecord, now: number): boolean {
  return state === 'pending' && claimedUntil !== undefined && claimedUntil > now;
}

function attemptRecords({ record, trip }: FinishedTrip): AttemptRecord[] {
  return trip.attempts.map(({ startedAt, durationMs, outcome }) => {
    const failure = 'failure' in outcome ? errorOf(outcome.failure) : undefined;
    return {
      deliveryId: record.id,
      startedAt,
      durationMs,
      outcome: failure?.class ?? 'delivered',
      error: failure,
    };
  });
}
