/** Deliveries whose success the ledger could not write: kept in memory, and written again by itself. Only their jobs wait for that. */
import { OperationFailed } from './failures.ts';
import type { Settlement } from './ledger.ts';

interface Kept {
  readonly jobKey: string;
  readonly settlement: Settlement;
}

/** Bounded by the attempts in flight. */
export class UnwrittenOutcomes {
  readonly #write: (settlement: Settlement) => Promise<unknown>;
  readonly #kept = new Set<Kept>();
  #writing: Promise<void> | undefined;

  /** @param write must be idempotent: the first write may have been committed although it threw */
  constructor(write: (settlement: Settlement) => Promise<unknown>) {
    this.#write = write;
  }

  /** Keeps no failures, since those are retried anyway, and no answer, since the caller may now answer otherwise. */
  keep({ callbackId, isDurable, ...all }: Settlement, jobKey: string): void {
    const deliveries = all.deliveries.filter(({ state }) => state === 'delivered');
    const ids = new Set(deliveries.map(({ id }) => id));
    const attempts = all.attempts.filter(({ deliveryId }) => ids.has(deliveryId));
    const settlement = { callbackId, isDurable, deliveries, attempts };
    if (deliveries.length > 0) this.#kept.add({ jobKey, settlement });
  }

  get isAny(): boolean {
    return this.#kept.size > 0;
  }

  /** Whether the delivery has succeeded, which is not written yet. */
  has(deliveryId: number): boolean {
    return [...this.#kept].some(({ settlement }) =>
      settlement.deliveries.some(({ id }) => id === deliveryId),
    );
  }

  /** Writes what is kept up to the first failure; the next call begins behind that. Never rejects. */
  write(): Promise<void> {
    this.#writing ??= this.#writeAll([...this.#kept])
      .catch(() => undefined)
      .finally(() => (this.#writing = undefined));
    return this.#writing;
  }

  /** Writes what is kept of the job. @throws what the write throws */
  async writeOf(jobKey: string): Promise<void> {
    await this.#writeAll([...this.#kept].filter((kept) => kept.jobKey === jobKey));
  }

  async #writeAll(some: readonly Kept[]): Promise<void> {
    for (const kept of some) {
      try {
        await this.#write(kept.settlement);
      } catch (error) {
        // An outcome that a working store refuses is dropped, so that it is not tried for ever.
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
