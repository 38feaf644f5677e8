import { expect } from 'chai';
import type { Channel } from '../../../src/channels/channel.ts';
import { slackChannel } from '../../../src/channels/slack/channel.ts';
import type { ReceivedCall } from '../../../src/stand-ins/slack-stand-in.ts';
import { type SlackFault, type SlackStandIn, startSlackStandIn } from '../../support/faulty-slack.ts';
import {
  channelContract,
  CONFIDENTIAL,
  DIRECT,
  expectNoSecret,
  failureOf,
  outgoingOf,
  problemIn,
} from '../../contract/channel-contract.ts';
import type { ContractSubject, FailureCase } from '../../contract/channel-contract.ts';
import { type ChatAnswer, startChatStandIn } from '../../support/chat-stand-in.ts';

const TOKEN = 'xoxb-4242-secret';
const SHORT_MS = 60;

const message = {
  text: `${CONFIDENTIAL} failed`,
  blocks: [{ type: 'section', text: { type: 'plain_text', text: CONFIDENTIAL } }],
};

const startSlack = (faultOf?: (call: ReceivedCall) => SlackFault | undefined): Promise<SlackStandIn> =>
  startSlackStandIn({
    ...(faultOf !== undefined && { faultOf }),
    tokens: [TOKEN],
    channels: [
      { id: 'C0000001', name: '#ops' },
      { id: 'C0000002', name: '#old', isArchived: true },
      { id: 'C0000003', name: '#closed', isMember: false },
      { id: 'C0000004', name: '#障害-通知' },
    ],
  });

const openSlack = (slack: SlackStandIn, token = TOKEN): Promise<Channel> =>
  slackChannel.open({ token, api_url: slack.apiUrl }, DIRECT);

/** At what takes every call and always answers the same. */
async function openAt(answer: ChatAnswer) {
  const remote = await startChatStandIn(() => ({ answer }));
  const own = await slackChannel.open({ token: TOKEN, api_url: `${remote.origin}/api/` }, DIRECT);
  return { remote, own };
}

/** As the format composes it: blocks that are refused go out as the text alone. */
const plainOf = ({ text, blocks }: { readonly text: string; readonly blocks?: unknown }) =>
  blocks === undefined || text.trim() === '' ? undefined : () => ({ text });

const outgoing = (parts: object = {}) => {
  const all = { address: '#ops', message, ...parts };
  return outgoingOf({ plain: plainOf(all.message), ...all });
};

const limited = (retryAfter: string): SlackFault => ({ kind: 'rate_limited', retryAfter });
const refuses = (error: string, extra: object = {}): SlackFault => ({
  kind: 'error',
  error,
  extra: { ...extra },
});
const answers = (status: number, body = '', headers: Record<string, string> = {}): SlackFault => ({
  kind: 'status',
  status,
  body,
  headers,
});

const failures: FailureCase<SlackFault>[] = [
  ['the channel does not exist', 'config', 'channel_not_found', [], { address: '#nowhere' }],
  ['the channel is archived', 'config', 'is_archived', [], { address: '#old' }],
  ['the app was not invited', 'config', 'not_in_channel', [], { address: '#closed' }],
  [
    'the text is too long even without the blocks',
    'permanent',
    'msg_too_long',
    [],
    { message: { ...message, text: CONFIDENTIAL.repeat(3_000) } },
  ],
  ['the message is empty', 'permanent', 'no_text', [], { message: { text: '' } }],
  ['the token was revoked', 'config', 'token_revoked', refuses('token_revoked', { token: TOKEN })],
  ['Slack names an error nobody knows', 'transient', 'brand_new_error', refuses('brand_new_error')],
  ['Slack asks for a pause', 'rate_limited', 'ratelimited', limited('7'), { retryAfterMs: 7_000 }],
  [
    'Slack asks for a pause in its answer',
    'rate_limited',
    'rate_limited',
    refuses('rate_limited'),
    { retryAfterMs: 30_000 },
  ],
  ['Slack answers 503', 'transient', 'http_503', answers(503, `Bearer ${TOKEN}`)],
  ['the URL is not that of the API', 'config', 'http_404', answers(404, CONFIDENTIAL, { 'x-echo': TOKEN })],
  [
    'something redirects for good',
    'config',
    'http_308',
    answers(308, '', { location: 'http://127.0.0.1:9/' }),
  ],
  ...['<html>Sign in</html>', `${TOKEN} ${CONFIDENTIAL}`, 'null', '[1]', '"ok"', '5', ''].map(
    (body): FailureCase<SlackFault> => [
      `the answer is ${body === '' ? 'empty' : body.slice(0, 6)}`,
      'transient',
      'not_json',
      answers(200, body),
    ],
  ),
  ['Slack never answers', 'transient', 'ETIMEDOUT', { kind: 'hang' }, { timeoutMs: SHORT_MS }],
  ['the answer stalls in its body', 'transient', 'ETIMEDOUT', { kind: 'stall' }, { timeoutMs: SHORT_MS }],
  ['the answer is cut off', 'transient', 'ECONNRESET', { kind: 'cut' }],
  ['the connection is reset', 'transient', 'ECONNRESET', { kind: 'reset' }],
  [
    'Slack took the message and its answer got lost',
    'transient',
    'ECONNRESET',
    { kind: 'reset_after_accepting' },
  ],
];

