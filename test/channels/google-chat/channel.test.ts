import { join } from 'node:path';
import { expect } from 'chai';
import { jobKeyOf } from '../../../src/channels/channel.ts';
import { googleChatChannel } from '../../../src/channels/google-chat/channel.ts';
import { answering, atStandIn, chatContract } from '../../contract/chat-contract.ts';
import { outgoingOf } from '../../contract/channel-contract.ts';
import { judgeBy, type Limits, type Own } from '../../support/vendors.ts';

const SPACE = '/v1/spaces/AAAAx1y2z3w/messages';
const KEYS = 'key=AIzaSyD-0123456789abcdef&token=s3cr3t-token_of-google%3D';
const settingsAt = (origin: string) => ({ hooks: { ops: `${origin}${SPACE}?${KEYS}` } });
const refusal = (code: number, status: string, reason = '') =>
  answering(code, { error: { code, message: 'no', status, details: reason && [{ reason }] } });
const IN_THREAD = [jobKeyOf({ jobId: 'job-7' }), 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD'];

const GOOGLE_CALL: Own = [/^<users\/all> <users\/1234567890>\n?/, ''];
/** Of the HTML that cards of Google Chat support: one in another at most. */
const TAG: Own = [/<(b|font|a)(?: color="#\w{6}"| href="https?:\/\/[^"<>]*")?>([^<>]*)<\/\1>/g, '$2'];

/** developers.google.com/workspace/chat: messages, cards, limits */
const LIMITS: Limits = {
  path: /^\/v1\/spaces\/\w+\/messages$/,
  query: ['key', 'token', 'requestId'],
  mostBytes: 32_000,
  most: { text: 3800, 'thread.threadKey': 4000, cardsV2: 1, 'cardsV2.card.sections.widgets': 100 },
  texts: [
    [/^text$/, [GOOGLE_CALL], /[<>*_~`]/],
    [/buttons\.text$/, [], /[<>]/],
    // Chat shows no line end of a paragraph.
    [/Paragraph\.text$/, [[/<br>/g, ''], TAG, TAG], /[<>\n]|&(?!(?:amp|lt|gt|quot|#39);)|^\s*$/],
  ],
  taken: { status: 200, body: '{"name":"spaces/AAAA/messages/BBBB.CCCC"}' },
};

describe('the channel Google Chat', () => {
  chatContract({
    messages: join(import.meta.dirname, 'messages.json'),
    type: googleChatChannel,
    judge: judgeBy(LIMITS),
    settingsAt,
    address: 'ops',
    wrongAddresses: ['other', 'ops/1'],
    doubted: {
      'https://chat.googleapis.com/v1/spaces/A/messages?key=1&token=': /not the whole URL/,
      'https://chat.googleapis.com/v1/spaces/A/messages?key=&token=1': /not the whole URL/,
    },
    perJob: [
      {
        mode: 'thread',
        shown: ({ accepted }) =>
          accepted.map(({ query, body }) => [
            (JSON.parse(body) as { thread?: { threadKey: string } }).thread?.threadKey,
            query.get('messageReplyOption'),
          ]),
        // The third is shown in the space. Without the option Chat would open a new thread for each.
        expected: [IN_THREAD, IN_THREAD, [undefined, null]],
        forget: () => undefined,
      },
    ],
    markup: /<[^<>]*>|&\w+;/g,
    mention: { called: ['all', 'users/1234567890'], written: '"text":"<users/all> <users/1234567890>"' },
    answers: [
      ['API_KEY_INVALID', 'config', refusal(400, 'INVALID_ARGUMENT', 'API_KEY_INVALID')],
      ['NOT_FOUND', 'config', refusal(404, 'NOT_FOUND')],
      ['PERMISSION_DENIED', 'config', refusal(403, 'PERMISSION_DENIED')],
    ],
    cardRefused: { fault: refusal(400, 'INVALID_ARGUMENT'), code: 'INVALID_ARGUMENT' },
    // It does not say how long.
    limit: [1, refusal(429, 'RESOURCE_EXHAUSTED'), 'address', 5000],
  });

  it('replies in the thread that a message began, though it is of no job', async () => {
    const answer = { name: 'spaces/AAAA/messages/B.C', thread: { name: 'spaces/AAAA/threads/B' } };
    const judge = () => ({ answer: { status: 200, body: JSON.stringify(answer) } });
    await atStandIn({ type: googleChatChannel, judge, settingsAt }, async (channel, remote) => {
      const message = outgoingOf({ address: 'ops', message: { text: 'hello' } });
      const root = await channel.send(message);
      await channel.send({ ...message, perJob: { mode: 'thread', root, isLoud: true } });
      const [first, reply] = remote.accepted.map(({ body }) => JSON.parse(body) as { thread?: object });
      expect([first?.thread, reply?.thread]).to.deep.equal([undefined, answer.thread]);
      expect(remote.accepted[1]?.query.get('messageReplyOption')).to.equal(IN_THREAD[1]);
    });
  });

  it('has one id over all attempts of a message, also in plain text, so that Chat makes it once', async () => {
    const subject = { type: googleChatChannel, judge: judgeBy(LIMITS), settingsAt };
    await atStandIn(subject, async (channel, remote) => {
      const key = '0123456789abcdef'.repeat(4);
      const outgoing = outgoingOf({ address: 'ops', message: { text: 'x' }, idempotencyKey: () => key });
      for (let attempt = 0; attempt < 2; attempt += 1) await channel.send(outgoing);
      const ids = remote.accepted.map(({ query }) => query.get('requestId'));
      expect(ids).to.deep.equal(Array(2).fill('01234567-89ab-cdef-0123-456789abcdef'));
    });
  });
});
