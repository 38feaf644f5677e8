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
import { noticeOf } from '../notice/notice.ts';
import type { Clock } from '../time/clock.ts';
import { UnderWay } from '../time/under-way.ts';
import { type AlertSettings, type Concerned, withAlert } from './alerts.ts';
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
  readonly alerts: AlertSettings;
  readonly plan: (callback: Callback) => Plan;
  /** Milliseconds since the epoch. */
  readonly startedAt: (callback: Callback) => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** A delivery is waiting for the worker. */
  readonly onDue: () => void;
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
    const admission = await this.#admit(incoming, plan, isAccepted);
    if (isAccepted) return this.#accept(receivedAt, admission);
    const notice = noticeOf(callback, admission.timesReceived);
    const errandOf = (record: DeliveryRecord) => errandFor(notice, plannedFor(record, plan));
    const deadline = receivedAt + answerWithinMs;
    const round = await this.#tell(callback, admission, errandOf, deadline);
    if (round.late !== undefined) this.#late.until(round.late);
    // What another process, or an earlier request's late attempt, is making is ours to answer, too.
    let others = othersIn(admission, admission.deliveries);
    while (others.some(({ isClaimed }) => isClaimed) && clock.now() < deadline) {
      others = await this.#othersAfterAWhile(admission, deadline);
    }
    return this.#answer(incoming, admission, round, others);
  }

  #admit({ callback, body, receivedAt }: Incoming, plan: Plan, isAccepted: boolean): Promise<Admission> {
    const { ledger, startedAt } = this.#dependencies;
    return ledger.admit({
      callback,
      body,
      startedAt: startedAt(callback),
      receivedAt,
      planned: plan.errands,
      routing: plan.routing,
      isAccepted,
    });
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
      onEarlyFinish: (finished) => this.#write(callback, finished, admission).catch(onUnwritten),
      onLateFinish: (finished) => this.#write(callback, finished, admission).catch(onUnwritten),
    });
  }

  /** An earlier callback of the job that is on its way to the same destination goes first. */
  async #takeInTurn(record: DeliveryRecord, errand: Errand, deadline: number): Promise<Trip> {
    const { clock, ledger, take } = this.#dependencies;
    let isWaiting = true;
    while (isWaiting && clock.now() < deadline) {
      await clock.sleep(Math.min(WATCH_INTERVAL_MS, deadline - clock.now()));
      isWaiting = await ledger.isBlocked(record.id).catch(() => true);
    }
    return isWaiting ? OUT_OF_TURN : take(errand, deadline);
  }

  async #othersAfterAWhile(admission: Admission, deadline: number): Promise<readonly DeliveryRecord[]> {
    const { clock, ledger } = this.#dependencies;
    await clock.sleep(Math.min(WATCH_INTERVAL_MS, deadline - clock.now()));
    // What was told by this request must still be written down when the ledger cannot be read.
    const all = await ledger.deliveriesOf(admission.callbackId).catch(() => admission.deliveries);
    return othersIn(admission, all);
  }

  async #answer(
    { callback, receivedAt }: Incoming,
    admission: Admission,
    { records, finished, early }: Round,
    others: readonly DeliveryRecord[],
  ): Promise<Verdict> {
    const { clock } = this.#dependencies;
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
    await this.#writeAnswer(verdict, {
      deliveries: this.#withAlerts(
        verdict.updates.filter(({ id }) => !early.includes(id)),
        standings,
        { callback, firstReceivedAt: admission.firstReceivedAt },
      ),
      history: {
        callbackId,
        attempts: attemptsOf(finished.filter(({ record }) => !early.includes(record.id))),
        answer: { receivedAt, answeredAt: clock.now(), status, result },
      },
      isDurable: mustSurvive(verdict),
    });
    return verdict;
  }

  #withAlerts(
    updates: readonly DeliveryUpdate[],
    standings: readonly Standing[],
    concerned: Concerned,
  ): readonly DeliveryUpdate[] {
    if (updates.every(({ lastError }) => lastError === undefined)) return updates;
    const records = new Map(standings.map(({ record }) => [record.id, record]));
    return updates.map((update) => {
      const record = records.get(update.id);
      return record === undefined ? update : this.#withAlert(update, record, concerned);
    });
  }

  #withAlert(update: DeliveryUpdate, record: DeliveryRecord, concerned: Concerned): DeliveryUpdate {
    return withAlert(update, record, concerned, this.#dependencies.alerts);
  }

  /** That everybody was told stays true when it cannot be written; whatever is still to be done must not be answered 200. */
  #writeAnswer(verdict: Verdict, settlement: Settlement): Promise<void> {
    return this.#settle(settlement).catch((error: unknown) => {
      if (verdict.status === 200 && mustSurvive(verdict)) throw error;
      this.#dependencies.onUnwritten(error);
    });
  }

  /** A failure comes here only when it is late: the callback has been answered already. */
  async #write(callback: Callback, { record, trip }: FinishedTrip, admission: Admission): Promise<void> {
    const update = withRefusal(updateAfter(record, trip, this.#contextOf(admission)));
    const { firstReceivedAt } = admission;
    await this.#settle({
      deliveries: [this.#withAlert(update, record, { callback, firstReceivedAt })],
      history: {
        callbackId: admission.callbackId,
        attempts: attemptRecords(record, trip),
        answer: undefined,
      },
      isDurable: update.state !== 'delivered',
    });
  }

  async #settle(settlement: Settlement): Promise<void> {
    const { ledger, onDue } = this.#dependencies;
    await ledger.settle(settlement);
    // Alerts are the worker's to deliver.
    if (settlement.deliveries.some(({ alert }) => alert !== undefined)) onDue();
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

/** Answered while somebody is still to be told, or never will be: a power cut must not undo that it is known. */
function mustSurvive({ status, result }: Verdict): boolean {
  return status !== 200 || result === 'gave_up' || result === 'taken_over';
}
