/** Reports for people: the period that they ask for, and what there is to say of it. */
import type { Config } from '../config/config.ts';
import { calendarDoubts } from '../config/read/calendars.ts';
import { budgetStanding } from '../deliver/reports.ts';
import type { PeriodRequest } from '../ledger/days/roll-up.ts';
import type { Archive } from '../ledger/registry.ts';
import type { BudgetStanding } from '../report/budget.ts';
import { type Figures, sumOf } from '../report/figures.ts';
import {
  answersCostMs,
  csvFile,
  csvOf,
  type Days,
  monthBefore,
  monthOf,
  namedFigures,
  type Report,
  REPORTED_DAYS,
  reportOf,
} from '../report/report.ts';
import { type CalendarDoubt, dateOf, DAY_MS, dayIn, dayOf, periodStart } from '../signal/calendar.ts';
import { faultSaid } from '../text/fault.ts';
import { snakeCase } from '../text/json.ts';
import { type FilterContext, oneOf, type Parameter, readParameters, refusalOf, TEXT } from './filters.ts';

/** A period may end this long after today, since its month may not be over. */
const MOST_AHEAD_MS = 31 * DAY_MS;

interface AskedReport extends PeriodRequest {
  readonly today: number;
}

export interface FullReport extends Report {
  readonly botId: string | undefined;
  readonly timezone: string;
  /** Whether the period ended before today. */
  readonly isOver: boolean;
  /** If the period is a month: the report of the month before, if all of that month's figures are kept, and there are any. */
  readonly before: Report | undefined;
  /** The budget of the plan's month with the period's last day, or with today if that day is still to come; undefined: no budget is set. */
  readonly budget: BudgetStanding | undefined;
  readonly doubts: readonly CalendarDoubt[];
}

const oldestOf = (today: number) => today - REPORTED_DAYS * DAY_MS;

function parametersOf(today: number) {
  const month = dateOf(today).slice(0, 7);
  const dayUpTo = (last: number): Parameter<number> => ({
    read: (text) => within(dayIn(text.trim()), oldestOf(today), last),
    rule: faultSaid(
      `must be a day from ${dateOf(oldestOf(today))} to ${dateOf(last)}`,
      `は${dateOf(oldestOf(today))}から${dateOf(last)}までの日です`,
    ),
  });
  return {
    month: {
      read: (text: string) => within(dayIn(`${text.trim()}-01`), oldestOf(today), today),
      rule: faultSaid(
        `must be a month of the last ${REPORTED_DAYS} days, such as ${month}`,
        `は過去${REPORTED_DAYS}日以内の月です（例：${month}）`,
      ),
    },
    from: dayUpTo(today),
    to: dayUpTo(today + MOST_AHEAD_MS),
    bot_id: TEXT,
    format: oneOf('json', 'csv'),
  };
}

function within(day: number | undefined, first: number, last: number): number | undefined {
  return day !== undefined && day >= first && day <= last ? day : undefined;
}

/** A month or days, `to` included; without them the current month. @throws {Refused} names each parameter that is wrong */
export function readReport(query: URLSearchParams, { timezone, now }: FilterContext, isForm = false) {
  const today = dayOf(now, timezone);
  const { bot_id: botId, format, ...days } = readParameters(query, parametersOf(today), isForm);
  const asked: AskedReport = { ...daysOf(days, today), timezone, botId, today };
  return { asked, format };
}

function daysOf({ month, from, to }: Partial<Record<'month' | 'from' | 'to', number>>, today: number): Days {
  if (month !== undefined && (from ?? to) !== undefined)
    throw refusalOf([
      ['month', faultSaid('does not go with from and to', 'は from、to と一緒に指定できません')],
    ]);
  if (from === undefined) {
    if (to === undefined) return monthOf(month ?? today);
    throw refusalOf([['from', faultSaid('must be given where to is', 'は to と一緒に指定してください')]]);
  }
  if (to !== undefined && to < from)
    throw refusalOf([['to', faultSaid('must not be before from', 'は from より前にできません')]]);
  return { from, to: (to ?? today) + DAY_MS };
}

/** @throws {LedgerUnavailable} */
export async function loadReport(
  archive: Pick<Archive, 'figuresOfPeriod' | 'figuresByDay'>,
  asked: AskedReport,
  config: Pick<Config, 'calendars' | 'budget' | 'display'>,
): Promise<FullReport> {
  const { today, botId, timezone, to } = asked;
  const of = async (days: Days) =>
    reportOf(days, await archive.figuresOfPeriod({ ...days, botId, timezone }));
  const month = monthBefore(asked);
  const before = month && month.from >= oldestOf(today) ? await of(month) : undefined;
  return {
    ...(await of(asked)),
    botId,
    timezone,
    isOver: to <= today,
    before: before?.bots.length === 0 ? undefined : before,
    budget: await budgetStanding(archive, config, today, Math.min(today, to - DAY_MS)),
    doubts: calendarDoubts(config.calendars, today),
  };
}

/** The figures of each month of which figures are kept, the newest first. */
export async function loadMonths(
  archive: Pick<Archive, 'figuresByDay'>,
  { today, timezone, botId }: AskedReport,
): Promise<readonly (Days & Figures)[]> {
  // The first month that is kept whole.
  const from = monthOf(oldestOf(today) - DAY_MS).to;
  const days = await archive.figuresByDay({ from, to: monthOf(today).to, timezone, botId });
  const startOf = ({ day }: { readonly day: number }) => periodStart('month', day);
  return [...new Set(days.map(startOf))]
    .toReversed()
    .map((first) => ({ ...monthOf(first), ...sumOf(days.filter((day) => startOf(day) === first)) }));
}

/** @param redact takes secrets out of a text */
export function reportJson(report: FullReport, redact: (text: string) => string) {
  const { botId, timezone, isOver, before, budget, doubts } = report;
  return {
    ...daysJson(report, redact),
    timezone,
    bot_id: botId ?? null,
    is_over: isOver,
    before: before === undefined ? null : daysJson(before, redact),
    budget: budget === undefined ? null : budgetJson(budget),
    calendar_doubts: doubts.map((doubt) =>
      Object.fromEntries(Object.entries(doubt).map(([name, value]) => [snakeCase(name), value as unknown])),
    ),
  };
}

function budgetJson({ from, to, budgetMs, usedMs, percent, forecastMs }: BudgetStanding) {
  return {
    from: dateOf(from),
    to: dateOf(to - 1),
    budget_seconds: budgetMs / 1000,
    used_seconds: usedMs / 1000,
    percent,
    forecast_seconds: forecastMs === undefined ? null : forecastMs / 1000,
  };
}

/** `to` is the last day. */
function daysJson({ from, to, total, bots }: Report, redact: (text: string) => string) {
  return {
    from: dateOf(from),
    to: dateOf(to - 1),
    total: figuresJson(total),
    bots: bots.map((bot) => ({
      bot_id: redact(bot.botId),
      bot_name: redact(bot.botName),
      ...figuresJson(bot),
    })),
  };
}

function figuresJson(figures: Report['total']) {
  return { ...namedFigures(figures), answers_cost_seconds: answersCostMs(figures) / 1000 };
}

export function csvFileOf(report: Report, redact: (text: string) => string) {
  return csvFile(report, redact(csvOf(report)));
}
