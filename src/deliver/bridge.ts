/** One callback in, everybody told who has not been, one honest answer out. */
import type { Callback } from '../callback/callback.ts';
import { likenessOf } from '../callback/identity.ts';
import { DeliveryFailure } from '../channels/failure.ts';
import type {
  Admission,
  AttemptRecord,
  DeliveryRecord,
  DeliveryUpdate,
  Ledger,
  Settlement,
} from '../ledger/ledger.ts';
import type { Clock } from '../time/clock.ts';
import { UnderWay } from '../time/under-way.ts';
import type { Courier, Trip } from './courier.ts';
import type { KeyedQueue } from './keyed-queue.ts';
import type { Errand } from './messenger.ts';
import {
  attemptRecords,
  type DeliveryPolicy,
  type OutcomeContext,
  updateAfter,
  withRefusal,
} from './outcome.ts';
import { errandFor, type Plan, plannedFor } from './plan.ts';
import { type FinishedTrip, type Round, runRound } from './round.ts';
import type { GivenUp } from './trouble.ts';
import { timeBudgetOf } from './time-budget.ts';
import { judge, judgeAccepted, type Standing, type Verdict } from './verdict.ts';

/** How often a delivery that somebody else is making is looked at. */
const WATCH_INTERVAL_MS = 200;

export interface BridgeDependencies {
  readonly clock: Clock;
  readonly ledger: Ledger;
  /** Shared by all who handle callbacks in this process, so that identical ones do not overtake each other. */
  readonly queue: KeyedQueue;
  readonly take: Courier;
  readonly answerWithinMs: number;
  readonly answerWhen: 'delivered' | 'accepted';
  readonly policy: DeliveryPolicy;
  readonly plan: (callback: Callback) => Plan;
  /** Milliseconds since the epoch. */
  readonly startedAt: (callback: Callback) => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** A delivery is waiting for the worker. */
  readonly onDue: () => void;
  readonly onGivenUp: (callback: Callback, given: GivenUp) => void;
  /** What was told could not be written down. */
  readonly onUnwritten: (error: unknown) => void;
}

/** One POST, from the moment its body was there: how slowly the sender sends is not the answer's time. */
export interface Incoming {
  readonly callback: Callback;
  /** The JSON that it was read from, in UTF-8. */
  readonly body: Uint8Array;
  readonly receivedAt: number;
}

export class Bridge {
  readonly #dependencies: BridgeDependencies;
  /** Deliveries, which may outlive their answers, and answers that nobody waits for. */
  readonly #late = new UnderWay();

  constructor(dependencies: BridgeDependencies) {
    this.#dependencies = dependencies;
  }

  /** @throws {LedgerUnavailable} before anyone is told, or when what is still to be told could not be written down */
  handle(incoming: Incoming): Promise<Verdict> {
    return this.#dependencies.queue.run(likenessOf(incoming.callback), () => this.#handle(incoming));
  }

  /** Resolves when every delivery that outlived its answer is through. */
  drained(): Promise<void> {
    return this.#late.idle();
  }

