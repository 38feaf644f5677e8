/** When to try again inside the request, and how long a remote is left alone. */
import { expect } from 'chai';
import fc from 'fast-check';
import { fits } from '../../src/deliver/pace.ts';
import { backoffMs } from '../../src/deliver/outcome.ts';

describe('a wait', () => {
  it('fits if an attempt can begin after it, with the reserve before the deadline', () => {
    expect([fits(0, 250), fits(0, 249), fits(750, 1000), fits(751, 1000)]).to.deep.equal([
      true,
      false,
      true,
      false,
    ]);
  });
});

describe('the wait before Botbell retries by itself', () => {
  it('doubles with each attempt, up to a quarter of an hour', () => {
    const longest = [1, 2, 3, 4, 5, 6, 7, 8, 1000].map((attempts) => backoffMs(attempts, 1));
    expect(longest).to.deep.equal(
      [15, 30, 60, 120, 240, 480, 900, 900, 900].map((seconds) => seconds * 1000),
    );
  });

  it('is anything up to that, so that what failed together does not come back together', () => {
    expect([0.25, 0.5, 0.75].map((random) => backoffMs(1, random))).to.deep.equal([3750, 7500, 11_250]);
  });

  it('is never shorter than a second nor longer than a quarter of an hour', () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.nat(5000), random, (attempts, chance) => {
        expect(backoffMs(attempts, chance)).to.be.within(1000, 900_000);
      }),
    );
  });
});
