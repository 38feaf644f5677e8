/** Durations, instants and sizes as the reader of a notification sees them, and as people write them; time zones and local times. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  formatAge,
  formatElapsed,
  formatInstant,
  formatSize,
  formatTimeOfDay,
} from '../../src/time/display.ts';
import { isTimezone, parseDuration, parseSize, zonedToInstant } from '../../src/time/display.ts';

const languages = fc.constantFrom('en' as const, 'ja' as const);

describe('What is shown', () => {
  it('of a duration is the units that there are in the reader’s language, zero too, and nothing of what is none', () => {
    for (const [seconds, english, japanese] of [
      [3661, '1 h 1 min 1 s', '1時間1分1秒'],
      [90_000, '1 d 1 h', '1日1時間'],
      [42, '42 s', '42秒'],
      [0.4, '0 s', '0秒'],
      [1e300, '1e+300 s', '1e+300秒'],
      ...[-61, -0.1, Infinity, NaN].map((none) => [none, '', ''] as const),
    ] as const)
      expect([formatElapsed(seconds, 'en'), formatElapsed(seconds, 'ja')]).to.deep.equal([english, japanese]);
  });

  it('of an age is the largest unit alone, in the reader’s language', () => {
    for (const [ms, english, japanese] of [
      [1000, '1 s', '1秒'],
      [59_999, '59 s', '59秒'],
      [60_000, '1 min', '1分'],
      [3_599_999, '59 min', '59分'],
      [3_600_000, '1 h', '1時間'],
      [400 * 86_400_000, '400 d', '400日'],
    ] as const)
      expect([formatAge(ms, 'en'), formatAge(ms, 'ja')]).to.deep.equal([english, japanese]);
  });

  const instant = Date.UTC(2026, 10, 20, 0, 0, 0);

  it('of an instant is the local date and time with the zone', () => {
    expect(formatInstant(instant, 'Asia/Tokyo', 'en')).to.equal('20 Nov 2026, 09:00:00 (GMT+9)');
    expect(formatInstant(instant, 'Asia/Tokyo', 'ja')).to.match(
      /^2026年11月20日 9:00:00 \((?:JST|GMT\+9)\)$/,
    );
    expect(formatInstant(instant, 'America/New_York', 'en')).to.equal('19 Nov 2026, 19:00:00 (GMT-5)');
    expect(formatInstant(instant, 'UTC', 'en')).to.equal('20 Nov 2026, 00:00:00 (UTC)');
  });

  it('of an instant follows the clocks when they are changed, on whatever minute', () => {
    const london = Date.parse('2026-10-25T01:00:00Z');
    expect(formatInstant(london - 1, 'Europe/London', 'en')).to.equal('25 Oct 2026, 01:59:59 (BST)');
    expect(formatInstant(london, 'Europe/London', 'en')).to.equal('25 Oct 2026, 01:00:00 (GMT)');
    // Newfoundland changed its clocks a minute past midnight.
    const newfoundland = Date.parse('2010-11-07T02:31:00Z');
    expect(formatInstant(newfoundland - 1, 'America/St_Johns', 'en')).to.include('7 Nov 2010, 00:00:59');
    expect(formatInstant(newfoundland, 'America/St_Johns', 'en')).to.include('6 Nov 2010, 23:01:00');
  });

  it('of an instant agrees with Intl since there are zones, also where they were seconds off a whole minute', () => {
    const zones = fc.constantFrom('America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kathmandu');
    const instants = fc.integer({ min: Date.UTC(1890), max: Date.UTC(2060) });
    fc.assert(
      fc.property(instants, zones, (ms, timeZone) => {
        const clock = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'medium' }).format(ms);
        expect(formatInstant(ms, timeZone, 'en')).to.include(`, ${clock} (`);
      }),
    );
  });

  it('of an instant is nothing of what no date can be, and of the zero of programs', () => {
    for (const zero of ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00+09:00', '0001-01-01T00:00:00-12:00'])
      expect(formatInstant(Date.parse(zero), 'Asia/Tokyo', 'en')).to.equal('');
    expect(formatInstant(1e300, 'UTC', 'en')).to.equal('');
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(finite, languages, (ms, language) => {
        expect(formatInstant(ms, 'Asia/Kolkata', language)).to.be.a('string');
      }),
    );
  });

  it('of a time of day leaves out the day that it is there, and the year that it is, and is empty for what is no instant', () => {
    const now = Date.parse('2026-11-23T14:59:00Z');
    const timeOf = (iso: string, language: 'en' | 'ja', timezone = 'Asia/Tokyo') =>
      formatTimeOfDay(Date.parse(iso), { timezone, now, language });
    expect(timeOf('2026-11-23T01:02:03Z', 'en')).to.equal('10:02');
    expect(timeOf('2026-11-23T15:00:00Z', 'en'), 'midnight in Tokyo').to.equal('24 Nov, 00:00');
    expect(timeOf('2026-11-23T15:00:00Z', 'ja')).to.equal('11月24日 0:00');
    expect(timeOf('2026-11-23T15:00:00Z', 'en', 'UTC')).to.equal('15:00');
    expect(timeOf('2025-11-23T01:02:03Z', 'en')).to.equal('23 Nov 2025, 10:02');
    expect(timeOf('2025-11-23T01:02:03Z', 'ja')).to.equal('2025年11月23日 10:02');
    expect(timeOf('none', 'en')).to.equal('');
  });

  it('of a size is one digit of the unit that fits, and nothing of what is none', () => {
    const small = { 0: '0 B', 1023: '1,023 B', 1024: '1 KB', 603956: '589.8 KB' };
    for (const [bytes, shown] of Object.entries({ ...small, 1048575: '1 MB', 5368709120: '5 GB' }))
      expect(formatSize(Number(bytes))).to.equal(shown);
    for (const bytes of [-1, NaN, Infinity, 1.5, 2 ** 53]) expect(formatSize(bytes)).to.equal('');
  });

  it('of a size is never a thousand and more of a unit that has a next one, but bytes', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (bytes) => {
        expect(formatSize(bytes)).to.match(/^(?:1,0[012]\d(?:\.\d)?|\d{1,3}(?:\.\d)?) (?:B|KB|MB|GB|TB|PB)$/);
      }),
    );
  });
});

describe('What people write', () => {
  it('as a duration is numbers with units, the largest first, and nothing else', () => {
    const table = { '250ms': 250, '8s': 8000, '2m': 120_000, '24h': 86_400_000, '30d': 2_592_000_000 };
    for (const [text, ms] of Object.entries({ ...table, '1h30m': 5_400_000, '1m30ms': 60_030 }))
      expect(parseDuration(text), text).to.equal(ms);
    const amounts = ['', '8', 's', '1.5h', '-1s', '1e3s', `${'9'.repeat(20)}s`];
    for (const text of [...amounts, '8 s', ' 8s', '30m1h', '1s1s', '8S', '1w'])
      expect(parseDuration(text), text).to.equal(undefined);
  });

  it('as a size is bytes, or multiples of 1024 in any case, and nothing else', () => {
    const table = { '100b': 100, '512kb': 524_288, '8MB': 8_388_608, '1Gb': 1_073_741_824, '77': 77 };
    for (const [text, bytes] of Object.entries(table)) expect(parseSize(text), text).to.equal(bytes);
    for (const text of ['', '0', 'mb', '1.5mb', '8 mb', '-1', '8tb', '0x10', '9999999999gb'])
      expect(parseSize(text), text).to.equal(undefined);
  });
});

const ZONES = ['UTC', 'Asia/Tokyo', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'];

/** As if the local time were UTC. */
function asIfUtc(local: string): number {
  return Date.parse(`${local}Z`);
}

function isoInstant(local: string, timezone: string): string {
  return new Date(zonedToInstant(asIfUtc(local), timezone)).toISOString();
}

describe('A local time', () => {
  it('is one of a zone by its IANA name, and of nothing else', () => {
    for (const name of [...ZONES, 'Etc/GMT+9', 'asia/tokyo', 'HST', 'PRC'])
      expect(isTimezone(name), name).to.equal(true);
    for (const name of 'Asia/Tokyo ,,+09:00,-0500,Mars/Phobos,Asia/Tokio,9,BST,CST,JST,PST'.split(','))
      expect(isTimezone(name), name).to.equal(false);
    expect(() => zonedToInstant(asIfUtc('2026-01-01T00:00:00'), 'Mars/Phobos')).to.throw(RangeError);
  });

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
