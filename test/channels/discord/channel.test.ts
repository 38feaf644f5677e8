import { join } from 'node:path';
import { expect } from 'chai';
import { discordChannel } from '../../../src/channels/discord/channel.ts';
import { answering, type AnswerRow, atStandIn, chatContract, HOURLY } from '../../contract/chat-contract.ts';
import { outgoingOf } from '../../contract/channel-contract.ts';
import { CALM } from '../../support/cards.ts';
import { plainCard } from '../../support/chat-cards.ts';
import { CODE, FENCE, firstWrong, judgeBy, LEFT_OPEN } from '../../support/vendors.ts';
import { type Limits, MARKDOWN, type Own } from '../../support/vendors.ts';

const PATH = `api/webhooks/1234567890123456789/${'aB3-dE5_'.repeat(8)}fG7h`;
const settingsAt = (origin: string) => ({ hooks: { ops: `${origin}/${PATH}` } });
const refusal = (status: number, code: number, more = {}) =>
  answering(status, { code, message: 'no', ...more });

const GONE = { 10015: 404, 50027: 401, 50013: 403, 10003: 404, 220001: 400 };

const DISCORD_CALL: Own = [/^<@&123456789> @everyone(?:\n|$)/, ''];

/** discord.com/developers/docs: webhook, message, embed limits */
const LIMITS: Limits = {
  path: /^\/api\/webhooks\/\d{17,20}\/[\w-]+$/,
  query: ['wait'],
  most: {
    content: 2000,
    embeds: 10,
    'embeds.title': 256,
    'embeds.url': 2048,
    'embeds.description': 4096,
    'allowed_mentions.roles': 100,
    'allowed_mentions.users': 100,
  },
  blank: /^allowed_mentions/,
  texts: [
    [/^(?:content|embeds)/, [DISCORD_CALL, FENCE, CODE, ...MARKDOWN], LEFT_OPEN],
    // discord/discord-api-docs#6185: backslashes in the words of a link are shown
    [/^(?:content|embeds)/, [FENCE], /(?<!\\)\[[^[\]]*\\[^[\]]*\]\(http/],
  ],
  wrong: ({ content, allowed_mentions: allowed }) =>
    firstWrong(
      [allowed === undefined, 'whom it may mention is left open'],
      [/\[[^\]]/.test(JSON.stringify(allowed)) && !DISCORD_CALL[0].test(String(content)), 'it may mention'],
    ),
  taken: { status: 200, body: '{"id":"1098765432109876543","channel_id":"987654321098765432"}' },
  asked: { status: 200, body: '{"id":"1","name":"ops"}' },
};

describe('the channel Discord', () => {
  chatContract({
    messages: join(import.meta.dirname, 'messages.json'),
    type: discordChannel,
    judge: judgeBy(LIMITS),
    settingsAt,
    address: 'ops',
    addresses: { 'ops/123456789012345678': 'ops/123456789012345678' },
    wrongAddresses: ['other', 'ops/thread', 'ops/1/2'],
    doubted: {
      'https://discord.com/channels/1/2': /not the whole URL/,
      [`https://discord.com/${PATH.slice(0, -20)}`]: /not the whole URL/,
      [`https://discord.com/${PATH}/slack`]: /not the whole URL/,
    },
    mention: { called: ['<@&123456789>', 'everyone', '@everyone'], written: '"<@&123456789> @everyone"' },
    answers: [
      ...Object.entries(GONE).map(([id, of]): AnswerRow => [id, 'config', refusal(of, Number(id)), HOURLY]),
      ['130000', 'transient', refusal(503, 130000)],
      ['40333', 'transient', refusal(403, 40333)],
      ['50006', 'permanent', refusal(400, 50006)],
      ['20028', 'rate_limited', refusal(429, 20028, { retry_after: 1.5 }), { retryAfterMs: 1500 }],
    ],
    cardRefused: { fault: refusal(400, 50035), code: '50035' },
    limit: [5, answering(429, { retry_after: 1.25, global: false }, { 'retry-after': '2' }), 'address', 2000],
  });

  it('posts into the thread, by all nineteen digits of its ID, and waits until the message is stored', async () => {
    await atStandIn({ type: discordChannel, judge: judgeBy(LIMITS), settingsAt }, async (channel, remote) => {
      const message = { content: 'hello', allowed_mentions: { parse: [] } };
      await channel.send(outgoingOf({ address: 'ops/1234567890123456789', message }));
      const { query } = remote.accepted[0] ?? {};
      expect(query?.toString()).to.equal('wait=true&thread_id=1234567890123456789');
    });
  });

  it('lets nobody be mentioned but those who are called: all, whoever is here, a role or a person', () => {
    const allowed = (one: string) => {
      const context = { ...CALM, isError: true, options: { mention_on_error: [one] } };
      return discordChannel.formatOf().compose(plainCard(), context).message;
    };
    for (const [one, parse, roles, users] of [
      ['here', ['everyone'], [], []],
      ['<@&123456>', [], ['123456'], []],
      ['<@123456>', [], [], ['123456']],
    ] as const)
      expect(allowed(one)).to.deep.include({ allowed_mentions: { parse, roles, users } });
  });

  it('is no longer as plain text than Discord takes, whomever it calls and however much of it is escaped', () => {
    const called = Array.from({ length: 20 }, (_, index) => `<@1234567890123456789${index + 10}>`);
    const long = '*>*>*>*>*> '.repeat(300);
    const valueOf = (index: number) => `${index} ${'*>*>*>*>*> '.repeat(11)}`;
    const facts = Array.from({ length: 20 }, (_, n) => ({ name: long, value: valueOf(n), url: '' }));
    const card = plainCard({ title: long, text: long, message: long, footer: long, facts });
    const context = { ...CALM, options: { mention_on_error: called }, isError: true };
    const { plain } = discordChannel.formatOf().compose(card, context);
    expect(plain?.()).to.have.property('content').with.lengthOf.within(1000, 2000);
  });
});