const subject: ContractSubject<SlackStandIn> = {
  secrets: [TOKEN],
  address: '#ops',
  message,
  plainOf: (sent) => plainOf(sent as typeof message),
  hostileMessages: [
    { text: 'half an emoji \ud83d and a NUL \u0000' },
    { text: '&lt;!channel&gt; @everyone `*_~' },
    { text: 'plain', blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '\udc00' } }] },
    { text: '\u202e\u2066 =1+1 日本語 👨‍👩‍👧‍👦' },
  ],
  failures,
  start: () => startSlack(),
  stop: (slack) => slack.close(),
  open: openSlack,
  faultsOf: (slack) => slack.faults,
  arrivedCount: (slack) => slack.messages.length,
  holdBack: (slack, until) => void slack.faults.push({ kind: 'delay', until }),
  perJob: [
    {
      mode: 'thread',
      shown: ({ messages: [root, ...replies] }) =>
        replies.map(({ threadTs, args }) => [threadTs === root?.ts, args['reply_broadcast']]),
      expected: [
        [true, false],
        [true, true],
      ],
      forget: ({ messages }) => {
        messages.splice(0);
        return 'thread_not_found';
      },
    },
    {
      mode: 'update',
      shown: ({ messages, calls }) => [messages.length, calls],
      expected: [2, ['chat.postMessage', 'chat.update', 'chat.update', 'chat.postMessage']],
      forget: ({ messages }) => {
        messages.splice(0);
        return 'message_not_found';
      },
    },
  ],
};

