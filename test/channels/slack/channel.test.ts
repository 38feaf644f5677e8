import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { AddressError } from '../../../src/channels/channel.ts';
import type { Channel } from '../../../src/channels/channel.ts';
import { poolsThrough } from '../../../src/outbound/exchange.ts';
import { NO_PROXIES, parseProxy } from '../../../src/outbound/proxy.ts';
import { slackChannel } from '../../../src/channels/slack/channel.ts';
import { slackFormat } from '../../../src/channels/slack/format.ts';
import { type SlackFault, type SlackStandIn, startSlackStandIn } from '../../support/faulty-slack.ts';
import {
  channelContract,
  CONFIDENTIAL,
  expectNoSecret,
  failureOf,
  outgoingOf,
} from '../../contract/channel-contract.ts';
import type { ContractSubject, FailureCase } from '../../contract/channel-contract.ts';
import { type ForwardProxy, startForwardProxy } from '../../support/forward-proxy.ts';

const TOKEN = 'xoxb-4242-secret';
const SHORT_MS = 60;
const environment = { print: () => undefined, openPool: poolsThrough(NO_PROXIES) };

const message = {
  text: `${CONFIDENTIAL} failed`,
  blocks: [{ type: 'section', text: { type: 'plain_text', text: CONFIDENTIAL } }],
};

const startSlack = (): Promise<SlackStandIn> =>
  startSlackStandIn({
    tokens: [TOKEN],
    channels: [
      { id: 'C0000001', name: '#ops' },
      { id: 'C0000002', name: '#old', isArchived: true },
      { id: 'C0000003', name: '#closed', isMember: false },
      { id: 'C0000004', name: '#障害-通知' },
    ],
  });

const openSlack = (slack: SlackStandIn, token = TOKEN): Promise<Channel> =>
  slackChannel.open({ token, api_url: slack.apiUrl }, environment);

/** As the format composes it: blocks that are refused go out as the text alone. */
const plainOf = ({ text, blocks }: { readonly text: string; readonly blocks?: unknown }) =>
  blocks === undefined || text.trim() === '' ? undefined : () => ({ text });

const outgoing = (parts: object = {}) => {
  const all = { address: '#ops', message, ...parts };
  return outgoingOf({ plain: plainOf(all.message), ...all });
};

const withFault = (fault: SlackFault) => ({
  arrange: (slack: SlackStandIn) => void slack.faults.push(fault),
});

