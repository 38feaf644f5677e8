/** What every chat that is told over HTTP promises beside the contract of channels: one suite, whatever the vendor. */
import { expect } from 'chai';
import type { Card } from '../../src/channels/card.ts';
import type { Channel, ChannelType, ComposeContext, Outgoing } from '../../src/channels/channel.ts';
import { poolsThrough } from '../../src/outbound/exchange.ts';
import { parseProxy } from '../../src/outbound/proxy.ts';
import { cardWith } from '../support/cards.ts';
import { ACTING_TEXT, HOSTILE_CARDS, plainCard } from '../support/chat-cards.ts';
import {
  type ChatAnswer,
  type ChatFault,
  type ChatRequest,
  type ChatStandIn,
  type Judge,
  limitedTo,
  startChatStandIn,
} from '../support/chat-stand-in.ts';
import { expectMessages } from '../support/expected-messages.ts';
import { startForwardProxy } from '../support/forward-proxy.ts';
import {
  channelContract,
  CONFIDENTIAL,
  DIRECT,
  type FailureCase,
  failureOf,
  outgoingOf,
  type PerJobCase,
} from './channel-contract.ts';

export interface ChatSubject<Settings> {
  readonly type: ChannelType<Settings>;
  readonly judge: Judge;
  settingsAt(origin: string): Settings;
  readonly address: string;
  /** For channels whose readers are programs. */
  readonly callback?: ComposeContext['callback'];
  /** Options that call somebody, and what of an accepted request shows that they are called. */
  readonly mention?: { readonly options: object; readonly isIn: (request: ChatRequest) => boolean };
  /** Beside those that every chat over HTTP has. */
  readonly failures: readonly FailureCase<ChatFault>[];
  /** How many messages the vendor takes at once, and what it answers to the next one. */
  readonly limit: {
    readonly most: number;
    readonly answer: ChatAnswer;
    readonly concerns: 'address' | 'channel';
    readonly retryAfterMs: number;
  };
  /** The file of expected messages: `messages.json` beside the test. */
  readonly messages: string;
  /** What refuses a card and takes a plain text; left out where there is no plain text. */
  readonly cardRefused?: { readonly fault: ChatFault; readonly code: string };
  /** What a 4xx means that is not named otherwise. */
  readonly refusalClass?: 'permanent' | 'config';
  readonly perJob?: readonly PerJobCase<ChatStandIn>[];
  /** Text of an accepted request as its reader sees it. */
  readonly textIn: (request: ChatRequest) => string;
}

/** How often a remote that is gone, or that misses a setting, is asked again. */
export const HOUR_MS = 3_600_000;

const SHORT_MS = 80;

const HARMLESS_TAG =
  /^<\/?[a-z]+(?: style="[^"<>]*"| class="[\w -]+"| href="https?:[^"<>]*"| rel="noreferrer")*>$/;

