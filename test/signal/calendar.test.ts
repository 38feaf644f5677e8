/** Calendars, and what is due on their days: all through a year, against an oracle that only looks at clocks. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { calendarOf, dateOf, dayIn, type DayRange, daysIn, outside } from '../../src/signal/calendar.ts';
import { digestAtStart, nextDigest, reportDue } from '../../src/signal/calendar.ts';
import { beginToExpect, withCallback } from '../../src/signal/expect.ts';
import { isWithin } from '../../src/signal/hold.ts';
import { type Calendar, type Report, type Weekday, WEEKDAYS } from '../../src/signal/rules.ts';
import { DAY, HOUR } from '../support/manual-clock.ts';

const ZONES = ['Asia/Tokyo', 'Europe/Berlin', 'America/St_Johns'];
const WORKDAYS: readonly Weekday[] = ['mon', 'tue', 'wed', 'thu', 'fri'];
const YEAR = { from: Date.parse('2026-10-01T00:00Z'), days: 366 };

interface Dates {
  readonly days: readonly Weekday[];
  readonly except: readonly (readonly [string, string])[];
  readonly also: readonly (readonly [string, string])[];
  readonly until: string | undefined;
}

const on = (date: string) => [date, date] as const;
const HOLIDAYS = [on('2026-11-03'), ['2026-12-29', '2027-01-03'], on('2027-09-20')] as const;
const EXTRA_DAYS = [on('2026-12-26'), on('2026-12-30')];
const OFFICE: Dates = { days: WORKDAYS, except: HOLIDAYS, also: EXTRA_DAYS, until: '2027-08-31' };

function made({ days, except, also, until }: Dates): Calendar {
  const ranges = (some: Dates['also']) =>
    some.map(([from, to]): DayRange => [dayIn(from) ?? 0, dayIn(to) ?? 0]);
  const lastDay = until === undefined ? undefined : dayIn(until);
  return calendarOf({ days, except: ranges(except), also: ranges(also), until: lastDay });
}

interface Moment {
  readonly instant: number;
  readonly date: string;
  readonly time: string;
}

/** Each half hour of the year, a day around it included, by zone. */
const MOMENTS = new Map(ZONES.map((timezone) => [timezone, momentsIn(timezone)]));

function momentsIn(timezone: string): readonly Moment[] {
  const shown = { timeZone: timezone, dateStyle: 'short', timeStyle: 'short' } as const;
  const format = new Intl.DateTimeFormat('sv', shown);
  return Array.from({ length: (YEAR.days + 2) * 48 }, (_, index) => {
    const instant = YEAR.from - DAY + (index * HOUR) / 2;
    const [date = '', time = ''] = format.format(instant).split(' ');
    return { instant, date, time };
  });
}

const SHORT_WEEKDAY = new Intl.DateTimeFormat('en', { weekday: 'short', timeZone: 'UTC' });

/** Dates are compared as texts. */
function hasDate({ days, except, also, until = '9999' }: Dates, date: string): boolean {
  const isIn = (some: Dates['also']) => some.some(([from, to]) => from <= date && date <= to);
  const weekday = SHORT_WEEKDAY.format(new Date(`${date}T12:00Z`)).toLowerCase();
  const isDay = days.some((day) => day === weekday);
  return isIn(also) || (isDay && !(date <= until && isIn(except)));
}

const aDate = fc
  .integer({ min: 0, max: 380 })
  .map((day) => new Date(YEAR.from + day * DAY).toISOString().slice(0, 10));
const ranges = fc.array(
  fc
    .tuple(aDate, aDate)
    .map(([one, other]) => (one <= other ? ([one, other] as const) : ([one, one] as const))),
  { maxLength: 4 },
);
const someDays = fc.subarray([...WEEKDAYS], { minLength: 1 });
const lastDays = fc.option(aDate, { nil: undefined });
const calendars: fc.Arbitrary<Dates> = fc.record({
  days: someDays,
  except: ranges,
  also: ranges,
  until: lastDays,
});
const zones = fc.constantFrom(...ZONES);
/** Of no hour that clocks skip or show twice. */
const times = fc.constantFrom(0, 5 * 60 + 30, 9 * 60, 13 * 60, 23 * 60 + 30);
const shown = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

