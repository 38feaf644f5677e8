/** What comes at nearly the same time goes on together: it shares a transaction, and finds the code of each stage in the processor's caches. */
import type { Clock } from './clock.ts';

/** So many are company enough. */
const LARGEST = 64;

const LONGEST_WAIT_MS = 5;

/** A turn of the event loop that takes no longer found nothing to do. */
const IDLE_TURN_MS = 0.03;

/** While the process is busy, whoever waits here would have waited elsewhere. What comes alone does not wait. */
export class Turns {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** How many went on together last: who comes after one that was alone is likely to be alone, too. */
  #last = 1;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** @param waiting how many wait by now. @returns resolves at the end of this turn of the event loop, or of a later one while others come */
  async end(waiting: () => number): Promise<void> {
    let now = this.#clock.monotonic();
    const until = now + LONGEST_WAIT_MS;
    for (let isOver = false; !isOver;) {
      const began = now;
      await new Promise((resolve) => setImmediate(resolve));
      now = this.#clock.monotonic();
      isOver = this.#last === 1 || waiting() >= LARGEST || now >= until || now - began <= IDLE_TURN_MS;
    }
    this.#last = waiting();
  }
}