describe('the Slack channel', () => {
  channelContract<SlackStandIn>(subject);

  let slack: SlackStandIn;
  let channel: Channel;
  beforeEach(async () => {
    slack = await startSlack();
    channel = await openSlack(slack);
  });
  afterEach(async () => {
    await channel.close();
    await slack.close();
  });

  it('posts text and blocks, with every parsing and unfurling switched off', async () => {
    const receipt = await channel.send(outgoing({ address: '#障害-通知' }));
    const [posted] = slack.messages;
    expect(receipt).to.deep.equal({ channel: 'C0000004', ts: posted?.ts });
    expect(posted).to.deep.include({ channel: '#障害-通知', ...message });
    expect(posted?.args).to.include({
      parse: 'none',
      link_names: false,
      unfurl_links: false,
      unfurl_media: false,
    });
  });

  it('sends each of many messages at once as it is, whatever becomes of the others, and names it in its receipt', async () => {
    const texts = Array.from({ length: 200 }, (_, index) => `message ${index} "🦊" é\u2028\n&=+%`);
    const faults = new Map<unknown, SlackFault>([
      [texts[0], { kind: 'hang' }],
      [texts[1], { kind: 'reset' }],
      [texts[2], refuses('fatal_error')],
    ]);
    const own = await startSlack(({ args }) => faults.get(args?.['text']));
    const ownChannel = await openSlack(own);
    const sent = texts.map((text) =>
      ownChannel.send(outgoing({ message: { text }, ...(text === texts[0] && { timeoutMs: SHORT_MS }) })),
    );
    const ended = await Promise.allSettled(sent);
    const textOf = new Map(own.messages.map((posted) => [posted.ts, posted.text]));
    expect(
      ended.map((each) => (each.status === 'fulfilled' ? textOf.get(each.value['ts'] ?? '') : undefined)),
    ).to.deep.equal(texts.map((text) => (faults.has(text) ? undefined : text)));
    expect(own.messages).to.have.length(197);
    await ownChannel.close();
    await own.close();
  });

  it('sends JSON and says that it is UTF-8, and an empty body where a method takes no arguments', async () => {
    const body = JSON.stringify({ ok: true, channel: 'C1', ts: '1.2', message: { text: 'x'.repeat(500) } });
    const { remote, own } = await openAt({ status: 200, body });
    expect(await own.send(outgoing())).to.deep.equal({ channel: 'C1', ts: '1.2' });
    await own.verify();
    expect(
      remote.accepted.map((asked) => [asked.path, asked.headers['content-type'], asked.body.slice(0, 1)]),
    ).to.deep.equal([
      ['/api/chat.postMessage', 'application/json; charset=utf-8', '{'],
      ['/api/auth.test', 'application/x-www-form-urlencoded', ''],
    ]);
    await own.close();
    await remote.close();
  });

  it('posts the text alone, in the same attempt, when Slack refuses the blocks, and the receipt says so', async () => {
    const receipt = await channel.send(
      outgoing({ message: { text: 'plain', blocks: [{ type: 'nonsense' }] } }),
    );
    expect(receipt).to.include({ card_refused: 'invalid_blocks' });
    expect(receipt['card_refused_reason']).to.match(/^Slack answered invalid_blocks at \/blocks\/0/);
    expect(slack.calls).to.deep.equal(['chat.postMessage', 'chat.postMessage']);
    expect(slack.messages).to.have.length(1);
    expect(slack.messages[0]).to.deep.include({ text: 'plain', blocks: undefined });
  });

  it('edits and replies by the text alone where the blocks are refused', async () => {
    const root = await channel.send(outgoing());
    for (const mode of ['update', 'thread'] as const) {
      slack.faults.push(refuses('invalid_blocks'));
      const receipt = await channel.send(outgoing({ perJob: { mode, root, isLoud: false } }));
      expect(receipt).to.include({ card_refused: 'invalid_blocks' });
    }
    expect(slack.messages.map(({ blocks }) => blocks)).to.deep.equal([undefined, undefined]);
  });

  it('replies in the same thread where it knows only a reply', async () => {
    let root = await channel.send(outgoing());
    const { ts } = root;
    for (let count = 0; count < 2; count += 1)
      root = await channel.send(outgoing({ perJob: { mode: 'thread', root, isLoud: false } }));
    expect(slack.messages.map(({ threadTs }) => threadTs)).to.deep.equal([undefined, ts, ts]);
  });

  it('posts anew where the first message was none of Slack’s', async () => {
    for (const mode of ['update', 'thread'] as const) {
      const receipt = await channel.send(
        outgoing({ perJob: { mode, root: { told: 'nobody' }, isLoud: true } }),
      );
      expect(receipt).to.include({ root_gone: 'no_ts', channel: 'C0000001' });
    }
    expect(slack.calls).to.deep.equal(['chat.postMessage', 'chat.postMessage']);
  });

  it('keeps what it is told of where a reply fails for another reason', async () => {
    const root = await channel.send(outgoing());
    slack.faults.push(refuses('internal_error'));
    const perJob = { mode: 'thread', root, isLoud: false };
    expect(await failureOf(channel.send(outgoing({ perJob })))).to.include({ code: 'internal_error' });
    expect(slack.messages).to.have.length(1);
  });

  it('reports the failure of the fallback, when that fails too', async () => {
    slack.faults.push(refuses('invalid_blocks'), answers(500));
    expect(await failureOf(channel.send(outgoing()))).to.include({ class: 'transient', code: 'http_500' });
  });

  it('fails as config when the token is wrong, in sending and in verifying', async () => {
    const stranger = await openSlack(slack, 'xoxb-stranger');
    for (const work of [() => stranger.send(outgoing()), () => stranger.verify()]) {
      const failure = await failureOf(work());
      expect(failure).to.include({ class: 'config', code: 'invalid_auth' });
      expectNoSecret(failure, ['xoxb-stranger']);
    }
    await stranger.close();
  });

  it('takes an api_url without a slash at its end', async () => {
    const other = await slackChannel.open({ token: TOKEN, api_url: slack.apiUrl.slice(0, -1) }, DIRECT);
    await other.verify();
    await other.close();
    expect(slack.calls).to.deep.equal(['auth.test']);
  });

  it('prints nothing on the console', async () => {
    const original = console.error;
    const printed: unknown[] = [];
    console.error = (...words: unknown[]) => void printed.push(words);
    try {
      slack.faults.push({ kind: 'reset' });
      await failureOf(channel.send(outgoing()));
    } finally {
      console.error = original;
    }
    expect(printed).to.deep.equal([]);
  });
});

