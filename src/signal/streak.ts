/**
 * A BOT's streak: its latest results by the start of their runs, and the errors in a row. Also which of its errors a destination
 * was told, which decides whether another error repeats them and whether a success is a recovery.
 */
import type { RouteRules } from './rules.ts';

export interface Result {
  readonly startedAt: number;
  readonly isError: boolean;
}

/** What the ledger keeps of a BOT. */
export interface Streak {
  /** In the order of their starts; of equal starts, as they came. */
  readonly results: readonly Result[];
  /** The errors in a row right before `results`: their number, and the start of the first one. */
  readonly before: { readonly failures: number; readonly since: number | undefined };
}

const NONE_BEFORE: Streak['before'] = { failures: 0, since: undefined };

export const NO_RESULTS: Streak = { results: [], before: NONE_BEFORE };

/** The errors in a row of which an error is part, or that a success ends. */
export interface Row {
  readonly failures: number;
  /** The start of its first error; undefined: it has none. */
  readonly since: number | undefined;
  /** For an error: a success whose run began later has already come. */
  readonly isOver: boolean;
}

/** Most results kept of a BOT, and most told errors kept at a destination: as many may come out of order. */
const MOST_KEPT = 20;

/** @returns the streak to keep, and the row that the result is part of or ends */
export function withResult(streak: Streak, result: Result): { readonly streak: Streak; readonly row: Row } {
  const position = streak.results.findLastIndex(({ startedAt }) => startedAt <= result.startedAt) + 1;
  const grown = { ...streak, results: streak.results.toSpliced(position, 0, result) };
  const row = rowAt(grown, position);
  if (grown.results.length <= MOST_KEPT) return { streak: grown, row };
  // A result older than all that are kept is dropped: its place among the counted errors is unknown.
  return { streak: position === 0 ? streak : withoutOldest(grown), row };
}

function rowAt({ results, before }: Streak, position: number): Row {
  const first = results.findLastIndex(({ isError }, index) => index < position && !isError) + 1;
  const found = results.findIndex(({ isError }, index) => index >= position && !isError);
  const end = found === -1 ? results.length : found;
  const { failures, since } = first === 0 ? before : NONE_BEFORE;
  const firstKept = end > first ? results[first]?.startedAt : undefined;
  return { failures: failures + end - first, since: since ?? firstKept, isOver: found > position };
}

function withoutOldest({ results: [oldest, ...results], before: { failures, since } }: Streak): Streak {
  if (oldest?.isError !== true) return { results, before: NONE_BEFORE };
  return { results, before: { failures: failures + 1, since: since ?? oldest.startedAt } };
}

/**
 * What the ledger keeps of a BOT at a destination. A message held by `mute`, a snooze or a burst counts as told, and one that became
 * a dead letter does not.
 */
export interface ToldErrors {
  /** Told errors whose runs began later than that of every success so far, in the order in which they were told. */
  readonly errors: readonly ToldError[];
  /** Errors that `repeat` let go since the last message. */
  readonly heldBack: number;
}

export interface ToldError {
  /** The id of its callback. */
  readonly id: number;
  readonly startedAt: number;
  /** When the decision to tell it was made. */
  readonly at: number;
  /** The result of `likenessOf`. */
  readonly likeness: string;
}

export const NOTHING_TOLD: ToldErrors = { errors: [], heldBack: 0 };

/** Whether `repeat` lets an error go: the last error told in its row says the same, or was told too recently. */
export function isRepeated(
  repeat: RouteRules['repeat'],
  { errors }: ToldErrors,
  { row, at, likeness }: { readonly row: Row; readonly at: number; readonly likeness: string },
): boolean {
  const last = errors.at(-1);
  if (repeat === 'every' || last === undefined || row.isOver) return false;
  if (repeat === 'changes') return last.likeness === likeness;
  // The absolute value, since a clock that is set back must not prolong the time.
  return Math.abs(at - last.at) < repeat;
}

/** Whether a success is the first one after an error that was told. */
export function isRecovery({ errors }: ToldErrors, startedAt: number): boolean {
  return errors.some((error) => error.startedAt <= startedAt);
}

/** Ignores an error that a later success has already ended. */
export function withToldError(told: ToldErrors, error: ToldError, { isOver }: Pick<Row, 'isOver'>) {
  if (isOver) return told;
  return { ...told, errors: [...told.errors, error].slice(-MOST_KEPT) };
}

/** A success, told or not, ends the errors of runs that began before its own or at the same time. */
export function withSuccess(told: ToldErrors, startedAt: number): ToldErrors {
  return { ...told, errors: told.errors.filter((error) => error.startedAt > startedAt) };
}