/** Those of the year at which clocks show this time. */
function momentsAt(at: number, timezone: string): readonly Moment[] {
  const moments = (MOMENTS.get(timezone) ?? []).slice(48, -48);
  return moments.filter(({ time }) => time === shown(at));
}

/** Some of the year, but where clocks are set, and the day before is not 24 hours ago. */
function momentsOfPlainDays(timezone: string): readonly (Moment & { readonly yesterday: string })[] {
  const moments = MOMENTS.get(timezone) ?? [];
  return moments.slice(48, -48).flatMap((moment, index) => {
    const [before, after] = [moments[index], moments[index + 96]];
    const isPlain = before?.time === moment.time && after?.time === moment.time && index % 11 === 0;
    return isPlain ? [{ ...moment, yesterday: before.date }] : [];
  });
}

describe('The days that a text names', () => {
  for (const [text, days] of [
    ['2026-12-29', '2026-12-29 2026-12-29'],
    ['2026-12-29..2027-01-03', '2026-12-29 2027-01-03'],
    ['2026-12-29..2026-12-29', '2026-12-29 2026-12-29'],
    ['2027-01-03..2026-12-29', undefined],
    ['2026-12-29..', undefined],
    ['..2026-12-29', undefined],
    ['2026-12-29..2026-12-30..2026-12-31', undefined],
    ['2026-02-29', undefined],
    ['2026-12', undefined],
    ['12026-12-29', undefined],
    ['1970-01-01', undefined],
    ['tomorrow', undefined],
  ] as const)
    it(`“${text}” are ${days ?? 'none'}`, () => {
      expect(daysIn(text)?.map(dateOf).join(' ')).to.equal(days);
    });
});

