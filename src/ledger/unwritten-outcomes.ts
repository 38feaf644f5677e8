/** Outcomes that the store could not take: while the process lives, it does not forget that somebody was told. */
import type { Settlement } from './ledger.ts';

export class UnwrittenOutcomes {
  readonly #write: (settlement: Settlement) => Promise<unknown>;
  #kept: Settlement[] = [];
  #flushing: Promise<void> | undefined;

  constructor(write: (settlement: Settlement) => Promise<unknown>) {
    this.#write = write;
  }

  get isEmpty(): boolean {
    return this.#kept.length === 0;
  }

  /** Failures are not kept: what failed is tried again anyway. */
  keep({ history, deliveries, isDurable }: Settlement): void {
    const told = deliveries.filter(({ state }) => state === 'delivered');
    if (told.length === 0) return;
    const ids = new Set(told.map(({ id }) => id));
    const attempts = history?.attempts.filter(({ deliveryId }) => ids.has(deliveryId)) ?? [];
    // What was answered is the caller's to decide, now that the ledger could not take it.
    const ofTheTold = history && { callbackId: history.callbackId, attempts, answer: undefined };
    this.#kept.push({ deliveries: told, history: ofTheTold, isDurable });
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
      await this.#writeOne(first);
      this.#kept.shift();
    }
  }

  /** History that the store refuses, say of a callback it has forgotten, must not hold everything else up. */
  async #writeOne(settlement: Settlement): Promise<void> {
    try {
      await this.#write(settlement);
    } catch {
      await this.#write({ ...settlement, history: undefined });
    }
  }
}
