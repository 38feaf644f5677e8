import { expect } from 'chai';
import { csvFileOf, loadReport, readReport } from '../../src/people/report.ts';
import { NO_FIGURES } from '../../src/report/figures.ts';
import { reportOf } from '../../src/report/report.ts';
import { dateOf, dayIn } from '../../src/signal/calendar.ts';
import { problemsIn } from './problems.ts';

/** The first of December in Tokyo, November elsewhere. */
const NOW = Date.parse('2026-11-30T15:30:00Z');

function periodOf(query: string, timezone = 'Asia/Tokyo') {
  const { from, to, botId = '' } = readReport(new URLSearchParams(query), { timezone, now: NOW }).asked;
  return `${dateOf(from)} ${dateOf(to - 1)} ${botId}`.trim();
}

describe('The period of a report', () => {
  for (const [query, period] of [
    ['', '2026-12-01 2026-12-31'],
    ['bot_id=a', '2026-12-01 2026-12-31 a'],
    ['month=2026-11', '2026-11-01 2026-11-30'],
    ['month=2025-11', '2025-11-01 2025-11-30'],
    ['from=2026-11-10', '2026-11-10 2026-12-01'],
    ['from=2026-11-10&to=2026-11-10', '2026-11-10 2026-11-10'],
    ['from=2026-11-10&to=2026-12-31', '2026-11-10 2026-12-31'],
    // 400 days ago.
    ['from=2025-10-27&to=2025-10-28', '2025-10-27 2025-10-28'],
  ] as const)
    it(`is read as it is meant: ${query}`, () => expect(periodOf(query)).to.equal(period));

  it('is the month that it is in the display’s time zone', () =>
    expect(periodOf('', 'UTC')).to.equal('2026-11-01 2026-11-30'));

  const MONTH = 'month must be a month of the last 400 days, such as 2026-12';
  const from = 'from must be a day from 2025-10-27 to 2026-12-01';
  const to = 'to must be a day from 2025-10-27 to 2027-01-01';
  for (const [query, ...problems] of [
    ['month=2026-13', MONTH],
    ['month=november', MONTH],
    ['month=2027-01', MONTH],
    // Its first days are no longer kept.
    ['month=2025-10', MONTH],
    ['from=2025-10-26', from],
    ['from=2026-12-02', from],
    ['from=2026-02-30&to=2d', from, to],
    ['from=2026-11-01&to=2027-01-02', to],
    ['from=2026-11-10&to=2026-11-09', 'to must not be before from'],
    ['to=2026-11-09', 'from must be given where to is'],
    ['month=2026-11&to=2026-11-09', 'month does not go with from and to'],
    ['month=', MONTH],
    ['since=2d', 'since is no parameter of this'],
  ] as const)
    it(`names what cannot be meant: ${query}`, () =>
      expect(problemsIn(() => periodOf(query))).to.deep.equal(problems));
});

describe('A report for whoever asks', () => {
  for (const [query, month] of [
    ['month=2026-10', '2026-10-15 2026-11-14'],
    ['from=2026-10-01&to=2026-10-14', '2026-09-15 2026-10-14'],
    ['', '2026-11-15 2026-12-14'],
  ] as const)
    it(`shows the budget of the plan's month of its last day, or of today: ${query}`, async () => {
      const { asked } = readReport(new URLSearchParams(query), { timezone: 'Asia/Tokyo', now: NOW });
      const none = () => Promise.resolve([]);
      const archive = { figuresOfPeriod: none, figuresByDay: none };
      const budget = { hours: 60, fromDay: 15, warn: [], notify: [], calendar: undefined };
      const calendars = { named: new Map(), files: new Map() };
      const display = { timezone: 'Asia/Tokyo', language: 'en', links: {} } as const;
      const report = await loadReport(archive, asked, { budget, calendars, display });
      const { from, to } = report.budget ?? { from: NaN, to: NaN };
      expect(`${dateOf(from)} ${dateOf(to - 1)}`).to.equal(month);
    });
});

describe('The file of a report', () => {
  it('says to spreadsheets that it is UTF-8, and shows no secret', () => {
    const bot = { ...NO_FIGURES, incidents: 0, incidentMs: 0, botId: 'a', botName: 'key hunter2' };
    const report = reportOf({ from: dayIn('2026-11-01') ?? NaN, to: dayIn('2026-12-01') ?? NaN }, [bot]);
    const { name, text } = csvFileOf(report, (said) => said.replaceAll('hunter2', '***'));
    expect(name).to.equal('botbell-2026-11.csv');
    expect(text).to.match(/^\ufefffrom,[^]*,a,key \*\*\*,/);
  });
});
