/** What every channel does when it is closed. */
import { expect } from 'chai';
import type { Outgoing, Receipt } from '../../src/channels/channel.ts';
import { DeliveryFailure } from '../../src/channels/failure.ts';
import { openedChannel } from '../../src/channels/open-channel.ts';
import { failureOf, outgoingOf } from '../contract/channel-contract.ts';

const OUTGOING = outgoingOf({ address: 'a', message: 'm' });

function failure(failureClass: DeliveryFailure['class']): DeliveryFailure {
  return new DeliveryFailure({ class: failureClass, code: failureClass, message: 'It said no.' });
}

function channelThat(send: (outgoing: Outgoing) => Promise<Receipt>, steps: string[] = []) {
  return openedChannel({
    send,
    verify: () => Promise.resolve(),
    free: () => void steps.push('freed'),
    failureOf: () => failure('config'),
  });
}

describe('An open channel', () => {
  it('says what an error means, but leaves a failure as it is', async () => {
    const sendingTo = (thrown: Error) => channelThat(async () => Promise.reject(thrown)).send(OUTGOING);
    expect(await failureOf(sendingTo(new Error('x')))).to.include({ class: 'config' });
    const known = failure('permanent');
    expect(await failureOf(sendingTo(known))).to.equal(known);
  });

  it('is freed once what it was sending has ended', async () => {
    const steps: string[] = [];
    let fail: (error: Error) => void = () => undefined;
    const channel = channelThat(() => new Promise((_resolve, reject) => (fail = reject)), steps);
    const sending = channel.send(OUTGOING);
    const closed = channel.close();
    expect(steps).to.deep.equal([]);
    fail(new Error('x'));
    expect(await failureOf(sending)).to.include({ code: 'config' });
    await closed;
    expect(steps).to.deep.equal(['freed']);
  });
});
