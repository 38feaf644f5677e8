import { expect } from 'chai';
import * as fc from 'fast-check';
import { calendarOf, outside } from '../../src/signal/calendar.ts';
import { holdAt, isWithin, muteEndAt } from '../../src/signal/hold.ts';
import { type MuteEntry, type Snooze, WEEKDAYS } from '../../src/signal/rules.ts';
import { zonedToInstant } from '../../src/time/display.ts';

const BERLIN = 'Europe/Berlin';
const TOKYO = 'Asia/Tokyo';
const NIGHT: MuteEntry = { from: 22 * 60, to: 7 * 60 };
const WEEKEND: MuteEntry = { days: ['sat', 'sun'] };

function instant(local: string, timezone: string): number {
  return zonedToInstant(Date.parse(`${local}Z`), timezone);
}

function iso(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString().slice(0, 16);
}

function heldIn(timezone: string, mute: readonly MuteEntry[], snoozes: readonly Snooze[] = []) {
  return { mute, snoozes, botId: 'bot', destination: 'slack:#ops', status: 'error', timezone } as const;
}

function snooze(until: string): Snooze {
  const of = { botId: 'bot', destination: undefined, isUntilSuccess: false, because: '', by: 'me' };
  return { ...of, id: 1, until: instant(until, TOKYO) };
}

const HOLIDAYS = [Date.UTC(2026, 6, 20), Date.UTC(2026, 8, 30)] as const;
const SCHOOL = calendarOf({ days: WEEKDAYS, except: [HOLIDAYS], also: [], until: undefined });

const ON_FRIDAY: MuteEntry = { ...NIGHT, days: ['fri'] };
const ON_THE_LAST: MuteEntry = { ...NIGHT, dates: ['2026-12-31'] };
const ALL_KEYS: MuteEntry = { dates: ['2026-12-26', '2026-12-29'], days: ['sat'], from: 480, to: 1080 };

/** The local time asked, and in UTC the end of what holds then. 2026-11-20 is a Friday. */
const TABLE: Readonly<Record<string, readonly (readonly [MuteEntry, string, (string | undefined)?])[]>> = {
  'belongs to the day on which it begins': [
    [ON_FRIDAY, '2026-11-20T06:00'],
    [ON_FRIDAY, '2026-11-20T21:59'],
    [ON_FRIDAY, '2026-11-20T22:00', '2026-11-20T22:00'],
    [ON_FRIDAY, '2026-11-21T06:59', '2026-11-20T22:00'],
    [ON_FRIDAY, '2026-11-21T07:00'],
    [ON_FRIDAY, '2026-11-21T23:00'],
    [ON_THE_LAST, '2027-01-01T06:59', '2026-12-31T22:00'],
    [ON_THE_LAST, '2026-12-31T06:59'],
  ],
  'holds a whole day without times, and a part of it with one': [
    [WEEKEND, '2026-11-21T00:00', '2026-11-21T15:00'],
    [WEEKEND, '2026-11-23T00:00'],
    [{ from: 18 * 60 }, '2026-11-20T18:00', '2026-11-20T15:00'],
    [{ to: 6 * 60 }, '2026-11-20T05:00', '2026-11-19T21:00'],
    [{ from: 600, to: 600 }, '2026-11-20T05:00', '2026-11-20T01:00'],
  ],
  'holds only where all its keys do': [
    [ALL_KEYS, '2026-12-26T09:00', '2026-12-26T09:00'],
    [ALL_KEYS, '2026-12-26T19:00'],
    [ALL_KEYS, '2026-12-29T09:00'],
  ],
};

