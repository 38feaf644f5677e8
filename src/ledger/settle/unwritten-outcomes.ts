/** Outcomes that the store could not take: while the process lives, it does not forget that somebody was told. */
import type { Settlement } from '../ledger.ts';

interface Kept {
  /** What could not be written. */
  readonly of: Settlement;
  readonly told: Settlement;
}

export class UnwrittenOutcomes {
  readonly #write: (settlement: Settlement) => Promise<unknown>;
  readonly #isRefusal: (error: unknown) => boolean;
  #kept: Kept[] = [];
  #flushing: Promise<void> | undefined;

  /**
   * @param write writes nothing that stands there already
   * @param isRefusal whether the store works, and refuses what it was given
   */
  constructor(write: (settlement: Settlement) => Promise<unknown>, isRefusal: (error: unknown) => boolean) {
    this.#write = write;
    this.#isRefusal = isRefusal;
  }

  get isEmpty(): boolean {
    return this.#kept.length === 0;
  }

  /** Failures are not kept: what failed is tried again anyway. */
  keep(of: Settlement): void {
    const { history, deliveries, isDurable } = of;
    const told = deliveries.filter(({ state }) => state === 'delivered');
    if (told.length === 0) return;
    const ids = new Set(told.map(({ id }) => id));
    const attempts = history?.attempts.filter(({ deliveryId }) => ids.has(deliveryId)) ?? [];
    // What was answered is the caller's to decide, now that the ledger could not take it.
    const ofTheTold = history && { callbackId: history.callbackId, attempts, answer: undefined };
    this.#kept.push({ of, told: { deliveries: told, history: ofTheTold, isDurable } });
  }

  /** It was written after all. */
  drop(settlement: Settlement): void {
    this.#kept = this.#kept.filter(({ of }) => of !== settlement);
  }

  /** Writes what is kept. @throws what the store throws, keeping the rest */
  flush(): Promise<void> {
    if (this.isEmpty) return Promise.resolve();
    this.#flushing ??= this.#writeAll().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  async #writeAll(): Promise<void> {
    for (let [first] = this.#kept; first !== undefined; [first] = this.#kept) {
      await this.#writeOne(first.told);
      this.drop(first.of);
    }
  }

  /** History that the store refuses, say of a callback it has forgotten, must not hold everything else up. */
  async #writeOne(settlement: Settlement): Promise<void> {
    try {
      await this.#write(settlement);
    } catch (error) {
      if (!this.#isRefusal(error)) throw error;
      await this.#write({ ...settlement, history: undefined });
    }
  }
}
