import { join } from 'node:path';
import { expect } from 'chai';
import { slackWebhookChannel } from '../../../src/channels/slack-webhook/channel.ts';
import { answering, chatContract, withFault } from '../../contract/chat-contract.ts';
import { failureOf } from '../../contract/channel-contract.ts';
import { poolsThrough } from '../../../src/outbound/exchange.ts';
import { NO_PROXIES } from '../../../src/outbound/proxy.ts';
import { judgeSlackWebhook } from './stand-in.ts';

const settingsAt = (origin: string) => ({
  hooks: { ops: `${origin}/services/T0000001/B0000001/0a1B2c3D4e5F6g7H8i9J` },
});

describe('the channel slack_webhook', () => {
  chatContract({
    messages: join(import.meta.dirname, 'messages.json'),
    type: slackWebhookChannel,
    judge: judgeSlackWebhook,
    settingsAt,
    address: 'ops',
    mention: { options: { mention_on_error: '@here' }, isIn: ({ body }) => body.includes('<!here>') },
    failures: [
      {
        when: 'the webhook was removed',
        failureClass: 'config',
        code: 'no_service',
        retryAfterMs: 3_600_000,
        ...withFault(answering(404, 'no_service')),
      },
      {
        when: 'its channel is archived',
        failureClass: 'config',
        code: 'channel_is_archived',
        ...withFault(answering(410, 'channel_is_archived')),
      },
      {
        when: 'it fails by itself',
        failureClass: 'transient',
        code: 'rollup_error',
        ...withFault(answering(500, 'rollup_error')),
      },
      {
        when: 'a portal answers with a page',
        failureClass: 'config',
        code: 'http_200',
        ...withFault(answering(200, '<html>Sign in</html>')),
      },
      {
        when: 'its answer is a word that every object has',
        failureClass: 'permanent',
        code: 'constructor',
        ...withFault(answering(400, 'constructor'), answering(400, 'constructor')),
      },
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
    const environment = { print: () => undefined, openPool: poolsThrough(NO_PROXIES) };
    const channel = await slackWebhookChannel.open({ hooks: { ops: url } }, environment);
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
