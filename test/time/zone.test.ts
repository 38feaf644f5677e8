/** Local times become instants, gaps and overlaps of daylight saving included. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { isTimezone, utcInstant, zonedToInstant } from '../../src/time/zone.ts';
import type { ZonedParts } from '../../src/time/zone.ts';

const ZONES = [
  'UTC',
  'Asia/Tokyo',
  'America/New_York',
  'Europe/London',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
];

/** The parts of an ISO 8601 local date-time. */
function parts(local: string): ZonedParts {
  const date = new Date(`${local}Z`);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    millisecond: date.getUTCMilliseconds(),
  };
}

function isoInstant(local: string, timezone: string): string | undefined {
  const instant = zonedToInstant(parts(local), timezone);
  return instant === undefined ? undefined : new Date(instant).toISOString();
}

describe('isTimezone', () => {
  it('takes IANA names', () => {
    for (const name of [...ZONES, 'Etc/GMT+9', 'asia/tokyo']) expect(isTimezone(name), name).to.equal(true);
  });

  it('refuses offsets and what is no zone', () => {
    for (const name of ['', '+09:00', '-0500', 'Mars/Phobos', 'Asia/Tokio', 'Asia/Tokyo ', '9']) {
      expect(isTimezone(name), name).to.equal(false);
    }
  });
});

describe('zonedToInstant', () => {
  it('reads a local time by the offset of its day', () => {
    expect(isoInstant('2026-11-20T09:00:00.123', 'Asia/Tokyo')).to.equal('2026-11-20T00:00:00.123Z');
    expect(isoInstant('2026-07-01T12:00:00', 'America/New_York')).to.equal('2026-07-01T16:00:00.000Z');
    expect(isoInstant('2026-12-01T12:00:00', 'America/New_York')).to.equal('2026-12-01T17:00:00.000Z');
  });

  it('refuses a local time that daylight saving skips', () => {
    expect(isoInstant('2026-03-08T01:59:59', 'America/New_York')).to.equal('2026-03-08T06:59:59.000Z');
    expect(isoInstant('2026-03-08T02:30:00', 'America/New_York')).to.equal(undefined);
    expect(isoInstant('2026-03-08T03:00:00', 'America/New_York')).to.equal('2026-03-08T07:00:00.000Z');
    expect(isoInstant('2011-12-30T12:00:00', 'Pacific/Apia')).to.equal(undefined);
  });

  it('takes the earlier instant of a local time that happens twice', () => {
    expect(isoInstant('2026-11-01T01:30:00', 'America/New_York')).to.equal('2026-11-01T05:30:00.000Z');
  });

  it('reads years before 100 and before the first as they are', () => {
    expect(isoInstant('0099-01-01T00:00:00', 'UTC')).to.equal('0099-01-01T00:00:00.000Z');
    expect(isoInstant('0000-01-01T00:00:00', 'UTC')).to.equal('0000-01-01T00:00:00.000Z');
  });

  it('names an instant that the zone’s clocks show as that local time', () => {
    const dates = fc.date({ min: new Date('1950-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(dates, fc.constantFrom(...ZONES), (date, timezone) => {
        const local = date.toISOString().slice(0, -1);
        const instant = zonedToInstant(parts(local), timezone);
        if (instant === undefined) return;
        const shown = new Intl.DateTimeFormat('sv', {
          timeZone: timezone,
          dateStyle: 'short',
          timeStyle: 'medium',
        });
        expect(shown.format(instant)).to.equal(local.slice(0, 19).replace('T', ' '));
      }),
    );
  });

  it('says that a zone is unknown', () => {
    expect(() => zonedToInstant(parts('2026-01-01T00:00:00'), 'Mars/Phobos')).to.throw(RangeError);
  });
});

describe('utcInstant', () => {
  it('is the instant of the parts in UTC', () => {
    expect(utcInstant(parts('2026-11-20T01:02:03.004'))).to.equal(Date.parse('2026-11-20T01:02:03.004Z'));
  });
});
