import { expect } from 'chai';
import { InFlight } from '../../src/channels/channel.ts';
import { failureOf } from '../contract/channel-contract.ts';

describe('work in flight', () => {
  it('hands through results and errors', async () => {
    const inFlight = new InFlight();
    expect(await inFlight.run(() => Promise.resolve(7))).to.equal(7);
    const error = new Error('x');
    expect(await inFlight.run(() => Promise.reject(error)).catch((reason: unknown) => reason)).to.equal(
      error,
    );
  });

  it('is waited for by close, failing work included, and nothing begins after it', async () => {
    const inFlight = new InFlight();
    const steps: string[] = [];
    let fail: (error: Error) => void = () => undefined;
    const work = inFlight.run(() => new Promise<void>((_resolve, reject) => (fail = reject)));
    const outcome = work.catch(() => steps.push('failed'));
    const closed = inFlight.close().then(() => steps.push('closed'));
    expect(await failureOf(inFlight.run(() => Promise.resolve()))).to.include({ code: 'channel_closed' });
    fail(new Error('x'));
    await Promise.all([outcome, closed]);
    expect(steps).to.have.members(['failed', 'closed']);
  });

  it('closes at once when there is none', async () => {
    await new InFlight().close();
  });
});
