/** Local times become instants, gaps and overlaps of daylight saving included. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { isTimezone, zonedToInstant } from '../../src/time/display.ts';

const ZONES = ['UTC', 'Asia/Tokyo', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'];

/** As if the local time were UTC. */
function asIfUtc(local: string): number {
  return Date.parse(`${local}Z`);
}

function isoInstant(local: string, timezone: string): string {
  return new Date(zonedToInstant(asIfUtc(local), timezone)).toISOString();
}

describe('A time zone', () => {
  it('is one by its IANA name, and nothing else is one', () => {
    for (const name of [...ZONES, 'Etc/GMT+9', 'asia/tokyo', 'HST', 'PRC'])
      expect(isTimezone(name), name).to.equal(true);
    for (const name of [
      'Asia/Tokyo ',
      ...',+09:00,-0500,Mars/Phobos,Asia/Tokio,9,BST,CST,JST,PST'.split(','),
    ])
      expect(isTimezone(name), name).to.equal(false);
    expect(() => zonedToInstant(asIfUtc('2026-01-01T00:00:00'), 'Mars/Phobos')).to.throw(RangeError);
  });
});

describe('A local time', () => {
  for (const [gap, skipped, after, timezone] of [
    ['an hour', '2026-03-08T02:00:00', '2026-03-08T03:00:00', 'America/New_York'],
    ['an hour, to its last moment', '2026-03-08T02:59:59.999', '2026-03-08T03:59:59.999', 'America/New_York'],
    ['half an hour', '2026-10-04T02:15:00', '2026-10-04T02:45:00', 'Australia/Lord_Howe'],
    ['an hour before midnight', '2026-03-28T23:30:00', '2026-03-29T00:30:00', 'America/Godthab'],
    ['an hour after midnight', '2018-11-04T00:30:00', '2018-11-04T01:30:00', 'America/Sao_Paulo'],
    ['a whole day', '2011-12-30T12:00:00', '2011-12-31T12:00:00', 'Pacific/Apia'],
  ] as const)
    it(`that the clocks skip is as far after the gap as it is inside it: ${gap}`, () => {
      expect(isoInstant(skipped, timezone)).to.equal(isoInstant(after, timezone));
    });

  it('of a year before 100 or before the first is read as it is', () => {
    expect(isoInstant('0099-01-01T00:00:00', 'UTC')).to.equal('0099-01-01T00:00:00.000Z');
    expect(isoInstant('0000-01-01T00:00:00', 'UTC')).to.equal('0000-01-01T00:00:00.000Z');
  });

  it('is an instant that the zone’s clocks show so', () => {
    const dates = fc.date({ min: new Date('1950-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(dates, fc.constantFrom(...ZONES), (date, timeZone) => {
        const shownAt = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
        const local = shownAt.format(date);
        expect(shownAt.format(zonedToInstant(asIfUtc(local.replace(' ', 'T')), timeZone))).to.equal(local);
      }),
    );
  });
});
