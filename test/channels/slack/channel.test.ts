import { join } from 'node:path';
import { expect } from 'chai';
import type { Outgoing } from '../../../src/channels/channel.ts';
import { slackChannel } from '../../../src/channels/slack/channel.ts';
import type { PostedMessage } from '../../../src/stand-ins/slack-stand-in.ts';
import { anew } from '../../support/anew.ts';
import { judgeCall } from '../../support/slack-judge.ts';
import { DIRECT, expectNoSecret, failureOf, outgoingOf, problemIn } from '../../contract/channel-contract.ts';
import { answering, type AnswerRow, atStandIn, chatContract } from '../../contract/chat-contract.ts';
import { type ChatStandIn, type Judge, startChatStandIn } from '../../support/chat-stand-in.ts';

const TOKEN = 'xoxb-4242-secret';
const WORKSPACE = {
  tokens: [TOKEN],
  channels: [
    { id: 'C0000001', name: '#old', isArchived: true },
    { id: 'C0000002', name: '#closed', isMember: false },
    { id: 'C0000003', name: '#障害-通知' },
  ],
};

/** The type of each call, and what keeps Slack from making more of a text than it is. */
const JSON_TYPE = 'application/json; charset=utf-8';
const LITERAL = { parse: 'none', link_names: false };
const CALLS: Readonly<Record<string, readonly [type: string, args: object]>> = {
  'auth.test': ['application/x-www-form-urlencoded', {}],
  'chat.update': [JSON_TYPE, LITERAL],
  'chat.postMessage': [JSON_TYPE, { ...LITERAL, unfurl_links: false, unfurl_media: false }],
};

const messages: PostedMessage[] = [];
let count = 0;

const judge: Judge = ({ path, headers, body }) => {
  const method = path.slice('/api/'.length);
  const args = (body === '' ? {} : JSON.parse(body)) as Readonly<Record<string, unknown>>;
  const [type, needed] = CALLS[method] ?? [];
  expect([headers['content-type'], { ...args, ...needed }]).to.deep.equal([type, args]);
  const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
  const result = judgeCall(WORKSPACE, { method, token, args }, messages);
  if (!result.ok) return { answer: answering(200, result), refused: result.error };
  const { channel, edited } = result;
  if (channel === undefined) return { answer: answering(200, { ok: true }), isMessage: false };
  count += 1;
  const { ts = `1795000000.${String(count).padStart(6, '0')}`, threadTs = args['thread_ts'] } = edited ?? {};
  const posted = { ...args, args, channelId: channel.id, ts, threadTs, at: 0 } as unknown as PostedMessage;
  messages[edited === undefined ? messages.length : messages.indexOf(edited)] = posted;
  // Slack repeats the message.
  return { answer: answering(200, { ok: true, channel: channel.id, ts, message: args }) };
};

const settingsAt = (origin: string) => ({ token: TOKEN, api_url: `${origin}/api` });
const refuses = (error: string, more: object = {}) => answering(200, { ok: false, error, ...more });
const argsIn = ({ accepted }: ChatStandIn) =>
  accepted.map(({ body }) => JSON.parse(body) as Readonly<Record<string, unknown>>);

/** IDs, and names of up to 80 characters of any script. */
const ADDRESSES: Readonly<Record<string, string>> = {
  bot_alerts: '#bot_alerts',
  ' #Bot-Alerts ': '#bot-alerts',
  '＃通知': '#通知',
  '#エラー通知': '#エラー通知',
  C0123ABC: 'C0123ABC',
  U0123ABC: 'U0123ABC',
  D0123ABC: 'D0123ABC',
  DEVOPS: '#devops',
  '#UPDATES': '#updates',
  '#か\u3099': '#が',
  [`#${'𠮷'.repeat(80)}`]: `#${'𠮷'.repeat(80)}`,
};

const forgetAs = (code: string) => () => {
  messages.splice(0);
  return code;
};

