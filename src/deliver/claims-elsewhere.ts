/** Waiting for deliveries that another process has claimed: one question to the ledger for all who wait. */
import type { Turns } from '../ledger/due/turns.ts';
import type { Clock } from '../time/clock.ts';

/** How often the ledger is asked what other processes have come to; of this one's deliveries there is news at once. */
const ASK_EVERY_MS = 250;

export interface ClaimsElsewhereDependencies {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly turns: Pick<Turns, 'claimedAmong'>;
}

export class ClaimsElsewhere {
  readonly #dependencies: ClaimsElsewhereDependencies;
  readonly #waiting = new Map<number, Set<() => void>>();
  #isAsking = false;

  constructor(dependencies: ClaimsElsewhereDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Calls `onFree` once, when nobody has claimed the delivery any more.
   * @returns ends the waiting
   */
  whenFree(deliveryId: number, onFree: () => void): () => void {
    const waiting = this.#waiting.get(deliveryId) ?? new Set();
    this.#waiting.set(deliveryId, waiting.add(onFree));
    if (!this.#isAsking) void this.#ask();
    return () => {
      waiting.delete(onFree);
      if (waiting.size === 0 && this.#waiting.get(deliveryId) === waiting) this.#waiting.delete(deliveryId);
    };
  }

  async #ask(): Promise<void> {
    const { clock, turns } = this.#dependencies;
    this.#isAsking = true;
    while (this.#waiting.size > 0) {
      await clock.sleep(ASK_EVERY_MS);
      const ids = [...this.#waiting.keys()];
      // Of a ledger that cannot be read nothing new is known.
      const claimed = ids.length === 0 ? ids : await turns.claimedAmong(ids).catch(() => ids);
      this.#tell(ids, new Set(claimed));
    }
    this.#isAsking = false;
  }

  #tell(ids: readonly number[], claimed: ReadonlySet<number>): void {
    for (const id of ids) {
      if (claimed.has(id)) continue;
      const waiting = this.#waiting.get(id) ?? [];
      this.#waiting.delete(id);
      for (const onFree of waiting) onFree();
    }
  }
}
