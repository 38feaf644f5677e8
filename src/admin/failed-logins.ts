/** How often a wrong password may be tried: each client has a few tries, and gets them back one after the other. */
import type { Clock } from '../time/clock.ts';

/** Whoever mistypes a password is not to notice any of this. */
const TRIES = 10;
const TRY_BACK_AFTER_MS = 6000;

/** From this one on, the answer to a wrong password is held back, each time for twice as long. */
const FIRST_SLOWED = 4;
const SLOWED_MS = 125;
const LONGEST_SLOWED_MS = 2000;

/** Of each some hundred bytes; the one that has failed longest ago is forgotten first. */
const MOST_CLIENTS = 4096;

interface Tries {
  /** Fractions come back as well. */
  readonly left: number;
  /** By the monotonic clock: when that many were left. */
  readonly at: number;
}

export class FailedLogins {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** Of clients that have failed; the latest last. */
  readonly #tries = new Map<string, Tries>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** How many clients are known to have failed. */
  get size(): number {
    return this.#tries.size;
  }

  /**
   * Taken before a password is looked at, so that many tries at once are counted as well.
   * @returns milliseconds until there is one; 0: this one may be made
   */
  take(client: string): number {
    const left = this.#left(client);
    if (left < 1) return Math.ceil((1 - left) * TRY_BACK_AFTER_MS);
    this.#keep(client, left - 1);
    return 0;
  }

  /** The password was right. */
  giveBack(client: string): void {
    const left = this.#left(client) + 1;
    if (left >= TRIES) this.#tries.delete(client);
    else this.#keep(client, left);
  }

  /** Milliseconds for which the answer to a wrong one is held back. */
  slowedMs(client: string): number {
    const made = Math.ceil(TRIES - this.#left(client));
    return made < FIRST_SLOWED ? 0 : Math.min(SLOWED_MS * 2 ** (made - FIRST_SLOWED), LONGEST_SLOWED_MS);
  }

  #left(client: string): number {
    const known = this.#tries.get(client);
    if (known === undefined) return TRIES;
    return Math.min(TRIES, known.left + (this.#clock.monotonic() - known.at) / TRY_BACK_AFTER_MS);
  }

  #keep(client: string, left: number): void {
    this.#tries.delete(client);
    this.#tries.set(client, { left, at: this.#clock.monotonic() });
    const [oldest] = this.#tries.keys();
    if (this.#tries.size > MOST_CLIENTS && oldest !== undefined) this.#tries.delete(oldest);
  }
}
