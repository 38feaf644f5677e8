/** What came of each day of a time, and what it comes to. */
import type { ArchivedDay } from '../../../ledger/archive/archive.ts';

/** A retry comes no sooner (callback interface), and the BOT runs until then. */
const SECONDS_A_RETRY = 30;

export interface DayFigures {
  /** `2026-01-31` */
  readonly day: string;
  readonly succeeded: number;
  readonly failed: number;
  readonly started: number;
  readonly retries: number;
  /** Seconds, of all results. */
  readonly spentSeconds: number;
  readonly retrySeconds: number;
  /** Seconds; undefined: no run has ended. */
  readonly meanSeconds: number | undefined;
}

/** Each day from the first to the last, also those on which nothing came. */
export function figuresOf(
  days: readonly ArchivedDay[],
  { first, last }: { readonly first: string; readonly last: string },
): readonly DayFigures[] {
  const known = new Map(days.map((day) => [day.day, day]));
  return daysBetween(first, last).map((day) => countsOn(day, known.get(day)));
}

function countsOn(day: string, counts: ArchivedDay | undefined): DayFigures {
  const { succeeded = 0, failed = 0, started = 0, retries = 0, elapsedSeconds = 0 } = counts ?? {};
  const ended = succeeded + failed;
  return {
    day,
    succeeded,
    failed,
    started,
    retries,
    spentSeconds: elapsedSeconds,
    retrySeconds: retries * SECONDS_A_RETRY,
    meanSeconds: ended === 0 ? undefined : elapsedSeconds / ended,
  };
}

const DAY_MS = 86_400_000;

/** By the calendar, where every day has 24 hours. */
function daysBetween(first: string, last: string): readonly string[] {
  const [from, to] = [Date.parse(`${first}T00:00:00Z`), Date.parse(`${last}T00:00:00Z`)];
  const count = Math.round((to - from) / DAY_MS) + 1;
  return Array.from({ length: count }, (_, index) =>
    new Date(from + index * DAY_MS).toISOString().slice(0, 10),
  );
}

/** The day that is so many before the given one. */
export function dayBefore(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - days * DAY_MS).toISOString().slice(0, 10);
}
