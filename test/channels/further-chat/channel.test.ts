/** What a further chat needs of a test: its stand-in, its errors, and a file of expected messages. */
import { join } from 'node:path';
import { expect } from 'chai';
import { DIRECT } from '../../contract/channel-contract.ts';
import { answering, chatContract } from '../../contract/chat-contract.ts';
import { markdownAsText } from '../../support/markup.ts';
import { judgeBy, VENDORS } from '../../support/vendors.ts';
import { rocketChat, type RocketMessage } from './rocket-chat.ts';

const refusal = answering(400, { success: false, error: 'invalid-attachments' });

describe('a further chat', () => {
  chatContract({
    messages: join(import.meta.dirname, 'messages.json'),
    type: rocketChat,
    judge: judgeBy(VENDORS.rocket_chat),
    settingsAt: (origin) => ({ hooks: { ops: `${origin}/hooks/64f1c2d3e4/0a1B2c3D4e5F6g7H8i9J` } }),
    address: 'ops',
    mention: {
      options: { mention_on_error: ['@here', '@ops'] },
      isIn: ({ body }) => body.startsWith('{"text":"@here @ops"'),
    },
    failures: [
      [
        'its channel is gone',
        'config',
        'invalid-channel',
        answering(400, { success: false, error: 'invalid-channel' }),
      ],
    ],
    cardRefused: { fault: refusal, code: 'http_400' },
    limit: {
      most: 3,
      answer: { status: 429, headers: { 'retry-after': '2' } },
      concerns: 'address',
      retryAfterMs: 2000,
    },
    textIn: ({ body }) => {
      const { text, attachments = [] } = JSON.parse(body) as RocketMessage;
      const parts = attachments.map((each) => `${each.title}\n${markdownAsText(each.text)}`);
      return [markdownAsText(text), ...parts].join('\n').trim();
    },
  });

  it('has so many calls at once, and whoever waits for one in vain has made no attempt', async () => {
    const hooks = { ops: 'https://chat.example/hooks/1/2' };
    const channel = await rocketChat.open({ hooks }, DIRECT);
    const turns = await Promise.all(
      Array.from({ length: 10 }, async (_, n) => channel.turn?.(1000, `ops/${n}`)),
    );
    expect(await channel.turn?.(0, 'ops')).to.equal(undefined);
    turns[3]?.();
    expect(await channel.turn?.(0, 'ops')).to.be.a('function');
    await channel.close();
  });
});
