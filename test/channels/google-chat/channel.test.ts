import { hash } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'chai';
import { googleChatChannel } from '../../../src/channels/google-chat/channel.ts';
import { answering, chatContract, withFault } from '../../contract/chat-contract.ts';
import type { ChatRequest } from '../../support/chat-stand-in.ts';
import { googleError, judgeGoogleChat } from './stand-in.ts';

const settingsAt = (origin: string) => ({
  hooks: {
    ops: `${origin}/v1/spaces/AAAAx1y2z3w/messages?key=AIzaSyD-0123456789abcdef&token=s3cr3t-token_of-google%3D`,
  },
});
const refusal = (code: number, status: string, reason?: string) =>
  answering(code, googleError(code, status, reason));

describe('the channel Google Chat', () => {
  chatContract({
    messages: join(import.meta.dirname, 'messages.json'),
    type: googleChatChannel,
    judge: judgeGoogleChat,
    settingsAt,
    address: 'ops',
    perJob: [
      {
        mode: 'thread',
        shown: ({ accepted }) =>
          accepted.map(
            ({ body }) => (JSON.parse(body) as { thread?: { threadKey: string } }).thread?.threadKey,
          ),
        // The third is shown in the space.
        expected: [hash('sha256', 'job-7', 'hex'), hash('sha256', 'job-7', 'hex'), undefined],
        forget: () => undefined,
      },
    ],
    mention: {
      options: { mention_on_error: ['all', 'users/1234567890'] },
      isIn: ({ body }) => body.includes('"text":"<users/all> <users/1234567890>"'),
    },
    failures: [
      {
        when: 'the key is wrong',
        failureClass: 'config',
        code: 'API_KEY_INVALID',
        ...withFault(refusal(400, 'INVALID_ARGUMENT', 'API_KEY_INVALID')),
      },
      {
        when: 'the webhook was removed',
        failureClass: 'config',
        code: 'NOT_FOUND',
        ...withFault(refusal(404, 'NOT_FOUND')),
      },
      {
        when: 'the hook may not post',
        failureClass: 'config',
        code: 'PERMISSION_DENIED',
        ...withFault(refusal(403, 'PERMISSION_DENIED')),
      },
      {
        when: 'it limits the rate and does not say how long',
        failureClass: 'rate_limited',
        code: 'RESOURCE_EXHAUSTED',
        retryAfterMs: 5000,
        ...withFault(refusal(429, 'RESOURCE_EXHAUSTED')),
      },
    ],
    cardRefused: { fault: refusal(400, 'INVALID_ARGUMENT'), code: 'INVALID_ARGUMENT' },
    limit: {
      most: 1,
      answer: { status: 429, body: JSON.stringify(googleError(429, 'RESOURCE_EXHAUSTED')) },
      concerns: 'address',
      retryAfterMs: 5000,
    },
    textIn: textOfMessage,
  });

  it('says that a URL is cut short', () => {
    for (const cut of ['key=1', 'key=1&token=', 'key=&token=1']) {
      const ops = `https://chat.googleapis.com/v1/spaces/A/messages?${cut}`;
      const [warning] = googleChatChannel.warningsOf({ hooks: { ops } });
      expect(warning?.message, cut).to.match(/lacks "key" or "token"/);
    }
  });
});

function textOfMessage({ body }: ChatRequest): string {
  const texts: string[] = [];
  JSON.stringify(JSON.parse(body), (key, value: unknown) => {
    if (['text', 'title', 'topLabel'].includes(key) && typeof value === 'string')
      texts.push(key === 'topLabel' ? `${value}: ` : value);
    return value;
  });
  return texts
    .join('\n')
    .replaceAll('<br>', '\n')
    .replaceAll(/<\/?(?:font|a)[^<>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
