/** A report and the budget in words. */
import type { Attachment, OutputView } from '../channels/card.ts';
import { separated } from '../channels/marks.ts';
import type { DisplayConfig } from '../config/config.ts';
import { isAlert, type Notice, type OwnSubject } from '../notice/notice.ts';
import type { BudgetStanding } from '../report/budget.ts';
import { answersCostMs, nameOfDays, type ReportedBot, type ReportedFigures } from '../report/report.ts';
import { type CalendarDoubt, dateOf } from '../signal/calendar.ts';
import { formatElapsed, type Language } from '../time/display.ts';
import { fit, inline } from './filters.ts';
import { ifAny, NOTES } from './notes.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

interface ReportWords {
  readonly hours: (hours: string, minutes: number) => string;
  readonly runs: (count: number) => string;
  readonly nothing: string;
  readonly failed: (count: string) => string;
  readonly missed: (count: string) => string;
  readonly overdue: (count: string) => string;
  readonly estimated: (time: string, runs: string) => string;
  readonly incidents: (count: string, time: string) => string;
  readonly used: (used: string, of: string, percent: string) => string;
  readonly forecast: (time: string, percent: string) => string;
  readonly ends: (calendar: string, day: string) => string;
  readonly noDay: (calendar: string, file: string, year: number) => string;
  readonly between: string;
}

const WORDS: Readonly<Record<Language, ReportWords>> = {
  en: {
    hours: (hours, minutes) => `${hours} h ${minutes} min`,
    runs: (count) => `${separated(count)} ${count === 1 ? 'run' : 'runs'}`,
    nothing: 'Nothing ran',
    failed: (count) => `${count} failed`,
    missed: (count) => `${count} missed`,
    overdue: (count) => `${count} overdue`,
    estimated: (time, runs) => `${time} (${runs} estimated)`,
    incidents: (count, time) => `${count}, ${time} in all`,
    used: (used, of, percent) => `${used} of ${of} h (${percent}%)`,
    forecast: (time, percent) => `${time} by the end of the month (${percent}%), if it goes on like this`,
    ends: (calendar, day) => `The calendar ${calendar} ends on ${day}`,
    noDay: (calendar, file, year) => `${file} of the calendar ${calendar} has no day of ${year}`,
    between: ', ',
  },
  ja: {
    hours: (hours, minutes) => `${hours}時間${minutes}分`,
    runs: (count) => `実行${separated(count)}回`,
    nothing: '実行はありませんでした',
    failed: (count) => `エラー${count}件`,
    missed: (count) => `未着${count}件`,
    overdue: (count) => `長時間実行${count}件`,
    estimated: (time, runs) => `${time}（うち推定${runs}）`,
    incidents: (count, time) => `${count}件、合計${time}`,
    used: (used, of, percent) => `${used}／${of}時間（${percent}%）`,
    forecast: (time, percent) => `このままでは月末に${time}（${percent}%）`,
    ends: (calendar, day) => `カレンダー ${calendar} は ${day} までです`,
    noDay: (calendar, file, year) => `カレンダー ${calendar} の ${file} に${year}年の日付がありません`,
    between: '、',
  },
};

/** Under an hour to the second. */
export function hoursText(ms: number, language: Language): string {
  if (ms < HOUR_MS) return formatElapsed(Math.round(ms / 1000), language);
  const minutes = Math.round(ms / MINUTE_MS);
  return WORDS[language].hours(separated(Math.floor(minutes / 60)), minutes % 60);
}

/** `412 runs, 12 failed, 3 missed`: what did not happen is left out. */
function countsText({ runs, errors, missed, overdue }: ReportedFigures, language: Language): string {
  const words = WORDS[language];
  const counts = [
    runs > 0 ? words.runs(runs) : words.nothing,
    errors > 0 ? words.failed(separated(errors)) : '',
    missed > 0 ? words.missed(separated(missed)) : '',
    overdue > 0 ? words.overdue(separated(overdue)) : '',
  ];
  return counts.filter((count) => count !== '').join(words.between);
}

function runningText({ runningMs, estimated }: ReportedFigures, language: Language): string {
  const words = WORDS[language];
  const time = hoursText(runningMs, language);
  return estimated === 0 ? time : words.estimated(time, words.runs(estimated));
}

