/** Local times become instants, gaps and overlaps of daylight saving included. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { isTimezone, zonedToInstant } from '../../src/time/display.ts';

const ZONES = [
  'UTC',
  'Asia/Tokyo',
  'America/New_York',
  'Europe/London',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
];

/** As if the local time were UTC. */
function asIfUtc(local: string): number {
  return Date.parse(`${local}Z`);
}

function isoInstant(local: string, timezone: string): string {
  return new Date(zonedToInstant(asIfUtc(local), timezone)).toISOString();
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

  it('reads a local time that the clocks skip as far after the gap as it is inside it', () => {
    const inNewYork = (local: string) => isoInstant(local, 'America/New_York');
    expect(inNewYork('2026-03-08T01:59:59')).to.equal('2026-03-08T06:59:59.000Z');
    expect(inNewYork('2026-03-08T02:00:00')).to.equal('2026-03-08T07:00:00.000Z');
    expect(inNewYork('2026-03-08T02:30:00')).to.equal(inNewYork('2026-03-08T03:30:00'));
    expect(inNewYork('2026-03-08T02:59:59.999')).to.equal('2026-03-08T07:59:59.999Z');
    expect(inNewYork('2026-03-08T03:00:00')).to.equal('2026-03-08T07:00:00.000Z');
  });

  it('does so whatever the gap: half an hour, at midnight, or a whole day', () => {
    const later = (gap: string, after: string, timezone: string) =>
      expect(isoInstant(gap, timezone), timezone).to.equal(isoInstant(after, timezone));
    later('2026-10-04T02:15:00', '2026-10-04T02:45:00', 'Australia/Lord_Howe');
    later('2026-03-28T23:30:00', '2026-03-29T00:30:00', 'America/Godthab');
    later('2018-11-04T00:30:00', '2018-11-04T01:30:00', 'America/Sao_Paulo');
    later('2011-12-30T12:00:00', '2011-12-31T12:00:00', 'Pacific/Apia');
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
        const shownAt = new Intl.DateTimeFormat('sv', {
          timeZone: timezone,
          dateStyle: 'short',
          timeStyle: 'medium',
        });
        const local = shownAt.format(date);
        expect(shownAt.format(zonedToInstant(asIfUtc(local.replace(' ', 'T')), timezone))).to.equal(local);
      }),
    );
  });

  it('says that a zone is unknown', () => {
    expect(() => zonedToInstant(asIfUtc('2026-01-01T00:00:00'), 'Mars/Phobos')).to.throw(RangeError);
  });
});
