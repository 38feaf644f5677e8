/** How many POSTs wait for the same. */
import { expect } from 'chai';
import { Waiting } from '../../src/deliver/waiting.ts';

describe('those that wait', () => {
  it('are let in up to a limit for each of what they wait for, and again once one has left', () => {
    const waiting = new Waiting();
    const enter = () => waiting.enter('job 1', 2);
    expect([enter(), enter(), enter(), waiting.enter('job 2', 2)]).to.deep.equal([true, true, false, true]);
    waiting.leave('job 1');
    expect([enter(), enter()]).to.deep.equal([true, false]);
  });

  it('leave nothing behind, however many jobs there were', () => {
    const waiting = new Waiting();
    for (let job = 0; job < 1000; job += 1) {
      waiting.enter(`job ${job}`, 1);
      waiting.leave(`job ${job}`);
    }
    expect(waiting.size).to.equal(0);
  });
});
