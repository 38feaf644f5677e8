/** The deliveries that this process has in hand, and waiting, within a request, for what somebody else attempts. */
import type { Clock } from '../time/clock.ts';
import type { BlockedDelivery, DeliveryRecord, Ledger } from '../ledger/ledger.ts';

/** How a delivery that somebody waits for stands: through for good, or still to be made, but not by an attempt now. */
export type News = 'finished' | 'open';

export class DeliveryUnderWay {
  readonly id: number;
  /** Ends the attempt that is being made, as one of which nobody knows what came of it. */
  cut: (() => void) | undefined;
  /** Whether another request for the same callback has been answered that Botbell sees to it. */
  isTakenOver = false;
  readonly #stalled = deferred<News>();
  readonly #ended = deferred<News>();

  constructor(id: number) {
    this.id = id;
  }

  /** Resolves when it is through and written down, or else when it is not being attempted any more. */
  get stalled(): Promise<News> {
    return this.#stalled.promise;
  }

  /** Resolves when this process is done with it, and what came of it is written down. */
  get ended(): Promise<News> {
    return this.#ended.promise;
  }

  /** An attempt has failed: what waits for this one of its job waits no longer within its request. */
  stall(): void {
    this.#stalled.resolve('open');
  }

  end(news: News): void {
    this.#stalled.resolve(news);
    this.#ended.resolve(news);
  }
}

function deferred<T>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((resolvePromise) => (resolve = resolvePromise));
  return { promise, resolve };
}

export class DeliveriesUnderWay {
  readonly #deliveries = new Map<number, DeliveryUnderWay>();
  readonly #onStop = new Set<() => void>();
  #isStopped = false;

  get isStopped(): boolean {
    return this.#isStopped;
  }

  begin(id: number): DeliveryUnderWay {
    const delivery = new DeliveryUnderWay(id);
    this.#deliveries.set(id, delivery);
    if (this.#isStopped) delivery.stall();
    return delivery;
  }

  get(id: number): DeliveryUnderWay | undefined {
    return this.#deliveries.get(id);
  }

  end(delivery: DeliveryUnderWay, news: News): void {
    if (this.#deliveries.get(delivery.id) === delivery) this.#deliveries.delete(delivery.id);
    delivery.end(news);
  }

  /** Nobody waits for another's attempt any more. */
  stop(): void {
    this.#isStopped = true;
    for (const delivery of this.#deliveries.values()) delivery.stall();
    for (const stop of this.#onStop) stop();
  }

  /** @returns ends the listening */
  whenStopped(onStop: () => void): () => void {
    this.#onStop.add(onStop);
    return () => void this.#onStop.delete(onStop);
  }

  /** Ends every attempt that is being made. */
  cut(): void {
    for (const delivery of this.#deliveries.values()) delivery.cut?.();
  }
}

/** How often the ledger is asked what other processes have come to; of this one's deliveries there is news at once. */
const ASK_EVERY_MS = 250;

interface WaitingForClaim {
  readonly deliveryId: number;
  readonly onFree: () => void;
}

/** What other processes have in hand. */
class ClaimsElsewhere {
  readonly #dependencies: TurnsDependencies;
  readonly #waiting = new Set<WaitingForClaim>();
  #isAsking = false;

  constructor(dependencies: TurnsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Calls `onFree` once, when nobody has claimed the delivery any more.
   * @returns ends the waiting
   */
  whenFree(deliveryId: number, onFree: () => void): () => void {
    const waiting = { deliveryId, onFree };
    this.#waiting.add(waiting);
    if (!this.#isAsking) void this.#ask();
    return () => void this.#waiting.delete(waiting);
  }

  async #ask(): Promise<void> {
    const { clock, ledger } = this.#dependencies;
    this.#isAsking = true;
    while (this.#waiting.size > 0) {
      await clock.sleep(ASK_EVERY_MS);
      const asked = [...this.#waiting];
      const ids = [...new Set(asked.map(({ deliveryId }) => deliveryId))];
      // Of a ledger that cannot be read nothing new is known.
      const claimed = new Set(ids.length === 0 ? ids : await ledger.turns.claimedAmong(ids).catch(() => ids));
      for (const waiting of asked) {
        if (!claimed.has(waiting.deliveryId) && this.#waiting.delete(waiting)) waiting.onFree();
      }
    }
    this.#isAsking = false;
  }
}

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
    this.#elsewhere = new ClaimsElsewhere(dependencies);
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
      if (here !== undefined) return (await this.#before(deadline, here.stalled)) === 'finished';
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
    for (const id of open) {
      const here = underWay.get(id);
      if (here !== undefined) here.isTakenOver = true;
    }
    return deliveries.map((record) => (isOpen(record) ? { ...record, isTakenOver: true } : record));
  }

  /** @returns false: the deadline came first, or everything stops */
  async #untilEnded(id: number, deadline: number): Promise<boolean> {
    const here = this.#dependencies.underWay.get(id);
    if (here === undefined) return this.#untilFree(id, deadline);
    return (await this.#before(deadline, here.ended)) !== undefined;
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

  /** What came of it; undefined: the deadline came first. */
  #before(deadline: number, news: Promise<News>): Promise<News | undefined> {
    const { clock } = this.#dependencies;
    return new Promise((resolve) => {
      const stopTimer = clock.startTimer(this.#left(deadline), () => resolve(undefined));
      void news.then(resolve).finally(stopTimer);
    });
  }
}
