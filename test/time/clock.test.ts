/** Waits that end, and work under way. */
import { expect } from 'chai';
import { UnderWay, waitAtMost } from '../../src/time/clock.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { moment } from '../support/moment.ts';
import { rejectionOf } from '../support/rejection-of.ts';

describe('Waiting no longer than a time', () => {
  it('ends or fails with the promise, or else ends when the time is over', async () => {
    const clock = new ManualClock();
    const waiting = waitAtMost(1000, new Promise(() => {}), clock);
    await clock.advance(1000);
    await waiting;
    const failing = waitAtMost(1000, Promise.reject(new Error('broken')), clock);
    expect((await rejectionOf(failing)).message).to.equal('broken');
    await waitAtMost(1000, Promise.resolve(), clock);
    expect(clock.sleeping, 'timers left behind').to.equal(0);
  });
});

describe('Work under way', () => {
  it('is waited for until the last of it has settled, whichever way, and by nobody where there is none', async () => {
    const underWay = new UnderWay();
    await underWay.idle();
    const [first, last] = [moment(), moment()];
    underWay.until(first.promise);
    underWay.until(last.promise.then(() => Promise.reject(new Error('no'))));
    let isIdle = false;
    const idle = underWay.idle().then(() => (isIdle = true));
    first.happen();
    await new Promise(setImmediate);
    expect(isIdle).to.equal(false);
    last.happen();
    await idle;
  });
});
