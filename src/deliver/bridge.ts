/** One callback in, everybody told who has not been, one honest answer out. */
import type { Admission, BlockedDelivery, DeliveryRecord, Ledger } from '../ledger/ledger.ts';
import { UnderWay } from '../time/clock.ts';
import type { Send, SendResult } from './sender.ts';
import type { DeliveryUnderWay, TurnsOfJobs } from './deliveries-under-way.ts';
import {
  type Handling,
  type Incoming,
  noticeFor,
  ownOf,
  type FanOut,
  type Finished,
  startFanOut,
  timeBudgetOf,
} from './handling.ts';
import type { Deferral } from './lanes.ts';
import { type Capacity, Occupancy, partyOf } from './capacity.ts';
import { OutcomeWriter, type OutcomeWriterDependencies } from './outcome-writer.ts';
import { planForCallback, type RunningSettings, type Settings } from './settings.ts';
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
    const plan = planForCallback(settings, callback);
    const isAccepted = answerWhen === 'accepted';
    const budget = timeBudgetOf(arrivedAt, answerWithinMs);
    const arrival = {
      callback,
      body,
      startedAt,
      receivedAt,
      planned: plan.targets,
      routing: plan.routing,
      isAccepted,
    };
    const admitted = await ledger.admit(arrival, budget.writeUntil - clock.monotonic());
    const admission = admitted.isNew ? admitted : await rerouter.withRevived(admitted, plan, settings);
    if (isAccepted) return this.#accept(receivedAt, admission);
    const records = new Map(admission.deliveries.map((record) => [record.id, record]));
    const underWay = this.#begin(admission);
    return this.#deliver({ incoming, settings, admission, records, plan, budget, occupancy, underWay });
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

  #begin({ claimed }: Admission): ReadonlyMap<number, DeliveryUnderWay> {
    return new Map(claimed.map((id) => [id, this.#dependencies.underWay.begin(id)]));
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
      return await this.#outcomes.answer(handling, fanOut, others);
    } catch (error) {
      this.#outcomes.abandon(handling);
      throw error;
    }
  }

  /** What cannot be written down is only reported. */
  #tell(handling: Handling): Promise<FanOut> {
    const { clock, onUnwritten } = this.#dependencies;
    const blocked = new Map(handling.admission.blocked.map((each) => [each.id, each]));
    const send = (record: DeliveryRecord) => this.#send(handling, record, blocked.get(record.id));
    // The ledger keeps what it cannot write, so once is enough.
    const onFinish = (finished: Finished, isLate: boolean) =>
      this.#outcomes.finish(handling, finished, isLate).catch(onUnwritten);
    return startFanOut(ownOf(handling), send, handling.budget.tellUntil, clock, onFinish);
  }

  /** Who waits for his turn holds no slot until it comes. */
  async #send(
    handling: Handling,
    record: DeliveryRecord,
    blocked: BlockedDelivery | undefined,
  ): Promise<SendResult> {
    const { settings, budget, occupancy, underWay } = handling;
    const deadline = budget.tellUntil;
    const delivery = underWay.get(record.id) as DeliveryUnderWay;
    const addressed = noticeFor(handling, record);
    if (addressed === undefined) return defer(delivery, 'config');
    if (blocked !== undefined) {
      const isNext = await occupancy.wait(() => this.#dependencies.turns.isNext(blocked, budget.waitUntil));
      if (isNext !== true) return defer(delivery, isNext === undefined ? 'share' : 'order');
    }
    if (!occupancy.enter(record.channel)) return defer(delivery, 'share');
    try {
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
