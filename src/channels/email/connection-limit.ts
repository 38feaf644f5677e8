/** How many connections a mail server is asked for, and how many mails in a while; pure but for its clock. */

/** One more after each of these, so that a server that still refuses is asked once a minute and no more. */
const RECOVERY_MS = 60_000;

/** Halves at each refusal and grows by one a minute (additive increase, multiplicative decrease). */
export class ConnectionLimit {
  readonly #most: number;
  readonly #now: () => number;
  #limit: number;
  #changedAt = 0;
  #generation = 0;

  /** @param now milliseconds, by a monotonic clock */
  constructor(most: number, now: () => number) {
    this.#most = most;
    this.#limit = most;
    this.#now = now;
  }

  /** How many there may be now. */
  get current(): number {
    const steps = Math.floor((this.#now() - this.#changedAt) / RECOVERY_MS);
    if (steps > 0 && this.#limit < this.#most) {
      this.#limit = Math.min(this.#limit + steps, this.#most);
      this.#changedAt += steps * RECOVERY_MS;
    }
    return this.#limit;
  }

  /** To be remembered of each connection when it is begun. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * The server refused a connection for being one too many.
   * @param begunIn the generation in which it was begun: of many begun together, the first refusal counts for all
   * @param count of connections there were, this one included
   */
  refused(begunIn: number, count: number): void {
    if (begunIn !== this.#generation) return;
    this.#limit = Math.max(1, Math.floor(Math.min(this.current, count) / 2));
    this.#changedAt = this.#now();
    this.#generation += 1;
  }
}

/** nodemailer's `rateLimit` and `rateDelta`: so many mails begun within so long. */
export class RateLimit {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #now: () => number;
  #begunAt = Number.NEGATIVE_INFINITY;
  #count = 0;

  /** @param limit 0: none */
  constructor(limit: number, windowMs: number, now: () => number) {
    this.#limit = limit;
    this.#windowMs = windowMs;
    this.#now = now;
  }

  /** Counts one more mail. @returns 0, or the milliseconds until the next one may be begun, and then counts none */
  take(): number {
    if (this.#limit === 0) return 0;
    const now = this.#now();
    if (now - this.#begunAt >= this.#windowMs) {
      this.#begunAt = now;
      this.#count = 0;
    }
    if (this.#count >= this.#limit) return this.#begunAt + this.#windowMs - now;
    this.#count += 1;
    return 0;
  }
}
