import { hash } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'chai';
import { googleChatChannel } from '../../../src/channels/google-chat/channel.ts';
import { answering, chatContract } from '../../contract/chat-contract.ts';
import type { ChatRequest } from '../../support/chat-stand-in.ts';
import { judgeBy, VENDORS } from '../../support/vendors.ts';

const settingsAt = (origin: string) => ({
  hooks: {
    ops: `${origin}/v1/spaces/AAAAx1y2z3w/messages?key=AIzaSyD-0123456789abcdef&token=s3cr3t-token_of-google%3D`,
  },
});
const refusal = (code: number, status: string, reason?: string) =>
  answering(code, {
    error: { code, message: 'no', status, ...(reason !== undefined && { details: [{ reason }] }) },
  });

describe('the channel Google Chat', () => {
  chatContract({
    messages: join(import.meta.dirname, 'messages.json'),
    type: googleChatChannel,
    judge: judgeBy(VENDORS.google_chat),
    settingsAt,
    address: 'ops',
    perJob: [
      {
        mode: 'thread',
        shown: ({ accepted }) =>
          accepted.map(({ query, body }) => [
            (JSON.parse(body) as { thread?: { threadKey: string } }).thread?.threadKey,
            query.get('messageReplyOption'),
          ]),
        // The third is shown in the space. Without the option Chat would open a new thread for each.
        expected: [
          [hash('sha256', 'job-7', 'hex'), 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD'],
          [hash('sha256', 'job-7', 'hex'), 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD'],
          [undefined, null],
        ],
        forget: () => undefined,
      },
    ],
    mention: {
      options: { mention_on_error: ['all', 'users/1234567890'] },
      isIn: ({ body }) => body.includes('"text":"<users/all> <users/1234567890>"'),
    },
    failures: [
      ['the key is wrong', 'config', 'API_KEY_INVALID', refusal(400, 'INVALID_ARGUMENT', 'API_KEY_INVALID')],
      ['the webhook was removed', 'config', 'NOT_FOUND', refusal(404, 'NOT_FOUND')],
      ['the hook may not post', 'config', 'PERMISSION_DENIED', refusal(403, 'PERMISSION_DENIED')],
    ],
    cardRefused: { fault: refusal(400, 'INVALID_ARGUMENT'), code: 'INVALID_ARGUMENT' },
    // It does not say how long.
    limit: {
      most: 1,
      answer: refusal(429, 'RESOURCE_EXHAUSTED'),
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
