/** When to try again inside the request, and how long a remote is left alone. */
import { expect } from 'chai';
import fc from 'fast-check';
import { fits } from '../../src/deliver/lanes.ts';
import { backoffMs } from '../../src/deliver/outcome.ts';
import { nextStep, pauseAfter } from '../../src/deliver/sender.ts';

const PLENTY_MS = 60_000;
const STOP = { kind: 'stop' };

describe('the next step after a failed attempt', () => {
  it('is a wait with jitter that doubles with each attempt', () => {
    const after = (attempt: number, random: number) =>
      nextStep({ class: 'transient', retryAfterMs: undefined }, attempt, 9, PLENTY_MS, random);
    expect(after(1, 0.5)).to.deep.equal({ kind: 'wait', ms: 200 });
    expect(after(2, 0.5)).to.deep.equal({ kind: 'wait', ms: 400 });
    expect(after(3, 0.5)).to.deep.equal({ kind: 'wait', ms: 800 });
    expect(after(1, 0)).to.deep.equal({ kind: 'wait', ms: 0 });
  });

  it('is the end when the attempts of one request are used up', () => {
    const after = (attempt: number) =>
      nextStep({ class: 'transient', retryAfterMs: undefined }, attempt, 2, PLENTY_MS, 0).kind;
    expect([after(1), after(2), after(3)]).to.deep.equal(['wait', 'stop', 'stop']);
  });

  it('is the end for what no retry soon cures', () => {
    for (const failureClass of ['permanent', 'config'] as const) {
      expect(nextStep({ class: failureClass, retryAfterMs: undefined }, 1, 9, PLENTY_MS, 0)).to.deep.equal(
        STOP,
      );
    }
  });

  it('is the pause that the remote asked for, if it fits', () => {
    const after = (retryAfterMs: number, timeLeftMs: number) =>
      nextStep({ class: 'rate_limited', retryAfterMs }, 1, 2, timeLeftMs, 0.9);
    expect(after(2000, 8000)).to.deep.equal({ kind: 'wait', ms: 2000 });
    expect(after(2000, 2100)).to.deep.equal({ kind: 'wait', ms: 2000 });
    expect(after(2000, 2099)).to.deep.equal(STOP);
    expect(after(30_000, 8000)).to.deep.equal(STOP);
  });

  it('is the end when the wait does not fit', () => {
    const after = (timeLeftMs: number) =>
      nextStep({ class: 'transient', retryAfterMs: undefined }, 1, 2, timeLeftMs, 0.5).kind;
    expect([after(300), after(299), after(-5)]).to.deep.equal(['wait', 'stop', 'stop']);
  });
});

describe('the pause after a failure', () => {
  it('is what the remote asked for, or half a minute where it did not say', () => {
    expect(pauseAfter({ class: 'rate_limited', retryAfterMs: 1500 })).to.equal(1500);
    expect(pauseAfter({ class: 'rate_limited', retryAfterMs: undefined })).to.equal(30_000);
  });

  it('is none where the remote asked for none', () => {
    expect(pauseAfter({ class: 'transient', retryAfterMs: 1500 })).to.equal(0);
    expect(pauseAfter({ class: 'permanent', retryAfterMs: undefined })).to.equal(0);
  });
});

describe('a wait', () => {
  it('fits if an attempt after it can still finish', () => {
    expect([fits(0, 100), fits(0, 99), fits(900, 1000), fits(901, 1000)]).to.deep.equal([
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
