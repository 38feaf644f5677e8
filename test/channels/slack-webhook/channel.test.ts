import { join } from 'node:path';
import { expect } from 'chai';
import { slackWebhookChannel } from '../../../src/channels/slack-webhook/channel.ts';
import { answering, chatContract, HOUR_MS } from '../../contract/chat-contract.ts';
import { DIRECT, failureOf } from '../../contract/channel-contract.ts';
import { judgeBy, VENDORS } from '../../support/vendors.ts';

const settingsAt = (origin: string) => ({
  hooks: { ops: `${origin}/services/T0000001/B0000001/0a1B2c3D4e5F6g7H8i9J` },
});

describe('the channel slack_webhook', () => {
  chatContract({
    messages: join(import.meta.dirname, 'messages.json'),
    type: slackWebhookChannel,
    judge: judgeBy(VENDORS.slack_webhook),
    settingsAt,
    address: 'ops',
    mention: { options: { mention_on_error: '@here' }, isIn: ({ body }) => body.includes('<!here>') },
    failures: [
      [
        'the webhook was removed',
        'config',
        'no_service',
        answering(404, 'no_service'),
        { retryAfterMs: HOUR_MS },
      ],
      ['its channel is archived', 'config', 'channel_is_archived', answering(410, 'channel_is_archived')],
      ['it fails by itself', 'transient', 'rollup_error', answering(500, 'rollup_error')],
      ['a portal answers with a page', 'config', 'http_200', answering(200, '<html>Sign in</html>')],
      [
        'its answer is a word that every object has',
        'permanent',
        'constructor',
        [answering(400, 'constructor'), answering(400, 'constructor')],
      ],
    ],
    cardRefused: { fault: answering(400, 'invalid_payload'), code: 'invalid_payload' },
    limit: {
      most: 1,
      answer: { status: 429, headers: { 'retry-after': '3' }, body: 'rate_limited' },
      concerns: 'address',
      retryAfterMs: 3000,
    },
    textIn: ({ body }) => textsOf(JSON.parse(body) as { text: string; blocks?: unknown }).join(''),
  });

  it('says which of its hooks cannot be reached', async () => {
    const url = 'http://127.0.0.1:1/services/T1/B1/0a1B2c3D4e5F6g7H8i9J';
    const channel = await slackWebhookChannel.open({ hooks: { ops: url } }, DIRECT);
    const failure = await failureOf(channel.verify());
    expect(failure.message).to.match(/^No answer from Slack \(ops\): /);
    expect(failure.japanese).to.match(/^Slack（ops）/);
    await channel.close();
  });

  it('says that a URL is cut short, or is the address of a channel', () => {
    for (const ops of ['https://hooks.slack.com/services/T1/B1', 'https://office.slack.com/archives/C1']) {
      const [warning] = slackWebhookChannel.warningsOf({ hooks: { ops } });
      expect(warning?.message, ops).to.match(/not the whole URL/);
    }
  });
});

/** Of the blocks; of a message without any, its text. */
function textsOf(message: { text: string; blocks?: unknown }): readonly string[] {
  if (message.blocks === undefined) return [message.text];
  const texts: string[] = [];
  JSON.stringify(message.blocks, (key, value: unknown) => {
    if (key === 'text' && typeof value === 'string') texts.push(value);
    return value;
  });
  return texts;
}
