/** What every channel does when it is closed, and where a card is refused. */
import { expect } from 'chai';
import { object } from 'yup';
import { chat } from '../../src/channels/chat/chat.ts';
import type { Outgoing, Receipt } from '../../src/channels/channel.ts';
import { DeliveryFailure } from '../../src/channels/failure.ts';
import { openedChannel } from '../../src/channels/open-channel.ts';
import { formatWith } from '../config/fake-channels.ts';
import { DIRECT, failureOf, outgoingOf } from '../contract/channel-contract.ts';

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

describe('A card that the remote refuses', () => {
  const refusing = async (failureClass: DeliveryFailure['class'], plain: (() => string) | undefined) => {
    const { open } = chat({
      type: 'fake',
      title: { en: 'Fake', ja: 'Fake' },
      pace: { addressMs: 1, channelMs: 0 },
      meanings: {},
      format: formatWith({}),
      address: {
        settings: object(),
        parseAddress: (text) => text,
        secretsOf: () => [],
        warningsOf: () => [],
        open: () =>
          Promise.resolve({
            send: ({ message }) =>
              message === 'card' ? Promise.reject(failure(failureClass)) : Promise.resolve({ id: '1' }),
            verify: () => Promise.resolve(),
            free: () => undefined,
            failureOf: () => failure('config'),
          }),
      },
    });
    const channel = await open({}, DIRECT);
    return channel.send(outgoingOf({ address: 'a', message: 'card', plain }));
  };

  it('goes out as plain text, and the receipt says so', async () => {
    expect(await refusing('permanent', () => 'plain')).to.deep.equal({
      id: '1',
      card_refused: 'permanent',
      card_refused_reason: 'It said no.',
    });
  });

  it('is no reason for plain text where a config, the rate or the network failed, or there is none', async () => {
    for (const failureClass of ['config', 'rate_limited', 'transient'] as const)
      expect((await failureOf(refusing(failureClass, () => 'plain'))).class).to.equal(failureClass);
    expect(await failureOf(refusing('permanent', undefined))).to.include({ class: 'permanent' });
  });
});
