/** Waiting, within a request, for what somebody else is attempting. */
import type { BlockedDelivery, DeliveryRecord, Ledger } from '../ledger/ledger.ts';
import type { Clock } from '../time/clock.ts';
import type { DeliveriesUnderWay, DeliveryUnderWay } from './deliveries-under-way.ts';

/** How often the ledger is asked what another process has come to; of this one's deliveries there is news at once. */
const ASK_EVERY_MS = 250;

export interface TurnsDependencies {
  readonly clock: Clock;
  readonly ledger: Pick<Ledger, 'predecessorOf' | 'deliveriesOf'>;
  readonly underWay: DeliveriesUnderWay;
}

export class TurnsOfJobs {
  readonly #dependencies: TurnsDependencies;

  constructor(dependencies: TurnsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Waits while the one before it is being attempted.
   * @param deadline by the monotonic clock
   * @returns whether it is its turn now; false: it is not, and need not be waited for
   */
  async isNext({ id, behind, isBehindClaimed }: BlockedDelivery, deadline: number): Promise<boolean> {
    const { ledger, underWay } = this.#dependencies;
    let isClaimed = isBehindClaimed;
    for (;;) {
      const here = underWay.get(behind);
      if (here !== undefined) return (await this.#before(deadline, here.untilStalled())) === 'finished';
      if (!isClaimed || this.#isDue(deadline)) return false;
      const before = await ledger.predecessorOf(id, this.#left(deadline)).catch(() => ({ isClaimed: true }));
      if (before === undefined) return true;
      isClaimed = before.isClaimed;
      if (isClaimed) await this.#sleep(deadline);
    }
  }

  /** @returns the deliveries as the ledger has them once nobody is at them any more, or the deadline has come */
  async onceThrough(
    callbackId: number,
    deliveries: readonly DeliveryRecord[],
    deadline: number,
  ): Promise<readonly DeliveryRecord[]> {
    const { ledger, underWay } = this.#dependencies;
    const ids = new Set(deliveries.map(({ id }) => id));
    let latest = deliveries;
    while (latest.some(({ isClaimed }) => isClaimed) && !this.#isDue(deadline)) {
      const claimed = latest.filter(({ isClaimed }) => isClaimed).map(({ id }) => underWay.get(id));
      const here = claimed.filter((delivery) => delivery !== undefined);
      await (here.length === claimed.length ? this.#before(deadline, allEnded(here)) : this.#sleep(deadline));
      // What was told by this request must still be written down when the ledger cannot be read.
      const all = await ledger.deliveriesOf(callbackId, this.#left(deadline)).catch(() => deliveries);
      latest = all.filter(({ id }) => ids.has(id));
    }
    return latest;
  }

  #isDue(deadline: number): boolean {
    return this.#left(deadline) === 0;
  }

  #left(deadline: number): number {
    return Math.max(0, deadline - this.#dependencies.clock.monotonic());
  }

  #sleep(deadline: number): Promise<void> {
    const { clock } = this.#dependencies;
    return clock.sleep(Math.min(ASK_EVERY_MS, this.#left(deadline)));
  }

  /** What the promise resolves to; undefined: the deadline came first. */
  #before<T>(deadline: number, promise: Promise<T>): Promise<T | undefined> {
    const { clock } = this.#dependencies;
    return new Promise((resolve, reject) => {
      const stopTimer = clock.startTimer(this.#left(deadline), () => resolve(undefined));
      void promise.finally(stopTimer);
      promise.then(resolve, reject);
    });
  }
}

async function allEnded(deliveries: readonly DeliveryUnderWay[]): Promise<void> {
  await Promise.all(deliveries.map((delivery) => delivery.untilEnded()));
}