describe('an entry of mute', () => {
  for (const [what, rows] of Object.entries(TABLE))
    it(`${what}, as the hours do in which an error mentions`, () => {
      for (const [entry, local, end] of rows) {
        const at = instant(local, TOKYO);
        expect(iso(muteEndAt(at, heldIn(TOKYO, [entry]))), local).to.equal(end);
        expect(isWithin(entry, at, TOKYO), local).to.equal(end !== undefined);
      }
    });

  it('lets through what it excepts', () => {
    const at = instant('2026-11-20T23:00', TOKYO);
    const isHeld = (['error', 'succeeded', undefined] as const).map((status) => {
      const held = { ...heldIn(TOKYO, [{ ...NIGHT, except: ['error'] }]), status };
      return muteEndAt(at, held) !== undefined;
    });
    expect(isHeld).to.deep.equal([false, true, true]);
  });

  it('follows the clocks over daylight saving', () => {
    // In Berlin 2026-03-29 has no 02:00 to 03:00, 2026-10-25 has it twice.
    const endIn = (local: string, entry: MuteEntry) =>
      iso(muteEndAt(instant(local, BERLIN), heldIn(BERLIN, [entry])));
    expect(endIn('2026-03-28T23:00', NIGHT)).to.equal('2026-03-29T05:00');
    expect(endIn('2026-10-24T23:00', NIGHT)).to.equal('2026-10-25T06:00');
    expect(endIn('2026-10-25T12:00', WEEKEND)).to.equal('2026-10-25T23:00');
  });

  it('holds, and ends, where the clocks skip an hour: while they show a time in it', () => {
    const days = { [BERLIN]: '2026-03-28T22:00Z', 'Africa/Cairo': '2026-04-23T21:00Z' };
    const times = [0, 30, 60, 90, 120, 150, 180, 1410];
    for (const [timezone, first] of Object.entries(days))
      for (const [from, to] of times.flatMap((from) => times.map((to) => [from, to] as const))) {
        let end: number | undefined;
        for (let minute = 0; minute < 25 * 60; minute += 30) {
          const at = Date.parse(first) + minute * 60_000;
          const isIn = isShownIn(at, timezone, from, to);
          if (end !== undefined && !isIn) expect(end).to.equal(at);
          end = muteEndAt(at, heldIn(timezone, [{ from, to }]));
          expect(end !== undefined, `${timezone} ${from} ${to} ${minute}`).to.equal(isIn);
        }
      }
  });

  it('holds all through a year whenever the clocks show a time in it', () => {
    // All day long daylight saving cannot make a difference; the hour that comes twice is not asked for.
    const times = fc.integer({ min: Date.parse('2026-01-01T00:00Z'), max: Date.parse('2027-01-01T00:00Z') });
    const minutes = fc.integer({ min: 4 * 60, max: 1439 });
    const zones = fc.constantFrom(BERLIN, TOKYO, 'America/New_York', 'Australia/Lord_Howe');
    fc.assert(
      fc.property(times, minutes, minutes, zones, (at, from, to, timezone) => {
        const end = muteEndAt(at, heldIn(timezone, [{ from, to }]));
        expect(end !== undefined, new Date(at).toISOString()).to.equal(isShownIn(at, timezone, from, to));
        if (end !== undefined) expect(end - at).to.be.within(1, 25 * 3_600_000);
      }),
    );
  });
});

const clocks = new Map<string, Intl.DateTimeFormat>();

/** Whether clocks show a time from `from` to `to`, in minutes after midnight. */
function isShownIn(at: number, timezone: string, from: number, to: number): boolean {
  const clock =
    clocks.get(timezone) ?? new Intl.DateTimeFormat('en-GB', { timeZone: timezone, timeStyle: 'short' });
  clocks.set(timezone, clock);
  const [hour = 0, minute = 0] = clock.format(at).split(':').map(Number);
  const now = hour * 60 + minute;
  return from < to ? from <= now && now < to : now >= from || now < to;
}

describe('what holds a message', () => {
  it('goes on until no entry and no snooze holds, and for ever where they leave no gap', () => {
    const day = { from: 7 * 60, to: 22 * 60 };
    const overnight = snooze('2026-11-21T22:30');
    const table: readonly (readonly [MuteEntry[], Snooze[], string, string | undefined])[] = [
      [[NIGHT, WEEKEND], [], '2026-11-20T23:00', 'mute 2026-11-22T22:00'],
      [[NIGHT], [overnight], '2026-11-21T01:00', 'mute 2026-11-21T22:00'],
      [[NIGHT], [overnight], '2026-11-21T12:00', 'snooze 2026-11-21T22:00'],
      [[], [snooze('2026-11-21T13:00'), overnight], '2026-11-21T12:00', 'snooze 2026-11-21T13:30'],
      [[NIGHT], [overnight], '2026-11-22T12:00', undefined],
      [[NIGHT, day], [], '2026-11-20T12:00', 'mute undefined'],
      [[{ calendar: outside(SCHOOL) }], [], '2026-07-21T12:00', 'mute 2026-09-30T15:00'],
    ];
    for (const [mute, snoozes, local, expected] of table) {
      const hold = holdAt(instant(local, TOKYO), heldIn(TOKYO, mute, snoozes));
      expect(hold && `${hold.rule} ${iso(hold.until)}`, local).to.equal(expected);
    }
    // When somebody ends it, the hold may end sooner.
    const held = heldIn(TOKYO, [], [snooze('2026-11-21T13:00'), { ...overnight, id: 2 }]);
    expect(holdAt(instant('2026-11-21T12:00', TOKYO), held)?.snoozeId, 'the last to end').to.equal(2);
  });

  it('ends at a moment at which nothing holds', () => {
    const minute = fc.option(fc.integer({ min: 0, max: 1439 }), { nil: undefined });
    const days = fc.subarray(['mon', 'tue', 'wed', 'fri', 'sun'] as const, { minLength: 1 });
    const mute = fc.array(fc.record({ from: minute, to: minute, days }), { minLength: 1, maxLength: 3 });
    const times = fc.integer({ min: Date.parse('2026-01-01T00:00Z'), max: Date.parse('2027-01-01T00:00Z') });
    fc.assert(
      fc.property(mute, times, fc.constantFrom(BERLIN, TOKYO), (entries, at, timezone) => {
        const held = heldIn(timezone, entries);
        const until = holdAt(at, held)?.until;
        if (until === undefined) return;
        expect(until).to.be.above(at);
        expect(muteEndAt(until, held)).to.equal(undefined);
        expect(muteEndAt(until - 1, held)).to.equal(until);
      }),
      { numRuns: 30 },
    );
  });
});
