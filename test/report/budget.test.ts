/** How much of the plan's running time a month has used, and what is told of it. */
import { expect } from 'chai';
import { passedNow, planMonth, standingOf, type ToldOfBudget } from '../../src/report/budget.ts';
import { calendarOf, dateOf, dayIn } from '../../src/signal/calendar.ts';

const HOUR = 3_600_000;
const HOURS_60 = { hours: 60, fromDay: 1, calendar: undefined };
const day = (date: string) => dayIn(date) ?? Number.NaN;
const WORKDAYS = calendarOf({
  days: ['mon', 'tue', 'wed', 'thu', 'fri'],
  except: [],
  also: [],
  until: undefined,
});

const MONTHS: readonly (readonly [fromDay: number, today: string, from: string, to: string])[] = [
  [1, '2026-11-01', '2026-11-01', '2026-12-01'],
  [1, '2026-12-31', '2026-12-01', '2027-01-01'],
  [15, '2026-11-14', '2026-10-15', '2026-11-15'],
  [15, '2026-11-15', '2026-11-15', '2026-12-15'],
  [28, '2027-01-27', '2026-12-28', '2027-01-28'],
  [28, '2028-02-29', '2028-02-28', '2028-03-28'],
];

describe('A month of the plan', () => {
  for (const [fromDay, today, from, to] of MONTHS)
    it(`that begins on day ${fromDay} and has ${today} goes from ${from} to before ${to}`, () => {
      const month = planMonth(fromDay, day(today));
      expect(`${dateOf(month.from)} ${dateOf(month.to)}`).to.equal(`${from} ${to}`);
    });
});

