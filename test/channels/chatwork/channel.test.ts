import { join } from 'node:path';
import { expect } from 'chai';
import { poolsThrough } from '../../../src/outbound/exchange.ts';
import { NO_PROXIES } from '../../../src/outbound/proxy.ts';
import { AddressError } from '../../../src/channels/channel.ts';
import { chatworkChannel } from '../../../src/channels/chatwork/channel.ts';
import { failureOf, outgoingOf } from '../../contract/channel-contract.ts';
import { answering, chatContract, withFault } from '../../contract/chat-contract.ts';
import { type ChatFault, startChatStandIn } from '../../support/chat-stand-in.ts';
import { judgeChatwork, rateHeaders } from './stand-in.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';
const ROOM_LIMIT = 'Rate limit for message posting per room exceeded.';
const limited = (error: string, headers: Record<string, string> = {}) =>
  answering(429, { errors: [error] }, headers);

describe('the channel Chatwork', () => {
  chatContract({
    messages: join(import.meta.dirname, 'messages.json'),
    type: chatworkChannel,
    judge: judgeChatwork(TOKEN),
    settingsAt: (origin) => ({ token: TOKEN, api_url: `${origin}/v2/` }),
    address: '123456',
    mention: {
      options: { mention_on_error: [1484814, 'all'] },
      isIn: ({ body }) => new URLSearchParams(body).get('body')?.startsWith('[To:1484814][toall]\n') === true,
    },
    failures: [
      {
        when: 'the token is wrong',
        failureClass: 'config',
        code: 'http_401',
        ...withFault(answering(401, { errors: ['Invalid API token'] })),
      },
      { when: 'the account is not in the room', failureClass: 'config', code: 'http_404', address: '404' },
      {
        when: 'the room has had ten messages in ten seconds',
        failureClass: 'rate_limited',
        code: 'room_limit',
        retryAfterMs: 10_000,
        ...withFault(limited(ROOM_LIMIT, rateHeaders(290))),
      },
      {
        when: 'the token has had its messages until a time that is past',
        failureClass: 'rate_limited',
        code: 'http_429',
        retryAfterMs: 1000,
        ...withFault(limited('Rate limit exceeded', { 'x-ratelimit-reset': '1795000000' })),
      },
    ],
    cardRefused: { fault: answering(400, { errors: ['bad'] }), code: 'http_400' },
    limit: {
      most: 10,
      answer: { status: 429, headers: rateHeaders(290), body: JSON.stringify({ errors: [ROOM_LIMIT] }) },
      concerns: 'address',
      retryAfterMs: 10_000,
    },
    textIn: ({ body }) =>
      (new URLSearchParams(body).get('body') ?? '').replaceAll(/\[\/?(?:info|title|code)\]/g, ''),
  });

  it('pauses every room until the token may post again, and after the limit of a room that room alone', async () => {
    const remote = await startChatStandIn(judgeChatwork(TOKEN));
    const settings = { token: TOKEN, api_url: `${remote.origin}/v2/` };
    const channel = await chatworkChannel.open(settings, {
      print: () => undefined,
      openPool: poolsThrough(NO_PROXIES),
    });
    const failure = (fault: ChatFault) => {
      remote.faults.push(fault);
      return failureOf(channel.send(outgoingOf({ address: '1', message: { body: 'text' } })));
    };
    const ofToken = await failure(limited('Rate limit exceeded', rateHeaders(0, 120)));
    expect(ofToken).to.include({ class: 'rate_limited', concerns: 'channel' });
    expect(ofToken.retryAfterMs).to.be.within(110_000, 121_000);
    const ofRoom = await failure(limited(ROOM_LIMIT, rateHeaders(0, 120)));
    expect(ofRoom).to.include({ class: 'rate_limited', concerns: 'address', retryAfterMs: 10_000 });
    expect(ofRoom.message).to.contain('the pause is 10 s.');
    expect(ofRoom.japanese).to.contain('10秒待機します。');
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
