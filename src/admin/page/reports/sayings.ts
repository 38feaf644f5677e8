/** A report in words, for the page and the command line. */
import type { FullReport } from '../../../people/report.ts';
import { type Figures, NO_FIGURES } from '../../../report/figures.ts';
import { budgetText, doubtText, forecastText, hoursText, namingOf } from '../../../render/report-view.ts';
import { answersCostMs, nameOfDays, type Report, type ReportedFigures } from '../../../report/report.ts';
import type { Reader } from '../reader.ts';
import type { Word } from '../words.ts';

export type Telling = Pick<Reader, 't' | 'formats' | 'language' | 'redact'>;

/** A figure of a BOT, or of all. */
interface SaidFigure {
  readonly head: Word;
  readonly say: (of: Figures & Partial<ReportedFigures>, telling: Telling) => string;
  /** The change since the month before; left out if it is not shown. */
  readonly change?: (now: Figures, before: Figures, telling: Telling) => string;
}

const counted = (name: keyof Figures): SaidFigure['say'] => {
  return (of, { formats }) => formats.number(of[name]);
};
const countedChange = (name: keyof Figures): SaidFigure['change'] => {
  return (now, before, { formats }) => signed(now[name] - before[name], formats.number);
};

/** The figures of a month, without incidents, which are not kept by month. */
export const MONTH_FIGURES: readonly SaidFigure[] = [
  {
    head: 'reports.runs',
    say: ({ runs, unfinished }, { formats: { number } }) =>
      `${number(runs)}${unfinished > 0 ? ` ◔${number(unfinished)}` : ''}`,
    change: countedChange('runs'),
  },
  { head: 'reports.errors', say: counted('errors'), change: countedChange('errors') },
  { head: 'reports.missed', say: counted('missed') },
  { head: 'reports.overdue', say: counted('overdue') },
  {
    head: 'reports.running',
    say: ({ runningMs, estimated }, telling) =>
      `${estimated > 0 ? '≈ ' : ''}${hoursText(runningMs, telling.language)}`,
    change: (now, before, telling) =>
      signed(now.runningMs - before.runningMs, (ms) => hoursText(ms, telling.language)),
  },
];

export const SAID_FIGURES: readonly SaidFigure[] = [
  ...MONTH_FIGURES,
  {
    head: 'reports.incidents',
    say: ({ incidents = 0, incidentMs = 0 }, telling) =>
      incidents === 0
        ? '0'
        : `${telling.formats.number(incidents)} (${hoursText(incidentMs, telling.language)})`,
  },
];

export const UNCHANGED = '±0';

function signed(change: number, said: (size: number) => string): string {
  return change === 0 ? UNCHANGED : `${change > 0 ? '+' : '−'}${said(Math.abs(change))}`;
}

/** The BOT's figures of the month before; all 0 if it did not run then. */
export function beforeOf({ before }: FullReport, botId: string): Figures | undefined {
  return before && (before.bots.find((bot) => bot.botId === botId) ?? NO_FIGURES);
}

export function titleOf(report: FullReport, { t, language }: Telling): string {
  const days = nameOfDays(report, language);
  return report.isOver ? days : t('reports.so far', { days });
}

/** What a reader has to know beside the figures, in sentences. */
export function notesOn(report: FullReport, telling: Telling): readonly string[] {
  const { t, language } = telling;
  const { unfinished, estimated, retries } = report.total;
  const costMs = answersCostMs(report.total);
  return [
    ...(unfinished > 0 ? [t('reports.unfinished', { runs: unfinished })] : []),
    ...(estimated > 0 ? [t('reports.estimated', { runs: estimated })] : []),
    ...(costMs > 0 ? [t('reports.answers', { time: hoursText(costMs, language), retries })] : []),
    ...goneSince(report, telling),
    ...budgetIn(report, telling),
    ...report.doubts.map((doubt) => doubtText(doubt, language)),
  ];
}

function budgetIn({ budget }: FullReport, { t, language }: Telling): readonly string[] {
  if (budget === undefined) return [];
  const forecast = forecastText(budget, language);
  const used = t('reports.budget', {
    days: nameOfDays(budget, language),
    used: budgetText(budget, language),
  });
  return [used, ...(forecast === '' ? [] : [t('reports.forecast', { forecast })])];
}

const MOST_NAMED = 8;

function goneSince({ before, bots }: FullReport, { t, language, redact }: Telling): readonly string[] {
  const here = new Set(bots.filter(({ runs }) => runs > 0).map(({ botId }) => botId));
  const gone = before?.bots.filter(({ runs, botId }) => runs > 0 && !here.has(botId)) ?? [];
  if (before === undefined || gone.length === 0) return [];
  const shown = gone.slice(0, MOST_NAMED);
  const names = shown.map(namingOf(shown, { redact }));
  if (gone.length > MOST_NAMED) names.push(t('more', { number: gone.length - MOST_NAMED }));
  return [t('reports.gone', { month: nameOfDays(before, language), names: names.join(', ') })];
}

export function isEmpty({ total }: Report): boolean {
  return total.runs + total.missed + total.overdue + total.incidents === 0;
}
