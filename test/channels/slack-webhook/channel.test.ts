import { join } from 'node:path';
import { expect } from 'chai';
import { slackWebhookChannel } from '../../../src/channels/slack-webhook/channel.ts';
import { answering, chatContract, HOURLY } from '../../contract/chat-contract.ts';
import { DIRECT, failureOf } from '../../contract/channel-contract.ts';
import { judgeCall } from '../../support/slack-judge.ts';
import { judgeBy, type Limits } from '../../support/vendors.ts';

const settingsAt = (origin: string) => ({
  hooks: { ops: `${origin}/services/T01/B01/0a1B2c3D4e5F6g7H8i9J` },
});
const WORKSPACE = { tokens: ['xoxb-hook'], channels: [{ id: 'C0000001' }] };

/** docs.slack.dev: the limits of chat.postMessage, answers of plain words */
const LIMITS: Limits = {
  path: /^\/services\/T\w+\/B\w+\/\w+$/,
  blank: /^blocks/,
  wrong: (message) => {
    const args = { ...message, channel: 'C0000001' };
    const result = judgeCall(WORKSPACE, { method: 'chat.postMessage', token: 'xoxb-hook', args });
    return result.ok ? undefined : result.error;
  },
  taken: { status: 200, body: 'ok', headers: { 'content-type': 'text/plain' } },
  asked: { status: 404, body: 'no_service' },
};

describe('the channel slack_webhook', () => {
  chatContract({
    // Those of an app.
    messages: join(import.meta.dirname, '../slack/messages.json'),
    type: slackWebhookChannel,
    markup: /<https?:[^|<>]*|&(?:lt|gt|amp);/g,
    judge: judgeBy(LIMITS),
    settingsAt,
    address: 'ops',
    wrongAddresses: ['other', 'ops/1'],
    doubted: {
      'https://hooks.slack.com/services/T1/B1': /not the whole URL/,
      'https://office.slack.com/archives/C1': /not the whole URL/,
    },
    mention: { called: ['@here'], written: '<!here>' },
    answers: [
      ['no_service', 'config', answering(404, 'no_service'), HOURLY],
      ['channel_is_archived', 'config', answering(410, 'channel_is_archived')],
      ['rollup_error', 'transient', answering(500, 'rollup_error')],
      ['http_200', 'config', answering(200, '<html>Sign in</html>')],
      // A word that every object has.
      ['constructor', 'permanent', answering(400, 'constructor')],
    ],
    cardRefused: { fault: answering(400, 'invalid_payload'), code: 'invalid_payload' },
    limit: [1, answering(429, 'rate_limited', { 'retry-after': '3' }), 'address', 3000],
  });

  it('says which of its hooks cannot be reached', async () => {
    const channel = await slackWebhookChannel.open(settingsAt('http://127.0.0.1:1'), DIRECT);
    const failure = await failureOf(channel.verify());
    expect(failure.message).to.match(/^No answer from Slack \(ops\): /);
    expect(failure.japanese).to.match(/^Slack（ops）/);
    await channel.close();
  });
});
