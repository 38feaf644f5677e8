/** A report and the budget in words. */
import type { Attachment, OutputView } from '../channels/card.ts';
import { botNamesOf } from '../channels/value-text.ts';
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
import { ifAny, SAY } from './phrases.ts';
import { countsIn, joined } from './told-bots.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A duration in words, below an hour to the second. */
export function hoursText(ms: number, language: Language): string {
  if (ms < HOUR_MS) return formatElapsed(Math.round(ms / 1000), language);
  const all = Math.round(ms / MINUTE_MS);
  const [hours, minutes] = [Math.floor(all / 60), all % 60];
  return SAY[language](minutes === 0 ? 'hours' : 'hours, minutes', { hours, minutes });
}

/** `412 runs, 12 failed, 3 missed` */
function countsText({ runs, errors, missed, overdue }: ReportedFigures, language: Language): string {
  const say = SAY[language];
  const wrong = countsIn({ errors, missed, overdue }, language);
  return joined([runs > 0 ? say('runs', { count: runs }) : say('nothing'), wrong], language);
}

function runningText({ runningMs, estimated }: ReportedFigures, language: Language): string {
  const say = SAY[language];
  const time = hoursText(runningMs, language);
  return estimated === 0 ? time : say('estimated', { time, runs: say('runs', { count: estimated }) });
}

export function budgetText({ usedMs, budgetMs, percent }: BudgetStanding, language: Language): string {
  const used = hoursText(usedMs, language);
  return SAY[language]('used', { used, hours: budgetMs / HOUR_MS, percent });
}

export function forecastText({ forecastMs, budgetMs }: BudgetStanding, language: Language): string {
  if (forecastMs === undefined) return '';
  const percent = Math.round((forecastMs / budgetMs) * 100);
  return SAY[language]('forecast', { time: hoursText(forecastMs, language), percent });
}

export function doubtText(
  { calendar, endsOn, file = '', year = 0 }: CalendarDoubt,
  language: Language,
): string {
  const say = SAY[language];
  if (endsOn !== undefined) return say('ends', { calendar, day: endsOn });
  return say('no day', { calendar, file, year: String(year) });
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
      incidents === 0
        ? ''
        : SAY[language]('incidents', { count: incidents, time: hoursText(incidentMs, language) }),
    answers_cost: answersMs < MINUTE_MS ? '' : hoursText(answersMs, language),
    budget: budget === undefined ? '' : budgetText(budget, language),
    forecast: budget === undefined ? '' : forecastText(budget, language),
    doubts: doubtsText(doubts, language),
    bots: shown,
    more_bots: moreBots,
    outputs: () => {
      const nameOf = namingOf(bots);
      return bots.map((bot) => lineOf(bot, nameOf(bot), language));
    },
    note: ifAny(moreBots, 'unnamed', language),
  };
}

function countsOf({ runs, unfinished, succeeded, errors, missed, overdue }: ReportedFigures) {
  return { runs, unfinished, succeeded, errors, missed, overdue };
}

/** Names BOTs of one list apart from each other. @param of `most`: characters of a name; `redact`: takes secrets out before a name is cut */
export function namingOf(
  bots: readonly ReportedBot[],
  { most = LONGEST_NAME, redact = (text: string) => text } = {},
): (bot: ReportedBot) => string {
  const named = ({ botId, botName }: ReportedBot) => ({ bot_id: redact(botId), bot_name: redact(botName) });
  const nameOf = botNamesOf(bots.map(named), most);
  return (bot) => nameOf(named(bot));
}

function lineOf(bot: ReportedBot, name: string, language: Language): OutputView {
  const value = joined([countsText(bot, language), runningText(bot, language)], language);
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
