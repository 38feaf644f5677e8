/** A BOT's latest results by the start of their runs, in which errors stand in rows. */

export interface Result {
  readonly startedAt: number;
  readonly isError: boolean;
}

/** What is kept of a BOT. */
export interface Streak {
  /** By start; of equal starts, as they came. */
  readonly results: readonly Result[];
  /** Of the results before all of these: the start of the last success, and the errors in a row since. */
  readonly before: {
    readonly succeededAt: number | undefined;
    readonly failures: number;
    readonly since: number | undefined;
  };
}

export const NO_RESULTS: Streak = {
  results: [],
  before: { succeededAt: undefined, failures: 0, since: undefined },
};

/** Errors with no success among them; of a success, those that it ends. */
export interface Row {
  readonly failures: number;
  /** The start of its first error; undefined: it has none. */
  readonly since: number | undefined;
  /** The starts of the successes before and behind it; undefined where there is none. */
  readonly after: number | undefined;
  readonly until: number | undefined;
}

/** So many results of one BOT may come in any order. */
const MOST_KEPT = 20;

/** @returns what is kept from now on, and the row that the result is part of or ends */
export function withResult(streak: Streak, result: Result): { readonly streak: Streak; readonly row: Row } {
  const position = streak.results.findLastIndex(({ startedAt }) => startedAt <= result.startedAt) + 1;
  const grown = { ...streak, results: streak.results.toSpliced(position, 0, result) };
  const row = rowAt(grown, position);
  if (grown.results.length <= MOST_KEPT) return { streak: grown, row };
  // Nobody knows any more where it stood among what is only counted.
  return { streak: position === 0 ? streak : withoutOldest(grown), row };
}

function rowAt({ results, before }: Streak, position: number): Row {
  const first = results.findLastIndex(({ isError }, index) => index < position && !isError) + 1;
  const found = results.findIndex(({ isError }, index) => index >= position && !isError);
  const behind = found === -1 ? results.length : found;
  const row = {
    failures: behind - first,
    since: behind > first ? results[first]?.startedAt : undefined,
    after: results[first - 1]?.startedAt,
    until: results[behind]?.startedAt,
  };
  if (first > 0) return row;
  const { failures, since = row.since, succeededAt } = before;
  return { ...row, failures: row.failures + failures, since, after: succeededAt };
}

function withoutOldest({ results: [oldest, ...results], before }: Streak): Streak {
  if (oldest === undefined) return NO_RESULTS;
  const { startedAt, isError } = oldest;
  if (!isError) return { results, before: { succeededAt: startedAt, failures: 0, since: undefined } };
  const { failures, since = startedAt } = before;
  return { results, before: { ...before, failures: failures + 1, since } };
}
