/** Lets what comes at nearly the same time go on together. */

/** So many are company enough, and fit into one transaction of the ledger. */
const LARGEST = 64;

const LONGEST_WAIT_MS = 5;

/** A turn of the event loop that takes no longer found nothing to do. */
const IDLE_TURN_MS = 0.03;

/**
 * While the process is busy, whatever waits here would have waited elsewhere. What leaves together shares transactions,
 * and finds the code of each stage still in the processor's caches: together a quarter less CPU
 * (ADR 13). Whoever comes alone does not wait.
 */
export class Convoy {
  readonly #now: () => number;
  #waiting: (() => void)[] = [];
  /** How many left together last: whoever comes after one that left alone is likely to be alone, too. */
  #last = 1;

  /** @param now milliseconds, by a clock that nobody sets */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Resolves for all who are waiting, in their order: at the end of this turn of the event loop, or, where company is to
   * be expected, when the loop is idle, after five milliseconds at most.
   */
  join(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length > 1) return;
      const now = this.#now();
      this.#gather(now, now + LONGEST_WAIT_MS);
    });
  }

  #gather(turnBeganAt: number, until: number): void {
    setImmediate(() => {
      const now = this.#now();
      const isEnough = this.#last === 1 || this.#waiting.length >= LARGEST;
      if (isEnough || now >= until || now - turnBeganAt <= IDLE_TURN_MS) this.#leave();
      else this.#gather(now, until);
    });
  }

  #leave(): void {
    const leaving = this.#waiting;
    this.#waiting = [];
    this.#last = leaving.length;
    for (const go of leaving) go();
  }
}
