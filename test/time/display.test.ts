/** Durations, instants and sizes as the reader of a notification sees them. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  formatAge,
  formatElapsed,
  formatInstant,
  formatSize,
  formatTimeOfDay,
} from '../../src/time/display.ts';

const languages = fc.constantFrom('en' as const, 'ja' as const);

describe('formatElapsed', () => {
  it('says hours, minutes and seconds in the reader’s language', () => {
    expect(formatElapsed(3661, 'en')).to.equal('1 h 1 min 1 s');
    expect(formatElapsed(3661, 'ja')).to.equal('1時間1分1秒');
    expect(formatElapsed(90_000, 'en')).to.equal('1 d 1 h');
    expect(formatElapsed(90_000, 'ja')).to.equal('1日1時間');
    expect(formatElapsed(42, 'ja')).to.equal('42秒');
  });

  it('says zero rather than nothing', () => {
    expect(formatElapsed(0, 'en')).to.equal('0 s');
    expect(formatElapsed(0.4, 'ja')).to.equal('0秒');
  });

  it('says huge numbers in seconds, and nothing of what is no duration', () => {
    expect(formatElapsed(1e300, 'en')).to.equal('1e+300 s');
    for (const seconds of [-61, -0.1, Infinity, NaN]) expect(formatElapsed(seconds, 'ja')).to.equal('');
  });
});

describe('formatAge', () => {
  it('says the largest unit alone, in the reader’s language', () => {
    const ages = [1000, 59_999, 60_000, 3_599_999, 3_600_000, 2 * 86_400_000, 400 * 86_400_000];
    expect(ages.map((ms) => formatAge(ms, 'en'))).to.deep.equal([
      '1 s',
      '59 s',
      '1 min',
      '59 min',
      '1 h',
      '2 d',
      '400 d',
    ]);
    expect(ages.map((ms) => formatAge(ms, 'ja'))).to.deep.equal([
      '1秒',
      '59秒',
      '1分',
      '59分',
      '1時間',
      '2日',
      '400日',
    ]);
  });
});

describe('formatInstant', () => {
  const instant = Date.UTC(2026, 10, 20, 0, 0, 0);

  it('shows local date and time with the zone', () => {
    expect(formatInstant(instant, 'Asia/Tokyo', 'en')).to.equal('20 Nov 2026, 09:00:00 (GMT+9)');
    expect(formatInstant(instant, 'Asia/Tokyo', 'ja')).to.match(
      /^2026年11月20日 9:00:00 \((?:JST|GMT\+9)\)$/,
    );
    expect(formatInstant(instant, 'America/New_York', 'en')).to.equal('19 Nov 2026, 19:00:00 (GMT-5)');
    expect(formatInstant(instant, 'UTC', 'en')).to.equal('20 Nov 2026, 00:00:00 (UTC)');
  });

  it('follows the clocks when they are changed, on whatever minute', () => {
    const london = Date.parse('2026-10-25T01:00:00Z');
    expect(formatInstant(london - 1, 'Europe/London', 'en')).to.equal('25 Oct 2026, 01:59:59 (BST)');
    expect(formatInstant(london, 'Europe/London', 'en')).to.equal('25 Oct 2026, 01:00:00 (GMT)');
    // Newfoundland changed its clocks a minute past midnight.
    const newfoundland = Date.parse('2010-11-07T02:31:00Z');
    expect(formatInstant(newfoundland - 1, 'America/St_Johns', 'en')).to.include('7 Nov 2010, 00:00:59');
    expect(formatInstant(newfoundland, 'America/St_Johns', 'en')).to.include('6 Nov 2010, 23:01:00');
  });

  it('agrees with Intl for any instant of the last and the next decades', () => {
    const zones = fc.constantFrom(
      'Asia/Tokyo',
      'America/St_Johns',
      'Australia/Lord_Howe',
      'Africa/Monrovia',
      'Asia/Kathmandu',
    );
    const instants = fc.integer({ min: Date.UTC(1960), max: Date.UTC(2060) });
    fc.assert(
      fc.property(instants, zones, (ms, timeZone) => {
        const clock = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'medium' }).format(ms);
        expect(formatInstant(ms, timeZone, 'en')).to.include(`, ${clock} (`);
      }),
    );
  });

  it('is empty for what no date can be, and for the zero of programs', () => {
    for (const zero of ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00+09:00', '0001-01-01T00:00:00-12:00'])
      expect(formatInstant(Date.parse(zero), 'Asia/Tokyo', 'en')).to.equal('');
    expect(formatInstant(1e300, 'UTC', 'en')).to.equal('');
  });

  it('never throws for a finite number', () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(finite, languages, (ms, language) => {
        expect(formatInstant(ms, 'Asia/Kolkata', language)).to.be.a('string');
      }),
    );
  });
});

describe('formatTimeOfDay', () => {
  const now = Date.parse('2026-11-23T14:59:00Z');
  const timeOf = (iso: string, language: 'en' | 'ja', timezone = 'Asia/Tokyo') =>
    formatTimeOfDay(Date.parse(iso), { timezone, now, language });

  it('leaves out the day that it is there, and the year that it is', () => {
    expect(timeOf('2026-11-23T01:02:03Z', 'en')).to.equal('10:02');
    expect(timeOf('2026-11-23T01:02:03Z', 'ja')).to.equal('10:02');
    expect(timeOf('2026-11-23T15:00:00Z', 'en'), 'midnight in Tokyo').to.equal('24 Nov, 00:00');
    expect(timeOf('2026-11-23T15:00:00Z', 'ja')).to.equal('11月24日 0:00');
    expect(timeOf('2026-11-23T15:00:00Z', 'en', 'UTC')).to.equal('15:00');
    expect(timeOf('2025-11-23T01:02:03Z', 'en')).to.equal('23 Nov 2025, 10:02');
    expect(timeOf('2025-11-23T01:02:03Z', 'ja')).to.equal('2025年11月23日 10:02');
  });

  it('is empty for what is no instant', () => {
    expect(formatTimeOfDay(Number.NaN, { timezone: 'UTC', now, language: 'en' })).to.equal('');
  });
});

describe('formatSize', () => {
  it('shows one digit of the unit that fits', () => {
    const table = {
      0: '0 B',
      1023: '1,023 B',
      1024: '1 KB',
      603956: '589.8 KB',
      1048575: '1 MB',
      5368709120: '5 GB',
    };
    for (const [bytes, shown] of Object.entries(table))
      expect(formatSize(Number(bytes), 'en')).to.equal(shown);
    expect(formatSize(603_956, 'ja')).to.equal('589.8 KB');
  });

  it('is empty for what is no size', () => {
    for (const bytes of [-1, NaN, Infinity, 1.5, 2 ** 53]) expect(formatSize(bytes, 'en')).to.equal('');
  });

  it('never shows a thousand and more of a unit that has a next one, but bytes', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), languages, (bytes, language) => {
        expect(formatSize(bytes, language)).to.match(
          /^(?:1,0[012]\d(?:\.\d)?|\d{1,3}(?:\.\d)?) (?:B|KB|MB|GB|TB|PB)$/,
        );
      }),
    );
  });
});
