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

  const take = (client: string, times: number) =>
    Array.from({ length: times }, () => failed.take(client) === 0).filter(Boolean).length;

  it('are looked at ten times in a row, and then once every six seconds', async () => {
    expect(take('a', 50)).to.equal(10);
    expect(failed.take('a')).to.equal(6000);
    await clock.advance(5999);
    expect(take('a', 5)).to.equal(0);
    await clock.advance(1);
    expect(take('a', 5)).to.equal(1);
    await clock.advance(3_600_000);
    expect(take('a', 50)).to.equal(10);
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
    expect(take('a', 1)).to.equal(1);
    failed.giveBack('a');
    expect(take('a', 5)).to.equal(1);
  });

  it('leave no trace of who has sent none', () => {
    for (let number = 0; number < 100; number += 1) {
      failed.take(`client ${number}`);
      failed.giveBack(`client ${number}`);
    }
    expect(failed.size).to.equal(0);
  });

  it('are remembered of four thousand addresses at most, the one that failed longest ago forgotten first', () => {
    take('last', 10);
    take('first', 10);
    for (let number = 0; number < 4094; number += 1) failed.take(`other ${number}`);
    failed.take('last');
    expect([failed.size, take('last', 1)]).to.deep.equal([4096, 0]);
    failed.take('one more');
    failed.take('another');
    expect(failed.size).to.equal(4096);
    expect(take('last', 1)).to.equal(1);
    expect(take('other 4093', 20)).to.equal(9);
  });
});
