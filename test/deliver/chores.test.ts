/** The loop that does whatever Botbell does by itself. */
import { expect } from 'chai';
import { Chores } from '../../src/deliver/chores.ts';
import { ManualClock } from '../support/manual-clock.ts';

const ignored = () => undefined;

describe('chores', () => {
  it('are done at their intervals, and at once when they are hurried', async () => {
    const clock = new ManualClock();
    const chores = new Chores({
      clock,
      onTrouble: ignored,
      onRecovered: ignored,
    });
    let times = 0;
    const chore = {
      everyMs: 1000,
      work: () => {
        times += 1;
        return Promise.resolve();
      },
    };
    chores.start([chore]);
    await clock.advance(0);
    expect(times).to.equal(1);
    await clock.advance(999);
    expect(times).to.equal(1);
    chores.hurry(chore);
    await clock.advance(0);
    expect(times).to.equal(2);
    await clock.advance(1000);
    expect(times).to.equal(3);
    await chores.stop();
  });
});
