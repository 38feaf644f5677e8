/** Every ISO 8601 calendar date-time is one instant, and nothing else is. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { parseStartTime } from '../../src/time/display.ts';

function isoInstant(text: string, timezone = 'Asia/Tokyo'): string | undefined {
  const instant = parseStartTime(text, timezone);
  return instant === undefined ? undefined : new Date(instant).toISOString();
}

const NEW_YORK = 'America/New_York';

const [MIN, MAX] = ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'].map((text) => new Date(text));

const REFUSED: Readonly<Record<string, readonly string[]>> = {
  'days that do not exist': ['2026-02-29T00:00:00Z', '1900-02-29T00:00:00Z', '2026-04-31T00:00:00Z'],
  'days outside a month': ['2026-01-00T00:00:00Z', '2026-01-32T00:00:00Z', '2026-02-30 03:00:00Z'],
  'months outside a year': ['2026-13-01T00:00:00Z', '2026-00-01T00:00:00Z'],
  'times outside a day': ['2026-11-20T24:00:00Z', '2026-11-20T00:60:00Z', '2026-12-31T23:59:61Z'],
  'offsets outside a day': ['2026-11-20T00:00:00+24:00', '2026-11-20T00:00:00+00:60'],
  'parts that are missing or cut short': ['', '2026-11-20', '20261120', '2026-11-20T09:00:00+9'],
  'numbers of one digit': ['2026-11-20T09:0:00Z', '2026-11-20T09:00:00+09:0', '2026-11-20T09:00:00.Z'],
  'other signs between day and time': [
    '2026-11-20  09:00:00',
    '2026-11-20\u00a009:00',
    '2026-11-20_09:00:00',
  ],
  'the basic form mixed with the extended': ['2026-11-20T0900Z', '20261120T09:00Z', '2026-1120T09:00Z'],
  'blanks around it or within': [' 2026-11-20T09:00:00Z', '2026-11-20T09:00:00Z\n', '2026-11-20T09:00:00 Z'],
  'weeks and days of the year': ['2026-W47-5T09:00:00Z', '2026W475T090000Z', '2026-324T09:00:00Z'],
  'years of six digits, and other digits': ['+002026-11-20T09:00:00Z', '２０２６-11-20T09:00:00Z'],
  'what other programs write': ['1763600000', 'Fri, 20 Nov 2026 09:00:00 GMT'],
  'a megabyte': [`2026-11-20T00:00:00.${'1'.repeat(1_000_000)}Z`],
};

describe('parseStartTime', () => {
  for (const [text, instant, timezone = 'Asia/Tokyo'] of [
    ['20261120T090000+0900', '2026-11-20T00:00:00.000Z'],
    ['2026-11-20t00:00:00z', '2026-11-20T00:00:00.000Z'],
    ['2026-11-26 03:00:00.123456+09:00', '2026-11-25T18:00:00.123Z'],
    ['20261126 0300', '2026-11-25T18:00:00.000Z'],
    ['2026-11-20T09', '2026-11-20T00:00:00.000Z'],
    ['20261120T0905Z', '2026-11-20T09:05:00.000Z'],
    ['2026-11-20T00:00:00,0579Z', '2026-11-20T00:00:00.057Z'],
    [`2026-11-20T00:00:00.${'9'.repeat(500)}Z`, '2026-11-20T00:00:00.999Z'],
    ['2026-11-20T09:30.5Z', '2026-11-20T09:30:30.000Z'],
    ['20261120T09,25Z', '2026-11-20T09:15:00.000Z'],
    ['20261120T090000+09', '2026-11-20T00:00:00.000Z'],
    ['2026-11-20T00:00:00-05:30', '2026-11-20T05:30:00.000Z'],
    ['2026-11-20T00:00:00\u221205:30', '2026-11-20T05:30:00.000Z'],
    ['2026-11-20T00:00:00+23:59', '2026-11-19T00:01:00.000Z'],
    ['2026-11-20T12:00:00', '2026-11-20T03:00:00.000Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    ['20260308T0230', '2026-03-08T07:30:00.000Z', NEW_YORK],
    ['2026-11-01T01:30:00', '2026-11-01T05:30:00.000Z', NEW_YORK],
  ] as const)
    it(`reads ${text.slice(0, 40)} as ${instant}`, () => {
      expect(isoInstant(text, timezone)).to.equal(instant);
    });

  for (const [what, texts] of Object.entries(REFUSED))
    it(`refuses ${what}`, () => {
      for (const text of texts)
        expect(isoInstant(text), JSON.stringify(text.slice(0, 40))).to.equal(undefined);
    });

  it('reads what Date writes, in both forms', () => {
    fc.assert(
      fc.property(fc.date({ min: MIN, max: MAX, noInvalidDate: true }), (date) => {
        const iso = date.toISOString();
        for (const text of [iso, iso.replaceAll(/[-:]/g, '')])
          expect(parseStartTime(text, 'Asia/Tokyo')).to.equal(date.getTime());
      }),
    );
  });

  it('is undefined or an instant, whatever the text', () => {
    const part = fc.constantFrom(' ', ...'2026 - 11 20 T 09 : 60 . 5 Z + 0930'.split(' '));
    const nearMiss = fc.array(part).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(nearMiss, fc.string()), (text) => {
        const instant = parseStartTime(text, NEW_YORK);
        if (instant !== undefined) expect(new Date(instant).getTime()).to.equal(instant);
      }),
    );
  });
});
