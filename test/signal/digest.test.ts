/** When digests are due. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { digestAtStart, nextDigest } from '../../src/signal/calendar.ts';
import { WEEKDAYS } from '../../src/signal/rules.ts';
import { zonedToInstant } from '../../src/time/display.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const BERLIN = 'Europe/Berlin';

function instant(local: string, timezone = BERLIN): number {
  return zonedToInstant(Date.parse(`${local}Z`), timezone);
}

function iso(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

describe('a digest', () => {
  const workdays = { at: 9 * 60, days: ['mon', 'tue', 'wed', 'thu', 'fri'] } as const;
  const daily = { at: 9 * 60, days: WEEKDAYS };

  it('is due on its days', () => {
    // 2026-11-20 is a Friday.
    const next = (after: string) => iso(nextDigest(workdays, instant(after), BERLIN));
    expect(next('2026-11-20T08:59:59')).to.equal('2026-11-20T08:00:00.000Z');
    expect(next('2026-11-20T09:00:00')).to.equal('2026-11-23T08:00:00.000Z');
    expect(next('2026-11-22T12:00:00')).to.equal('2026-11-23T08:00:00.000Z');
  });

  it('is told at the start where it was due within the last hour and was not told', () => {
    const due = instant('2026-11-20T09:00:00');
    const atStart = (now: number, toldAt: number) => iso(digestAtStart(daily, now, toldAt, BERLIN));
    expect(atStart(due + HOUR - 1, due - DAY)).to.equal(iso(due));
    expect(atStart(due + HOUR, due - DAY)).to.equal(iso(due + DAY));
    expect(atStart(due + HOUR - 1, due + 5)).to.equal(iso(due + DAY));
    expect(atStart(due - 1, due - DAY)).to.equal(iso(due));
    expect(atStart(due + 1, due + 30 * DAY)).to.equal(iso(due + DAY));
  });

  it('is due once each day all through a year, at its time of day', () => {
    const time = fc.integer({ min: 0, max: 1439 }).filter((at) => at < 120 || at >= 180);
    fc.assert(
      fc.property(
        time,
        fc.constantFrom(BERLIN, 'Asia/Tokyo', 'America/New_York', 'Australia/Lord_Howe'),
        (at, timezone) => {
          const day = new Intl.DateTimeFormat('sv', { timeZone: timezone, dateStyle: 'short' });
          const minutes = new Intl.DateTimeFormat('sv', { timeZone: timezone, timeStyle: 'short' });
          const shown = `${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`;
          const days = new Set<string>();
          let due = Date.parse('2026-01-01T12:00:00Z');
          for (let count = 0; count < 365; count += 1) {
            due = nextDigest({ at, days: WEEKDAYS }, due, timezone);
            days.add(day.format(due));
            expect(minutes.format(due)).to.equal(shown);
          }
          expect(days.size).to.equal(365);
        },
      ),
      { numRuns: 5 },
    );
  });
});