  async #handle(incoming: Incoming): Promise<Verdict> {
    const { callback, receivedAt } = incoming;
    const { clock, answerWithinMs, answerWhen } = this.#dependencies;
    const plan = this.#dependencies.plan(callback);
    const isAccepted = answerWhen === 'accepted';
    const { tellUntil: deadline, writeUntil } = timeBudgetOf(receivedAt, answerWithinMs);
    const admission = await this.#admit(incoming, plan, writeUntil);
    if (isAccepted) return this.#accept(receivedAt, admission);
    const { timesReceived } = admission;
    const errandOf = (record: DeliveryRecord) =>
      errandFor({ callback, timesReceived }, plannedFor(record, plan));
    const round = await this.#tell(callback, admission, errandOf, deadline);
    if (round.late !== undefined) this.#late.until(round.late);
    // What another process, or an earlier request's late attempt, is making is ours to answer, too.
    let others = othersIn(admission, admission.deliveries);
    while (others.some(({ isClaimed }) => isClaimed) && clock.now() < deadline) {
      others = await this.#othersAfterAWhile(admission, deadline);
    }
    return this.#answer(incoming, admission, round, others, writeUntil);
  }

  #admit({ callback, body, receivedAt }: Incoming, plan: Plan, until: number): Promise<Admission> {
    const { answerWhen, clock, ledger, startedAt } = this.#dependencies;
    const arrival = {
      callback,
      body,
      startedAt: startedAt(callback),
      receivedAt,
      planned: plan.errands,
      routing: plan.routing,
      isAccepted: answerWhen === 'accepted',
    };
    return ledger.admit(arrival, until - clock.now());
  }

  /** It is on disk, so the service may forget it. */
  #accept(receivedAt: number, { callbackId, deliveries, isSuperseded }: Admission): Verdict {
    const { clock, ledger, onDue, onUnwritten } = this.#dependencies;
    const verdict = judgeAccepted(deliveries, isSuperseded);
    const { status, result } = verdict;
    const answer = { receivedAt, answeredAt: clock.now(), status, result };
    const history = { callbackId, attempts: [], answer };
    this.#late.until(ledger.settle({ deliveries: [], history, isDurable: false }).catch(onUnwritten));
    onDue();
    return verdict;
  }

  /** What cannot be written down is only reported. */
  #tell(
    callback: Callback,
    admission: Admission,
    errandOf: (record: DeliveryRecord) => Errand,
    deadline: number,
  ): Promise<Round> {
    const { clock, onUnwritten } = this.#dependencies;
    const take = (record: DeliveryRecord) =>
      admission.blocked.includes(record.id)
        ? this.#takeInTurn(record, errandOf(record), deadline)
        : this.#dependencies.take(errandOf(record), deadline);
    const own = admission.deliveries.filter(({ id }) => admission.claimed.includes(id));
    return runRound(own, take, deadline, clock, {
      // The ledger keeps what it cannot write, so once is enough.
      onEarlyFinish: (finished) => this.#write(finished, admission).catch(onUnwritten),
      onLateFinish: (finished) => this.#writeLate(callback, finished, admission).catch(onUnwritten),
    });
  }

  /** An earlier callback of the job that is on its way to the same destination goes first. */
  async #takeInTurn(record: DeliveryRecord, errand: Errand, deadline: number): Promise<Trip> {
    const { clock, ledger, take } = this.#dependencies;
    let isWaiting = true;
    while (isWaiting && clock.now() < deadline) {
      await clock.sleep(Math.min(WATCH_INTERVAL_MS, deadline - clock.now()));
      isWaiting = await ledger.isBlocked(record.id, deadline - clock.now()).catch(() => true);
    }
    return isWaiting ? OUT_OF_TURN : take(errand, deadline);
  }

  async #othersAfterAWhile(admission: Admission, deadline: number): Promise<readonly DeliveryRecord[]> {
    const { clock, ledger } = this.#dependencies;
    await clock.sleep(Math.min(WATCH_INTERVAL_MS, deadline - clock.now()));
    // What was told by this request must still be written down when the ledger cannot be read.
    const all = await ledger
      .deliveriesOf(admission.callbackId, deadline - clock.now())
      .catch(() => admission.deliveries);
    return othersIn(admission, all);
  }

  async #answer(
    { callback, receivedAt }: Incoming,
    admission: Admission,
    { records, finished, early }: Round,
    others: readonly DeliveryRecord[],
    until: number,
  ): Promise<Verdict> {
    const { clock, onGivenUp } = this.#dependencies;
    const standings: Standing[] = [
      ...records.map((record) => {
        const trip = finished.find((each) => each.record === record)?.trip;
        return { record, trip, isBeingMade: trip === undefined };
      }),
      // What somebody else's attempts came to stands in the ledger already.
      ...others.map((record) => ({ record, trip: undefined, isBeingMade: record.isClaimed })),
    ].sort((a, b) => a.record.id - b.record.id);
    const { isSuperseded, callbackId } = admission;
    const verdict = judge({ context: this.#contextOf(admission), standings, isSuperseded });
    const { status, result } = verdict;
    const settlement = {
      deliveries: verdict.updates.filter(({ id }) => !early.includes(id)),
      history: {
        callbackId,
        attempts: attemptsOf(finished.filter(({ record }) => !early.includes(record.id))),
        answer: { receivedAt, answeredAt: clock.now(), status, result },
      },
      isDurable: mustSurvive(verdict),
    };
    await this.#writeAnswer(verdict, settlement, until - clock.now());
    for (const given of givenUpIn(verdict, standings)) onGivenUp(callback, given);
    return verdict;
  }

  /** That everybody was told stays true when it cannot be written; whatever is still to be done must not be answered 200. */
  #writeAnswer(verdict: Verdict, settlement: Settlement, withinMs: number): Promise<void> {
    return this.#dependencies.ledger.settle(settlement, withinMs).catch((error: unknown) => {
      if (verdict.status === 200 && mustSurvive(verdict)) throw error;
      this.#dependencies.onUnwritten(error);
    });
  }

  /** A failure comes here only when it is late: the callback has been answered already. */
  async #write({ record, trip }: FinishedTrip, admission: Admission): Promise<DeliveryUpdate> {
    const update = withRefusal(updateAfter(record, trip, this.#contextOf(admission)));
    await this.#dependencies.ledger.settle({
      deliveries: [update],
      history: {
        callbackId: admission.callbackId,
        attempts: attemptRecords(record, trip),
        answer: undefined,
      },
      isDurable: update.state !== 'delivered',
    });
    return update;
  }

  async #writeLate(callback: Callback, finished: FinishedTrip, admission: Admission): Promise<void> {
    const { state, lastError } = await this.#write(finished, admission);
    if (state === 'dead') this.#dependencies.onGivenUp(callback, { ...finished.record, error: lastError });
  }

  #contextOf({ firstReceivedAt }: Admission): OutcomeContext {
    const { clock, policy, random } = this.#dependencies;
    return { firstReceivedAt, now: clock.now(), policy, random: random() };
  }
}

function othersIn({ claimed }: Admission, deliveries: readonly DeliveryRecord[]): readonly DeliveryRecord[] {
  return deliveries.filter(({ id }) => !claimed.includes(id));
}

const OUT_OF_TURN: Trip = {
  attempts: [],
  outcome: {
    failure: new DeliveryFailure({
      class: 'transient',
      code: 'out_of_turn',
      message: 'an earlier message of the same job is still on its way there',
    }),
  },
};

function attemptsOf(finished: readonly FinishedTrip[]): AttemptRecord[] {
  const attempts: AttemptRecord[] = [];
  for (const { record, trip } of finished) attempts.push(...attemptRecords(record, trip));
  return attempts;
}

function givenUpIn({ updates }: Verdict, standings: readonly Standing[]): GivenUp[] {
  const dead = updates.filter(({ state }) => state === 'dead');
  return dead.flatMap(({ id, lastError }) => {
    const record = standings.find((standing) => standing.record.id === id)?.record;
    return record === undefined ? [] : { ...record, error: lastError };
  });
}

/** Answered while somebody is still to be told, or never will be: a power cut must not undo that it is known. */
function mustSurvive({ status, result }: Verdict): boolean {
  return status !== 200 || result === 'gave_up' || result === 'taken_over';
}
