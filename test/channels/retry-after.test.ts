/** How long a remote is left alone that asks for it. */
import { inspect } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import { DeliveryFailure } from '../../src/channels/failure.ts';
import { askedMs, obeyedMs } from '../../src/channels/retry-after.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const HOUR_MS = 3_600_000;
const msOf = (asked: unknown): number => obeyedMs(askedMs(asked, NOW_MS));

describe('the pause that a remote asks for', () => {
  it('is a number of seconds, as text or as a number, with a fraction or without', () => {
    expect(['7', ' 1.2 ', 3, 1.5, '3600'].map(msOf)).to.deep.equal([7000, 1200, 3000, 1500, HOUR_MS]);
  });

  it('is a date of HTTP', () => {
    const dates = ['Fri, 20 Nov 2026 12:00:42 GMT', 'Friday, 20-Nov-26 12:00:42 GMT'];
    expect(dates.map(msOf)).to.deep.equal([42_000, 42_000]);
  });

  it('is at least a second', () => {
    for (const asked of ['0', 0, 0.001, '0.0', 'Fri, 20 Nov 2026 11:00:00 GMT']) {
      expect(msOf(asked), String(asked)).to.equal(1000);
    }
  });

  it('is obeyed for an hour at most, and says what more was asked for', () => {
    expect(['31536000', 3601, '3600'].map((asked) => askedMs(asked, NOW_MS))).to.deep.equal([
      31_536_000_000,
      3_601_000,
      HOUR_MS,
    ]);
    expect(['31536000', 3601, 'Fri, 31 Dec 9999 23:59:59 GMT'].map(msOf)).to.deep.equal(
      Array(3).fill(HOUR_MS),
    );
  });

  it('is half a minute where nothing says how long, or nothing that can be read', () => {
    const unreadable = [
      undefined,
      null,
      '',
      'later',
      '-5',
      -5,
      Number.NaN,
      Infinity,
      1e300,
      '1e+300',
      '9'.repeat(400),
      '31 Dec 9999',
      'abc 5',
      '5, 7',
      'Friday',
      'Fri, 99 Nov 2026 99:00:00 GMT',
      {},
      ['7'],
      true,
    ];
    for (const asked of unreadable) expect(msOf(asked), inspect(asked)).to.equal(30_000);
  });

  it('is a whole number within a second and an hour, whatever is asked for', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double(), fc.anything()), (asked) => {
        const ms = msOf(asked);
        expect(Number.isSafeInteger(ms) && ms >= 1000 && ms <= HOUR_MS).to.equal(true);
      }),
    );
  });

  it('is bounded in a failure as well, whichever channel it comes from', () => {
    const pauseIn = (retryAfterMs: number) =>
      new DeliveryFailure({ class: 'rate_limited', code: 'x', message: 'X.', retryAfterMs }).retryAfterMs;
    expect([7000.5, 7, 1e300, Infinity, -1, Number.NaN].map(pauseIn)).to.deep.equal([
      7001,
      1000,
      HOUR_MS,
      HOUR_MS,
      1000,
      30_000,
    ]);
  });
});
