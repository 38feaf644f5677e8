/** Hours, weekdays and dates on which a route tells nobody. */
import type { StatusName } from '../callback/callback.ts';
import { dateOf, DAY_MS, dayOf, instantOn, weekdayOf } from './calendar.ts';
import type { MuteEntry } from './rules.ts';

const DAY_MINUTES = 1440;

/**
 * When the entry that holds then ends; the latest end where several do, undefined where none does.
 * @param status undefined: of what has none, so that no entry excepts it
 */
export function muteEndAt(
  at: number,
  entries: readonly MuteEntry[],
  { status, timezone }: { readonly status: StatusName | undefined; readonly timezone: string },
): number | undefined {
  const applying = entries.filter(({ except }) => status === undefined || except?.includes(status) !== true);
  if (applying.length === 0) return undefined;
  const today = dayOf(at, timezone);
  // A window over midnight may have begun yesterday.
  const ends = applying.flatMap((entry) =>
    [today - DAY_MS, today]
      .filter((day) => beginsOn(entry, day))
      .map((day) => windowOf(entry, day, timezone))
      .filter(({ begin, end }) => begin <= at && at < end)
      .map(({ end }) => end),
  );
  return ends.length === 0 ? undefined : Math.max(...ends);
}

function beginsOn({ days, dates }: MuteEntry, day: number): boolean {
  return (days?.includes(weekdayOf(day)) ?? true) && (dates?.includes(dateOf(day)) ?? true);
}

function windowOf({ from = 0, to = DAY_MINUTES }: MuteEntry, day: number, timezone: string) {
  return {
    begin: instantOn(day, from, timezone),
    end: instantOn(to > from ? day : day + DAY_MS, to, timezone),
  };
}
