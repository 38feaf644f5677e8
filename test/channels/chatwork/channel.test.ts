import { join } from 'node:path';
import { expect } from 'chai';
import { AddressError } from '../../../src/channels/channel.ts';
import { chatworkChannel } from '../../../src/channels/chatwork/channel.ts';
import { DIRECT, failureOf, outgoingOf } from '../../contract/channel-contract.ts';
import { answering, chatContract } from '../../contract/chat-contract.ts';
import { type ChatFault, startChatStandIn } from '../../support/chat-stand-in.ts';
import { judgeBy, VENDORS } from '../../support/vendors.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';
const judge = judgeBy({ ...VENDORS.chatwork, header: ['x-chatworktoken', TOKEN] });
const settingsAt = (origin: string) => ({ token: TOKEN, api_url: `${origin}/v2/` });

/** As on every answer: when the token may post again. */
const resetIn = (seconds: number) => ({
  'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + seconds),
});
const limited = (error: string, headers: Record<string, string>) =>
  answering(429, { errors: [error] }, headers);
const ofRoom = limited('Rate limit for message posting per room exceeded.', resetIn(300));

describe('the channel Chatwork', () => {
  chatContract({
    messages: join(import.meta.dirname, 'messages.json'),
    type: chatworkChannel,
    judge,
    settingsAt,
    address: '123456',
    mention: {
      options: { mention_on_error: [1484814, 'all'] },
      isIn: ({ body }) => new URLSearchParams(body).get('body')?.startsWith('[To:1484814][toall]\n') === true,
    },
    failures: [
      ['the token is wrong', 'config', 'http_401', answering(401, { errors: ['Invalid API token'] })],
      ['the account is not in the room', 'config', 'http_404', answering(404, { errors: ['no'] })],
      [
        'the token has had its messages until a time that is past',
        'rate_limited',
        'http_429',
        limited('Rate limit exceeded', { 'x-ratelimit-reset': '1795000000' }),
        { retryAfterMs: 1000 },
      ],
    ],
    cardRefused: { fault: answering(400, { errors: ['bad'] }), code: 'http_400' },
    limit: { most: 10, answer: ofRoom, concerns: 'address', retryAfterMs: 10_000 },
    textIn: ({ body }) =>
      (new URLSearchParams(body).get('body') ?? '').replaceAll(/\[\/?(?:info|title|code)\]/g, ''),
  });

  it('pauses every room until the token may post again, and after the limit of a room that room alone', async () => {
    const remote = await startChatStandIn(judge);
    const channel = await chatworkChannel.open(settingsAt(remote.origin), DIRECT);
    const failure = (fault: ChatFault) => {
      remote.faults.push(fault);
      return failureOf(channel.send(outgoingOf({ address: '1', message: { body: 'text' } })));
    };
    const forToken = await failure(limited('Rate limit exceeded', resetIn(120)));
    expect(forToken).to.include({ class: 'rate_limited', concerns: 'channel' });
    expect(forToken.retryAfterMs).to.be.within(60_000, 121_000);
    const forRoom = await failure(ofRoom);
    expect(forRoom).to.include({ code: 'room_limit', concerns: 'address', retryAfterMs: 10_000 });
    expect(forRoom.message).to.contain('the pause is 10 s.');
    expect(forRoom.japanese).to.contain('10秒待機します。');
    await channel.close();
    await remote.close();
  });

  it('takes the id of a room, also as it stands in its address', () => {
    expect(chatworkChannel.parseAddress('123456')).to.equal('123456');
    expect(chatworkChannel.parseAddress('#!rid123456')).to.equal('123456');
    for (const wrong of ['#ops', '', '12a', 'https://www.chatwork.com/#!rid1'])
      expect(() => chatworkChannel.parseAddress(wrong), wrong).to.throw(AddressError);
  });
});