describe('the Slack channel', () => {
  chatContract({
    messages: join(import.meta.dirname, 'messages.json'),
    type: slackChannel,
    markup: /<https?:[^|<>]*|&(?:lt|gt|amp);/g,
    judge,
    settingsAt,
    address: '#障害-通知',
    addresses: ADDRESSES,
    wrongAddresses: ['#two words', `#${'x'.repeat(81)}`].concat(
      '# ##ops @bob #a.b #a\u202eb <#C1|x> a,b #C0123ABC ”＃ops” ‘ops’'.split(' '),
    ),
    mention: { called: ['@here'], written: '<!here>' },
    answers: [
      ['channel_not_found', 'config', [], { address: '#nowhere' }],
      ['is_archived', 'config', [], { address: '#old' }],
      ['not_in_channel', 'config', [], { address: '#closed' }],
      ['invalid_auth', 'config', refuses('invalid_auth', { token: TOKEN })],
      ['msg_too_long', 'permanent', refuses('msg_too_long')],
      ['brand_new_error', 'transient', refuses('brand_new_error'), { mayHaveArrived: false }],
      ['internal_error', 'transient', refuses('internal_error'), { mayHaveArrived: true }],
      ['fatal_error', 'transient', refuses('fatal_error'), { mayHaveArrived: true }],
      ['rate_limited', 'rate_limited', refuses('rate_limited'), { retryAfterMs: 30_000 }],
      ['http_404', 'config', answering(404, '', { 'x-echo': TOKEN })],
      ...['<html>Sign in</html>', '{"error":"no_route"}', TOKEN, 'null', '[1]', '"ok"', '5', ''].map(
        (body): AnswerRow => ['not_json', 'config', answering(200, body), { mayHaveArrived: true }],
      ),
    ],
    refusalClass: 'config',
    cardRefused: { fault: refuses('invalid_blocks'), code: 'invalid_blocks' },
    limit: [1, answering(429, { ok: false, error: 'ratelimited' }, { 'retry-after': '7' }), 'address', 7000],
    perJob: [
      {
        mode: 'thread',
        shown: (remote) =>
          argsIn(remote).map((args) => `${typeof args['thread_ts']} ${String(args['reply_broadcast'])}`),
        expected: ['undefined undefined', 'string false', 'string true'],
        forget: forgetAs('thread_not_found'),
      },
      {
        mode: 'update',
        shown: ({ accepted }) => accepted.map(({ path }) => path.replace('/api/chat.', '')),
        expected: ['postMessage', 'update', 'update', 'postMessage'],
        forget: forgetAs('message_not_found'),
      },
    ],
  });
});

const LOOK = { username: 'BOT alerts', icon_emoji: ':ロボット:' };

