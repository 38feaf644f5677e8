/** Delivers what nobody waits for: callbacks accepted for later, and those that the service has stopped retrying. */
import type { ClaimedDelivery, DeliveryUpdate, DueDelivery, Ledger } from '../ledger/ledger.ts';
import { isAlert } from '../notice/notice.ts';
import { type Clock, UnderWay } from '../time/clock.ts';
import { addressedTo } from './addressed.ts';
import { alertTargetsIn, withAlert } from './alerts.ts';
import type { Send, SendResult } from './sender.ts';
import type { DeliveriesUnderWay, DeliveryUnderWay } from './deliveries-under-way.ts';
import { channelOf, DueLanes } from './due-lanes.ts';
import type { Lanes } from './lanes.ts';
import type { LargeNotices } from './large-notices.ts';
import { milestone, type Milestone, milestoneAfter } from './handling.ts';
import { attemptRecords, updateAfter, updateOf } from './outcome.ts';
import { type Plan, planFor, plannedFor, type RunningSettings, type Settings } from './settings.ts';
import type { Rerouter } from './rerouter.ts';

/** How often the ledger is asked for what has become due without this process's knowing. */
const POLL_MS = 1000;

/** How often it is asked for what waits for nothing any more. */
const SWEEP_MS = 60_000;

/** After the ledger is back, this long nothing is claimed; longer than any process takes to notice it, too. */
const RECOVERY_MS = 2 * POLL_MS;

/** What another process is to attempt, or to route anew, or there is no memory for, is looked at again after so long, and up to twice that. */
const PUT_OFF_MS = 5000;

export interface WorkerDependencies {
  readonly clock: Clock;
  readonly ledger: Pick<
    Ledger,
    'claimDue' | 'dueDestinations' | 'releaseHeld' | 'releaseStranded' | 'settle' | 'probe'
  >;
  readonly lanes: Lanes;
  readonly underWay: DeliveriesUnderWay;
  readonly largeNotices: Pick<LargeNotices, 'load'>;
  readonly send: Send;
  readonly rerouter: Rerouter;
  readonly settings: Pick<RunningSettings, 'current' | 'keepUntil'>;
  /** In [0, 1). */
  readonly random: () => number;
  readonly onMilestone: (milestone: Milestone) => void;
  /** The ledger could not be used: once when that begins, and once when it is over. */
  readonly onTrouble: (error: unknown) => void;
  readonly onRecovered: () => void;
}

/** What a turn's deliveries have in common. */
interface Turn {
  /** In force when it began. */
  readonly settings: Settings;
  /** By the monotonic clock: no attempt begins after it. */
  readonly deadline: number;
}

export class Worker {
  readonly #dependencies: WorkerDependencies;
  readonly #underWay = new UnderWay();
  readonly #due = new DueLanes();
  readonly #stopped = new AbortController();
  #nap = new AbortController();
  #lookedAt: number;
  #polledAt = -Infinity;
  #sweptAt = -Infinity;
  #isTroubled = false;
  /** Since when the store can be written again; undefined while it cannot. */
  #backSince: number | undefined;
  #run: Promise<void> | undefined;

  constructor(dependencies: WorkerDependencies) {
    this.#dependencies = dependencies;
    this.#lookedAt = dependencies.clock.monotonic();
  }

  /** By the monotonic clock, when it last looked whether anything is due, whatever came of that. */
  get lookedAt(): number {
    return this.#lookedAt;
  }

  start(): void {
    this.#run ??= this.#loop();
  }

  /** Something has become due for these destinations: no need to wait for the next look. */
  nudge(destinations: readonly string[]): void {
    if (destinations.length === 0) return;
    for (const destination of destinations) this.#add(destination);
    this.#nap.abort();
  }

  /** Something may have become due anywhere. */
  look(): void {
    this.#polledAt = -Infinity;
    this.#nap.abort();
  }

