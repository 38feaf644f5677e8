/** Delivers what nobody waits for: callbacks accepted for later, and those that the service has stopped retrying. */
import {
  type DeliveryRecord,
  type DeliveryUpdate,
  type DueDelivery,
  type Ledger,
  NO_LONGER_ROUTED,
} from '../ledger/ledger.ts';
import { type AlertNotice, isAlert } from '../notice/notice.ts';
import type { Clock } from '../time/clock.ts';
import { UnderWay } from '../time/under-way.ts';
import { type AlertSettings, withAlert } from './alerts.ts';
import type { Courier, Trip } from './courier.ts';
import { attemptRecords, type DeliveryPolicy, updateAfter } from './outcome.ts';
import { errandFor, type Plan, plannedFor } from './plan.ts';
import type { RemotePauses } from './remote-pauses.ts';

/** How often the ledger is asked for what has become due. */
const POLL_MS = 1000;

/** After the ledger is back, this long nothing is claimed; longer than any process takes to notice it, too. */
const RECOVERY_MS = 2 * POLL_MS;

/** Deliveries under way at once. */
const MOST_AT_ONCE = 64;

export interface WorkerDependencies {
  readonly clock: Clock;
  readonly ledger: Pick<Ledger, 'claimDue' | 'settle' | 'probe'>;
  readonly pauses: RemotePauses;
  readonly take: Courier;
  /** How long one trip may last. */
  readonly tripMs: number;
  readonly policy: DeliveryPolicy;
  readonly alerts: AlertSettings;
  /** In [0, 1). */
  readonly random: () => number;
  readonly plan: (due: DueDelivery) => Plan;
  /** An alert could not be delivered: nobody is alerted of that. */
  readonly onAlertLost: (alert: AlertNotice, update: DeliveryUpdate, record: DeliveryRecord) => void;
  /** The ledger could not be used: once when that begins, and once when it is over. */
  readonly onTrouble: (error: unknown) => void;
  readonly onRecovered: () => void;
}

export class Worker {
  readonly #dependencies: WorkerDependencies;
  readonly #underWay = new UnderWay();
  readonly #stopped = new AbortController();
  #nap = new AbortController();
  #isTroubled = false;
  /** Since when the store can be written again; undefined while it cannot. */
  #backSince: number | undefined;
  #run: Promise<void> | undefined;

  constructor(dependencies: WorkerDependencies) {
    this.#dependencies = dependencies;
  }

  start(): void {
    this.#run ??= this.#loop();
  }

  /** Something has become due: no need to wait for the next look. */
  nudge(): void {
    this.#nap.abort();
  }

  /** Begins nothing more; resolves when what is under way is through and written down. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.nudge();
    await this.#run;
    await this.#underWay.idle();
  }

  async #loop(): Promise<void> {
    const { clock, tripMs } = this.#dependencies;
    while (!this.#isStopped()) {
      this.#nap = new AbortController();
      const room = MOST_AT_ONCE - this.#underWay.count;
      // Counted from before the claim, or a claim that took its time could end before the trip.
      const deadline = clock.now() + tripMs;
      const due = room > 0 ? await this.#claim(room) : [];
      if (this.#isStopped()) return this.#release(due);
      for (const each of due) this.#launch(each, deadline);
      // A full hand means that there may be more: the next one to finish looks again.
      if (due.length === 0 || this.#underWay.count >= MOST_AT_ONCE) await this.#rest();
    }
  }

  /** What was claimed while the process was told to stop is somebody else's to deliver. */
  async #release(due: readonly DueDelivery[]): Promise<void> {
    if (due.length === 0) return;
    const deliveries = due.map(({ record }) => ({ ...record, dueInMs: 0 }));
    await this.#dependencies.ledger
      .settle({ deliveries, history: undefined, isDurable: false })
      .catch((error: unknown) => this.#noteTrouble(error));
  }

  async #claim(room: number): Promise<readonly DueDelivery[]> {
    const { ledger, pauses } = this.#dependencies;
    try {
      if (this.#isTroubled && (await this.#isTooSoon())) return [];
      const due = await ledger.claimDue(room, pauses.paused());
      this.#noteRecovery();
      return due;
    } catch (error) {
      this.#noteTrouble(error);
      return [];
    }
  }

  /** Every process that shares the store first gets the time to write down whom it told meanwhile. */
  async #isTooSoon(): Promise<boolean> {
    const { clock, ledger } = this.#dependencies;
    if (this.#backSince === undefined) {
      await ledger.probe();
      this.#backSince = clock.now();
    }
    return clock.now() < this.#backSince + RECOVERY_MS;
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

  #isStopped(): boolean {
    return this.#stopped.signal.aborted;
  }

  async #rest(): Promise<void> {
    if (this.#isStopped()) return;
    await this.#dependencies.clock.sleep(POLL_MS, this.#nap.signal).catch(() => undefined);
  }

  #launch(due: DueDelivery, deadline: number): void {
    this.#underWay.begin();
    void this.#deliver(due, deadline).finally(() => {
      const wasFull = this.#underWay.count >= MOST_AT_ONCE;
      this.#underWay.end();
      if (wasFull) this.nudge();
    });
  }

  /** Never throws: what was not written down is due again when its claim ends. */
  async #deliver(due: DueDelivery, deadline: number): Promise<void> {
    const { take, plan } = this.#dependencies;
    try {
      const planned = plan(due);
      const isRouted = planned.errands.some(({ destination }) => destination === due.record.destination);
      if (!isRouted) return await this.#settle(due, heldBack(due), undefined);
      const trip = await take(errandFor(due.notice, plannedFor(due.record, planned)), deadline);
      return await this.#settle(due, this.#updateAfter(due, trip), trip);
    } catch (error) {
      return this.#noteTrouble(error);
    }
  }

  #updateAfter({ record, firstReceivedAt }: DueDelivery, trip: Trip): DeliveryUpdate {
    const { clock, policy, random } = this.#dependencies;
    return updateAfter(record, trip, { firstReceivedAt, now: clock.now(), policy, random: random() });
  }

  async #settle(due: DueDelivery, update: DeliveryUpdate, trip: Trip | undefined): Promise<void> {
    const { ledger, alerts, onAlertLost } = this.#dependencies;
    const { record, notice, firstReceivedAt } = due;
    const settled = isAlert(notice)
      ? update
      : withAlert(update, record, { callback: notice.callback, firstReceivedAt }, alerts);
    const history = trip && {
      callbackId: due.callbackId,
      attempts: attemptRecords(due.record, trip),
      answer: undefined,
    };
    await ledger.settle({ deliveries: [settled], history, isDurable: false });
    if (settled.alert !== undefined) this.nudge();
    if (isAlert(notice) && update.state === 'dead') onAlertLost(notice, update, record);
  }
}

/** The config no longer sends this callback there. */
function heldBack({ record }: DueDelivery): DeliveryUpdate {
  const { id, attempts, refusals, lastError, isOurs } = record;
  return {
    id,
    state: 'held',
    attempts,
    refusals,
    lastError,
    receipt: undefined,
    heldBecause: NO_LONGER_ROUTED,
    isOurs,
    dueInMs: 0,
  };
}
