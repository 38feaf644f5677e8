/** Section 8, `expect`: due times count from the BOT's first callback. Times: milliseconds since the world began. */
import { type ExpectPlan, MINUTE } from '../scenario.ts';

export class Expectation {
  readonly graceMs: number;
  /** The first due time that no result has met. */
  openDue: number;
  readonly #everyMs: number;
  /** It was told as missed, and no result has come since. */
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

  /** A due time is met by a result after the due time before it and no later than the grace, from a run that started at most one grace early. */
  came(at: number, startedAt: number): void {
    const isMet = (due: number) =>
      due - this.#everyMs < at && at <= due + this.graceMs && startedAt >= due - this.graceMs;
    this.#isMissed = false;
    while (this.openDue + this.graceMs < at || isMet(this.openDue)) this.openDue += this.#everyMs;
  }
}