  /** Begins nothing more; resolves when what is under way is through and written down. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#nap.abort();
    await this.#run;
    await this.#underWay.idle();
  }

  async #loop(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      this.#nap = new AbortController();
      const { settings } = this.#dependencies;
      const { current } = settings;
      const turn = this.#turn(current);
      settings.keepUntil(current, turn);
      const isMore = await turn;
      this.#lookedAt = this.#dependencies.clock.monotonic();
      if (!isMore) await this.#rest();
    }
  }

  /** @returns whether there may be more to claim at once */
  async #turn(settings: Settings): Promise<boolean> {
    const { clock } = this.#dependencies;
    try {
      if (this.#isTroubled && (await this.#isTooSoon())) return false;
      if (clock.monotonic() >= this.#polledAt + POLL_MS) await this.#poll();
      // Counted from before the claim, or a claim that took its time could end before the attempts.
      const deadline = clock.monotonic() + settings.answer.answerWithinMs;
      const due = await this.#claim();
      this.#noteRecovery();
      for (const each of due) this.#launch(each, { settings, deadline });
      return due.length > 0;
    } catch (error) {
      this.#noteTrouble(error);
      return false;
    }
  }

  async #poll(): Promise<void> {
    const { clock, ledger, lanes } = this.#dependencies;
    this.#polledAt = clock.monotonic();
    if (lanes.isWorthRefreshing) await lanes.refresh();
    if (this.#polledAt >= this.#sweptAt + SWEEP_MS) {
      this.#sweptAt = this.#polledAt;
      await ledger.releaseStranded();
    }
    await ledger.releaseHeld();
    for (const { destination, hasBulk } of await ledger.dueDestinations()) this.#add(destination, hasBulk);
  }

