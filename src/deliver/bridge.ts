/** One callback in, everybody told who has not been, one honest answer out. */
import type { Admission, BlockedDelivery, DeliveryRecord, Ledger } from '../ledger/ledger.ts';
import { addressedTo } from './addressed.ts';
import { noticeOf } from '../notice/notice.ts';
import { type Clock, UnderWay } from '../time/clock.ts';
import type { Send, SendResult } from './sender.ts';
import type { DeliveryUnderWay, TurnsOfJobs } from './deliveries-under-way.ts';
import {
  type Finished,
  type Handling,
  type Incoming,
  OutcomeWriter,
  type OutcomeWriterDependencies,
  timeBudgetOf,
} from './handling.ts';
import type { Deferral } from './lanes.ts';
import { type Capacity, Occupancy, partyOf } from './capacity.ts';
import { planFor, plannedFor, type RunningSettings, type Settings } from './settings.ts';
import type { Rerouter } from './rerouter.ts';
import { judgeAccepted, type Verdict } from './outcome.ts';

export interface BridgeDependencies extends OutcomeWriterDependencies {
  readonly ledger: Ledger;
  readonly turns: TurnsOfJobs;
  readonly capacity: Capacity;
  readonly send: Send;
  readonly rerouter: Rerouter;
  readonly settings: Pick<RunningSettings, 'current' | 'keepUntil'>;
}

/** Of `answer_within`: who is still without a slot then is sooner through when the service posts it again. */
const WAIT_FOR_SLOT = 1 / 4;

export class Bridge {
  readonly #dependencies: BridgeDependencies;
  readonly #outcomes: OutcomeWriter;
  /** Deliveries, which may outlive their answers, and answers that nobody waits for. */
  readonly #late = new UnderWay();

  constructor(dependencies: BridgeDependencies) {
    this.#dependencies = dependencies;
    this.#outcomes = new OutcomeWriter(dependencies);
  }

  /**
   * @throws {Overloaded} before it is looked at
   * @throws {LedgerUnavailable} before anyone is told, or when what is still to be told could not be written down
   */
  handle(incoming: Incoming): Promise<Verdict> {
    const { settings } = this.#dependencies;
    const { current } = settings;
    const handled = this.#handle(incoming, current);
    settings.keepUntil(current, handled);
    return handled;
  }

  /** Resolves when every delivery that outlived its answer is through. */
  drained(): Promise<void> {
    return this.#late.idle();
  }

