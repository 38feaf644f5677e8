/** What can wait until the turn of the event loop is over is done then, all of it and in order. */
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { afterTurn } from '../../src/time/after-turn.ts';

describe('work after a turn of the event loop', () => {
  it('is not begun before, and done in order then', async () => {
    const done: number[] = [];
    const later = afterTurn<number>((item) => done.push(item));
    later(1);
    later(2);
    await Promise.resolve();
    expect(done).to.deep.equal([]);
    await setImmediate();
    expect(done).to.deep.equal([1, 2]);
  });

  it('is done after the next turn where it comes up meanwhile', async () => {
    const done: string[] = [];
    const later = afterTurn<string>((item) => {
      done.push(item);
      if (item === 'first') later('second');
    });
    later('first');
    await setImmediate();
    expect(done).to.deep.equal(['first']);
    await setImmediate();
    expect(done).to.deep.equal(['first', 'second']);
  });
});
