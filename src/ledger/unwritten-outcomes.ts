/** Who was told while the ledger could not take it: kept in memory, and written before anything else is admitted or claimed. */
import { OperationFailed } from './failures.ts';
import type { Settlement } from './ledger.ts';

/** While it holds anything, nothing new is begun: what is in flight bounds it. */
export class UnwrittenOutcomes {
  readonly #write: (settlement: Settlement) => Promise<unknown>;
  #kept: Settlement[] = [];
  #flushing: Promise<void> | undefined;

  /** @param write writes nothing that stands there already, as what was committed after all does */
  constructor(write: (settlement: Settlement) => Promise<unknown>) {
    this.#write = write;
  }

  /** Failures are not kept: what failed is tried again anyway. What was answered is the caller's to decide now. */
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
        // What a store that works refuses must not hold everything else up.
        if (!(error instanceof OperationFailed)) throw error;
      });
      this.#kept.shift();
    }
  }
}
