import { join } from 'node:path';
import { expect } from 'chai';
import { AddressError } from '../../../src/channels/channel.ts';
import { discordChannel } from '../../../src/channels/discord/channel.ts';
import { markdownAsText } from '../../support/markdown-text.ts';
import { poolsThrough } from '../../../src/outbound/exchange.ts';
import { NO_PROXIES } from '../../../src/outbound/proxy.ts';
import { answering, chatContract, withFault } from '../../contract/chat-contract.ts';
import { failureOf, outgoingOf } from '../../contract/channel-contract.ts';
import { type ChatRequest, startChatStandIn } from '../../support/chat-stand-in.ts';
import { FORUM, judgeDiscord, LIMITED } from './stand-in.ts';

const HOUR_MS = 3_600_000;
const settingsAt = (origin: string) => ({
  hooks: { ops: `${origin}/api/webhooks/1234567890123456789/aB3-dE5_fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5z` },
});
const refusal = (status: number, code: number, more: object = {}) =>
  answering(status, { code, message: 'no', ...more });

describe('the channel Discord', () => {
  chatContract({
    messages: join(import.meta.dirname, 'messages.json'),
    type: discordChannel,
    judge: judgeDiscord,
    settingsAt,
    address: 'ops',
    mention: {
      options: { mention_on_error: ['<@&123456789>', 'everyone'] },
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
        ] as const
      ).map(([when, status, code, failureClass]) => ({
        when,
        failureClass,
        code: String(code),
        ...(failureClass === 'config' && { retryAfterMs: HOUR_MS }),
        ...withFault(refusal(status, code)),
      })),
      ...([50006, 40005, 240000] as const).map((code) => ({
        when: `it refuses the plain text as well, as ${code}`,
        failureClass: 'permanent' as const,
        code: String(code),
        ...withFault(refusal(400, code), refusal(400, code)),
      })),
      {
        when: 'it says in its answer how long to wait',
        failureClass: 'rate_limited',
        code: '20028',
        retryAfterMs: 1500,
        ...withFault(refusal(429, 20028, { retry_after: 1.5 })),
      },
    ],
    cardRefused: { fault: refusal(400, 50035), code: '50035' },
    limit: {
      most: 5,
      answer: LIMITED,
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

  it('needs a thread in a forum, by all nineteen digits of its ID', async () => {
    const remote = await startChatStandIn(judgeDiscord);
    const hooks = { ops: `${remote.origin}/api/webhooks/${FORUM}/token` };
    const openPool = poolsThrough(NO_PROXIES);
    const channel = await discordChannel.open({ hooks }, { print: () => undefined, openPool });
    const message = { content: 'hello', allowed_mentions: { parse: [] } };
    expect(await failureOf(channel.send(outgoingOf({ address: 'ops', message })))).to.include({
      class: 'config',
      code: '220001',
    });
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
