/** Tells reports, and how much of the budget of running time is used, at their times. */
import { compilePattern } from '../config/bot-id-pattern.ts';
import { calendarDoubts } from '../config/read/calendars.ts';
import type { Fired, Standing } from '../ledger/timers/fire.ts';
import { type Timer, timerKey } from '../ledger/timers/timers.ts';
import type { OwnSubject } from '../notice/notice.ts';
import {
  type Budget,
  type BudgetStanding,
  passedNow,
  planMonth,
  standingOf,
  type ToldOfBudget,
} from '../report/budget.ts';
import { csvOf, reportOf } from '../report/report.ts';
import { DAY_MS, dayOf, periodStart, reportDue } from '../signal/calendar.ts';
import type { Delivering } from './delivering.ts';
import type { Planning, Settings } from './settings.ts';

/** What firing a timer goes by. `now`: the store's time at the claim. */
export interface Firing extends Pick<Delivering, 'ledger'> {
  readonly settings: Settings;
  readonly now: number;
}

/** The first day that no report has told of. */
interface ReportPosition {
  readonly from: number;
}

/** The key names the period and the BOTs, with a number among equal reports, so that neither another time nor another recipient begins it anew. */
function keyedReports({ config: { reports } }: Pick<Planning, 'config'>) {
  const named = reports.map(({ every, botIds }) =>
    JSON.stringify([every, botIds.includes('*') ? [] : botIds.toSorted()]),
  );
  return reports.map((report, index) => {
    const before = named.slice(0, index).filter((name) => name === named[index]).length;
    return { report, key: timerKey('report', [named[index], before]) };
  });
}

function knownOf({ begun }: Pick<Standing, 'begun'>, key: string): unknown {
  return begun.find((timer) => timer.key === key)?.data;
}

export function reportTimers(
  settings: Pick<Planning, 'config'>,
  standing: Pick<Standing, 'begun' | 'now'>,
): readonly Timer<ReportPosition>[] {
  const { timezone } = settings.config.display;
  const today = dayOf(standing.now, timezone);
  return keyedReports(settings).map(({ report, key }) => {
    const known = knownOf(standing, key) as ReportPosition | undefined;
    // One that lies further ahead than the day of another time zone dates from before the clock was set back.
    const isKept = known !== undefined && known.from <= today + DAY_MS;
    const data = isKept ? known : { from: periodStart(report.every, today) };
    return { key, kind: 'report', dueAt: reportDue(report, data.from, timezone), data };
  });
}

/** Most BOTs that a message names, and most that its file has. */
const MOST_TOLD = 50;
const MOST_IN_FILE = 5000;

export async function tellReport(
  timer: Timer<ReportPosition>,
  { settings, ledger, now }: Firing,
): Promise<Fired> {
  const { config } = settings;
  const { timezone } = config.display;
  const report = keyedReports(settings).find(({ key }) => key === timer.key)?.report;
  if (report === undefined) return { timer };
  const { from } = timer.data;
  const to = periodStart(report.every, dayOf(now, timezone));
  // The clock was set back meanwhile.
  if (to <= from) return { timer, next: { dueAt: reportDue(report, from, timezone), data: timer.data } };
  const patterns = report.botIds.map(compilePattern);
  const bots = await ledger.archive.figuresOfPeriod({ from, to, timezone });
  const own = bots.filter(({ botId }) => patterns.length === 0 || patterns.some((matches) => matches(botId)));
  const whole = reportOf({ from, to }, own);
  const subject: OwnSubject<'report'> = {
    template: 'report',
    from,
    to,
    total: whole.total,
    bots: whole.bots.slice(0, MOST_TOLD),
    moreBots: Math.max(0, whole.bots.length - MOST_TOLD),
    csv: csvOf({ ...whole, bots: whole.bots.slice(0, MOST_IN_FILE) }),
    budget: await budgetStanding(ledger.archive, config, dayOf(now, timezone), to - DAY_MS),
    doubts: doubtsAt(now, settings),
  };
  return {
    timer,
    next: { dueAt: reportDue(report, to, timezone), data: { from: to } },
    notice: { kind: 'report', subject: JSON.stringify(subject), planned: report.notify, timezone },
  };
}

/** How often Botbell checks how much of the budget is used. */
const BUDGET_MS = 60_000;

const BUDGET_KEY = 'budget';

export function budgetTimers(
  { config: { budget } }: Pick<Planning, 'config'>,
  standing: Pick<Standing, 'begun' | 'now'>,
): readonly Timer<ToldOfBudget>[] {
  if (budget === undefined) return [];
  const known = knownOf(standing, BUDGET_KEY) as ToldOfBudget | undefined;
  const data = known ?? { from: 0, told: [] };
  return [{ key: BUDGET_KEY, kind: 'budget', dueAt: standing.now, data }];
}

export async function tellBudget(
  timer: Timer<ToldOfBudget>,
  { settings: { config }, ledger, now }: Firing,
): Promise<Fired> {
  const { budget, display } = config;
  if (budget === undefined) return { timer };
  const { timezone } = display;
  const today = dayOf(now, timezone);
  const lastDay = planMonth(budget.fromDay, today).from - DAY_MS;
  const days = await daysOf(ledger.archive, { budget, display }, today);
  const months = [standingOf(budget, days, today, lastDay), standingOf(budget, days, today)] as const;
  const { month, percent, after, isMore } = passedNow(budget.warn, months, timer.data);
  const next = { dueAt: isMore ? now + 1 : now + BUDGET_MS, data: after };
  if (percent === undefined) return { timer, next };
  const subject: OwnSubject<'budget'> = { template: 'budget', ...month, passed: percent };
  return {
    timer,
    next,
    notice: { kind: 'budget', subject: JSON.stringify(subject), planned: budget.notify, timezone },
  };
}

/** How much is used in the plan's month that has the day `inMonth`; undefined: no budget is set. */
export async function budgetStanding(
  archive: Days,
  { budget, display }: { readonly budget: Budget | undefined } & Pick<Planning['config'], 'display'>,
  today: number,
  inMonth = today,
): Promise<BudgetStanding | undefined> {
  if (budget === undefined) return undefined;
  return standingOf(budget, await daysOf(archive, { budget, display }, inMonth), today, inMonth);
}

type Days = Pick<Firing['ledger']['archive'], 'figuresByDay'>;

/** The figures of the plan's month that has the day, and of the month before. */
function daysOf(
  archive: Days,
  { budget, display }: { readonly budget: Budget } & Pick<Planning['config'], 'display'>,
  day: number,
) {
  const { from, to } = planMonth(budget.fromDay, day);
  const { from: before } = planMonth(budget.fromDay, from - DAY_MS);
  return archive.figuresByDay({ from: before, to, timezone: display.timezone });
}

export function doubtsAt(now: number, { config }: Pick<Planning, 'config'>) {
  return calendarDoubts(config.calendars, dayOf(now, config.display.timezone));
}
