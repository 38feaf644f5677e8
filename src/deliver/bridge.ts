/** One callback in, everybody told who has not been, one honest answer out. */
import type { Callback } from '../callback/callback.ts';
import type {
  Admission,
  DeliveryRecord,
  DeliveryUpdate,
  Ledger,
  Settled,
  Settlement,
} from '../ledger/ledger.ts';
import { noticeOf } from '../notice/notice.ts';
import type { Clock } from '../time/clock.ts';
import { UnderWay } from '../time/under-way.ts';
import { type AlertSettings, alertTargetsIn, withAlert } from './alerts.ts';
import type { Courier, Trip } from './courier.ts';
import type { Incoming } from './incoming.ts';
import type { DeliveriesUnderWay, DeliveryUnderWay } from './deliveries-under-way.ts';
import type { Deferral } from './lanes.ts';
import type { Errand } from './messenger.ts';
import { type Milestone, milestoneAfter } from './milestones.ts';
import { type DeliveryPolicy, attemptRecords, updateAfter, withRefusal } from './outcome.ts';
import { errandFor, type Plan, plannedFor } from './plan.ts';
import type { Rerouter } from './rerouter.ts';
import { attemptsOf, type FinishedTrip, type Round, runRound, standingsOf } from './round.ts';
import type { Shares, Waiting } from './shares.ts';
import { type TimeBudget, timeBudgetOf } from './time-budget.ts';
import type { TurnsOfJobs } from './turns-of-jobs.ts';
import { judge, judgeAccepted, mustSurvive, type Verdict } from './verdict.ts';

export interface BridgeDependencies {
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly underWay: DeliveriesUnderWay;
  readonly turns: TurnsOfJobs;
  readonly shares: Shares;
  readonly take: Courier;
  readonly rerouter: Rerouter;
  readonly answerWithinMs: number;
  readonly answerWhen: 'delivered' | 'accepted';
  readonly policy: DeliveryPolicy;
  readonly alerts: AlertSettings;
  readonly plan: (callback: Callback) => Plan;
  /** Milliseconds since the epoch. */
  readonly startedAt: (callback: Callback) => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Something for these destinations is the worker's to deliver now. */
  readonly onDue: (destinations: readonly string[]) => void;
  readonly onMilestone: (milestone: Milestone) => void;
  /** What was told could not be written down. */
  readonly onUnwritten: (error: unknown) => void;
}

/** One callback while it is being handled. */
interface Handling {
  readonly incoming: Incoming;
  readonly admission: Admission;
  readonly plan: Plan;
  readonly budget: TimeBudget;
  /** For which channels it may wait. */
  readonly share: Waiting;
  readonly underWay: ReadonlyMap<number, DeliveryUnderWay>;
}

export class Bridge {
  readonly #dependencies: BridgeDependencies;
  /** Deliveries, which may outlive their answers, and answers that nobody waits for. */
  readonly #late = new UnderWay();

  constructor(dependencies: BridgeDependencies) {
    this.#dependencies = dependencies;
  }

  /** @throws {LedgerUnavailable} before anyone is told, or when what is still to be told could not be written down */
  async handle(incoming: Incoming): Promise<Verdict> {
    const { clock, ledger, startedAt, answerWhen, answerWithinMs, rerouter } = this.#dependencies;
    const { callback, body, receivedAt, arrivedAt } = incoming;
    const plan = this.#dependencies.plan(callback);
    const isAccepted = answerWhen === 'accepted';
    const budget = timeBudgetOf(arrivedAt, answerWithinMs);
    const arrival = {
      callback,
      body,
      startedAt: startedAt(callback),
      receivedAt,
      planned: plan.errands,
      routing: plan.routing,
      isAccepted,
    };
    const admitted = await ledger.admit(arrival, budget.writeUntil - clock.monotonic());
    const admission = await rerouter.withRevived(admitted, plan);
    if (isAccepted) return this.#accept(receivedAt, admission);
    const handling = { incoming, admission, plan, budget };
    const share = this.#enterShares(handling);
    try {
      return await this.#deliver({ ...handling, share, underWay: this.#begin(admission) });
    } finally {
      this.#dependencies.shares.leave(share);
    }
  }

