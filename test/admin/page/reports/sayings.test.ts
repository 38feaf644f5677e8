import { expect } from 'chai';
import { notesOn } from '../../../../src/admin/page/reports/sayings.ts';
import { formatsFor } from '../../../../src/admin/page/reader.ts';
import { translator } from '../../../../src/admin/page/words.ts';
import type { FullReport } from '../../../../src/people/report.ts';
import { NO_FIGURES } from '../../../../src/report/figures.ts';
import { type ReportedBot, reportOf } from '../../../../src/report/report.ts';
import type { Language } from '../../../../src/time/display.ts';

const HOUR_MS = 3_600_000;
const SECRET = `xoxb-${'1234567890'.repeat(6)}`;
const [OCTOBER, NOVEMBER, DECEMBER] = [Date.UTC(2026, 9), Date.UTC(2026, 10), Date.UTC(2026, 11)];

function bot(botId: string, more: Partial<ReportedBot>): ReportedBot {
  return { ...NO_FIGURES, incidents: 0, incidentMs: 0, botName: '', botId, ...more };
}

function reportWith(bots: readonly ReportedBot[], more: Partial<FullReport> = {}): FullReport {
  const none = { botId: undefined, before: undefined, budget: undefined, doubts: [] };
  const month = reportOf({ from: NOVEMBER, to: DECEMBER }, bots);
  return { ...month, timezone: 'UTC', isOver: true, ...none, ...more };
}

const telling = (language: Language) => ({
  t: translator(language),
  formats: formatsFor(language, 'UTC', DECEMBER),
  language,
  redact: (text: string) => text.replaceAll(SECRET, '***'),
});

describe('What is said of a report beside its figures', () => {
  it('is nothing where there is nothing to say', () =>
    expect(notesOn(reportWith([bot('a', { runs: 1, succeeded: 1 })]), telling('en'))).to.deep.equal([]));

  it('is what is not known, what answers cost, the budget, and which calendar is in doubt', () => {
    const figures = { runs: 5, unfinished: 1, estimated: 2, answerMs: 15_000, retries: 1 };
    const used = { budgetMs: 60 * HOUR_MS, usedMs: 45 * HOUR_MS, percent: 75, forecastMs: 66 * HOUR_MS };
    const budget = { from: NOVEMBER, to: DECEMBER, ...used };
    const calendar = 'office';
    const doubts = [
      { calendar, endsOn: '2026-12-31' } as const,
      { calendar, file: 'holidays.csv', year: 2026 },
    ];
    const report = reportWith([bot('a', figures)], { budget, doubts });
    expect(notesOn(report, telling('en'))).to.deep.equal([
      '◔ 1 run has not ended.',
      '≈ No callback said how long 2 runs took: it is counted from the start to the result.',
      'In addition, Botbell’s answers cost 45 s of running time, with 1 retry that it asked for.',
      'Budget of November 2026: 45 h of 60 h (75%)',
      'Forecast: 66 h by the end of the month (110%), if it goes on like this',
      'The calendar office ends on 2026-12-31',
      'holidays.csv of the calendar office has no day of 2026',
    ]);
    expect(notesOn(report, telling('ja'))).to.have.length(7);
  });

  it('names who ran in the month before and has not since, not all of many', () => {
    const gone = Array.from({ length: 10 }, (_, index) => bot(`bot-${index}`, { runs: 1 }));
    const before = reportOf({ from: OCTOBER, to: NOVEMBER }, [...gone, bot('waits', { missed: 1 })]);
    const report = reportWith([bot('bot-3', { runs: 1 }), bot('bot-4', { missed: 1 })], { before });
    expect(notesOn(report, telling('en'))).to.deep.equal([
      'Ran in October 2026, but not in this month: bot-0, bot-1, bot-2, bot-4, bot-5, bot-6, bot-7, bot-8, … 1 more',
    ]);
  });

  it('hides a secret in a name before the name is cut, since a part of it would be shown', () => {
    const before = reportOf({ from: OCTOBER, to: NOVEMBER }, [bot(`a ${SECRET}`, { runs: 1 })]);
    expect(notesOn(reportWith([], { before }), telling('en'))).to.deep.equal([
      'Ran in October 2026, but not in this month: a ***',
    ]);
  });
});
