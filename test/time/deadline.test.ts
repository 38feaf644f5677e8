/** Whoever waits has an answer in time, and hears of what came too late. */
import { expect } from 'chai';
import { Deadline, DeadlinePassed } from '../../src/time/clock.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { moment } from '../support/moment.ts';
import { rejectionOf } from '../support/rejection-of.ts';

describe('a deadline', () => {
  let clock: ManualClock;

  beforeEach(() => {
    clock = new ManualClock();
  });

  it('lets work through that is done in time, and leaves no timer behind', async () => {
    const deadline = new Deadline(clock, 100);
    expect(await deadline.bound(Promise.resolve('done'))).to.equal('done');
    const error = await rejectionOf(deadline.bound(Promise.reject(new Error('refused'))));
    expect(error.message).to.equal('refused');
    expect(clock.sleeping).to.equal(0);
  });

  it('gives work up that is not done in time, and tells what became of it', async () => {
    const work = moment();
    const late: string[] = [];
    const bound = new Deadline(clock, 100).bound(
      work.promise.then(() => 'done'),
      (result) => late.push(result),
    );
    const outcome = rejectionOf(bound);
    await clock.advance(100);
    expect(await outcome).to.be.instanceOf(DeadlinePassed);
    work.happen();
    await clock.advance(0);
    expect(late).to.deep.equal(['done']);
  });

  it('has no time left once it has passed', async () => {
    const deadline = new Deadline(clock, 100);
    await clock.advance(30);
    expect(deadline.remainingMs).to.equal(70);
    await clock.advance(1000);
    expect(deadline.remainingMs).to.equal(0);
  });
});
