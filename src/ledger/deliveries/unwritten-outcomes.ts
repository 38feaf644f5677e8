/** Deliveries whose success the ledger could not write: kept in memory, where they count as delivered, and written again. */
import { OperationFailed } from '../failures.ts';
import { type DeliveryName, isSame, type Settlement } from '../ledger.ts';

/** Bounded by the attempts in flight. */
export class UnwrittenOutcomes {
  readonly #write: (settlement: Settlement) => Promise<unknown>;
  readonly #kept = new Set<Settlement>();
  #writing: Promise<void> | undefined;

  /** @param write must be idempotent: the first write may have been committed although it threw */
  constructor(write: (settlement: Settlement) => Promise<unknown>) {
    this.#write = write;
  }

  /** Keeps no failures, since those are retried anyway, and no answer, since the caller may now answer otherwise. */
  keep({ callbackId, receivedAt, isDurable, ...all }: Settlement): void {
    const deliveries = all.deliveries.filter(({ state }) => state === 'delivered');
    const ids = new Set(deliveries.map(({ id }) => id));
    const attempts = all.attempts.filter(({ deliveryId }) => ids.has(deliveryId));
    if (deliveries.length > 0) this.#kept.add({ callbackId, receivedAt, isDurable, deliveries, attempts });
  }

  /** Whether the delivery has succeeded, which is not written yet: it must not be attempted. */
  has(delivery: DeliveryName): boolean {
    return [...this.#kept].some(({ deliveries }) => deliveries.some((each) => isSame(each, delivery)));
  }

  /** Writes what is kept up to the first failure; the next call begins behind that. Never rejects. */
  write(): Promise<void> {
    this.#writing ??= this.#writeAll()
      .catch(() => undefined)
      .finally(() => (this.#writing = undefined));
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    for (const kept of this.#kept) {
      try {
        await this.#write(kept);
      } catch (error) {
        // An outcome that a working store refuses, or has no row for any more, is dropped, so that it is not tried for ever.
        if (!(error instanceof OperationFailed)) {
          // To the end, so that the next call begins behind it.
          this.#kept.delete(kept);
          this.#kept.add(kept);
          throw error;
        }
      }
      this.#kept.delete(kept);
    }
  }
}
