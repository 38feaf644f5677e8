/** What plots are made of, and how spreadsheets get it. */
import { expect } from 'chai';
import { DURATION_STEPS, linesUpTo } from '../../../../src/admin/page/charts/axes.tsx';
import { csvOf } from '../../../../src/admin/page/plots/csv.ts';
import { dayBefore, figuresOf } from '../../../../src/admin/page/plots/day-figures.ts';

describe('the figures of days', () => {
  const day = { succeeded: 3, failed: 1, started: 4, retries: 2, elapsedSeconds: 100 };

  it('have every day of the time, also those on which nothing came', () => {
    const time = { first: '2026-02-27', last: '2026-03-02' };
    const figures = figuresOf([{ day: '2026-03-01', ...day }], time);
    expect(figures.map(({ day }) => day)).to.deep.equal([
      '2026-02-27',
      '2026-02-28',
      '2026-03-01',
      '2026-03-02',
    ]);
    expect(figures[2]).to.deep.equal({
      day: '2026-03-01',
      succeeded: 3,
      failed: 1,
      started: 4,
      retries: 2,
      spentSeconds: 100,
      retrySeconds: 60,
      meanSeconds: 25,
    });
    expect(figures[0]).to.include({ succeeded: 0, meanSeconds: undefined });
  });

  it('count days by the calendar, however long clocks make them', () => {
    expect(dayBefore('2026-03-30', 2)).to.equal('2026-03-28');
    expect(figuresOf([], { first: '2026-03-28', last: '2026-03-30' })).to.have.length(3);
  });
});

describe('the lines of a plot', () => {
  it('stand at round values and reach the highest', () => {
    expect(linesUpTo(170, DURATION_STEPS)).to.deep.equal([0, 60, 120, 180]);
    expect(linesUpTo(0, DURATION_STEPS)).to.deep.equal([0, 1]);
    for (const most of [1, 59, 86_400, 3e6, 1e9, 1e15]) {
      const lines = linesUpTo(most, DURATION_STEPS);
      expect(lines.length, String(most)).to.be.within(2, 6);
      expect(lines.at(-1), String(most)).to.be.least(most);
    }
  });
});

describe('a table for spreadsheets', () => {
  it('is known as UTF-8, and computes nothing of what strangers wrote', () => {
    expect(
      csvOf([
        ['日付', 'n'],
        ['=1+1', -5],
        ['@a', '+b'],
        ['say "a", b', '-c'],
      ]),
    ).to.equal('\ufeff日付,n\r\n\'=1+1,-5\r\n\'@a,\'+b\r\n"say ""a"", b",\'-c\r\n');
  });
});
