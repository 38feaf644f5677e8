/** Waiting, within a request, for what somebody else is attempting. */
import type { BlockedDelivery, DeliveryRecord, Ledger } from '../ledger/ledger.ts';
import type { Clock } from '../time/clock.ts';
import { ClaimsElsewhere } from './claims-elsewhere.ts';
import type { DeliveriesUnderWay } from './deliveries-under-way.ts';

export interface TurnsDependencies {
  readonly clock: Clock;
  readonly ledger: Pick<Ledger, 'turns' | 'deliveriesOf'>;
  readonly underWay: DeliveriesUnderWay;
}

export class TurnsOfJobs {
  readonly #dependencies: TurnsDependencies;
  readonly #elsewhere: ClaimsElsewhere;

  constructor(dependencies: TurnsDependencies) {
    this.#dependencies = dependencies;
    this.#elsewhere = new ClaimsElsewhere({ clock: dependencies.clock, turns: dependencies.ledger.turns });
  }

  /**
   * Waits while the one before it is being attempted.
   * @param deadline by the monotonic clock
   * @returns whether it is its turn now; false: it is not, and need not be waited for
   */
  async isNext({ id, behind, isBehindClaimed }: BlockedDelivery, deadline: number): Promise<boolean> {
    const { ledger, underWay } = this.#dependencies;
    let before = { id: behind, isClaimed: isBehindClaimed };
    for (;;) {
      const here = underWay.get(before.id);
      if (here !== undefined) return (await this.#before(deadline, here.untilStalled())) === 'finished';
      if (!before.isClaimed || !(await this.#untilFree(before.id, deadline))) return false;
      const known = before;
      const found = await ledger.turns.predecessorOf(id, this.#left(deadline)).catch(() => known);
      if (found === undefined) return true;
      before = found;
    }
  }

  /**
   * @returns the deliveries as the ledger has them once nobody is at them any more, or the deadline has come, or everything
   *   stops
   */
  async onceThrough(
    callbackId: number,
    deliveries: readonly DeliveryRecord[],
    deadline: number,
  ): Promise<readonly DeliveryRecord[]> {
    const { ledger } = this.#dependencies;
    const ids = new Set(deliveries.map(({ id }) => id));
    let latest = deliveries;
    for (;;) {
      const claimed = latest.filter(({ isClaimed }) => isClaimed);
      if (claimed.length === 0 || this.#left(deadline) === 0) return latest;
      const ends = await Promise.all(claimed.map(({ id }) => this.#untilEnded(id, deadline)));
      // What was told by this request must still be written down when the ledger cannot be read.
      const all = await ledger.deliveriesOf(callbackId, this.#left(deadline)).catch(() => deliveries);
      latest = all.filter(({ id }) => ids.has(id));
      if (ends.includes(false)) return latest;
    }
  }

  /**
   * Has the ledger know that those which others are attempting are Botbell's own, should they fail.
   * @throws {LedgerUnavailable}
   */
  async takeOver(
    deliveries: readonly DeliveryRecord[],
    deadline: number,
  ): Promise<readonly DeliveryRecord[]> {
    const { ledger, underWay } = this.#dependencies;
    const isOpen = ({ isClaimed, isTakenOver }: DeliveryRecord) => isClaimed && !isTakenOver;
    const open = deliveries.filter(isOpen).map(({ id }) => id);
    const unknown = open.filter((id) => underWay.get(id)?.isTakenOver !== true);
    if (unknown.length > 0) await ledger.turns.takeOver(unknown, this.#left(deadline));
    for (const id of open) underWay.get(id)?.takeOver();
    return deliveries.map((record) => (isOpen(record) ? { ...record, isTakenOver: true } : record));
  }

  /** @returns false: the deadline came first, or everything stops */
  async #untilEnded(id: number, deadline: number): Promise<boolean> {
    const here = this.#dependencies.underWay.get(id);
    if (here === undefined) return this.#untilFree(id, deadline);
    return (await this.#before(deadline, here.untilEnded())) !== undefined;
  }

  /** The same of what another process has claimed. */
  #untilFree(id: number, deadline: number): Promise<boolean> {
    const { clock, underWay } = this.#dependencies;
    if (underWay.isStopped) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (isFree: boolean) => {
        stopTimer();
        stopWaiting();
        stopListening();
        resolve(isFree);
      };
      const stopTimer = clock.startTimer(this.#left(deadline), () => end(false));
      const stopWaiting = this.#elsewhere.whenFree(id, () => end(true));
      const stopListening = underWay.whenStopped(() => end(false));
    });
  }

  #left(deadline: number): number {
    return Math.max(0, deadline - this.#dependencies.clock.monotonic());
  }

  /** What the promise resolves to; undefined: the deadline came first. */
  #before<T>(deadline: number, promise: Promise<T>): Promise<T | undefined> {
    const { clock } = this.#dependencies;
    return new Promise((resolve, reject) => {
      const stopTimer = clock.startTimer(this.#left(deadline), () => resolve(undefined));
      void promise.then(resolve, reject).finally(stopTimer);
    });
  }
}
