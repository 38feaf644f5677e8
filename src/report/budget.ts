/** How much of the plan's running time a month has used, and what it will come to: pure. */
import { DAY_MS } from '../signal/calendar.ts';
import type { Calendar } from '../signal/rules.ts';

export interface Budget {
  readonly hours: number;
  /** Day of the month on which a month of the plan begins, 1 to 28. */
  readonly fromDay: number;
  /** The days by which the rest of a month is forecast; undefined: all. */
  readonly calendar: Calendar | undefined;
}

export interface BudgetStanding {
  /** The month of the plan: its first day, and the first day after it. */
  readonly from: number;
  readonly to: number;
  readonly budgetMs: number;
  readonly usedMs: number;
  readonly percent: number;
  /** What the month comes to if it goes on like this; undefined: it is over, or fewer than three whole days are known. */
  readonly forecastMs: number | undefined;
}

/** The month of the plan that the day is in. */
export function planMonth(fromDay: number, day: number): Pick<BudgetStanding, 'from' | 'to'> {
  const date = new Date(day);
  const month = date.getUTCMonth() - (date.getUTCDate() < fromDay ? 1 : 0);
  const firstOf = (each: number) => Date.UTC(date.getUTCFullYear(), each, fromDay);
  return { from: firstOf(month), to: firstOf(month + 1) };
}

/** Fewer days say too little for a forecast of the month. */
const LEAST_DAYS_KNOWN = 3;

/**
 * @param days the running time of all BOTs by day, also of the month before; a day that is left out had none
 * @param inMonth a day of the month that is asked for
 */
export function standingOf(
  { hours, fromDay, calendar }: Budget,
  days: readonly { readonly day: number; readonly runningMs: number }[],
  today: number,
  inMonth = today,
): BudgetStanding {
  const { from, to } = planMonth(fromDay, inMonth);
  const sum = (first: number, end: number) =>
    days.reduce((ms, { day, runningMs }) => (day >= first && day < end ? ms + runningMs : ms), 0);
  const countDays = (first: number, end: number) => {
    let count = 0;
    for (let day = first; day < end; day += DAY_MS) if (calendar?.has(day) !== false) count += 1;
    return count;
  };
  const usedMs = sum(from, to);
  // Nothing is known of the time before the first of all days, and that day may not be whole.
  const knownFrom = Math.max(from, Math.min(...days.map(({ day }) => day)) + DAY_MS);
  const known = countDays(knownFrom, today);
  const perDayMs = sum(knownFrom, today) / known;
  const isKnown = today < to && known >= LEAST_DAYS_KNOWN;
  const forecastMs = isKnown
    ? Math.max(usedMs, Math.round(sum(from, today) + perDayMs * countDays(today, to)))
    : undefined;
  const budgetMs = hours * 3_600_000;
  return { from, to, budgetMs, usedMs, percent: Math.floor((usedMs * 100) / budgetMs), forecastMs };
}

/** The percentages told in a month of the plan, and what that month and the one before had used at the last check. */
export interface ToldOfBudget {
  readonly from: number;
  readonly told: readonly number[];
  readonly usedMs?: number;
  readonly beforeMs?: number;
  /** The same of the other month that was watched last; it goes on when a clock that was ahead is set right, or the time zone changes. */
  readonly earlier?: Pick<ToldOfBudget, 'from' | 'told'> | undefined;
}

const toldIn = (month: number, known: ToldOfBudget) =>
  [known, known.earlier].find((each) => each?.from === month)?.told ?? [];

/** @param late what is told now of a month, which may be that one */
function otherMonth(month: number, known: ToldOfBudget, late: Pick<ToldOfBudget, 'from' | 'told'>) {
  const other = known.from === month ? known.earlier : { from: known.from, told: known.told };
  return other?.from === late.from ? { ...other, told: [...other.told, ...late.told] } : other;
}

/**
 * Runs of a month's last days may end after it. The percentages that the month passes by them are told, too, but none that it had passed before.
 * @param warn ascending @param months the month before, and this one
 * @returns `percent`: the lowest that is passed and not told; undefined: none. `month`: the month that it is of. `isMore`: there is another one
 */
export function passedNow<Month extends Omit<BudgetStanding, 'to' | 'forecastMs'>>(
  warn: readonly number[],
  [before, current]: readonly [Month, Month],
  known: ToldOfBudget,
) {
  const { from, usedMs } = current;
  const told = toldIn(from, known);
  const watchedMs = known.from === before.from ? known.usedMs : undefined;
  const beforeMs = (known.from === from ? known.beforeMs : watchedMs) ?? before.usedMs;
  const late = warn.filter((each) => each <= before.percent && each * before.budgetMs > beforeMs * 100);
  const passed = warn.filter((each) => each <= current.percent && !told.includes(each));
  const percent = late[0] ?? passed[0];
  const isOfBefore = late.length > 0;
  const after: ToldOfBudget = {
    from,
    told: isOfBefore ? told : [...told, ...passed.slice(0, 1)],
    usedMs,
    earlier: otherMonth(from, known, { from: before.from, told: late.slice(0, 1) }),
    beforeMs: isOfBefore ? ((percent ?? 0) * before.budgetMs) / 100 : Math.max(beforeMs, before.usedMs),
  };
  return { month: isOfBefore ? before : current, percent, after, isMore: late.length + passed.length > 1 };
}
