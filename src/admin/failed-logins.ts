/** How often a wrong password may be tried: after some from an address, each waits before it is looked at. */
import type { Clock } from '../time/clock.ts';

/** Whoever mistypes a password is not to notice any of this. */
const FREE_TRIES = 5;
const WAIT_MS = 1000;
const MOST_WAITING = 10;

/** The one that failed longest ago is forgotten first. */
const MOST_CLIENTS = 4096;

export class FailedLogins {
  readonly #clock: Pick<Clock, 'sleep'>;
  /** Of each client since its last right password; the latest last. */
  readonly #failures = new Map<string, number>();
  #waiting = 0;

  constructor(clock: Pick<Clock, 'sleep'>) {
    this.#clock = clock;
  }

  /** @returns false: too many wait, and this password is not looked at */
  async wait(client: string): Promise<boolean> {
    if ((this.#failures.get(client) ?? 0) < FREE_TRIES) return true;
    if (this.#waiting >= MOST_WAITING) return false;
    this.#waiting += 1;
    await this.#clock.sleep(WAIT_MS).finally(() => {
      this.#waiting -= 1;
    });
    return true;
  }

  /** A wrong one came. */
  add(client: string): void {
    const failures = this.#failures.get(client) ?? 0;
    this.#failures.delete(client);
    this.#failures.set(client, failures + 1);
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MOST_CLIENTS && oldest !== undefined) this.#failures.delete(oldest);
  }

  /** The right one came. */
  forget(client: string): void {
    this.#failures.delete(client);
  }
}
