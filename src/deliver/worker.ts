/** Delivers what nobody waits for: callbacks accepted for later, and those that the service has stopped retrying. */
import type { DeliveryUpdate, DueDelivery, Ledger } from '../ledger/ledger.ts';
import type { Clock } from '../time/clock.ts';
import type { Courier, Trip } from './courier.ts';
import { attemptRecords, type DeliveryPolicy, updateAfter } from './outcome.ts';
import { errandFor, type Plan, plannedFor } from './plan.ts';
import type { RemotePauses } from './remote-pauses.ts';
import type { GivenUp } from './trouble.ts';

/** How often the ledger is asked for what has become due. */
const POLL_MS = 1000;

/** Deliveries under way at once. */
const MOST_AT_ONCE = 64;

export interface WorkerDependencies {
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly pauses: RemotePauses;
  readonly take: Courier;
  /** How long one trip may last. */
  readonly tripMs: number;
  readonly policy: DeliveryPolicy;
  /** In [0, 1). */
  readonly random: () => number;
  readonly plan: (due: DueDelivery) => Plan;
  readonly onGivenUp: (due: DueDelivery, given: GivenUp) => void;
  /** The ledger could not be used: once when that begins, and once when it is over. */
  readonly onTrouble: (error: unknown) => void;
  readonly onRecovered: () => void;
}

export class Worker {
  readonly #dependencies: WorkerDependencies;
  readonly #underWay = new Set<Promise<void>>();
  readonly #stopped = new AbortController();
  #nap = new AbortController();
  #isTroubled = false;
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
    await Promise.all(this.#underWay);
  }

  async #loop(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      this.#nap = new AbortController();
      const room = MOST_AT_ONCE - this.#underWay.size;
      const due = room > 0 ? await this.#claim(room) : [];
      for (const each of due) this.#launch(each);
      // A full hand means that there may be more: the next one to finish looks again.
      if (due.length === 0 || this.#underWay.size >= MOST_AT_ONCE) await this.#rest();
    }
  }

  async #claim(room: number): Promise<readonly DueDelivery[]> {
    const { ledger, pauses, onTrouble, onRecovered } = this.#dependencies;
    try {
      const due = await ledger.claimDue(room, pauses.paused());
      if (this.#isTroubled) onRecovered();
      this.#isTroubled = false;
      return due;
    } catch (error) {
      if (!this.#isTroubled) onTrouble(error);
      this.#isTroubled = true;
      return [];
    }
  }

  async #rest(): Promise<void> {
    if (this.#stopped.signal.aborted) return;
    await this.#dependencies.clock.sleep(POLL_MS, this.#nap.signal).catch(() => undefined);
  }

  #launch(due: DueDelivery): void {
    const trip = this.#deliver(due).finally(() => {
      const wasFull = this.#underWay.size >= MOST_AT_ONCE;
      this.#underWay.delete(trip);
      if (wasFull) this.nudge();
    });
    this.#underWay.add(trip);
  }

  async #deliver(due: DueDelivery): Promise<void> {
    const { clock, take, plan, tripMs } = this.#dependencies;
    const planned = plan(due);
    const isRouted = planned.errands.some(({ destination }) => destination === due.record.destination);
    if (!isRouted) return this.#settle(due, heldBack(due), undefined);
    const trip = await take(errandFor(due, plannedFor(due.record, planned)), clock.now() + tripMs);
    return this.#settle(due, this.#updateAfter(due, trip), trip);
  }

  #updateAfter({ record, firstReceivedAt }: DueDelivery, trip: Trip): DeliveryUpdate {
    const { clock, policy, random } = this.#dependencies;
    return updateAfter(record, trip, { firstReceivedAt, now: clock.now(), policy, random: random() });
  }

  async #settle(due: DueDelivery, update: DeliveryUpdate, trip: Trip | undefined): Promise<void> {
    const { ledger, onGivenUp, onTrouble } = this.#dependencies;
    const attempts = trip === undefined ? [] : attemptRecords(due.record, trip);
    try {
      await ledger.settle({ attempts, deliveries: [update], answer: undefined, isDurable: false });
      if (update.state === 'dead') onGivenUp(due, { ...due.record, error: update.lastError });
    } catch (error) {
      onTrouble(error);
    }
  }
}

/** The config no longer sends this callback there. */
function heldBack({ record }: DueDelivery): DeliveryUpdate {
  const { id, attempts, refusals, lastError, isOurs } = record;
  const heldBecause = 'no longer routed';
  return {
    id,
    state: 'held',
    attempts,
    refusals,
    lastError,
    receipt: undefined,
    heldBecause,
    isOurs,
    dueInMs: 0,
  };
}