  async #handle(incoming: Incoming, settings: Settings): Promise<Verdict> {
    const { capacity, clock } = this.#dependencies;
    const { answerWithinMs } = settings.answer;
    const party = partyOf(incoming.callback);
    const { waitUntil } = timeBudgetOf(incoming.arrivedAt, answerWithinMs);
    const deadline = Math.min(clock.monotonic() + answerWithinMs * WAIT_FOR_SLOT, waitUntil);
    await capacity.slots.take(party.botId, deadline);
    const occupancy = new Occupancy(capacity, party);
    try {
      return await this.#handleWithSlot(incoming, settings, occupancy);
    } finally {
      occupancy.end();
    }
  }

  async #handleWithSlot(incoming: Incoming, settings: Settings, occupancy: Occupancy): Promise<Verdict> {
    const { clock, ledger, rerouter } = this.#dependencies;
    const { callback, startedAt, body, receivedAt, arrivedAt } = incoming;
    const { answerWithinMs, answerWhen } = settings.answer;
    const plan = planFor(settings, callback);
    const isAccepted = answerWhen === 'accepted';
    const budget = timeBudgetOf(arrivedAt, answerWithinMs);
    const { targets: planned, routing } = plan;
    const arrival = { callback, body, startedAt, receivedAt, planned, routing, isAccepted };
    const admitted = await ledger.admit(arrival, budget.writeUntil - clock.monotonic());
    const admission = admitted.isNew ? admitted : await rerouter.withRevived(admitted, plan, settings);
    if (isAccepted) return this.#accept(receivedAt, admission);
    const notice = noticeOf(incoming, admission.timesReceived);
    const underWay = new Map(admission.claimed.map((id) => [id, this.#dependencies.underWay.begin(id)]));
    return this.#deliver({ incoming, settings, admission, notice, plan, budget, occupancy, underWay });
  }

  /** It is on disk, so the service may forget it. */
  #accept(receivedAt: number, { callbackId, deliveries, isSuperseded }: Admission): Verdict {
    const { clock, ledger, onDue, onUnwritten } = this.#dependencies;
    const verdict = judgeAccepted(deliveries, isSuperseded);
    const { status, result } = verdict;
    const answer = { receivedAt, answeredAt: clock.now(), status, result };
    const history = { callbackId, attempts: [], answer };
    this.#late.until(ledger.settle({ deliveries: [], history, isDurable: false }).catch(onUnwritten));
    onDue(deliveries.filter(({ state }) => state === 'pending').map(({ destination }) => destination));
    return verdict;
  }

  async #deliver(handling: Handling): Promise<Verdict> {
    try {
      const telling = this.#tell(handling);
      // What begins at once has begun; the callback itself only waits for it.
      handling.occupancy.rest();
      const fanOut = await telling;
      if (fanOut.late !== undefined) {
        this.#late.until(fanOut.late);
        this.#dependencies.settings.keepUntil(handling.settings, fanOut.late);
        handling.incoming.keepUntil(fanOut.late);
      }
      const others = await this.#othersOnceThrough(handling);
      return await this.#outcomes.answer(handling, fanOut.finished, fanOut.early, others);
    } catch (error) {
      this.#outcomes.abandon(handling);
      throw error;
    }
  }

  /** What cannot be written down is only reported. */
  #tell(handling: Handling): Promise<FanOut> {
    const { clock, onUnwritten } = this.#dependencies;
    const { admission, underWay, budget } = handling;
    const blocked = new Map(admission.blocked.map((each) => [each.id, each]));
    const own = admission.deliveries.filter(({ id }) => underWay.has(id));
    const send = (record: DeliveryRecord) => this.#send(handling, record, blocked.get(record.id));
    // The ledger keeps what it cannot write, so once is enough.
    const onFinish = (finished: Finished, isLate: boolean) =>
      this.#outcomes.finish(handling, finished, isLate).catch(onUnwritten);
    return startFanOut(own, send, budget.tellUntil, clock, onFinish);
  }

  /** Who waits for his turn holds no slot until it comes. */
  async #send(
    handling: Handling,
    record: DeliveryRecord,
    blocked: BlockedDelivery | undefined,
  ): Promise<SendResult> {
    const { settings, admission, notice, plan, budget, occupancy, underWay } = handling;
    const deadline = budget.tellUntil;
    const delivery = underWay.get(record.id) as DeliveryUnderWay;
    const planned = plannedFor(record, plan);
    if (planned === undefined) return defer(delivery, 'config');
    if (blocked !== undefined) {
      const isNext = await occupancy.wait(() => this.#dependencies.turns.isNext(blocked, budget.waitUntil));
      if (isNext !== true) return defer(delivery, isNext === undefined ? 'share' : 'order');
    }
    if (!occupancy.enter(record.channel)) return defer(delivery, 'share');
    try {
      const { firstReceivedAt } = admission;
      const now = this.#dependencies.clock.now();
      const addressed = addressedTo(notice, planned, record, { firstReceivedAt, now });
      return await this.#dependencies.send({ addressed, settings, delivery, deadline, rank: 'new' });
    } finally {
      occupancy.leave(record.channel);
    }
  }

  /**
   * What another process, or an earlier request, is attempting is ours to answer, too. Where too many wait for it already,
   * it is taken over.
   */
  async #othersOnceThrough({
    admission,
    underWay,
    budget,
    occupancy,
  }: Handling): Promise<readonly DeliveryRecord[]> {
    const { clock, turns } = this.#dependencies;
    const others = admission.deliveries.filter(({ id }) => !underWay.has(id));
    if (!others.some(({ isClaimed }) => isClaimed)) return others;
    const through = await occupancy.wait(() =>
      turns.onceThrough(admission.callbackId, others, budget.tellUntil),
    );
    if (through !== undefined && clock.monotonic() >= budget.tellUntil) return through;
    return turns.takeOver(through ?? others, budget.writeUntil);
  }
}

/** What waits for this one within its job goes the same way. */
function defer(delivery: DeliveryUnderWay, deferred: Deferral): SendResult {
  delivery.stall();
  return { attempts: [], outcome: { deferred } };
}

export interface FanOut {
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
      resolve({ finished: [...finished], early, late });
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

/** Rejects only once all are through: until then they need what the callback holds. */
async function allOf(runs: readonly Promise<unknown>[]): Promise<void> {
  for (const end of await Promise.allSettled(runs)) if (end.status === 'rejected') throw end.reason;
}
