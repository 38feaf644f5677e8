/** Who may log in when: servers lock out whoever goes on with a login that they refuse. */
import type { DeliveryFailure } from '../failure.ts';
import { LONGEST_PAUSE_MS } from '../retry-after.ts';
import { type TurnLimits, Turns } from '../turns.ts';
import { LOGIN_PAUSE_MS } from './smtp-errors.ts';

/** One mail at a time tries a login that the server has not taken yet. */
export class Logins {
  readonly turns: Turns;
  /** How many were refused since one was taken. */
  refusals = 0;
  #isDoubted: boolean;

  constructor(limits: TurnLimits, hasLogin: boolean) {
    this.#isDoubted = hasLogin;
    const most = () => (this.#isDoubted ? 1 : limits.connections);
    this.turns = new Turns({
      ...limits,
      get connections() {
        return most();
      },
    });
  }

  /** @param refusals before it @returns how long nobody logs in after one that is refused */
  pauseMs(refusals = this.refusals): number {
    return Math.min(LOGIN_PAUSE_MS * 2 ** refusals, LONGEST_PAUSE_MS);
  }

  taken(): void {
    this.#isDoubted = false;
    this.turns.serve();
  }

  /** @param refusedBefore how many were when its mail began: others may be refused at the same time */
  failed({ class: failed, retryAfterMs }: DeliveryFailure, refusedBefore: number): void {
    this.#isDoubted = failed === 'config' && retryAfterMs !== undefined;
    if (this.#isDoubted) this.refusals = refusedBefore + 1;
  }
}
