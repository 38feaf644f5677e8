/** Section 8, `expect`: due times count from the BOT's first callback. Times: milliseconds since the world began. */
import { type ExpectPlan, MINUTE } from '../scenario.ts';

export class Expectation {
  readonly graceMs: number;
  /** The first due time that no result has met. */
  openDue: number;
  readonly #everyMs: number;
  /** Whether a missed result was told, and none has come since. */
  #isMissed: boolean;

  constructor(anchor: number, { everyMin, graceMin }: ExpectPlan, isMissed = false) {
    this.#isMissed = isMissed;
    this.#everyMs = everyMin * MINUTE;
    this.graceMs = graceMin * MINUTE;
    this.openDue = anchor + this.#everyMs;
  }

  isLate(at: number): boolean {
    return this.#isMissed || at > this.openDue + this.graceMs;
  }

  /** A result meets a due time if it comes after the one before and within the grace, and its run started at most one grace early. */
  came(at: number, startedAt: number): void {
    const isMet = (due: number) =>
      due - this.#everyMs < at && at <= due + this.graceMs && startedAt >= due - this.graceMs;
    this.#isMissed = false;
    while (this.openDue + this.graceMs < at || isMet(this.openDue)) this.openDue += this.#everyMs;
  }
}
