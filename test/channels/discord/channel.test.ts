import { expect } from 'chai';
import { AddressError } from '../../../src/channels/channel.ts';
import { discordChannel } from '../../../src/channels/discord/channel.ts';
import { markdownAsHtml } from '../../../src/channels/hooks/markdown.ts';
import { htmlAsText } from '../../../src/channels/html-text.ts';
import { answering, chatContract, withFault } from '../../contract/chat-contract.ts';
import type { ChatRequest } from '../../support/chat-stand-in.ts';
import { judgeDiscord } from './stand-in.ts';

const HOUR_MS = 3_600_000;
const settingsAt = (origin: string) => ({
  hooks: { ops: `${origin}/api/webhooks/1234567890123456789/aB3-dE5_fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5z` },
});
const refusal = (status: number, code: number, more: object = {}) =>
  answering(status, { code, message: 'no', ...more });

describe('the channel Discord', () => {
  chatContract({
    type: discordChannel,
    judge: judgeDiscord,
    settingsAt,
    address: 'ops',
    mention: {
      options: { mention_on_error: ['<@&123456789>', 'everyone'] },
      isIn: ({ body }) =>
        body.includes('"content":"<@&123456789> @everyone"') &&
        body.includes('"parse":["everyone","roles","users"]'),
    },
    failures: [
      {
        when: 'the webhook was removed',
        failureClass: 'config',
        code: '10015',
        retryAfterMs: HOUR_MS,
        ...withFault(refusal(404, 10015)),
      },
      {
        when: 'the URL is wrong',
        failureClass: 'config',
        code: '50027',
        retryAfterMs: HOUR_MS,
        ...withFault(refusal(401, 50027)),
      },
      {
        when: 'the channel is a forum',
        failureClass: 'config',
        code: '220001',
        retryAfterMs: HOUR_MS,
        ...withFault(refusal(400, 220001)),
      },
      {
        when: 'it says in its answer how long to wait',
        failureClass: 'rate_limited',
        code: 'http_429',
        retryAfterMs: 1500,
        ...withFault(refusal(429, 0, { retry_after: 1.5 })),
      },
      {
        when: 'it is overloaded',
        failureClass: 'transient',
        code: '130000',
        ...withFault(refusal(503, 130000)),
      },
    ],
    cardRefused: { fault: refusal(400, 50035), code: '50035' },
    limit: {
      most: 5,
      answer: {
        status: 429,
        headers: { 'x-ratelimit-scope': 'user' },
        body: '{"message":"limited","retry_after":1.25,"global":false}',
      },
      concerns: 'address',
      retryAfterMs: 1250,
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

  it('says that a URL is none of a webhook', () => {
    const warnings = discordChannel.warningsOf({ hooks: { ops: 'https://discord.com/channels/1/2' } });
    expect(warnings.map(({ message }) => message).join()).to.match(/not the whole URL of a webhook/);
  });
});

function textOfMessage({ body }: ChatRequest): string {
  const { content = '', embeds = [] } = JSON.parse(body) as {
    content?: string;
    embeds?: { title: string; description?: string }[];
  };
  const texts = embeds.flatMap(({ title, description = '' }) => [title, description]);
  return [content, ...texts]
    .map((text) => htmlAsText(markdownAsHtml(text)))
    .join('\n')
    .trim();
}
