/** Hours, weekdays and dates on which nobody is told, where the display's clocks are. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { holdAt, isWithin, muteEndAt } from '../../src/signal/hold.ts';
import type { MuteEntry, Snooze } from '../../src/signal/rules.ts';
import { zonedToInstant } from '../../src/time/display.ts';

const BERLIN = 'Europe/Berlin';
const TOKYO = 'Asia/Tokyo';
const NIGHT: MuteEntry = { from: 22 * 60, to: 7 * 60 };
const WEEKEND: MuteEntry = { days: ['sat', 'sun'] };

function instant(local: string, timezone: string): number {
  return zonedToInstant(Date.parse(`${local}Z`), timezone);
}

function iso(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

function endIn(timezone: string, local: string, ...entries: MuteEntry[]): string | undefined {
  return iso(muteEndAt(instant(local, timezone), { mute: entries, status: 'error', timezone }));
}

interface Asked {
  readonly mute?: readonly MuteEntry[];
  readonly snoozes?: readonly Snooze[];
}

function holdIn(timezone: string, local: string, { mute = [], snoozes = [] }: Asked) {
  const who = { botId: 'bot', destination: 'slack:#ops', status: 'error' } as const;
  return holdAt(instant(local, timezone), { mute, snoozes, ...who, timezone });
}

function snooze(until: string): Snooze {
  const of = { botId: 'bot', destination: undefined, untilSuccess: false, because: '', by: 'me' };
  return { ...of, id: 1, until: instant(until, TOKYO) };
}

// 2026-11-20 is a Friday.
describe('an entry of mute', () => {
  it('has the same hours as whom an error mentions', () => {
    const isIn = (local: string) => isWithin({ ...NIGHT, days: ['fri'] }, instant(local, TOKYO), TOKYO);
    const times = [
      '2026-11-20T21:59:59',
      '2026-11-20T22:00:00',
      '2026-11-21T06:59:59',
      '2026-11-21T07:00:00',
    ];
    expect(times.map(isIn)).to.deep.equal([false, true, true, false]);
    expect(isIn('2026-11-20T06:00:00'), 'which Thursday began').to.equal(false);
  });

  it('belongs to the day on which it begins', () => {
    const onFriday = { ...NIGHT, days: ['fri'] } as const;
    expect(endIn(TOKYO, '2026-11-20T06:00:00', onFriday)).to.equal(undefined);
    expect(endIn(TOKYO, '2026-11-20T23:00:00', onFriday)).to.equal('2026-11-20T22:00:00.000Z');
    expect(endIn(TOKYO, '2026-11-21T06:00:00', onFriday)).to.equal('2026-11-20T22:00:00.000Z');
    expect(endIn(TOKYO, '2026-11-21T23:00:00', onFriday)).to.equal(undefined);
    const onTheLast = { ...NIGHT, dates: ['2026-12-31'] };
    expect(endIn(TOKYO, '2027-01-01T06:59:00', onTheLast)).to.equal('2026-12-31T22:00:00.000Z');
    expect(endIn(TOKYO, '2026-12-31T06:59:00', onTheLast)).to.equal(undefined);
  });

  it('holds a whole day without times, and half of it with one', () => {
    expect(endIn(TOKYO, '2026-11-21T00:00:00', WEEKEND)).to.equal('2026-11-21T15:00:00.000Z');
    expect(endIn(TOKYO, '2026-11-23T00:00:00', WEEKEND)).to.equal(undefined);
    expect(endIn(TOKYO, '2026-11-20T18:00:00', { from: 18 * 60 })).to.equal('2026-11-20T15:00:00.000Z');
    expect(endIn(TOKYO, '2026-11-20T05:00:00', { to: 6 * 60 })).to.equal('2026-11-19T21:00:00.000Z');
    expect(endIn(TOKYO, '2026-11-20T05:00:00', { from: 600, to: 600 })).to.equal('2026-11-20T01:00:00.000Z');
  });

  it('holds only where all its keys do', () => {
    const entry = { dates: ['2026-12-26', '2026-12-29'], days: ['sat'], from: 480, to: 1080 } as const;
    expect(endIn(TOKYO, '2026-12-26T09:00:00', entry)).to.equal('2026-12-26T09:00:00.000Z');
    expect(endIn(TOKYO, '2026-12-26T19:00:00', entry)).to.equal(undefined);
    expect(endIn(TOKYO, '2026-12-29T09:00:00', entry)).to.equal(undefined);
  });

  it('lets through what it excepts', () => {
    const entries = [{ ...NIGHT, except: ['error'] }] as const;
    const at = instant('2026-11-20T23:00:00', TOKYO);
    const endFor = (status: 'succeeded' | 'error' | undefined) =>
      muteEndAt(at, { mute: entries, status, timezone: TOKYO });
    expect(endFor('error')).to.equal(undefined);
    expect(endFor('succeeded')).to.be.a('number');
    expect(endFor(undefined)).to.be.a('number');
  });

  it('follows the clocks over daylight saving', () => {
    // In Berlin 2026-03-29 has no 02:00 to 03:00, 2026-10-25 has it twice.
    expect(endIn(BERLIN, '2026-03-28T23:00:00', NIGHT)).to.equal('2026-03-29T05:00:00.000Z');
    expect(endIn(BERLIN, '2026-10-24T23:00:00', NIGHT)).to.equal('2026-10-25T06:00:00.000Z');
    expect(endIn(BERLIN, '2026-10-25T12:00:00', WEEKEND)).to.equal('2026-10-25T23:00:00.000Z');
    const skipped = { from: 120, to: 180 };
    const allDay = Array.from(
      { length: 24 * 60 },
      (_, minute) => Date.parse('2026-03-28T23:00Z') + minute * 60_000,
    );
    const held = allDay.filter((at) => muteEndAt(at, { mute: [skipped], status: 'error', timezone: BERLIN }));
    expect(held).to.deep.equal([]);
  });

  it('holds all through a year whenever the clocks show a time in it', () => {
    // All day long daylight saving cannot make a difference; the hour that comes twice is not asked for.
    const times = fc.integer({ min: Date.parse('2026-01-01T00:00Z'), max: Date.parse('2027-01-01T00:00Z') });
    const minutes = fc.integer({ min: 4 * 60, max: 1439 });
    const zones = fc.constantFrom(BERLIN, TOKYO, 'America/New_York', 'Australia/Lord_Howe');
    fc.assert(
      fc.property(times, minutes, minutes, zones, (at, from, to, timezone) => {
        const shown = new Intl.DateTimeFormat('en-GB', { timeZone: timezone, timeStyle: 'short' }).format(at);
        const [hour = 0, minute = 0] = shown.split(':').map(Number);
        const now = hour * 60 + minute;
        const isIn = from < to ? from <= now && now < to : now >= from || now < to;
        const end = muteEndAt(at, { mute: [{ from, to }], status: 'error', timezone });
        expect(end !== undefined, `${new Date(at).toISOString()} ${shown}`).to.equal(isIn);
        if (end !== undefined) expect(end - at).to.be.within(1, 25 * 3_600_000);
      }),
    );
  });
});

describe('what holds a message', () => {
  it('goes on until no entry holds', () => {
    const { rule, until } = holdIn(TOKYO, '2026-11-20T23:00:00', { mute: [NIGHT, WEEKEND] }) ?? {};
    expect([rule, iso(until)]).to.deep.equal(['mute', '2026-11-22T22:00:00.000Z']);
  });

  it('goes from mute to a snooze and back', () => {
    const asked = { mute: [NIGHT], snoozes: [snooze('2026-11-21T22:30:00')] };
    const { rule, until } = holdIn(TOKYO, '2026-11-21T01:00:00', asked) ?? {};
    expect([rule, iso(until)]).to.deep.equal(['mute', '2026-11-21T22:00:00.000Z']);
    expect(holdIn(TOKYO, '2026-11-21T12:00:00', asked)?.rule).to.equal('snooze');
    expect(holdIn(TOKYO, '2026-11-22T12:00:00', asked)).to.equal(undefined);
  });

  it('has no end where the windows leave no gap', () => {
    const always = [NIGHT, { from: 7 * 60, to: 22 * 60 }];
    expect(holdIn(TOKYO, '2026-11-20T12:00:00', { mute: always })).to.include({
      rule: 'mute',
      until: undefined,
    });
  });

  it('ends at a moment at which nothing holds', () => {
    const minute = fc.option(fc.integer({ min: 0, max: 1439 }), { nil: undefined });
    const days = fc.subarray(['mon', 'tue', 'wed', 'fri', 'sun'] as const, { minLength: 1 });
    const mute = fc.array(fc.record({ from: minute, to: minute, days }), { minLength: 1, maxLength: 3 });
    const times = fc.integer({ min: Date.parse('2026-01-01T00:00Z'), max: Date.parse('2027-01-01T00:00Z') });
    fc.assert(
      fc.property(mute, times, fc.constantFrom(BERLIN, TOKYO), (entries, at, timezone) => {
        const until = holdAt(at, {
          mute: entries,
          snoozes: [],
          botId: 'bot',
          destination: 'slack:#ops',
          status: 'error',
          timezone,
        })?.until;
        if (until === undefined) return;
        expect(until).to.be.above(at);
        expect(muteEndAt(until, { mute: entries, status: 'error', timezone })).to.equal(undefined);
        expect(muteEndAt(until - 1, { mute: entries, status: 'error', timezone })).to.equal(until);
      }),
      { numRuns: 30 },
    );
  });
});
