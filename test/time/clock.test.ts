/** Waits that end. */
import { expect } from 'chai';
import { within } from '../../src/time/clock.ts';
import { ManualClock } from '../support/manual-clock.ts';
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
