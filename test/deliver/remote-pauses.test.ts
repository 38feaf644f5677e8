/** A remote that asked to be left alone is left alone until its time. */
import { expect } from 'chai';
import { RemotePauses } from '../../src/deliver/remote-pauses.ts';
import { ManualClock } from '../support/manual-clock.ts';

describe('remote pauses', () => {
  let clock: ManualClock;
  let pauses: RemotePauses;

  beforeEach(() => {
    clock = new ManualClock();
    pauses = new RemotePauses(clock);
  });

  it('last as long as the remote asked for', async () => {
    pauses.pause('slack', 3000);
    await clock.advance(1000);
    expect(pauses.remaining('slack')).to.equal(2000);
    await clock.advance(2000);
    expect(pauses.remaining('slack')).to.equal(0);
    await clock.advance(5000);
    expect(pauses.remaining('slack')).to.equal(0);
  });

  it('concern one channel only', () => {
    pauses.pause('slack', 3000);
    expect(pauses.remaining('email')).to.equal(0);
  });

  it('are never shortened by a later, shorter one', () => {
    pauses.pause('slack', 3000);
    pauses.pause('slack', 1000);
    pauses.pause('slack', 0);
    expect(pauses.remaining('slack')).to.equal(3000);
    pauses.pause('slack', 4000);
    expect(pauses.remaining('slack')).to.equal(4000);
  });
});