export function budgetText({ usedMs, budgetMs, percent }: BudgetStanding, language: Language): string {
  const { used } = WORDS[language];
  return used(hoursText(usedMs, language), separated(budgetMs / HOUR_MS), separated(percent));
}

export function forecastText({ forecastMs, budgetMs }: BudgetStanding, language: Language): string {
  if (forecastMs === undefined) return '';
  const percent = separated(Math.round((forecastMs / budgetMs) * 100));
  return WORDS[language].forecast(hoursText(forecastMs, language), percent);
}

export function doubtText(
  { calendar, endsOn, file = '', year = 0 }: CalendarDoubt,
  language: Language,
): string {
  const words = WORDS[language];
  return endsOn === undefined ? words.noDay(calendar, file, year) : words.ends(calendar, endsOn);
}

export function doubtsText(doubts: readonly CalendarDoubt[], language: Language): string {
  return doubts.map((doubt) => doubtText(doubt, language)).join('\n');
}

/** The variables of a report that a digest, which is drawn by the same template, has not. */
const NO_REPORT = {
  period: '',
  runs: '',
  succeeded: '',
  overdue: '',
  unfinished: 0,
  running_time: '',
  incidents: '',
  answers_cost: '',
  budget: '',
  forecast: '',
};

/** What a digest says beside its BOTs. */
export function digestView(
  { group, doubts }: OwnSubject<'digest'>,
  { language }: Pick<DisplayConfig, 'language'>,
) {
  return { ...NO_REPORT, group, doubts: doubtsText(doubts, language) };
}

/** In characters. */
const LONGEST_NAME = 60;

function reportView(subject: OwnSubject<'report'>, { language }: Pick<DisplayConfig, 'language'>) {
  const { total, bots, moreBots, budget, doubts } = subject;
  const { unfinished, incidents, incidentMs } = total;
  const shown = bots.map(({ botId: bot_id, botName: bot_name, ...figures }) => ({
    bot_id,
    bot_name,
    runs: figures.runs,
    unfinished: figures.unfinished,
    succeeded: figures.succeeded,
    errors: figures.errors,
    missed: figures.missed,
    overdue: figures.overdue,
    running_time: hoursText(figures.runningMs, language),
  }));
  const answersMs = answersCostMs(total);
  return {
    group: '',
    since: '',
    period: nameOfDays(subject, language),
    tally: countsText(total, language),
    runs: total.runs,
    succeeded: total.succeeded,
    errors: total.errors,
    missed: total.missed,
    overdue: total.overdue,
    unfinished,
    running_time: runningText(total, language),
    incidents:
      incidents === 0 ? '' : WORDS[language].incidents(separated(incidents), hoursText(incidentMs, language)),
    answers_cost: answersMs < MINUTE_MS ? '' : hoursText(answersMs, language),
    budget: budget === undefined ? '' : budgetText(budget, language),
    forecast: budget === undefined ? '' : forecastText(budget, language),
    doubts: doubtsText(doubts, language),
    bots: shown,
    more_bots: moreBots,
    outputs: () => bots.map((bot) => lineOf(bot, language)),
    note: ifAny(moreBots, NOTES[language].unnamed),
  };
}

function lineOf(bot: ReportedBot, language: Language): OutputView {
  const { between } = WORDS[language];
  const value = `${countsText(bot, language)}${between}${runningText(bot, language)}`;
  const name = fit(inline(bot.botName) || inline(bot.botId), LONGEST_NAME);
  return { name, kind: 'scalar', value, items: [], files: [], fileCount: 0 };
}

function budgetView(subject: OwnSubject<'budget'>, { language }: Pick<DisplayConfig, 'language'>) {
  return {
    passed: subject.passed,
    percent: subject.percent,
    used: budgetText(subject, language),
    forecast: forecastText(subject, language),
    period: nameOfDays(subject, language),
  };
}

export function daysView(subject: OwnSubject<'report' | 'budget'>, display: Pick<DisplayConfig, 'language'>) {
  return subject.template === 'report' ? reportView(subject, display) : budgetView(subject, display);
}

/** With a byte order mark, by which spreadsheets know UTF-8. */
export function attachmentOf(notice: Notice): Attachment | undefined {
  const subject = isAlert(notice) ? notice.alert.subject : undefined;
  if (subject?.template !== 'report') return undefined;
  return { name: `botbell-${dateOf(subject.from)}.csv`, text: `\uFEFF${subject.csv}` };
}
