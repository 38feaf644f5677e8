/** Who was told while the ledger could not take it: kept in memory, and written before anything else is admitted or claimed. */
import { OperationFailed } from './failures.ts';
import type { Settlement } from './ledger.ts';

interface Kept {
  /** What could not be written. */
  readonly of: Settlement;
  readonly told: Settlement;
}

/** While it holds anything, nothing new is begun: what is in flight bounds it. */
export class UnwrittenOutcomes {
  readonly #write: (settlement: Settlement) => Promise<unknown>;
  #kept: Kept[] = [];
  #flushing: Promise<void> | undefined;

  /** @param write writes nothing that stands there already */
  constructor(write: (settlement: Settlement) => Promise<unknown>) {
    this.#write = write;
  }

  /** Failures are not kept: what failed is tried again anyway. What was answered is the caller's to decide now. */
  keep(of: Settlement): void {
    const deliveries = of.deliveries.filter(({ state }) => state === 'delivered');
    if (deliveries.length === 0) return;
    const ids = new Set(deliveries.map(({ id }) => id));
    const attempts = of.attempts.filter(({ deliveryId }) => ids.has(deliveryId));
    const { callbackId, isDurable } = of;
    this.#kept.push({ of, told: { callbackId, isDurable, deliveries, attempts } });
  }

  /** It was written after all. */
  drop(settlement: Settlement): void {
    this.#kept = this.#kept.filter(({ of }) => of !== settlement);
  }

  /** Writes what is kept. @throws what `write` throws, keeping the rest */
  flush(): Promise<void> {
    if (this.#kept.length === 0) return Promise.resolve();
    this.#flushing ??= this.#writeAll().finally(() => (this.#flushing = undefined));
    return this.#flushing;
  }

  async #writeAll(): Promise<void> {
    for (let [first] = this.#kept; first !== undefined; [first] = this.#kept) {
      await this.#writeOne(first.told);
      this.drop(first.of);
    }
  }

  /** What a store that works refuses, as attempts of a callback that was forgotten meanwhile, must not hold everything else up. */
  async #writeOne(told: Settlement): Promise<void> {
    for (const each of [told, { ...told, attempts: [] }]) {
      try {
        await this.#write(each);
        return;
      } catch (error) {
        if (!(error instanceof OperationFailed)) throw error;
      }
    }
  }
}
