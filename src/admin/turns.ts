/** How much the admin listener works on at once: whatever people ask for, the receiver has the rest of the process. */
import type { Middleware } from 'koa';
import { HttpProblem } from '../http/problem.ts';
import { LedgerUnavailable } from '../ledger/ledger.ts';
import { type Clock, Deadline, DeadlinePassed } from '../time/clock.ts';

const MOST_AT_ONCE = 16;

/** Longer than whatever is waited for: the store settles within 5 s, a test send within `delivery.timeout`. */
const LONGEST_MS = 30_000;

/** Forms of some megabytes. */
const MOST_LARGE_AT_ONCE = 2;

export class AdminTurns {
  readonly #clock: Clock;
  #taken = 0;
  #largeTaken = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Until the request is handled, which is before a stream is through; 503 while as many are. What takes too long is
   * answered 503 as well, and counts until it is done.
   */
  readonly limit: Middleware = async (_ctx, next) => {
    if (this.#taken >= MOST_AT_ONCE) throw busy('Too much is asked for at once. Try again in a moment.', 1);
    this.#taken += 1;
    const done = next().finally(() => {
      this.#taken -= 1;
    });
    try {
      await new Deadline(this.#clock, LONGEST_MS).bound(done);
    } catch (error) {
      throw error instanceof DeadlinePassed ? busy('It took too long.', 30) : error;
    }
  };

  /** For as long as a large form is read and answered; 503 while as many are. */
  readonly limitLarge: Middleware = async (_ctx, next) => {
    if (this.#largeTaken >= MOST_LARGE_AT_ONCE)
      throw busy('Somebody else is using this. Try again in a moment.', 1);
    this.#largeTaken += 1;
    try {
      await next();
    } finally {
      this.#largeTaken -= 1;
    }
  };
}

export const answerLedgerTrouble: Middleware = async (_ctx, next) => {
  try {
    await next();
  } catch (error) {
    throw error instanceof LedgerUnavailable
      ? busy('The ledger cannot be read or written at the moment.', 5, error)
      : error;
  }
};

function busy(detail: string, seconds: number, cause?: unknown): HttpProblem {
  return new HttpProblem({ status: 503, detail, headers: { 'Retry-After': String(seconds) } }, { cause });
}