const failures: FailureCase<SlackStandIn>[] = [
  {
    when: 'the channel does not exist',
    failureClass: 'config',
    code: 'channel_not_found',
    address: '#nowhere',
  },
  { when: 'the channel is archived', failureClass: 'config', code: 'is_archived', address: '#old' },
  { when: 'the app was not invited', failureClass: 'config', code: 'not_in_channel', address: '#closed' },
  {
    when: 'the text is too long even without the blocks',
    failureClass: 'permanent',
    code: 'msg_too_long',
    message: { ...message, text: CONFIDENTIAL.repeat(3_000) },
  },
  { when: 'the message is empty', failureClass: 'permanent', code: 'no_text', message: { text: '' } },
  {
    when: 'the token was revoked',
    failureClass: 'config',
    code: 'token_revoked',
    ...withFault({ kind: 'error', error: 'token_revoked', extra: { token: TOKEN } }),
  },
  {
    when: 'Slack names an error nobody knows',
    failureClass: 'transient',
    code: 'brand_new_error',
    ...withFault({ kind: 'error', error: 'brand_new_error' }),
  },
  {
    when: 'Slack asks for a pause in seconds',
    failureClass: 'rate_limited',
    code: 'ratelimited',
    retryAfterMs: 7_000,
    ...withFault({ kind: 'rate_limited', retryAfter: '7' }),
  },
  {
    when: 'Slack asks for a pause and does not say how long',
    failureClass: 'rate_limited',
    code: 'ratelimited',
    retryAfterMs: 30_000,
    ...withFault({ kind: 'rate_limited' }),
  },
  {
    when: 'Slack asks for a pause of a year',
    failureClass: 'rate_limited',
    code: 'ratelimited',
    retryAfterMs: 3_600_000,
    ...withFault({ kind: 'rate_limited', retryAfter: '31536000' }),
  },
  {
    when: 'Slack asks for a pause until a date that cannot be read',
    failureClass: 'rate_limited',
    code: 'ratelimited',
    retryAfterMs: 30_000,
    ...withFault({ kind: 'rate_limited', retryAfter: '31 Dec 9999' }),
  },
  {
    when: 'Slack asks for a pause until a date that is long ago',
    failureClass: 'rate_limited',
    code: 'ratelimited',
    retryAfterMs: 1_000,
    ...withFault({ kind: 'rate_limited', retryAfter: 'Wed, 21 Oct 2015 07:28:00 GMT' }),
  },
  {
    when: 'Slack asks for a pause in its answer',
    failureClass: 'rate_limited',
    code: 'rate_limited',
    retryAfterMs: 30_000,
    ...withFault({ kind: 'error', error: 'rate_limited' }),
  },
  {
    when: 'Slack answers 503',
    failureClass: 'transient',
    code: 'http_503',
    ...withFault({ kind: 'status', status: 503, body: `Bearer ${TOKEN}` }),
  },
  {
    when: 'the URL is not that of the API',
    failureClass: 'config',
    code: 'http_404',
    ...withFault({ kind: 'status', status: 404, headers: { 'x-echo': TOKEN }, body: CONFIDENTIAL }),
  },
  {
    when: 'something redirects for good',
    failureClass: 'config',
    code: 'http_308',
    ...withFault({ kind: 'status', status: 308, headers: { location: 'http://127.0.0.1:9/' } }),
  },
  {
    when: 'a portal answers with a page',
    failureClass: 'transient',
    code: 'not_json',
    ...withFault({ kind: 'html' }),
  },
  {
    when: 'the answer repeats the request',
    failureClass: 'transient',
    code: 'not_json',
    ...withFault({ kind: 'status', status: 200, body: `${TOKEN} ${CONFIDENTIAL}` }),
  },
  ...['null', '[1]', '"ok"', '5', ''].map((body): FailureCase<SlackStandIn> => ({
    when: `the answer is ${body === '' ? 'empty' : body}`,
    failureClass: 'transient',
    code: 'not_json',
    ...withFault({ kind: 'status', status: 200, body }),
  })),
  {
    when: 'Slack never answers',
    failureClass: 'transient',
    code: 'ETIMEDOUT',
    timeoutMs: SHORT_MS,
    ...withFault({ kind: 'hang' }),
  },
  {
    when: 'the answer stalls in its body',
    failureClass: 'transient',
    code: 'ETIMEDOUT',
    timeoutMs: SHORT_MS,
    ...withFault({ kind: 'stall' }),
  },
  {
    when: 'the answer is cut off',
    failureClass: 'transient',
    code: 'ECONNRESET',
    ...withFault({ kind: 'cut' }),
  },
  {
    when: 'the connection is reset',
    failureClass: 'transient',
    code: 'ECONNRESET',
    ...withFault({ kind: 'reset' }),
  },
  {
    when: 'Slack took the message and its answer got lost',
    failureClass: 'transient',
    code: 'ECONNRESET',
    ...withFault({ kind: 'reset_after_accepting' }),
  },
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
  start: startSlack,
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

describe('the Slack channel behind a proxy', () => {
  let proxy: ForwardProxy;

  before(async () => {
    proxy = await startForwardProxy({ login: { user: 'bot', password: 'p@ss' } });
  });
  after(() => proxy.close());

  channelContract<SlackStandIn>({
    ...subject,
    secrets: [TOKEN, 'p@ss', 'p%40ss'],
    // What breaks below HTTP breaks at the proxy.
    failures: failures.filter(({ code }) => !code.startsWith('E')),
    open: async ({ apiUrl: api_url }) => {
      const http = parseProxy(`http://bot:p%40ss@${proxy.host}`);
      const openPool = poolsThrough({ ...NO_PROXIES, http });
      return slackChannel.open({ token: TOKEN, api_url }, { ...environment, openPool });
    },
  });

  it('goes through it', () => {
    expect(proxy.asked.length).to.be.greaterThan(60);
  });
});

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

  it('sends each of many messages at once as it is, also where others of them fail', async () => {
    slack.faults.push({ kind: 'hang' }, { kind: 'reset' }, { kind: 'error', error: 'fatal_error' });
    const texts = Array.from({ length: 20 }, (_, index) => `message ${index} "🦊" é\u2028\n&=+%`);
    const sent = texts.map((text) => channel.send(outgoing({ message: { text }, timeoutMs: SHORT_MS * 10 })));
    const ended = await Promise.allSettled(sent);
    const arrived = texts.filter((_, index) => ended[index]?.status === 'fulfilled');
    expect(arrived).to.have.length(17);
    expect(slack.messages.map(({ text }) => text)).to.have.members(arrived);
  });

  it('sends JSON and says that it is UTF-8, and an empty body where a method takes no arguments', async () => {
    const asked: unknown[] = [];
    const answer = JSON.stringify({ ok: true, channel: 'C1', ts: '1.2', message: { text: 'x'.repeat(500) } });
    const handle = async (request: IncomingMessage, response: ServerResponse) => {
      asked.push([request.url, request.headers['content-type'], (await text(request)).slice(0, 1)]);
      response.end(answer);
    };
    const server = createServer((request, response) => void handle(request, response));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const api_url = `http://127.0.0.1:${port}/api/`;
    const remote = await slackChannel.open({ token: TOKEN, api_url }, environment);
    expect(await remote.send(outgoing())).to.deep.equal({ channel: 'C1', ts: '1.2' });
    await remote.verify();
    expect(asked).to.deep.equal([
      ['/api/chat.postMessage', 'application/json; charset=utf-8', '{'],
      ['/api/auth.test', 'application/x-www-form-urlencoded', ''],
    ]);
    await remote.close();
    server.close();
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

  for (const error of [
    'invalid_blocks_format',
    'msg_blocks_too_long',
    'too_many_attachments',
    'invalid_arguments',
  ]) {
    it(`falls back to the text on ${error}`, async () => {
      slack.faults.push({ kind: 'error', error });
      expect(await channel.send(outgoing())).to.include({ card_refused: error });
    });
  }

  it('edits and replies by the text alone where the blocks are refused', async () => {
    const root = await channel.send(outgoing());
    for (const mode of ['update', 'thread'] as const) {
      slack.faults.push({ kind: 'error', error: 'invalid_blocks' });
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
    slack.faults.push({ kind: 'error', error: 'internal_error' });
    const perJob = { mode: 'thread', root, isLoud: false };
    expect(await failureOf(channel.send(outgoing({ perJob })))).to.include({ code: 'internal_error' });
    expect(slack.messages).to.have.length(1);
  });

  it('reports the failure of the fallback, when that fails too', async () => {
    slack.faults.push({ kind: 'error', error: 'invalid_blocks' }, { kind: 'status', status: 500 });
    expect(await failureOf(channel.send(outgoing()))).to.include({ class: 'transient', code: 'http_500' });
  });

  it('names the block at fault and nothing else of what Slack says', async () => {
    const extra = {
      response_metadata: { messages: [`[ERROR] ${CONFIDENTIAL} [json-pointer:/blocks/3/text]`] },
    };
    slack.faults.push({ kind: 'error', error: 'invalid_blocks', extra });
    const failure = await failureOf(channel.send(outgoing({ message: { ...message, text: ' ' } })));
    expect(failure.message).to.contain('invalid_blocks at /blocks/3/text');
    expectNoSecret(failure, [CONFIDENTIAL]);
  });

  it('names the scope that is missing', async () => {
    slack.faults.push({ kind: 'error', error: 'missing_scope', extra: { needed: 'chat:write' } });
    const failure = await failureOf(channel.send(outgoing()));
    expect(failure).to.include({ class: 'config', code: 'missing_scope' });
    expect(failure.message).to.contain('(chat:write)');
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

  it('fails as transient when nothing listens there', async () => {
    await slack.close();
    expect(await failureOf(channel.send(outgoing()))).to.include({
      class: 'transient',
      code: 'ECONNREFUSED',
    });
    slack = await startSlack();
  });

  it('fails as transient when the host name does not exist', async () => {
    const lost = await slackChannel.open({ token: TOKEN, api_url: 'http://slack.invalid/api/' }, environment);
    const failure = await failureOf(lost.send(outgoing()));
    expect(failure.class).to.equal('transient');
    expect(failure.code).to.be.oneOf(['ENOTFOUND', 'EAI_AGAIN']);
    await lost.close();
  });

  it('gives up at their deadline those that wait for a free connection, and never sends them', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    slack.faults.push(
      ...Array.from({ length: 50 }, () => ({ kind: 'delay', until: () => released }) as const),
    );
    const busy = Array.from({ length: 50 }, () => channel.send(outgoing()));
    const waiting = Array.from({ length: 5 }, () =>
      failureOf(channel.send(outgoing({ timeoutMs: SHORT_MS }))),
    );
    for (const failure of await Promise.all(waiting)) expect(failure.code).to.equal('ETIMEDOUT');
    release();
    await Promise.all(busy);
    await channel.send(outgoing());
    expect(slack.messages).to.have.length(51);
  });

  it('takes each message with its own deadline and body, however many are sent at once', async () => {
    const texts = Array.from({ length: 200 }, (_, index) => `message ${index}`);
    const receipts = await Promise.all(texts.map((text) => channel.send(outgoing({ message: { text } }))));
    const textOf = new Map(slack.messages.map(({ ts, text }) => [ts, text]));
    expect(receipts.map(({ ts = '' }) => textOf.get(ts))).to.deep.equal(texts);
  });

  it('takes an api_url without a slash at its end', async () => {
    const other = await slackChannel.open({ token: TOKEN, api_url: slack.apiUrl.slice(0, -1) }, environment);
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
  const problemOf = (settings: unknown): string | undefined => {
    try {
      slackChannel.settings.validateSync(settings, { strict: true });
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };

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

  it('keep the token secret', () => {
    expect(slackChannel.secretsOf({ token: TOKEN })).to.deep.equal([TOKEN]);
  });

  it('are doubted where the token would cross the network in clear', () => {
    const warned = (settings: { token: string; api_url?: string }) =>
      slackChannel.warningsOf(settings).map(({ key }) => key);
    expect(warned({ token: TOKEN })).to.deep.equal([]);
    expect(warned({ token: TOKEN, api_url: 'http://127.0.0.1:1/api/' })).to.deep.equal([]);
    expect(warned({ token: TOKEN, api_url: 'http://slack.example.com/api/' })).to.deep.equal(['api_url']);
  });

  it('speak the Slack format and read Slack addresses', () => {
    expect(slackChannel.formatOf({ token: TOKEN })).to.equal(slackFormat);
    expect(slackChannel.parseAddress('ops', { token: TOKEN })).to.equal('#ops');
    expect(() => slackChannel.parseAddress('two words', { token: TOKEN })).to.throw(AddressError);
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
    const channel = await slackChannel.open({ token: TOKEN, api_url: slack.apiUrl, ...look }, environment);
    await channel.send(outgoing());
    expect(slack.messages[0]?.args).to.include(look);
    await channel.close();
    await slack.close();
  });

  it('is not admitted where the token lacks a scope, which is named', async () => {
    const server = createServer((_request, response) =>
      response
        .setHeader('x-oauth-scopes', 'channels:read,chat:write.public')
        .setHeader('content-type', 'application/json')
        .end('{"ok":true,"team":"T"}'),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const settings = { token: TOKEN, api_url: `http://127.0.0.1:${port}/api/` };
    const channel = await slackChannel.open(settings, environment);
    expect(await failureOf(channel.verify())).to.include({ class: 'config', code: 'missing_scope' });
    await channel.close();
    server.close();
  });
});
