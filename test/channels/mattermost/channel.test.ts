import { join } from 'node:path';
import { expect } from 'chai';
import { mattermostChannel } from '../../../src/channels/mattermost/channel.ts';
import { DIRECT } from '../../contract/channel-contract.ts';
import { answering, type AnswerRow, chatContract } from '../../contract/chat-contract.ts';
import { CODE, FENCE_OF_LINES, judgeBy, LEFT_OPEN } from '../../support/vendors.ts';
import { type Limits, MARKDOWN, type Own } from '../../support/vendors.ts';

const KEY = 'ab1cd2ef3gh4ij5kl6mn7op8qr';
const settingsAt = (origin: string) => ({ hooks: { ops: `${origin}/sub/hooks/${KEY}` } });
const refusal = (status: number, id: string) => answering(status, { id, message: KEY, status_code: status });

const CODES: Readonly<Record<string, number>> = {
  'web.incoming_webhook.invalid.app_error': 400,
  'web.incoming_webhook.disabled.app_error': 400,
  'web.incoming_webhook.channel_locked.app_error': 403,
  'web.incoming_webhook.general.app_error': 404,
};
const PENDING = 'api.post.deduplicate_create_post.pending';
const UNREADABLE = 'web.incoming_webhook.parse.app_error';

const MATTERMOST_CALL: Own = [/^@channel @jane(?: |$)/, ''];
/** The last is server/channels/app/webhook.go. */
const IN_MATTERMOST = /<(?:!\w|@\w|[a-z0-9]{26}>|https?:|[^\n<|>]+\|[^\n>]+>)/i;
/** Of a word, the server drops underscores before a mention: server/channels/app/mention_parser_standard.go */
const OUTSIDE_CODE =
  /(?<![^\W_])@(?:channel|all|here)\b|(?<![\w\\])(?:@\w|:[a-z0-9_+-]+:)|&(?!#36;|amp;)#?\w+;/i;
/** webapp, utils/emoticons.ts */
const FACES = /(?<!\w)(?::-?@|:-?\\?[|[\]]|(?::['’]?-?[()/$dops]|;-?\)|x-d)(?!\w))/i;

/** developers.mattermost.com: incoming webhooks; a longer text becomes several posts. */
const LIMITS: Limits = {
  path: /^\/sub\/hooks\/[a-z0-9]{26}$/,
  most: { text: 16_383, 'attachments.text': 16_383 },
  texts: [
    [/./, [MATTERMOST_CALL], IN_MATTERMOST],
    [/fallback$/, [], OUTSIDE_CODE],
    [/text$/, [MATTERMOST_CALL, FENCE_OF_LINES, CODE], OUTSIDE_CODE],
    [/text$/, [FENCE_OF_LINES, CODE], /(?<!\\)!\[|(?<![^\W_]\\?)[~#][a-z]|\$(?!\w)/i],
    // mattermost/marked: escapes within an address are shown, and a bare one takes a link along
    [/text$/, [FENCE_OF_LINES, CODE, ...MARKDOWN.slice(1)], /(?:\w:\/\/|\.[a-z]{2,4}\/)[^\s|]*\\/i],
    [/text$/, [FENCE_OF_LINES, CODE], /(?<!\()\w:\/\/[^\s()[\]]*\[/],
    [/text$/, [MATTERMOST_CALL, FENCE_OF_LINES, CODE], FACES],
    [/text$/, [FENCE_OF_LINES], /\n *(?:=[=-]* *(?:\n|$)|:-)|(?:^|\n[^\n\S]*\n)(?: {4}|\t)/],
    [/text$/, [FENCE_OF_LINES, CODE, [/\\(?=[\p{L}\p{N}$])/gu, ''], ...MARKDOWN], LEFT_OPEN],
  ],
  taken: { status: 200, body: 'ok', headers: { 'content-type': 'text/plain' } },
  asked: { status: 200, body: 'Mattermost' },
};

describe('the channel Mattermost', () => {
  chatContract({
    messages: join(import.meta.dirname, 'messages.json'),
    type: mattermostChannel,
    judge: judgeBy(LIMITS),
    settingsAt,
    address: 'ops',
    markup: /&#36;/g,
    wrongAddresses: ['other', 'ops/1'],
    doubted: {
      'https://chat.example/team/channels/town-square': /not the whole URL/,
      [`https://chat.example/hooks/${KEY.slice(0, 20)}`]: /not the whole URL/,
    },
    mention: { called: ['@channel', '@jane'], written: '"text":"@channel @jane"' },
    answers: [
      ...Object.entries(CODES).map(([code, status]): AnswerRow => [code, 'config', refusal(status, code)]),
      [PENDING, 'transient', refusal(500, PENDING)],
    ],
    cardRefused: { fault: refusal(400, UNREADABLE), code: UNREADABLE },
    // server/channels/app/ratelimit.go
    limit: [
      10,
      answering(429, 'exceeded', { 'x-ratelimit-reset': '9', 'retry-after': '1' }),
      'address',
      1000,
    ],
  });

  it('has so many calls at once, and whoever waits for one in vain has made no attempt', async () => {
    const channel = await mattermostChannel.open(settingsAt('https://chat.example'), DIRECT);
    const all = Array.from({ length: 10 }, async (_, n) => channel.turn?.(1000, `ops/${n}`));
    const [giveBack] = await Promise.all(all);
    expect(await channel.turn?.(0, 'ops')).to.equal(undefined);
    giveBack?.();
    expect(await channel.turn?.(0, 'ops')).to.be.a('function');
    await channel.close();
  });
});
