/** Deliveries whose success the ledger could not write: kept in memory, and written before anything else is admitted or claimed. */
import { OperationFailed } from './failures.ts';
import type { Settlement } from './ledger.ts';

/** Bounded by the attempts in flight: while it holds anything, no new attempt begins. */
export class UnwrittenOutcomes {
  readonly #write: (settlement: Settlement) => Promise<unknown>;
  #kept: Settlement[] = [];
  #flushing: Promise<void> | undefined;

  /** @param write must be idempotent: the first write may have been committed although it threw */
  constructor(write: (settlement: Settlement) => Promise<unknown>) {
    this.#write = write;
  }

  /** Keeps no failures, since those are retried anyway, and no answer, since the caller may now answer otherwise. */
  keep({ callbackId, isDurable, ...all }: Settlement): void {
    const deliveries = all.deliveries.filter(({ state }) => state === 'delivered');
    const ids = new Set(deliveries.map(({ id }) => id));
    const attempts = all.attempts.filter(({ deliveryId }) => ids.has(deliveryId));
    if (deliveries.length > 0) this.#kept.push({ callbackId, isDurable, deliveries, attempts });
  }

  /** Writes what is kept. @throws what `write` throws, keeping the rest */
  flush(): Promise<void> {
    if (this.#kept.length === 0) return Promise.resolve();
    this.#flushing ??= this.#writeAll().finally(() => (this.#flushing = undefined));
    return this.#flushing;
  }

  async #writeAll(): Promise<void> {
    for (let [first] = this.#kept; first !== undefined; [first] = this.#kept) {
      await this.#write(first).catch((error: unknown) => {
        // An outcome that a working store refuses is dropped, so that it does not block everything else.
        if (!(error instanceof OperationFailed)) throw error;
      });
      this.#kept.shift();
    }
  }
}
