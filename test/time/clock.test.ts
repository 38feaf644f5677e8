/** Waits that end, and work under way. */
import { expect } from 'chai';
import { Deadline, DeadlinePassed, UnderWay, within } from '../../src/time/clock.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { moment } from '../support/moment.ts';
import { rejectionOf } from '../support/rejection-of.ts';

describe('Waiting no longer than a time', () => {
  it('ends or fails with the promise, or else ends when the time is over', async () => {
    const clock = new ManualClock();
    await within(1000, Promise.resolve(), clock);
    const waiting = within(1000, new Promise(() => {}), clock);
    await clock.advance(1000);
    await waiting;
    const failing = within(1000, Promise.reject(new Error('broken')), new ManualClock());
    expect((await rejectionOf(failing)).message).to.equal('broken');
  });
});

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
});

describe('what is under way', () => {
  it('is waited for until the last of it has settled, whichever way', async () => {
    const underWay = new UnderWay();
    await underWay.idle();
    const [first, last] = [moment(), moment()];
    underWay.until(first.promise.then(() => Promise.reject(new Error('no'))));
    underWay.until(last.promise);
    const told: string[] = [];
    const waiting = ['one', 'two'].map((name) => underWay.idle().then(() => told.push(name)));
    first.happen();
    await new Promise(setImmediate);
    expect(told).to.deep.equal([]);
    last.happen();
    await Promise.all(waiting);
    expect(told).to.deep.equal(['one', 'two']);
  });
});
