/** What a destination has been told of a BOT's errors: whether another one says anything new, and whether a success is news. */
import type { RouteRules } from './rules.ts';
import type { Row } from './streak.ts';

/** What is kept of a BOT at a destination. Held by `mute`, a snooze or a burst counts as told. */
export interface Told {
  /** Starts of errors that no success has followed yet. */
  readonly errors: readonly number[];
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
  if (repeat === 'every' || last === undefined || !isWithin(row, last.startedAt)) return false;
  if (repeat === 'changes') return last.likeness === likeness;
  // A clock that was set back must not make it longer.
  return Math.abs(at - last.at) < repeat;
}

function isWithin({ after, until }: Row, startedAt: number): boolean {
  return (after === undefined || after <= startedAt) && (until === undefined || startedAt <= until);
}

/** Whether a success is the first one after an error that was told. */
export function isRecovery({ errors }: Told, { row, startedAt }: { row: Row; startedAt: number }): boolean {
  return errors.some((error) => error <= startedAt && isWithin(row, error));
}

export function withToldError(told: Told, error: ToldError): Told {
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
