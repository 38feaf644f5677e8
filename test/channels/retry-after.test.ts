import { inspect } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import { askedMs, DeliveryFailure, obeyedMs } from '../../src/channels/failure.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const HOUR_MS = 3_600_000;
const msOf = (asked: unknown): number => obeyedMs(askedMs(asked, NOW_MS) ?? Number.NaN);

const ASKED: Readonly<Record<string, readonly [ms: number, asked: readonly unknown[]]>> = {
  'seconds, with a fraction or without': [1500, [1.5, '1.5', ' 1.500 ']],
  'a date of HTTP': [42_000, ['Fri, 20 Nov 2026 12:00:42 GMT', 'Friday, 20-Nov-26 12:00:42 GMT']],
  'a date of asctime()': [42_000, ['Fri Nov 20 12:00:42 2026']],
  'less than a second': [1000, ['0', 0, 0.001, '0.0', 'Fri, 20 Nov 2026 11:00:00 GMT']],
  'an hour or more': [HOUR_MS, ['3600', '31536000', 3601, 'Fri, 31 Dec 9999 23:59:59 GMT']],
  nothing: [30_000, [undefined, null, '', {}, ['7'], true]],
  'no number': [30_000, ['-5', -5, Number.NaN, Infinity, 1e300, '1e+300', '9'.repeat(400), '5, 7', 'abc 5']],
  'no date': [30_000, ['later', '31 Dec 9999', 'Fri, 99 Nov 2026 99:00:00 GMT', 'Fri Nov 99 12:00:42 2026']],
};

describe('the pause that a remote asks for', () => {
  it('is obeyed from a second to an hour, and is half a minute where nothing says how long', () => {
    for (const [what, [ms, all]] of Object.entries(ASKED))
      for (const asked of all) expect(msOf(asked), `${what}: ${inspect(asked)}`).to.equal(ms);
  });

  it('is known in full where it is longer than what is obeyed', () => {
    const asked = ['31536000', 3601].map((each) => askedMs(each, NOW_MS));
    expect(asked).to.deep.equal([31_536_000_000, 3_601_000]);
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
    const pauses = [7000.5, 7, 1e300, Infinity, -1, Number.NaN].map(pauseIn);
    expect(pauses).to.deep.equal([7001, 1000, HOUR_MS, HOUR_MS, 1000, 30_000]);
  });
});