describe('A calendar', () => {
  it('has the days that it says, by which a digest is due', () => {
    fc.assert(
      fc.property(calendars, zones, times, (dates, timezone, at) => {
        const digest = { at, days: WEEKDAYS, calendar: made(dates) };
        let due = nextDigest(digest, YEAR.from - 1, timezone);
        for (const { instant, date } of momentsAt(at, timezone)) {
          if (!hasDate(dates, date)) continue;
          expect(new Date(due).toISOString(), date).to.equal(new Date(instant).toISOString());
          due = nextDigest(digest, due, timezone);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('holds in its hours on its days, or on all others, each window on the day on which it begins', () => {
    fc.assert(
      fc.property(calendars, zones, fc.boolean(), times, times, (dates, timezone, isOutside, from, to) => {
        const calendar = isOutside ? outside(made(dates)) : made(dates);
        const isDay = (date: string) => hasDate(dates, date) !== isOutside;
        for (const { yesterday, instant, date, time } of momentsOfPlainDays(timezone)) {
          const begun = isDay(date) && time >= shown(from) && (to <= from || time < shown(to));
          const goesOn = to <= from && isDay(yesterday) && time < shown(to);
          const isIn = isWithin({ from, to: to || 1440, calendar }, instant, timezone);
          expect(isIn, `${date} ${time}`).to.equal(begun || goesOn);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('has no due times of a cron expression on other days', () => {
    for (const timezone of ZONES) {
      const rule = { cron: '0 9,18 * * *', timezone, calendar: made(OFFICE), graceMs: 0 };
      const due: string[] = [];
      let expected = beginToExpect(rule, { at: YEAR.from - 1, hasCome: true, lastResultAt: undefined });
      while (expected.dueAt < YEAR.from + YEAR.days * DAY) {
        due.push(new Date(expected.dueAt).toISOString());
        const came = { at: expected.dueAt, startedAt: expected.dueAt, isResult: true };
        ({ expected } = withCallback(rule, expected, came));
      }
      const asked = [...momentsAt(9 * 60, timezone), ...momentsAt(18 * 60, timezone)];
      const days = asked.filter(({ date }) => hasDate(OFFICE, date)).map(({ instant }) => instant);
      const moments = days.toSorted((a, b) => a - b).map((instant) => new Date(instant).toISOString());
      expect(due).to.deep.equal(moments);
    }
  });

  it('that leaves out all days ahead makes nothing due, however often it would be', () => {
    const leftOut = ['2026-01-01', '2040-01-01'] as const;
    const never = made({ days: ['mon'], except: [leftOut], also: [], until: undefined });
    const rule = { cron: '* * * * *', timezone: 'UTC', calendar: never, graceMs: 0 };
    const { dueAt } = beginToExpect(rule, { at: YEAR.from, hasCome: true, lastResultAt: undefined });
    expect(new Date(dueAt).getUTCFullYear()).to.be.greaterThan(9000);
    expect(nextDigest({ at: 0, days: WEEKDAYS, calendar: never }, YEAR.from, 'UTC')).to.equal(dueAt);
    const friday = { at: Date.parse('2026-11-20T23:59:30Z'), hasCome: true, lastResultAt: undefined };
    const monday = beginToExpect({ ...rule, calendar: made(OFFICE) }, friday);
    expect(new Date(monday.dueAt).toISOString()).to.equal('2026-11-23T00:00:00.000Z');
  });
});

describe('A digest', () => {
  const iso = (ms: number) => new Date(ms).toISOString().slice(0, 19);
  // In UTC, where 2026-11-20 is a Friday.
  const due = Date.parse('2026-11-20T09:00Z');

  it('is due on its days', () => {
    const next = (after: number) => iso(nextDigest({ at: 9 * 60, days: WORKDAYS }, after, 'UTC'));
    expect(next(due - 1)).to.equal('2026-11-20T09:00:00');
    for (const after of [due, due + 2 * DAY]) expect(next(after)).to.equal('2026-11-23T09:00:00');
  });

  it('is told at the start where it was due within the last hour and was not told', () => {
    for (const [now, toldAt, next] of [
      [due + HOUR - 1, due - DAY, due],
      [due + HOUR, due - DAY, due + DAY],
      [due + HOUR - 1, due + 5, due + DAY],
      [due - 1, due - DAY, due],
      [due + 1, due + 30 * DAY, due + DAY],
    ] as const)
      expect(iso(digestAtStart({ at: 9 * 60, days: WEEKDAYS }, now, toldAt, 'UTC'))).to.equal(iso(next));
  });
});

/** When it is due in Tokyo that begins with a day. 2026-11-02 is a Monday; 2026-12-29 to 2027-01-03 are holidays. */
const REPORTS: readonly (readonly [Report['every'], Calendar | undefined, string, string])[] = [
  ['day', undefined, '2026-11-28', '2026-11-29T00:00'],
  ['day', made(OFFICE), '2026-11-27', '2026-11-30T00:00'],
  ['day', made(OFFICE), '2026-12-25', '2026-12-26T00:00'],
  ['week', undefined, '2026-11-02', '2026-11-09T00:00'],
  ['week', undefined, '2026-11-05', '2026-11-09T00:00'],
  ['week', made(OFFICE), '2026-12-28', '2027-01-04T00:00'],
  ['month', undefined, '2026-11-01', '2026-12-01T00:00'],
  ['month', undefined, '2027-01-31', '2027-02-01T00:00'],
  ['month', undefined, '2028-02-01', '2028-03-01T00:00'],
  ['month', made(OFFICE), '2026-12-01', '2027-01-04T00:00'],
];

describe('A report', () => {
  for (const [every, calendar, from, due] of REPORTS)
    it(`of a ${every} from ${from} on is due ${due.slice(0, 10)}${calendar ? ', by its calendar' : ''}`, () => {
      const dueOf = (at: number) => reportDue({ every, at, calendar }, dayIn(from) ?? 0, 'Asia/Tokyo');
      const dueAt = dueOf(9 * 60);
      expect([new Date(dueAt).toISOString().slice(0, 16), dueOf(0)]).to.deep.equal([due, dueAt - 9 * HOUR]);
    });
});
