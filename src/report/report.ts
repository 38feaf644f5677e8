/** A report: what BOTs did in a period, the worst first. */
import { type CalendarDoubt, DAY_MS, dateOf, periodAfter, periodStart } from '../signal/calendar.ts';
import type { Language } from '../time/display.ts';
import type { BudgetStanding } from './budget.ts';
import { type Figures, RETRY_MS, sumOf } from './figures.ts';

/** Figures are kept of today and of this many days before it. */
export const REPORTED_DAYS = 400;

/** How far back from now these days reach in any time zone. */
export const REPORTED_MS = (REPORTED_DAYS + 2) * DAY_MS;

export interface ReportedFigures extends Figures {
  /** Incidents that were open in the period, and how long they were open in it. */
  readonly incidents: number;
  readonly incidentMs: number;
}

export interface ReportedBot extends ReportedFigures {
  /** As `ArchivedBot` has its id; templates have no use for it. */
  readonly botKey?: string | undefined;
  readonly botId: string;
  readonly botName: string;
}

/** Days from `from` on and before `to`, as `signal/calendar.ts` has them. */
export interface Days {
  readonly from: number;
  readonly to: number;
}

export interface Report extends Days {
  readonly total: ReportedFigures;
  readonly bots: readonly ReportedBot[];
}

/** A report as a message tells it. */
export interface ToldReport extends Report {
  /** How many BOTs, of those with the least trouble, `bots` leaves out. */
  readonly moreBots: number;
  /** Of all BOTs. */
  readonly csv: string;
  readonly budget: BudgetStanding | undefined;
  readonly doubts: readonly CalendarDoubt[];
}

export function reportOf({ from, to }: Days, bots: readonly ReportedBot[]): Report {
  return { from, to, total: totalOf(bots), bots: bots.toSorted(worstFirst) };
}

export function totalOf(some: readonly Partial<ReportedFigures>[]): ReportedFigures {
  const add = (key: 'incidents' | 'incidentMs') => some.reduce((sum, each) => sum + (each[key] ?? 0), 0);
  return { ...sumOf(some), incidents: add('incidents'), incidentMs: add('incidentMs') };
}

/** By what went wrong, then by running time. */
function worstFirst(one: ReportedBot, other: ReportedBot): number {
  return (
    troubleIn(other) - troubleIn(one) || other.incidents - one.incidents || other.runningMs - one.runningMs
  );
}

function troubleIn({ errors, missed, overdue }: Figures): number {
  return errors + missed + overdue;
}

/** The running time that Botbell's own answers cost: what it took to answer, and the retries that it asked for. */
export function answersCostMs({ answerMs, retries }: Figures): number {
  return answerMs + retries * RETRY_MS;
}

/** The month of a day. */
export function monthOf(day: number): Days {
  return { from: periodStart('month', day), to: periodAfter('month', day) };
}

/** The month before; undefined: the days are not those of a month. */
export function monthBefore({ from, to }: Days): Days | undefined {
  const { from: first, to: next } = monthOf(from);
  return from === first && to === next ? monthOf(from - DAY_MS) : undefined;
}

/** `November 2026`, `2026年11月`, `2026-11-29`, `2026-11-01 – 2026-11-15`. */
export function nameOfDays({ from, to }: Days, language: Language): string {
  const [first, last] = [dateOf(from), dateOf(to - 1)];
  if (monthBefore({ from, to }) === undefined) return first === last ? first : `${first} – ${last}`;
  const [year, month] = first.split('-');
  if (language === 'ja') return `${year}年${Number(month)}月`;
  return `${new Date(from).toLocaleString('en', { month: 'long', timeZone: 'UTC' })} ${year}`;
}

/** The figures of a BOT or of all, by their names in JSON and CSV. */
export function namedFigures(each: ReportedFigures) {
  return {
    runs: each.runs,
    unfinished: each.unfinished,
    succeeded: each.succeeded,
    errors: each.errors,
    missed: each.missed,
    overdue: each.overdue,
    running_seconds: each.runningMs / 1000,
    estimated_runs: each.estimated,
    incidents: each.incidents,
    incident_seconds: each.incidentMs / 1000,
    answer_seconds: each.answerMs / 1000,
    retries: each.retries,
  };
}

/** RFC 4180, a line for each BOT and one for all. `to` is the last day. */
export function csvOf({ from, to, total, bots }: Report): string {
  const days = [dateOf(from), dateOf(to - 1)];
  const figures = namedFigures(total);
  const lines = [
    ['from', 'to', 'bot_id', 'bot_name', ...Object.keys(figures)],
    ...bots.map((bot) => [...days, bot.botId, bot.botName, ...Object.values(namedFigures(bot))]),
    [...days, '', '', ...Object.values(figures)],
  ];
  return lines.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');
}

/** The file is named by its days. It begins with a byte order mark, without which Excel reads UTF-8 as the encoding of the country. */
export function csvFile({ from, to }: Days, csv: string) {
  const [first, last] = [dateOf(from), dateOf(to - 1)];
  const isMonth = monthBefore({ from, to }) !== undefined;
  const days = isMonth ? first.slice(0, 7) : [...new Set([first, last])].join('-');
  return { name: `botbell-${days}.csv`, text: `\ufeff${csv}` };
}

/** What a spreadsheet would read as a formula gets a quote before it, which makes it text (OWASP, "CSV Injection"). */
const FORMULA = /^\s*[=+\-@＝＋－＠]/;

/** Some spreadsheets take semicolons and tabs for separators, too. */
const APART = /[",;\t\r\n]/;

function cellOf(value: string | number): string {
  const text = `${value}`.replace(FORMULA, "'$&");
  return APART.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
