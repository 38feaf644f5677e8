/** The system's clock waits, and stops waiting when it is told to. */
import { expect } from 'chai';
import { systemClock } from '../../src/time/clock.ts';

const NEVER_MS = 2_000_000_000;

async function rejectionOf(promise: Promise<void>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a rejection');
}

describe('systemClock', () => {
  it('tells the time in milliseconds since the epoch', () => {
    const before = Date.now();
    expect(systemClock.now()).to.be.within(before, Date.now());
  });

  it('wakes up after the time', async () => {
    await systemClock.sleep(1);
    await systemClock.sleep(1, new AbortController().signal);
  });

  it('wakes up at once, with the reason, when the signal aborts', async () => {
    const controller = new AbortController();
    const sleeping = rejectionOf(systemClock.sleep(NEVER_MS, controller.signal));
    const reason = new Error('shutting down');
    controller.abort(reason);
    expect(await sleeping).to.equal(reason);
  });

  it('does not fall asleep on a signal that has aborted', async () => {
    const reason = new Error('too late');
    expect(await rejectionOf(systemClock.sleep(NEVER_MS, AbortSignal.abort(reason)))).to.equal(reason);
  });
});