describe('The budget', () => {
  /** 2026-11-02 is a Monday. */
  const RAN = [
    ['2026-10-20', 7],
    ['2026-10-31', 50],
    ['2026-11-01', 1],
    ['2026-11-02', 2],
    ['2026-11-03', 3],
    ['2026-11-04', 6],
  ] as const;
  const days = RAN.map(([date, hours]) => ({ day: day(date), runningMs: hours * HOUR }));
  const standing = (today: string, calendar?: typeof WORKDAYS) => {
    const { usedMs, percent, forecastMs } = standingOf({ ...HOURS_60, calendar }, days, day(today));
    return { used: usedMs / HOUR, percent, forecast: forecastMs && forecastMs / HOUR };
  };

  it('is used by the days of its month alone, and forecast once three whole days are known', () => {
    expect(standing('2026-11-03')).to.deep.equal({ used: 12, percent: 20, forecast: undefined });
    // Six hours in three days, and 27 days to come.
    expect(standing('2026-11-04')).to.deep.equal({ used: 12, percent: 20, forecast: 60 });
  });

  it('is forecast by the days since Botbell was there, but for the first, which may not be whole', () => {
    const since = (date: string) => standingOf(HOURS_60, days.slice(2), day(date)).forecastMs;
    expect(since('2026-11-04')).to.equal(undefined);
    // Twelve hours in all, eleven of them in the three days behind the first, and 26 days to come.
    expect(since('2026-11-05')).to.equal(12 * HOUR + Math.round((11 * HOUR * 26) / 3));
    expect(standingOf(HOURS_60, [], day('2026-11-20')).forecastMs).to.equal(undefined);
  });

  it('is forecast by the days of its calendar', () => {
    expect(standing('2026-11-04', WORKDAYS).forecast).to.equal(undefined);
    // Twelve hours in three workdays, and 18 to come.
    expect(standing('2026-11-05', WORKDAYS).forecast).to.equal(84);
  });

  it('of a month that is over is what it has come to, without a forecast', () => {
    const over = standingOf(HOURS_60, days, day('2026-12-01'), day('2026-11-30'));
    expect(over).to.include({ from: day('2026-11-01'), percent: 20, forecastMs: undefined });
  });

  it('that is used up is forecast to be no less', () => {
    const late = [
      { day: day('2026-10-31'), runningMs: HOUR },
      { day: day('2026-11-30'), runningMs: 57 * HOUR },
    ];
    const standing = standingOf({ ...HOURS_60, hours: 50 }, late, day('2026-11-30'));
    expect(standing).to.include({ percent: 114, forecastMs: 57 * HOUR });
  });

  const WARN = [80, 100, 120];
  const NOVEMBER = day('2026-11-01');
  const DECEMBER = day('2026-12-01');

  /** @returns what is told of the month before and of one of 100 hours, by the hours that each has used, look by look */
  function toldFor(
    looks: readonly (readonly [before: number, current: number])[],
    from: number,
    known: ToldOfBudget,
    hours = 100,
  ) {
    const told: string[] = [];
    const month = (first: number, used: number) => {
      const [usedMs, budgetMs] = [used * HOUR, hours * HOUR];
      return { from: first, usedMs, budgetMs, percent: Math.floor((used * 100) / hours) };
    };
    for (const [before, current] of looks) {
      const months = [month(planMonth(1, from - 1).from, before), month(from, current)] as const;
      const now = passedNow(WARN, months, known);
      told.push(
        `${now.month === months[0] ? 'before: ' : ''}${now.percent}${now.isMore ? ', and more' : ''}`,
      );
      known = now.after;
    }
    return { told, known };
  }

  it('has each percentage told once a month, the lowest first', () => {
    const looks = [79, 80, 80, 130, 130, 130].map((used) => [0, used] as const);
    const { told, known } = toldFor(looks, NOVEMBER, { from: 0, told: [] });
    expect(told).to.deep.equal(['undefined', '80', 'undefined', '100, and more', '120', 'undefined']);
    expect(known.told).to.deep.equal(WARN);
    expect(toldFor([[130, 90]], DECEMBER, known).told).to.deep.equal(['80']);
  });

  it('has none told again once a clock that was a month ahead is set right, or the zone moves over the first of the month', () => {
    const { known } = toldFor([[0, 80]], NOVEMBER, { from: 0, told: [] });
    const ahead = toldFor([[80, 0]], DECEMBER, known).known;
    const looks = [80, 100].map((used) => [0, used] as const);
    const { told, known: after } = toldFor(looks, NOVEMBER, ahead);
    expect(told).to.deep.equal(['undefined', '100']);
    const turned = toldFor([[100, 80]], DECEMBER, after);
    expect(turned.told).to.deep.equal(['80']);
    const late = toldFor([[120, 80]], DECEMBER, turned.known);
    expect(late.told).to.deep.equal(['before: 120']);
    const west = toldFor([[0, 120]], NOVEMBER, late.known);
    expect(west.told, 'where the zone moves west').to.deep.equal(['undefined']);
    expect(toldFor([[120, 80]], DECEMBER, west.known).told, 'and back').to.deep.equal(['undefined']);
  });

  it('has told, too, what a month passes by runs that end after it', () => {
    const looks = [95, 95].map((used) => [0, used] as const);
    const { known } = toldFor(looks, NOVEMBER, { from: 0, told: [] });
    const late = [
      [99, 0],
      [125, 80],
      [125, 80],
      [125, 80],
      [140, 80],
      [140, 100],
    ] as const;
    expect(toldFor(late, DECEMBER, known).told).to.deep.equal([
      'undefined',
      'before: 100, and more',
      'before: 120, and more',
      '80',
      'undefined',
      '100',
    ]);
    expect(toldFor([[101, 0]], DECEMBER, known).told, 'before anybody looks').to.deep.equal(['before: 100']);
  });

  it('has nothing told of a month that nobody watched, nor of what it had used before the budget was another', () => {
    const unknown = [
      [90, 0],
      [90, 0],
      [101, 0],
    ] as const;
    const earlier = toldFor([[0, 60]], day('2026-10-01'), { from: 0, told: [] }).known;
    for (const known of [earlier, { from: 0, told: [] }])
      expect(toldFor(unknown, DECEMBER, known).told).to.deep.equal(['undefined', 'undefined', 'before: 100']);
    const { known } = toldFor([[0, 60]], NOVEMBER, { from: 0, told: [] });
    const looks = [60, 61].map((before) => [before, 0] as const);
    expect(toldFor(looks, DECEMBER, known, 60).told).to.deep.equal(['undefined', 'undefined']);
  });
});
