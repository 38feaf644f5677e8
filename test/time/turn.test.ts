/** How long what comes waits for company, in turns of the event loop. */
import { expect } from 'chai';
import { BatchWindow } from '../../src/time/clock.ts';

describe('What comes to a turn of the event loop', () => {
  // How many went on together before, how long a turn takes, and how many are there at the end of each.
  for (const [what, last, turnMs, coming, turns] of [
    ['goes on at its end where it came alone', 1, 1, () => 1, 1],
    ['waits 5 ms where others came with the last ones and the process is busy', 2, 1, () => 3, 5],
    ['waits no longer where 64 are there', 2, 1, (turn: number) => 2 + 31 * turn, 2],
    ['does not wait where the process has nothing else to do', 2, 0.01, () => 2, 1],
  ] as const)
    it(what, async () => {
      let [at, turn] = [0, 0];
      const own = new BatchWindow({ monotonic: () => ((turn += 1), (at += turnMs)) });
      await own.end(() => last);
      turn = -1;
      await own.end(() => coming(turn));
      expect(turn).to.equal(turns);
    });
});
