/** A report and the budget in words. */
import type { Attachment, OutputView } from '../channels/card.ts';
import { separated } from '../channels/marks.ts';
import type { DisplayConfig } from '../config/config.ts';
import { isAlert, type Notice, type OwnSubject } from '../notice/notice.ts';
import type { BudgetStanding } from '../report/budget.ts';
import {
  answersCostMs,
  csvFile,
  nameOfDays,
  type ReportedBot,
  type ReportedFigures,
} from '../report/report.ts';
import type { CalendarDoubt } from '../signal/calendar.ts';
import { formatElapsed, type Language } from '../time/display.ts';
import { fit, inline } from './filters.ts';
import { ifAny, NOTES } from './notes.ts';
import { BOT_WORDS, countsIn, joined } from './told-bots.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const WORDS = {
  en: {
    hours: (hours: string, minutes: number) => `${hours} h ${minutes} min`,
    runs: (count: number) => `${separated(count)} ${count === 1 ? 'run' : 'runs'}`,
    estimated: (time: string, runs: string) => `${time} (${runs} estimated)`,
    incidents: (count: string, time: string) => `${count}, ${time} in all`,
    used: (used: string, of: string, percent: string) => `${used} of ${of} h (${percent}%)`,
    forecast: (time: string, percent: string) =>
      `${time} by the end of the month (${percent}%), if it goes on like this`,
    ends: (calendar: string, day: string) => `The calendar ${calendar} ends on ${day}`,
    noDay: (calendar: string, file: string, year: number) =>
      `${file} of the calendar ${calendar} has no day of ${year}`,
  },
  ja: {
    hours: (hours: string, minutes: number) => `${hours}時間${minutes}分`,
    runs: (count: number) => `実行${separated(count)}回`,
    estimated: (time: string, runs: string) => `${time}（うち推定${runs}）`,
    incidents: (count: string, time: string) => `${count}件、合計${time}`,
    used: (used: string, of: string, percent: string) => `${used}／${of}時間（${percent}%）`,
    forecast: (time: string, percent: string) => `このままでは月末に${time}（${percent}%）`,
    ends: (calendar: string, day: string) => `カレンダー ${calendar} は ${day} までです`,
    noDay: (calendar: string, file: string, year: number) =>
      `カレンダー ${calendar} の ${file} に${year}年の日付がありません`,
  },
} as const;

/** Under an hour to the second. */
export function hoursText(ms: number, language: Language): string {
  if (ms < HOUR_MS) return formatElapsed(Math.round(ms / 1000), language);
  const minutes = Math.round(ms / MINUTE_MS);
  return WORDS[language].hours(separated(Math.floor(minutes / 60)), minutes % 60);
}

/** `412 runs, 12 failed, 3 missed` */
function countsText({ runs, errors, missed, overdue }: ReportedFigures, language: Language): string {
  const { nothing, between } = BOT_WORDS[language];
  const wrong = countsIn({ errors, missed, overdue }, language);
  return joined([runs > 0 ? WORDS[language].runs(runs) : nothing, wrong], between);
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

/** In characters. */
const LONGEST_NAME = 60;

export function reportView(subject: OwnSubject<'report'>, { language }: Pick<DisplayConfig, 'language'>) {
  const { total, bots, moreBots, budget, doubts } = subject;
  const { incidents, incidentMs } = total;
  const shown = bots.map((bot) => ({
    bot_id: bot.botId,
    bot_name: bot.botName,
    ...countsOf(bot),
    running_time: hoursText(bot.runningMs, language),
  }));
  const answersMs = answersCostMs(total);
  return {
    group: '',
    since: '',
    period: nameOfDays(subject, language),
    tally: countsText(total, language),
    ...countsOf(total),
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

function countsOf({ runs, unfinished, succeeded, errors, missed, overdue }: ReportedFigures) {
  return { runs, unfinished, succeeded, errors, missed, overdue };
}

function lineOf(bot: ReportedBot, language: Language): OutputView {
  const { between } = BOT_WORDS[language];
  const value = `${countsText(bot, language)}${between}${runningText(bot, language)}`;
  const name = fit(inline(bot.botName) || inline(bot.botId), LONGEST_NAME);
  return { name, kind: 'scalar', value, items: [], files: [], fileCount: 0 };
}

export function budgetView(subject: OwnSubject<'budget'>, { language }: Pick<DisplayConfig, 'language'>) {
  return {
    passed: subject.passed,
    percent: subject.percent,
    used: budgetText(subject, language),
    forecast: forecastText(subject, language),
    period: nameOfDays(subject, language),
  };
}

export function attachmentOf(notice: Notice): Attachment | undefined {
  const subject = isAlert(notice) ? notice.alert.subject : undefined;
  if (subject?.template !== 'report') return undefined;
  return csvFile(subject, subject.csv);
}
