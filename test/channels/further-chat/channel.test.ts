/** What a further chat needs of a test: its stand-in, its answers, and a file of expected messages. */
import { join } from 'node:path';
import { expect } from 'chai';
import { DIRECT } from '../../contract/channel-contract.ts';
import { answering, chatContract } from '../../contract/chat-contract.ts';
import { judgeBy, type Limits } from '../../support/vendors.ts';
import { rocketChat } from './rocket-chat.ts';

const refusal = (error: string) => answering(400, { success: false, error });
const settingsAt = (origin: string) => ({
  hooks: { ops: `${origin}/hooks/64f1c2d3e4/0a1B2c3D4e5F6g7H8i9J` },
});

const LIMITS: Limits = {
  path: /^\/hooks\/\w+\/\w+$/,
  most: { text: 20_000, 'attachments.text': 20_000 },
  blank: /text$/,
  taken: { status: 200, body: '{"success":true}' },
  asked: { status: 200 },
};

describe('a further chat', () => {
  chatContract({
    messages: join(import.meta.dirname, 'messages.json'),
    type: rocketChat,
    judge: judgeBy(LIMITS),
    settingsAt,
    address: 'ops',
    doubted: { 'https://chat.example/hooks/1': /not the whole URL/ },
    mention: { called: ['@here', '@ops'], written: '{"text":"@here @ops"' },
    answers: [['invalid-channel', 'config', refusal('invalid-channel')]],
    cardRefused: { fault: refusal('invalid-attachments'), code: 'http_400' },
    limit: [3, answering(429, '', { 'retry-after': '2' }), 'address', 2000],
  });

  it('has so many calls at once, and whoever waits for one in vain has made no attempt', async () => {
    const channel = await rocketChat.open(settingsAt('https://chat.example'), DIRECT);
    const all = Array.from({ length: 10 }, async (_, n) => channel.turn?.(1000, `ops/${n}`));
    const [giveBack] = await Promise.all(all);
    expect(await channel.turn?.(0, 'ops')).to.equal(undefined);
    giveBack?.();
    expect(await channel.turn?.(0, 'ops')).to.be.a('function');
    await channel.close();
  });
});
