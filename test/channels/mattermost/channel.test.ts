import { join } from 'node:path';
import { expect } from 'chai';
import { mattermostChannel } from '../../../src/channels/mattermost/channel.ts';
import { answering, chatContract } from '../../contract/chat-contract.ts';
import { markdownAsText } from '../../support/markup.ts';
import { judgeBy, VENDORS } from '../../support/vendors.ts';

const KEY = 'ab1cd2ef3gh4ij5kl6mn7op8qr';
const settingsAt = (origin: string) => ({ hooks: { ops: `${origin}/hooks/${KEY}` } });
const refusal = (status: number, id: string) =>
  answering(status, { id, message: `hook ${KEY}`, status_code: status });

describe('the channel Mattermost', () => {
  chatContract({
    messages: join(import.meta.dirname, 'messages.json'),
    type: mattermostChannel,
    judge: judgeBy(VENDORS.mattermost),
    settingsAt,
    address: 'ops',
    mention: {
      options: { mention_on_error: ['@channel', '@jane'] },
      isIn: ({ body }) => body.includes('"text":"@channel @jane"'),
    },
    failures: (
      [
        ['web.incoming_webhook.invalid.app_error', 400, 'config'],
        ['web.incoming_webhook.disabled.app_error', 400, 'config'],
        ['web.incoming_webhook.channel_locked.app_error', 403, 'config'],
        ['web.incoming_webhook.general.app_error', 404, 'config'],
        ['api.post.deduplicate_create_post.pending', 500, 'transient'],
      ] as const
    ).map(([code, status, failureClass]) => [
      `it answers ${code}`,
      failureClass,
      code,
      refusal(status, code),
    ]),
    cardRefused: {
      fault: refusal(400, 'web.incoming_webhook.parse.app_error'),
      code: 'web.incoming_webhook.parse.app_error',
    },
    limit: {
      most: 10,
      // server/channels/app/ratelimit.go
      answer: {
        status: 429,
        headers: { 'content-type': 'text/plain', 'x-ratelimit-reset': '9', 'retry-after': '1' },
        body: 'limit exceeded',
      },
      concerns: 'address',
      retryAfterMs: 1000,
    },
    textIn: ({ body }) => {
      const { text = '', attachments = [] } = JSON.parse(body) as {
        text?: string;
        attachments?: { text: string }[];
      };
      return [text, ...attachments.map((each) => each.text)].map(markdownAsText).join('\n').trim();
    },
  });

  it('says that a URL is none of a webhook, or not whole', () => {
    const warningsOf = (path: string) =>
      mattermostChannel.warningsOf({ hooks: { ops: `https://chat.example/${path}` } });
    expect(warningsOf(`sub/hooks/${KEY}`)).to.deep.equal([]);
    for (const wrong of ['team/channels/town-square', `hooks/${KEY.slice(0, 20)}`])
      expect(
        warningsOf(wrong)
          .map(({ message }) => message)
          .join(),
      ).to.match(/not the URL of an incoming webhook/);
  });
});
