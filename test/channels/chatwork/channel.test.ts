import { expect } from 'chai';
import { AddressError } from '../../../src/channels/channel.ts';
import { chatworkChannel } from '../../../src/channels/chatwork/channel.ts';
import { answering, chatContract, withFault } from '../../contract/chat-contract.ts';
import { judgeChatwork } from './stand-in.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';
const limited = (error: string, headers: Record<string, string> = {}) =>
  answering(429, { errors: [error] }, headers);

describe('the channel Chatwork', () => {
  chatContract({
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
        ...withFault(limited('Rate limit for message posting per room exceeded.')),
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
      answer: { status: 429, body: '{"errors":["Rate limit for message posting per room exceeded."]}' },
      concerns: 'address',
      retryAfterMs: 10_000,
    },
    textIn: ({ body }) =>
      (new URLSearchParams(body).get('body') ?? '').replaceAll(/\[\/?(?:info|title|code)\]/g, ''),
  });

  it('takes the id of a room, also as it stands in its address', () => {
    expect(chatworkChannel.parseAddress('123456')).to.equal('123456');
    expect(chatworkChannel.parseAddress('#!rid123456')).to.equal('123456');
    for (const wrong of ['#ops', '', '12a', 'https://www.chatwork.com/#!rid1'])
      expect(() => chatworkChannel.parseAddress(wrong), wrong).to.throw(AddressError);
  });
});