describe('the settings of a Slack channel', () => {
  const problemOf = (settings: unknown) => problemIn(slackChannel, settings);

  it('are a token and perhaps the URL of the API', () => {
    expect(problemOf({ token: TOKEN })).to.equal(undefined);
    expect(problemOf({ token: TOKEN, api_url: 'https://slack-gov.com/api/' })).to.equal(undefined);
  });

  it('say what is wrong without repeating it', () => {
    const wrong = 'xoxb-leak me';
    for (const settings of [{}, { token: '' }, { token: wrong }, { token: [wrong] }]) {
      expect(problemOf(settings)).to.be.a('string').that.contains('token').and.not.contains('leak');
    }
    for (const api_url of ['slack.com', 'ftp://x/', 'https://user:leak@x/', 'https://x/?leak', 7]) {
      expect(problemOf({ token: TOKEN, api_url }))
        .to.be.a('string')
        .that.contains('api_url')
        .and.not.contains('leak');
    }
    expect(problemOf({ token: TOKEN, tokn: 1 })).to.contain('tokn');
  });

  it('are doubted where the token would cross the network in clear', () => {
    const warned = (settings: { token: string; api_url?: string }) =>
      slackChannel.warningsOf(settings).map(({ key }) => key);
    expect(warned({ token: TOKEN })).to.deep.equal([]);
    expect(warned({ token: TOKEN, api_url: 'http://127.0.0.1:1/api/' })).to.deep.equal([]);
    expect(warned({ token: TOKEN, api_url: 'http://slack.example.com/api/' })).to.deep.equal(['api_url']);
  });

  it('is doubted by a token that cannot post as the app, or that is the placeholder', () => {
    const doubted = (token: string) => slackChannel.warningsOf({ token }).map(({ message }) => message);
    expect(doubted('xoxb-1-token')).to.deep.equal([]);
    expect(doubted('xapp-1-A0').join()).to.match(/app-level token/);
    expect(doubted('xoxp-1-2').join()).to.match(/user token/);
    expect(doubted('xoxb-your-token').join()).to.match(/placeholder/);
  });

  it('posts by the name and with the emoji that the config gives', async () => {
    const slack = await startSlack();
    const look = { username: 'BOT alerts', icon_emoji: ':robot_face:' };
    const channel = await slackChannel.open({ token: TOKEN, api_url: slack.apiUrl, ...look }, DIRECT);
    await channel.send(outgoing());
    expect(slack.messages[0]?.args).to.include(look);
    await channel.close();
    await slack.close();
  });

  it('is not admitted where the token lacks a scope, which is named', async () => {
    const headers = { 'x-oauth-scopes': 'channels:read,chat:write.public' };
    const { remote, own } = await openAt({ status: 200, headers, body: '{"ok":true,"team":"T"}' });
    expect(await failureOf(own.verify())).to.include({ class: 'config', code: 'missing_scope' });
    await own.close();
    await remote.close();
  });
});