  #add(destination: string, hasBulk?: boolean): void {
    const { lanes, rerouter } = this.#dependencies;
    if (!rerouter.isToClaim(destination)) return;
    this.#due.add(destination, hasBulk);
    if (lanes.isPaced(destination)) lanes.setBacklog(destination, true);
  }

  async #claim(): Promise<readonly ClaimedDelivery[]> {
    const { ledger, lanes, rerouter } = this.#dependencies;
    const requests = this.#due.next(
      // What is sent nowhere keeps no pace.
      (destination) => lanes.isPaced(destination) && rerouter.names(destination),
      (destination) => void this.#waitForSlot(destination),
    );
    if (requests.length === 0) return [];
    const due = await ledger.claimDue(requests);
    for (const { destination, limit } of requests) {
      const isAll = due.filter(({ record }) => record.destination === destination).length < limit;
      if (isAll) this.#due.foundAll(destination);
      lanes.setBacklog(destination, !isAll);
    }
    return due;
  }

  /** A paced destination's next delivery is claimed when its slot has come, not before. */
  async #waitForSlot(destination: string): Promise<void> {
    const { lanes } = this.#dependencies;
    const place = { destination, channel: channelOf(destination) };
    const refusal = await lanes.enter(place, Number.POSITIVE_INFINITY, 'next');
    this.#due.giveSlot(destination, refusal === undefined);
    if (refusal === undefined) this.#nap.abort();
  }

  /** Every process that shares the store first gets the time to write down whom it told meanwhile. */
  async #isTooSoon(): Promise<boolean> {
    const { clock, ledger } = this.#dependencies;
    if (this.#backSince === undefined) {
      await ledger.probe();
      this.#backSince = clock.monotonic();
    }
    return clock.monotonic() < this.#backSince + RECOVERY_MS;
  }

  #noteTrouble(error: unknown): void {
    if (!this.#isTroubled) this.#dependencies.onTrouble(error);
    this.#isTroubled = true;
    this.#backSince = undefined;
  }

  #noteRecovery(): void {
    if (this.#isTroubled) this.#dependencies.onRecovered();
    this.#isTroubled = false;
  }

  async #rest(): Promise<void> {
    if (!this.#stopped.signal.aborted)
      await this.#dependencies.clock.sleep(POLL_MS, this.#nap.signal).catch(() => undefined);
  }

  #launch(due: ClaimedDelivery, turn: Turn): void {
    const { destination } = due.record;
    this.#underWay.begin();
    this.#due.begin(destination);
    const delivering = this.#deliver(due, turn);
    this.#dependencies.settings.keepUntil(turn.settings, delivering);
    void delivering.finally(() => {
      this.#due.end(destination);
      this.#underWay.end();
      if (!this.#due.isEmpty) this.#nap.abort();
    });
  }

  /** Never throws: what was not written down is due again when its claim ends. */
  async #deliver(claimed: ClaimedDelivery, turn: Turn): Promise<void> {
    const { underWay } = this.#dependencies;
    const delivery = underWay.begin(claimed.record.id);
    let isFinished = false;
    try {
      isFinished = await this.#withNotice(claimed, turn, (due) => this.#attempt(due, delivery, turn));
    } catch (error) {
      this.#noteTrouble(error);
    } finally {
      underWay.end(delivery, isFinished ? 'finished' : 'open');
    }
  }

  /** What is large is in memory only while it is told. */
  async #withNotice(
    claimed: ClaimedDelivery,
    { deadline }: Turn,
    work: (due: DueDelivery) => Promise<boolean>,
  ): Promise<boolean> {
    const { notice } = claimed;
    if (notice !== undefined) return work({ ...claimed, notice });
    const loaded = await this.#dependencies.largeNotices.load(claimed.callbackId, deadline);
    if (loaded === undefined) return this.#putOff(claimed);
    try {
      return await work({ ...claimed, notice: loaded.notice });
    } finally {
      loaded.release();
    }
  }

  /** @returns whether it is finished */
  async #attempt(due: DueDelivery, delivery: DeliveryUnderWay, turn: Turn): Promise<boolean> {
    const { send, lanes, clock, onMilestone } = this.#dependencies;
    const { record, notice, firstReceivedAt } = due;
    const { settings } = turn;
    if (due.isTakenOver) onMilestone(milestone('taken_over', due, record));
    const today = planFor(settings, isAlert(notice) ? undefined : notice.callback);
    const planned = plannedFor(record, today);
    if (planned === undefined) return this.#routeAnew(due, today, settings);
    const rank = lanes.isPaced(record.destination) ? 'slot' : 'next';
    const addressed = addressedTo(notice, planned, record, { firstReceivedAt, now: clock.now() });
    const sent = await send({ addressed, delivery, ...turn, rank });
    const context = { policy: settings.delivery, random: this.#dependencies.random() };
    const update = updateAfter(record, sent, context);
    await this.#settle(due, withAlert(update, due, settings.alerts), sent);
    return update.state !== 'pending';
  }

  /** @returns whether it is finished */
  async #routeAnew(due: DueDelivery, plan: Plan, settings: Settings): Promise<boolean> {
    const destinations = await this.#dependencies.rerouter.reroute(due, plan, settings);
    if (destinations === undefined) return this.#putOff(due);
    this.nudge(destinations);
    return true;
  }

  /** @returns that it is not finished */
  async #putOff({ record }: ClaimedDelivery): Promise<boolean> {
    const { ledger, random } = this.#dependencies;
    const update = updateOf(record, { isTakenOver: true, dueInMs: PUT_OFF_MS * (1 + random()) });
    await ledger.settle({ deliveries: [update], history: undefined, isDurable: false });
    return false;
  }

  async #settle(due: DueDelivery, update: DeliveryUpdate, sent: SendResult): Promise<void> {
    const { ledger, onMilestone } = this.#dependencies;
    const { record, callbackId } = due;
    const history = { callbackId, attempts: attemptRecords(record, sent), answer: undefined };
    const { hasReleased } = await ledger.settle({ deliveries: [update], history, isDurable: false });
    const isDueAgain = update.state === 'pending' && update.dueInMs === 0;
    this.nudge([...(isDueAgain || hasReleased ? [record.destination] : []), ...alertTargetsIn([update])]);
    const reached = milestoneAfter(update, due, true);
    if (reached !== undefined) onMilestone(reached);
  }
}
