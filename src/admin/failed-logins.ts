/** How often a wrong password may be tried: each client has a few tries, and gets them back one after the other. */
import type { Clock } from '../time/clock.ts';

/** Whoever mistypes a password is not to notice any of this. */
const TRIES = 10;
const TRY_BACK_AFTER_MS = 6000;

/** From this one on, the answer to a wrong password is held back, each time for twice as long. */
const FIRST_SLOWED = 4;
const SLOWED_MS = 125;
const LONGEST_SLOWED_MS = 2000;

/** Of whoever has no try left, one password is looked at in so long; who would have to wait longer than that, is not. */
export const LOOK_EVERY_MS = 2000;
const LONGEST_WAIT_MS = 8000;

/** Of each some hundred bytes; the one that has failed longest ago is forgotten first. */
const MOST_CLIENTS = 4096;

interface Tries {
  /** Fractions come back as well. */
  readonly left: number;
  /** By the monotonic clock: when that many were left. */
  readonly at: number;
  /** When the last one that waits is looked at. */
  readonly looksAt: number;
}

/** What becomes of a password that is to be tried. */
export interface Turn {
  /** It is looked at after so many milliseconds, or, if undefined, not at all. */
  readonly inMs: number | undefined;
  /** There was no try left: a wrong one is one too many. */
  readonly isBeyond: boolean;
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

  /** Taken before a password is looked at, so that many tries at once are counted as well. */
  take(client: string): Turn {
    const left = this.#left(client);
    if (left >= 1) {
      this.#keep(client, { left: left - 1 });
      return { inMs: 0, isBeyond: false };
    }
    const inMs = this.#waitMs(client) + LOOK_EVERY_MS;
    if (inMs > LONGEST_WAIT_MS) return { inMs: undefined, isBeyond: true };
    this.#keep(client, { left, looksAt: this.#clock.monotonic() + inMs });
    return { inMs, isBeyond: true };
  }

  /** The password was right. @param turn its own */
  giveBack(client: string, { isBeyond }: Turn): void {
    if (isBeyond) return;
    const left = this.#left(client) + 1;
    if (left >= TRIES) this.#tries.delete(client);
    else this.#keep(client, { left });
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

  #waitMs(client: string): number {
    return Math.max(0, (this.#tries.get(client)?.looksAt ?? 0) - this.#clock.monotonic());
  }

  #keep(client: string, changes: Pick<Tries, 'left'> & Partial<Tries>): void {
    const { looksAt = 0 } = this.#tries.get(client) ?? {};
    this.#tries.delete(client);
    this.#tries.set(client, { looksAt, at: this.#clock.monotonic(), ...changes });
    const [oldest] = this.#tries.keys();
    if (this.#tries.size > MOST_CLIENTS && oldest !== undefined) this.#tries.delete(oldest);
  }
}