describe('a message on Slack', () => {
  const remote = anew(() => startChatStandIn(judge));
  const channel = anew(() => slackChannel.open({ ...settingsAt(remote.origin), ...LOOK }, DIRECT));
  const message = { text: 'text', blocks: [{ type: 'divider' }] };
  const send = (parts: Partial<Outgoing> = {}) =>
    channel.send(outgoingOf({ address: '#障害-通知', message, plain: () => ({ text: 'text' }), ...parts }));

  beforeEach(() => void messages.splice(0));

  it('may have any emoji of a workspace, and nothing else for one', () => {
    const takes = (icon_emoji: string) =>
      slackChannel.settings.isValidSync({ token: 'xoxb-1', icon_emoji }, { strict: true });
    expect([':robot_face:', ':+1:', ':ありがとう:'].filter((each) => !takes(each))).to.deep.equal([]);
    expect(['bell', ':bell', ':a b:', '::', 'https://x.example/y.png'].filter(takes)).to.deep.equal([]);
  });

  it('has the name and the emoji that the config gives, and says where blocks are refused', async () => {
    const receipt = await send({ message: { ...message, blocks: [{ type: 'nonsense' }] } });
    expect(receipt['card_refused_reason']).to.match(/^Slack answered invalid_blocks at \/blocks\/0/);
    expect(argsIn(remote)[0])
      .to.include({ ...LOOK, text: 'text' })
      .and.not.to.have.property('blocks');
  });

  it('edits and replies by the text alone where the blocks are refused, in the thread of the first message', async () => {
    let root = await send();
    const { ts } = root;
    for (const mode of ['update', 'thread', 'thread'] as const) {
      remote.faults.push(refuses('invalid_blocks'));
      root = await send({ perJob: { mode, root, isLoud: false } });
      expect(root).to.include({ card_refused: 'invalid_blocks' });
    }
    expect(messages.map(({ blocks }) => blocks)).to.deep.equal(Array(3).fill(undefined));
    expect(messages.map(({ threadTs }) => threadTs)).to.deep.equal([undefined, ts, ts]);
  });

  for (const [mode, codes] of Object.entries({
    thread:
      'thread_not_found cannot_reply_to_message restricted_action_thread_locked restricted_action_non_threadable_channel cant_broadcast_message',
    update: 'message_not_found cant_update_message edit_window_closed block_mismatch',
  }))
    it(`is posted on its own where Slack takes no ${mode} at the first one`, async () => {
      const root = await send();
      for (const code of codes.split(' ')) {
        remote.faults.push(refuses(code));
        const receipt = await send({ perJob: { mode: mode as 'thread' | 'update', root, isLoud: true } });
        expect(receipt).to.include({ root_gone: code });
      }
    });

  it('is posted where it is an error and the edit is refused for whatever reason', async () => {
    const root = await send();
    const toldOf = (parts: object) => send({ perJob: { mode: 'update', root, isLoud: true, ...parts } });
    remote.faults.push(refuses('update_failed'));
    expect(await toldOf({})).to.include({ root_gone: 'update_failed' });
    for (const [code, parts] of Object.entries({ ratelimited: {}, update_failed: { isLoud: false } })) {
      remote.faults.push(refuses(code));
      expect(await failureOf(toldOf(parts))).to.include({ code });
    }
    expect(messages).to.have.length(2);
  });

  it('is posted anew where the first one was none of Slack’s', async () => {
    for (const mode of ['update', 'thread'] as const) {
      const receipt = await send({ perJob: { mode, root: { told: 'nobody' }, isLoud: true } });
      expect(receipt).to.include({ root_gone: 'no_ts', channel: 'C0000003' });
    }
    expect(remote.accepted.map(({ path }) => path)).to.deep.equal(Array(2).fill('/api/chat.postMessage'));
  });

  it('is posted once where a reply or its plain form fails for another reason', async () => {
    const root = await send();
    remote.faults.push(refuses('internal_error'));
    const reply = send({ perJob: { mode: 'thread', root, isLoud: false } });
    expect(await failureOf(reply)).to.include({ code: 'internal_error' });
    remote.faults.push(refuses('invalid_blocks'), answering(500));
    expect(await failureOf(send())).to.include({ class: 'transient', code: 'http_500' });
    expect(messages).to.have.length(1);
  });

  it('prints nothing on the console', async () => {
    const original = console.error;
    const printed: unknown[] = [];
    console.error = (...words: unknown[]) => void printed.push(words);
    try {
      remote.faults.push({ kind: 'reset' });
      await failureOf(send());
    } finally {
      console.error = original;
    }
    expect(printed).to.deep.equal([]);
  });
});

describe('the settings of a Slack channel', () => {
  it('are a token and perhaps the URL of the API, and what is wrong is not repeated', () => {
    const wrong = 'xoxb-leak me';
    expect(problemIn(slackChannel, { token: TOKEN })).to.equal(undefined);
    for (const settings of [{}, { token: '' }, { token: wrong }, { token: [wrong] }])
      expect(problemIn(slackChannel, settings)).to.contain('token').and.not.contain('leak');
    for (const api_url of ['slack.com', 'ftp://x/', 'https://user:leak@x/', 'https://x/?leak', 7])
      expect(problemIn(slackChannel, { token: TOKEN, api_url }))
        .to.contain('api_url')
        .and.not.contain('leak');
  });

  it('are doubted where the token cannot post as the app, or is the placeholder', () => {
    for (const [token, words] of Object.entries({
      'xapp-1-A0': /app-level token/,
      'xoxe.xoxb-1-A0': /ends after twelve hours/,
      'xoxp-1-2': /user token/,
      'xoxb-YOUR-TOKEN': /placeholder/,
      'B0-stranger': /no token of a Slack app/,
    }))
      expect(slackChannel.warningsOf({ token })[0]?.fault.in('en')).to.match(words);
  });

  it('are not admitted where the token is wrong or lacks a scope, which is named', async () => {
    const headers = { 'x-oauth-scopes': 'channels:read,chat:write.public' };
    for (const [code, token, faults] of [
      ['invalid_auth', 'xoxb-stranger', []],
      ['missing_scope', TOKEN, [answering(200, { ok: true, team: 'T' }, headers)]],
    ] as const) {
      const settings = (origin: string) => ({ ...settingsAt(origin), token });
      await atStandIn({ type: slackChannel, judge, settingsAt: settings }, async (channel, remote) => {
        remote.faults.push(...faults);
        const failure = await failureOf(channel.verify());
        expect(failure).to.include({ class: 'config', code });
        expectNoSecret(failure, [token]);
      });
    }
  });
});
