/** How often a wrong password may be tried. */
import { expect } from 'chai';
import { FailedLogins } from '../../src/admin/failed-logins.ts';
import { ManualClock } from '../support/manual-clock.ts';

describe('wrong passwords', () => {
  let clock: ManualClock;
  let failed: FailedLogins;

  beforeEach(() => {
    clock = new ManualClock();
    failed = new FailedLogins(clock);
  });

  /** How many of so many are looked at at once. */
  const take = (client: string, times: number) =>
    Array.from({ length: times }, () => failed.take(client).inMs === 0).filter(Boolean).length;

  it('are looked at ten times in a row, and then as often as tries come back, one in six seconds', async () => {
    expect(take('a', 50)).to.equal(10);
    await clock.advance(5999);
    expect(take('a', 5)).to.equal(0);
    await clock.advance(1);
    expect(take('a', 5)).to.equal(1);
    await clock.advance(3_600_000);
    expect(take('a', 50)).to.equal(10);
  });

  it('wait for each other where no try is left, two seconds each, four at most', async () => {
    take('a', 10);
    const waits = Array.from({ length: 6 }, () => failed.take('a'));
    expect(waits.map(({ inMs }) => inMs)).to.deep.equal([2000, 4000, 6000, 8000, undefined, undefined]);
    expect(waits.every(({ isBeyond }) => isBeyond)).to.equal(true);
    await clock.advance(4000);
    expect([failed.take('a').inMs, failed.take('a').inMs]).to.deep.equal([6000, 8000]);
  });

  it('are slowed more and more, the first ones not at all', () => {
    const slowed = Array.from({ length: 10 }, () => {
      failed.take('a');
      return failed.slowedMs('a');
    });
    expect(slowed).to.deep.equal([0, 0, 0, 125, 250, 500, 1000, 2000, 2000, 2000]);
  });

  it('count for who sends them alone', () => {
    take('a', 50);
    expect(take('b', 50)).to.equal(10);
  });

  it('are not forgotten for a right one that somebody sends from the same address', () => {
    take('a', 9);
    failed.giveBack('a', failed.take('a'));
    expect(take('a', 5)).to.equal(1);
    failed.giveBack('a', failed.take('a'));
    expect(take('a', 5)).to.equal(0);
  });

  it('leave no trace of who has sent none', () => {
    for (let number = 0; number < 100; number += 1) {
      failed.giveBack(`client ${number}`, failed.take(`client ${number}`));
    }
    expect(failed.size).to.equal(0);
  });

  it('are remembered of four thousand addresses at most, the one that failed longest ago forgotten first', () => {
    take('first', 10);
    for (let number = 0; number < 4095; number += 1) failed.take(`other ${number}`);
    expect([failed.size, take('first', 1)]).to.deep.equal([4096, 0]);
    // Its last try was the latest of all.
    failed.take('one more');
    expect([failed.size, take('other 0', 20)]).to.deep.equal([4096, 10]);
    expect([take('first', 1), take('other 4094', 20)]).to.deep.equal([0, 9]);
  });
});