  /** Resolves when every delivery that outlived its answer is through. */
  drained(): Promise<void> {
    return this.#late.idle();
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

  #enterShares({ incoming, admission }: Pick<Handling, 'incoming' | 'admission'>): Waiting {
    const { bot_id: botId, job_id: jobId } = incoming.callback;
    const channels = new Set(ownOf(admission).map(({ channel }) => channel));
    return this.#dependencies.shares.enter({ botId, jobId, channels });
  }

  #begin({ claimed }: Admission): ReadonlyMap<number, DeliveryUnderWay> {
    return new Map(claimed.map((id) => [id, this.#dependencies.underWay.begin(id)]));
  }

  async #deliver(handling: Handling): Promise<Verdict> {
    try {
      const round = await this.#tell(handling);
      if (round.late !== undefined) {
        this.#late.until(round.late);
        handling.incoming.keepUntil(round.late);
      }
      const others = await this.#othersOnceThrough(handling);
      return await this.#answer(handling, round, others);
    } catch (error) {
      // What nobody wrote down is free when its claim ends.
      for (const { id } of handling.underWay.values()) this.#end(handling, id, false);
      throw error;
    }
  }

  /** What cannot be written down is only reported. */
  #tell(handling: Handling): Promise<Round> {
    const { clock, onUnwritten } = this.#dependencies;
    const { admission, budget } = handling;
    return runRound(ownOf(admission), (record) => this.#take(handling, record), budget.tellUntil, clock, {
      // The ledger keeps what it cannot write, so once is enough.
      onEarlyFinish: (finished) => this.#write(handling, finished, false).catch(onUnwritten),
      onLateFinish: (finished) => this.#write(handling, finished, true).catch(onUnwritten),
    });
  }

  async #take(handling: Handling, record: DeliveryRecord): Promise<Trip> {
    const { admission, share, underWay } = handling;
    const deadline = handling.budget.tellUntil;
    const delivery = underWay.get(record.id) as DeliveryUnderWay;
    const errand = errandOf(handling, record);
    if (errand === undefined) return this.#defer(delivery, 'config');
    if (!share.channels.has(record.channel)) return this.#defer(delivery, 'share');
    const blocked = admission.blocked.find(({ id }) => id === record.id);
    if (blocked !== undefined && !(await this.#dependencies.turns.isNext(blocked, deadline)))
      return this.#defer(delivery, 'order');
    return this.#dependencies.take({ errand, delivery, deadline, rank: 'new' });
  }

  /** What waits for this one within its job goes the same way. */
  #defer(delivery: DeliveryUnderWay, deferred: Deferral): Trip {
    delivery.stall();
    return { attempts: [], outcome: { deferred } };
  }

  /** What another process, or an earlier request's late attempt, is making is ours to answer, too. */
  #othersOnceThrough({ admission, budget }: Handling): Promise<readonly DeliveryRecord[]> {
    const others = admission.deliveries.filter(({ id }) => !admission.claimed.includes(id));
    if (!others.some(({ isClaimed }) => isClaimed)) return Promise.resolve(others);
    return this.#dependencies.turns.onceThrough(admission.callbackId, others, budget.tellUntil);
  }

  async #answer(
    handling: Handling,
    { records, finished, early }: Round,
    others: readonly DeliveryRecord[],
  ): Promise<Verdict> {
    const { clock } = this.#dependencies;
    const { incoming, admission } = handling;
    const standings = standingsOf(records, finished, others);
    const { isSuperseded, callbackId } = admission;
    const verdict = judge({ context: this.#context(), standings, isSuperseded });
    const { status, result } = verdict;
    const answer = { receivedAt: incoming.receivedAt, answeredAt: clock.now(), status, result };
    const settlement = {
      deliveries: verdict.updates
        .filter(({ id }) => !early.includes(id))
        .map((update) => this.#withAlert(handling, update)),
      history: {
        callbackId,
        attempts: attemptsOf(finished.filter(({ record }) => !early.includes(record.id))),
        answer,
      },
      isDurable: mustSurvive(verdict),
    };
    await this.#writeAnswer(handling, verdict, settlement);
    for (const update of settlement.deliveries) {
      this.#end(handling, update.id, update.state !== 'pending');
      this.#note(handling, update, false);
    }
    return verdict;
  }

  /** That everybody was told stays true when it cannot be written; whatever is still to be done must not be answered 200. */
  async #writeAnswer(handling: Handling, verdict: Verdict, settlement: Settlement): Promise<void> {
    try {
      const { clock, ledger } = this.#dependencies;
      const withinMs = handling.budget.writeUntil - clock.monotonic();
      const settled = await ledger.settle(settlement, withinMs);
      this.#handOn(handling, settlement.deliveries, settled);
    } catch (error) {
      if (verdict.status === 200 && mustSurvive(verdict)) throw error;
      this.#dependencies.onUnwritten(error);
    }
  }

  /** A failure comes here only when it is late: the callback has been answered already. */
  async #write(handling: Handling, { record, trip }: FinishedTrip, isLate: boolean): Promise<void> {
    const failed = withRefusal(updateAfter(record, trip, this.#context()));
    const update = this.#withAlert(handling, failed);
    try {
      const settled = await this.#dependencies.ledger.settle({
        deliveries: [update],
        history: {
          callbackId: handling.admission.callbackId,
          attempts: attemptRecords(record, trip),
          answer: undefined,
        },
        isDurable: update.state !== 'delivered',
      });
      this.#handOn(handling, [update], settled);
    } finally {
      this.#end(handling, record.id, update.state !== 'pending');
      this.#note(handling, update, isLate);
    }
  }

  /** Also where it could not be written down: the ledger keeps that, and writes it as soon as it can. */
  #note({ incoming, admission }: Handling, update: DeliveryUpdate, isLate: boolean): void {
    if (update.state === 'delivered' && !isLate) return;
    const record = admission.deliveries.find(({ id }) => id === update.id);
    if (record === undefined) return;
    const notice = noticeOf(incoming.callback, admission.timesReceived);
    const { firstReceivedAt } = admission;
    const milestone = milestoneAfter(update, { record, notice, firstReceivedAt }, isLate);
    if (milestone !== undefined) this.#dependencies.onMilestone(milestone);
  }

  #withAlert({ incoming, admission, plan }: Handling, update: DeliveryUpdate): DeliveryUpdate {
    const record = admission.deliveries.find(({ id }) => id === update.id);
    if (record === undefined || update.state === 'delivered') return update;
    // What is told elsewhere from now on is mended.
    if (plannedFor(record, plan) === undefined) return update;
    const { callback } = incoming;
    const { firstReceivedAt } = admission;
    return withAlert(update, record, { callback, firstReceivedAt }, this.#dependencies.alerts);
  }

  /** What was taken over, or waited for one of these, is the worker's, and so are alerts. */
  #handOn({ admission }: Handling, updates: readonly DeliveryUpdate[], { hasReleased }: Settled): void {
    const isDue = ({ state, isOurs, dueInMs }: DeliveryUpdate) =>
      state === 'pending' ? isOurs && dueInMs === 0 : hasReleased;
    const due = new Set(updates.filter(isDue).map(({ id }) => id));
    const alerted = alertTargetsIn(updates);
    if (due.size === 0 && alerted.length === 0) return;
    const deliveries = admission.deliveries.filter(({ id }) => due.has(id));
    this.#dependencies.onDue([...deliveries.map(({ destination }) => destination), ...alerted]);
  }

  #end({ underWay }: Handling, id: number, isFinished: boolean): void {
    const delivery = underWay.get(id);
    if (delivery !== undefined) this.#dependencies.underWay.end(delivery, isFinished ? 'finished' : 'open');
  }

  #context() {
    const { policy, random } = this.#dependencies;
    return { policy, random: random() };
  }
}

function ownOf({ deliveries, claimed }: Admission): readonly DeliveryRecord[] {
  return claimed.length === deliveries.length
    ? deliveries
    : deliveries.filter(({ id }) => claimed.includes(id));
}

/** Undefined: the config does not send it there any more. */
function errandOf({ incoming, admission, plan }: Handling, record: DeliveryRecord): Errand | undefined {
  const planned = plannedFor(record, plan);
  return planned && errandFor(noticeOf(incoming.callback, admission.timesReceived), planned);
}
