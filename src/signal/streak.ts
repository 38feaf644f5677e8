/**
 * What is known of a BOT: its latest results by the start of their runs, in which errors stand in rows; and what a destination has
 * been told of its errors, so whether another one says anything new, and whether a success is news.
 */
import type { RouteRules } from './rules.ts';

export interface Result {
  readonly startedAt: number;
  readonly isError: boolean;
}

/** What is kept of a BOT. */
export interface Streak {
  /** By start; of equal starts, as they came. */
  readonly results: readonly Result[];
  /** Errors in a row that stand right before all of these, and the start of the first one. */
  readonly before: { readonly failures: number; readonly since: number | undefined };
}

const NONE_BEFORE: Streak['before'] = { failures: 0, since: undefined };

export const NO_RESULTS: Streak = { results: [], before: NONE_BEFORE };

/** Errors with no success among them; of a success, those that it ends. */
export interface Row {
  readonly failures: number;
  /** The start of its first error; undefined: it has none. */
  readonly since: number | undefined;
  /** Of an error: a success whose run began later has come before it. */
  readonly isOver: boolean;
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
  const end = found === -1 ? results.length : found;
  const { failures, since } = first === 0 ? before : NONE_BEFORE;
  const firstKept = end > first ? results[first]?.startedAt : undefined;
  return { failures: failures + end - first, since: since ?? firstKept, isOver: found > position };
}

function withoutOldest({ results: [oldest, ...results], before: { failures, since } }: Streak): Streak {
  if (oldest?.isError !== true) return { results, before: NONE_BEFORE };
  return { results, before: { failures: failures + 1, since: since ?? oldest.startedAt } };
}

/** What is kept of a BOT at a destination. Held by `mute`, a snooze or a burst counts as told. */
export interface Told {
  /** Starts of errors that no success has followed yet. */
  readonly errors: readonly number[];
  /** Undefined: none was told since the last success. */
  readonly last: ToldError | undefined;
  /** Errors that `repeat` has let go since. */
  readonly heldBack: number;
}

export interface ToldError {
  readonly startedAt: number;
  /** When that was decided. */
  readonly at: number;
  /** As `likenessOf` has it. */
  readonly likeness: string;
}

export const NOTHING_TOLD: Told = { errors: [], last: undefined, heldBack: 0 };

/** Of a row; the others only matter where as many results come out of order. */
const MOST_ERRORS = 20;

/** Whether an error is not to be told, since the last one told of its row says the same or was told just now. */
export function isRepeated(
  repeat: RouteRules['repeat'],
  { last }: Told,
  { row, at, likeness }: { readonly row: Row; readonly at: number; readonly likeness: string },
): boolean {
  if (repeat === 'every' || last === undefined || row.isOver) return false;
  if (repeat === 'changes') return last.likeness === likeness;
  // A clock that was set back must not make it longer.
  return Math.abs(at - last.at) < repeat;
}

/** Whether a success is the first one after an error that was told. */
export function isRecovery({ errors }: Told, startedAt: number): boolean {
  return errors.some((error) => error <= startedAt);
}

/** One that a success has followed already says nothing of the next ones. */
export function withToldError(told: Told, error: ToldError, { isOver }: Pick<Row, 'isOver'>): Told {
  if (isOver) return told;
  const errors = [...told.errors, error.startedAt].toSorted((a, b) => a - b).slice(-MOST_ERRORS);
  return { ...told, errors, last: error };
}

/** A success has come, whether it was told or not: what it follows is over, also where both began at once. */
export function withSuccess(told: Told, startedAt: number): Told {
  const { last } = told;
  const isOver = last !== undefined && last.startedAt <= startedAt;
  const errors = told.errors.filter((error) => error > startedAt);
  return { ...told, errors, last: isOver ? undefined : last };
}