export const answering = (
  status: number,
  body: unknown = '',
  headers: Record<string, string> = {},
): Extract<ChatFault, { kind: 'answer' }> => ({
  kind: 'answer',
  status,
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

export function chatContract<Settings>(subject: ChatSubject<Settings>): void {
  const { type, judge, settingsAt, address } = subject;
  const secrets = type.secretsOf(settingsAt('https://chat.example'));
  const { compose } = type.formatOf(settingsAt('https://chat.example'));
  const composed = (card: Card, options: object = {}) => {
    const isError = card.tone === 'error';
    const { callback } = subject;
    const destination = `${type.type}:${address}`;
    const context = { isError, options: { ...options }, destination, template: 'error', at: 0, callback };
    return compose(card, context);
  };
  const { message, plain } = composed(plainCard({ message: CONFIDENTIAL }));
  const open = (origin: string): Promise<Channel> => type.open(settingsAt(origin), DIRECT);
  const refused = subject.refusalClass ?? 'permanent';
  const twice = (fault: ChatFault) => (subject.cardRefused === undefined ? [fault] : [fault, fault]);

  describe('as a channel', () => {
    channelContract<ChatStandIn>({
      secrets,
      address,
      message,
      plainOf: () => plain,
      hostileMessages: HOSTILE_CARDS.map((card) => composed(card).message),
      failures: [
        ...subject.failures,
        ['it answers 500', 'transient', 'http_500', answering(500, secrets[0])],
        [
          'it answers 503 and says for how long',
          'transient',
          'http_503',
          answering(503, '', { 'retry-after': '9' }),
          { retryAfterMs: 9000 },
        ],
        ['its URL redirects', 'config', 'http_308', answering(308, '', { location: '/' })],
        [
          'it refuses what nobody has a name for',
          refused,
          'http_422',
          twice(answering(422, `${CONFIDENTIAL} ${secrets.join(' ')}`)),
        ],
        [
          'it limits the rate for seven seconds',
          'rate_limited',
          'http_429',
          answering(429, '', { 'retry-after': '7' }),
          { retryAfterMs: 7000 },
        ],
        ['it never answers', 'transient', 'ETIMEDOUT', { kind: 'hang' }, { timeoutMs: SHORT_MS }],
        ['the connection breaks off', 'transient', 'ECONNRESET', { kind: 'reset' }],
        ['its answer breaks off', 'transient', 'ECONNRESET', { kind: 'cut' }],
        ['its answer is a megabyte', 'transient', 'http_500', answering(500, 'x'.repeat(1_000_000))],
      ],
      start: () => startChatStandIn(judge),
      stop: (remote) => remote.close(),
      open: ({ origin }) => open(origin),
      faultsOf: ({ faults }) => faults,
      arrivedCount: ({ accepted }) => accepted.length,
      holdBack: ({ faults }, until) => void faults.push({ kind: 'delay', until }),
      ...(subject.perJob !== undefined && { perJob: subject.perJob }),
    });
  });

  describe('as a chat', () => {
    let remote: ChatStandIn;
    let channel: Channel;
    const send = (parts: Partial<Outgoing>) => channel.send(outgoingOf({ address, message, ...parts }));

    before(async () => {
      remote = await startChatStandIn(judge);
      channel = await open(remote.origin);
    });
    after(async () => {
      await channel.close();
      await remote.close();
    });
    beforeEach(() => remote.faults.splice(0));

    it('composes what the vendor takes of every card, however hostile or long, within its limits', async () => {
      for (const card of [plainCard(), ...HOSTILE_CARDS]) {
        const refusedBefore = remote.refusals.length;
        await send(composed(card));
        expect(remote.refusals.slice(refusedBefore), card.summary.slice(0, 60)).to.deep.equal([]);
      }
    });

    it('shows title, message, outputs, facts and link', async () => {
      const text = subject.textIn(await lastOf(send(composed(plainCard()))));
      const parts = '請求書BOT|The page did not open|件数|42|チーズケーキ|一覧.xlsx|job-7'.split('|');
      for (const part of parts) expect(text).to.contain(part);
    });

    it('keeps the beginning and the end of an error message, however long it and everything beside it are', async () => {
      if (subject.callback !== undefined) return;
      const url = `https://jobs.example/${'a'.repeat(1900)}`;
      const { outputs } = HOSTILE_CARDS.at(-1) as Card;
      const card = plainCard({
        message: `BEGIN ${'請求書 '.repeat(50_000)} END`,
        outputs,
        facts: [{ name: 'Job', value: 'job-7', url }],
        link: { text: 'Open the job', url },
      });
      expect(subject.textIn(await lastOf(send(composed(card))))).to.match(/BEGIN [^]* END/);
    });

    it('mentions nobody but whom the destination has called for an error', async () => {
      const { mention } = subject;
      if (mention === undefined) return;
      const error = plainCard({ tone: 'error' });
      expect(mention.isIn(await lastOf(send(composed(error, mention.options))))).to.equal(true);
      expect(mention.isIn(await lastOf(send(composed(error))))).to.equal(false);
      const succeeded = plainCard({ tone: 'succeeded' });
      expect(mention.isIn(await lastOf(send(composed(succeeded, mention.options))))).to.equal(false);
    });

    it('says to an error, its plain form and acting text what the file beside its test shows', () => {
      const { options = {} } = subject.mention ?? {};
      const error = composed(plainCard(), options);
      const actingText = { title: ACTING_TEXT, message: ACTING_TEXT };
      const acting = composed(cardWith({ ...actingText, facts: [], outputCount: 4 }));
      expectMessages(subject.messages, {
        error: error.message,
        plain: error.plain?.(),
        acting: acting.message,
        preview: error.asText().split('\n'),
      });
    });

    it('sends plain text in the same attempt where the card is refused, and says so', async () => {
      const { cardRefused } = subject;
      if (cardRefused === undefined) return;
      for (const each of [...HOSTILE_CARDS, plainCard()]) {
        const card = { ...each, link: plainCard().link };
        const [before, refusedBefore] = [remote.accepted.length, remote.refusals.length];
        remote.faults.push(cardRefused.fault);
        const receipt = await send(composed(card));
        expect(receipt).to.include({ card_refused: cardRefused.code });
        expect(remote.accepted.length).to.equal(before + 1);
        expect(remote.refusals.slice(refusedBefore), card.summary.slice(0, 60)).to.deep.equal([]);
      }
      expect(subject.textIn(remote.accepted.at(-1) as ChatRequest)).to.contain('請求書BOT');
    });

    it('is limited as the vendor limits it: this address alone, or all of the channel, for as long as it asks', async () => {
      const { most, answer, concerns, retryAfterMs } = subject.limit;
      const limited = await startChatStandIn(limitedTo(most, answer, judge));
      const own = await open(limited.origin);
      for (let count = 0; count < most; count += 1) await own.send(outgoingOf({ address, message }));
      const failure = await failureOf(own.send(outgoingOf({ address, message })));
      expect(failure).to.include({ class: 'rate_limited', concerns, retryAfterMs });
      expect(limited.accepted).to.have.length(most);
      await own.close();
      await limited.close();
    });

    it('goes through a forward proxy, but for a remote that is exempt, and says where the proxy refuses', async () => {
      const proxy = await startForwardProxy();
      const http = parseProxy(`http://${proxy.host}`);
      const sendThrough = async (exempt: readonly string[]) => {
        const openPool = poolsThrough({ https: http, http, exempt });
        const own = await type.open(settingsAt(remote.origin), { ...DIRECT, openPool });
        try {
          await own.send(outgoingOf({ address, message }));
        } finally {
          await own.close();
        }
      };
      await sendThrough(['127.0.0.1']);
      expect(proxy.asked).to.deep.equal([]);
      await sendThrough([]);
      const { asked } = proxy;
      expect(asked.length).to.be.above(0);
      expect(asked.filter((url) => !url.startsWith(remote.origin))).to.deep.equal([]);
      proxy.faults.push(407);
      expect(await failureOf(sendThrough([]))).to.include({ class: 'config', code: 'proxy_407' });
      await proxy.close();
    });

    it('shows in its preview what was sent', async () => {
      for (const card of [plainCard(), ...HOSTILE_CARDS].filter(({ title }) => title.trim() !== '')) {
        const one = composed(card);
        const sent = subject.textIn(await lastOf(send(one)));
        expect(asRead(one.asText())).to.contain(asRead(sent).slice(0, 12));
        const html = one.asHtml().replace(/<style>.*?<\/style>/s, '');
        for (const tag of html.match(/<[^>]*>?/g) ?? []) expect(tag).to.match(HARMLESS_TAG);
      }
    });

    async function lastOf(sending: Promise<unknown>): Promise<ChatRequest> {
      await sending;
      return remote.accepted.at(-1) as ChatRequest;
    }
  });
}

/** Without what stops foreign text from acting: characters that look alike, or have no width. */
function asRead(text: string): string {
  const alike = text.normalize('NFKC').replaceAll('‹', '<').replaceAll('›', '>').replaceAll('ˋ', '`');
  return alike.replaceAll(/[\s\u200b\u2060]+/g, '');
}
