import { join } from 'node:path';
import { expect } from 'chai';
import { chatworkChannel } from '../../../src/channels/chatwork/channel.ts';
import { answering, chatContract, HOURLY } from '../../contract/chat-contract.ts';
import { plainCard } from '../../support/chat-cards.ts';
import { judgeBy, type Limits, type Own } from '../../support/vendors.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';

const limited = (error: string, seconds: number) =>
  answering(429, { errors: [error] }, { 'x-ratelimit-reset': `${Math.ceil(Date.now() / 1000) + seconds}` });
const ofToken = (seconds: number) => limited('Rate limit exceeded', seconds);
const ofRoom = limited('Rate limit for message posting per room exceeded.', 300);

/** Whom it calls, then a card, or in its place plain text. */
const CHATWORK: Own = [
  /^(?:(?:\[To:\d+\]|\[toall\])+\n)?(?:\[info\]\[title\][^[\]\n]*\S[^[\]\n]*\[\/title\][^[\]]*(?:\[code\][^[\]]*\S[^[\]]*\[\/code\])?[^[\]]*\[\/info\]|[^[\]]*)$/,
  '',
];

/** developer.chatwork.com: 65,535 of a unit that it does not name; so many characters fit whatever it is. */
const LIMITS: Limits = {
  path: /^\/v2\/rooms\/\d+\/messages$/,
  type: 'application/x-www-form-urlencoded',
  most: { body: 20_000 },
  texts: [
    [/body/, [CHATWORK], /[^]/],
    [/body/, [[/\[code\][^]*?\[\/code\]/g, '']], /\(devil\)/],
  ],
  taken: { status: 200, body: '{"message_id":"1234"}' },
  asked: { status: 200, body: '{"account_id":1}' },
};

describe('the channel Chatwork', () => {
  chatContract({
    messages: join(import.meta.dirname, 'messages.json'),
    type: chatworkChannel,
    judge: judgeBy({ ...LIMITS, header: ['x-chatworktoken', TOKEN] }),
    settingsAt: (origin) => ({ token: TOKEN, api_url: `${origin}/v2/` }),
    address: '123456',
    addresses: { '#!rid123456': '123456' },
    wrongAddresses: ['#ops', '12a'],
    mention: { called: [1484814, 'all'], written: '[To:1484814][toall]\n' },
    answers: [
      ['http_401', 'config', answering(401, { errors: ['Invalid API token'] })],
      ['http_404', 'config', answering(404, { errors: ['no'] })],
      ['http_429', 'rate_limited', ofToken(9000), { ...HOURLY, concerns: 'channel' }],
      ['http_429', 'rate_limited', ofToken(-9000), { retryAfterMs: 1000 }],
      ['room_limit', 'rate_limited', ofRoom, { retryAfterMs: 10_000, concerns: 'address' }],
    ],
    cardRefused: { fault: answering(400, { errors: ['bad'] }), code: 'http_400' },
    limit: [10, ofRoom, 'address', 10_000],
  });

  it('keeps the brackets of a host that is an IPv6 address, and no others', () => {
    const { compose } = chatworkChannel.formatOf({ token: TOKEN });
    const card = plainCard({ link: { text: 'Open', url: 'http://[2001:db8::1]:81/[To:1]?[f]' } });
    const at = { isError: true, options: {}, destination: 'chatwork:1', template: 'error', at: 0 } as const;
    const { message } = compose(card, { ...at, callback: undefined });
    expect(message).to.have.property('body').that.includes('http://[2001:db8::1]:81/%5BTo:1%5D?%5Bf%5D');
  });
});
