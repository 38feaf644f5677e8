/** Section 8: the results of a BOT, what a destination was told of it, and when one is due. Facts go by the start of the runs. */
import { type ExpectPlan, MINUTE, type Send } from '../scenario.ts';

export interface Row {
  /** Errors in a row. */
  readonly failures: number;
  /** When the first of these errors started; undefined if there is none. */
  readonly since: number | undefined;
  /** Whether a success that started later has come before. */
  readonly isOver: boolean;
}

interface Result {
  readonly startedAt: number;
  readonly isError: boolean;
}

export class Results {
  readonly #results: Result[] = [];

  /** @returns the errors in a row that the result is part of, or ends */
  add(result: Result): Row {
    const results = this.#results;
    const place = results.filter(({ startedAt }) => startedAt <= result.startedAt).length;
    results.splice(place, 0, result);
    let first = place;
    while (results[first - 1]?.isError === true) first -= 1;
    let end = place;
    while (results[end]?.isError === true) end += 1;
    const since = end > first ? results[first]?.startedAt : undefined;
    return { failures: end - first, since, isOver: end < results.length && end > place };
  }
}

export interface ToldError {
  readonly startedAt: number;
  readonly at: number;
  readonly likeness: string;
  /** When it became a dead letter, and no longer counts as told; Infinity: never. */
  readonly lostAt: number;
}

export interface ToldFacts {
  readonly errors: readonly ToldError[];
  /** How many errors `repeat` has let go since the last message. */
  readonly heldBack: number;
}

export const NOTHING_TOLD: ToldFacts = { errors: [], heldBack: 0 };

/** Digits, and the job's own id, do not count as differences. */
export function likenessOf({ message, job }: Send): string {
  return message.replaceAll(job, '').replaceAll(/\d+/g, '0');
}

export interface Decided extends ToldError {
  readonly status: Send['status'];
  readonly isLetGo: boolean;
  readonly rule: string | undefined;
  readonly isOver: boolean;
}

/** What a destination was told of a BOT after this decision. A hold counts as told. */
export function toldAfter(told: ToldFacts, decided: Decided): ToldFacts {
  const { status, startedAt, at, likeness, lostAt, isLetGo, rule, isOver } = decided;
  const heldBack = isLetGo ? told.heldBack : 0;
  if (status === 2) return told;
  if (status === 0) return { errors: told.errors.filter((error) => error.startedAt > startedAt), heldBack };
  if (isLetGo) return rule === 'repeat' ? { ...told, heldBack: told.heldBack + 1 } : told;
  return { errors: isOver ? told.errors : [...told.errors, { startedAt, at, likeness, lostAt }], heldBack };
}

/** Of `expect`: due times count from the BOT's first callback. Times: milliseconds since the world began. */
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
