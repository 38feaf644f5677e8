import { join } from 'node:path';
import { expect } from 'chai';
import { AddressError } from '../../../src/channels/channel.ts';
import { discordChannel } from '../../../src/channels/discord/channel.ts';
import { answering, chatContract, HOUR_MS } from '../../contract/chat-contract.ts';
import { DIRECT, type FailureCase, outgoingOf } from '../../contract/channel-contract.ts';
import { type ChatFault, type ChatRequest, startChatStandIn } from '../../support/chat-stand-in.ts';
import { markdownAsText } from '../../support/markup.ts';
import { judgeBy, VENDORS } from '../../support/vendors.ts';

const settingsAt = (origin: string) => ({
  hooks: { ops: `${origin}/api/webhooks/1234567890123456789/aB3-dE5_fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5z` },
});
const refusal = (status: number, code: number, more: object = {}) =>
  answering(status, { code, message: 'no', ...more });

describe('the channel Discord', () => {
  chatContract({
    messages: join(import.meta.dirname, 'messages.json'),
    type: discordChannel,
    judge: judgeBy(VENDORS.discord),
    settingsAt,
    address: 'ops',
    mention: {
      options: { mention_on_error: ['<@&123456789>', 'everyone', '@everyone'] },
      isIn: ({ body }) =>
        body.includes('"content":"<@&123456789> @everyone"') &&
        body.includes('"parse":["everyone"],"roles":["123456789"],"users":[]'),
    },
    failures: [
      ...(
        [
          ['the webhook was removed', 404, 10015, 'config'],
          ['the URL is wrong', 401, 50027, 'config'],
          ['the webhook may not post', 403, 50013, 'config'],
          ['the thread is gone', 404, 10003, 'config'],
          ['the channel is a forum', 400, 220001, 'config'],
          ['it is overloaded', 503, 130000, 'transient'],
          ['it is protected from a flood', 403, 40333, 'transient'],
          ['it refuses the plain text as well, as empty', 400, 50006, 'permanent'],
          ['it refuses the plain text as well, as too large', 400, 40005, 'permanent'],
          ['it refuses the plain text as well, as forbidden', 400, 240000, 'permanent'],
        ] as const
      ).map(([when, status, code, failureClass]): FailureCase<ChatFault> => {
        const faults = Array.from({ length: failureClass === 'permanent' ? 2 : 1 }, () =>
          refusal(status, code),
        );
        const more = failureClass === 'config' ? { retryAfterMs: HOUR_MS } : {};
        return [when, failureClass, String(code), faults, more];
      }),
      [
        'it says in its answer how long to wait',
        'rate_limited',
        '20028',
        refusal(429, 20028, { retry_after: 1.5 }),
        { retryAfterMs: 1500 },
      ],
    ],
    cardRefused: { fault: refusal(400, 50035), code: '50035' },
    limit: {
      most: 5,
      answer: {
        status: 429,
        headers: { 'retry-after': '2', 'x-ratelimit-reset-after': '1.250', 'x-ratelimit-scope': 'user' },
        body: '{"message":"You are being rate limited.","retry_after":1.25,"global":false}',
      },
      concerns: 'address',
      retryAfterMs: 2000,
    },
    textIn: textOfMessage,
  });

  it('takes a thread behind the name of a hook, and nothing else', () => {
    const { hooks } = settingsAt('https://discord.com');
    expect(discordChannel.parseAddress('ops/123456789012345678', { hooks })).to.equal(
      'ops/123456789012345678',
    );
    for (const wrong of ['other', 'ops/thread', 'ops/1/2', 'https://discord.com/api/webhooks/1/x'])
      expect(() => discordChannel.parseAddress(wrong, { hooks }), wrong).to.throw(AddressError);
    expect(() => discordChannel.parseAddress('ops/thread', { hooks })).to.throw(/no ID of digits/);
  });

  it('posts into the thread, by all nineteen digits of its ID', async () => {
    const remote = await startChatStandIn(judgeBy(VENDORS.discord));
    const channel = await discordChannel.open(settingsAt(remote.origin), DIRECT);
    const message = { content: 'hello', allowed_mentions: { parse: [] } };
    await channel.send(outgoingOf({ address: 'ops/1234567890123456789', message }));
    expect(remote.accepted[0]?.query.get('thread_id')).to.equal('1234567890123456789');
    await channel.close();
    await remote.close();
  });

  it('says that a URL is none of a webhook, or not whole', () => {
    const warningsOf = (path: string) =>
      discordChannel.warningsOf({ hooks: { ops: `https://discord.com/${path}` } });
    const webhook = `api/webhooks/1234567890123456789/${'aB3-dE5_'.repeat(8)}fG7h`;
    expect(warningsOf(webhook)).to.deep.equal([]);
    for (const wrong of ['channels/1/2', webhook.slice(0, -20), `${webhook}/slack`])
      expect(
        warningsOf(wrong)
          .map(({ message }) => message)
          .join(),
      ).to.match(/not the whole URL of a webhook/);
  });
});

function textOfMessage({ body }: ChatRequest): string {
  const { content = '', embeds = [] } = JSON.parse(body) as {
    content?: string;
    embeds?: { title: string; description?: string }[];
  };
  const texts = embeds.flatMap(({ title, description = '' }) => [title, description]);
  return [content, ...texts].map(markdownAsText).join('\n').trim();
}
