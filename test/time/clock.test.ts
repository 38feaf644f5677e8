/** The system's clock, and waits that end. */
import { expect } from 'chai';
import { systemClock, within } from '../../src/time/clock.ts';
import { ManualClock } from '../support/manual-clock.ts';

describe('systemClock', () => {
  it('tells the time in milliseconds since the epoch', () => {
    const before = Date.now();
    expect(systemClock.now()).to.be.within(before, Date.now());
  });

  it('wakes up after the time', async () => {
    await systemClock.sleep(1);
  });
});

describe('Waiting no longer than a time', () => {
  it('ends with the promise, or else when the time is over', async () => {
    const clock = new ManualClock();
    await within(1000, Promise.resolve(), clock);
    const waiting = within(1000, new Promise(() => {}), clock);
    await clock.advance(1000);
    await waiting;
  });

  it('fails as the promise does', async () => {
    const failing = within(1000, Promise.reject(new Error('broken')), new ManualClock());
    expect(await failing.catch((error: unknown) => String(error))).to.equal('Error: broken');
  });
});
