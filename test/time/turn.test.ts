/** How long what comes waits for company, in turns of the event loop. */
import { expect } from 'chai';
import { BatchWindow } from '../../src/time/clock.ts';

describe('What comes to a turn of the event loop', () => {
  let at = 0;
  let turnMs = 0;
  let waiting = 1;
  /** The turns that the clock has seen. */
  let seen = 0;

  const turns = () =>
    new BatchWindow({
      monotonic: () => {
        seen += 1;
        at += turnMs;
        return at;
      },
    });

  /** @returns how many turns it took */
  const wait = async (own: BatchWindow, coming: () => number) => {
    seen = 0;
    await own.end(() => (waiting = coming()));
    return seen - 1;
  };

  beforeEach(() => {
    [at, turnMs, waiting] = [0, 1, 1];
  });

  it('goes on at the end of the turn where it came alone', async () => {
    const own = turns();
    expect([await wait(own, () => 1), await wait(own, () => 1)]).to.deep.equal([1, 1]);
  });

  it('waits five milliseconds where others came with the last ones, and the process is busy', async () => {
    const own = turns();
    await wait(own, () => 2);
    expect(await wait(own, () => 3)).to.equal(5);
  });

  it('waits no longer where 64 are there', async () => {
    const own = turns();
    await wait(own, () => 2);
    expect(await wait(own, () => (waiting >= 63 ? 64 : waiting + 31))).to.equal(2);
  });

  it('does not wait where the process has nothing else to do', async () => {
    const own = turns();
    await wait(own, () => 2);
    turnMs = 0.01;
    expect(await wait(own, () => 2)).to.equal(1);
  });
});
