/** What every chat that is told over HTTP promises beside the contract of channels: one suite, whatever the vendor. */
import { mock } from 'node:test';
import { expect } from 'chai';
import type { Card } from '../../src/channels/card.ts';
import { AddressError, type Channel, type ChannelType } from '../../src/channels/channel.ts';
import type { ComposeContext, Outgoing } from '../../src/channels/channel.ts';
import type { FailureClass } from '../../src/channels/failure.ts';
import { poolsThrough } from '../../src/outbound/exchange.ts';
import { parseProxy } from '../../src/outbound/proxy.ts';
import { forAll } from '../support/anew.ts';
import { cardWith, listOf, outputWith } from '../support/cards.ts';
import { ACTING_TEXT, ADDRESSES, COLUMNS, HOSTILE_CARDS, plainCard } from '../support/chat-cards.ts';
import { PREVIEW, REST, ROWS, TERMINAL } from '../support/chat-cards.ts';
import type { ChatAnswer, ChatFault, ChatRequest, ChatStandIn } from '../support/chat-stand-in.ts';
import { type Judge, limitedTo, startChatStandIn } from '../support/chat-stand-in.ts';
import { expectMessages } from '../support/expected-messages.ts';
import { startForwardProxy } from '../support/forward-proxy.ts';
import { moment } from '../support/moment.ts';
import { AMPLE_MS, channelContract, CONFIDENTIAL, DIRECT } from './channel-contract.ts';
import { type FailureCase, failureOf, outgoingOf, type PerJobCase } from './channel-contract.ts';

export interface ChatSubject<Settings> {
  readonly type: ChannelType<Settings>;
  readonly judge: Judge;
  settingsAt(origin: string): Settings;
  readonly address: string;
  /** Further addresses, as people write them, by what they come to; and some that are wrong. */
  readonly addresses?: Readonly<Record<string, string>>;
  readonly wrongAddresses?: readonly string[];
  /** URLs that are no webhook's, by what the check says of them. */
  readonly doubted?: Readonly<Record<string, RegExp>>;
  /** For channels whose readers are programs. */
  readonly callback?: ComposeContext['callback'];
  /** Whom an error calls, and how an accepted request calls them. */
  readonly mention?: { readonly called: readonly unknown[]; readonly written: string };
  /** The vendor's answers, by their code and class, beside those that every chat over HTTP has. */
  readonly answers: readonly AnswerRow[];
  /** How many messages the vendor takes at once, and what it answers to the next one. */
  readonly limit: readonly [
    most: number,
    answer: ChatAnswer,
    concerns: 'address' | 'channel',
    retryAfterMs: number,
  ];
  /** The file of expected messages: `messages.json` beside the test. */
  readonly messages: string;
  /** Of a table, where a message takes little. */
  readonly leastRows?: number;
  /** What of a text is markup in which there are letters. */
  readonly markup?: RegExp;
  /** What refuses a card and takes a plain text; left out where there is no plain text. */
  readonly cardRefused?: {
    readonly fault: ChatFault;
    /** As the receipt has it: that of `codeOf` if the answer has one, else `http_400`. */
    readonly code: string;
  };
  /** What a 4xx means that is not named otherwise. */
  readonly refusalClass?: 'permanent' | 'config';
  readonly perJob?: readonly PerJobCase<ChatStandIn>[];
}

type Answer = ChatFault | readonly ChatFault[];
type More = FailureCase<ChatFault>[4];
export type AnswerRow = readonly [code: string, of: FailureClass, answer: Answer, more?: More];

/** How often a remote that is gone, or that misses a setting, is asked again. */
export const HOURLY = { retryAfterMs: 3_600_000 };

const HARMLESS_TAG =
  /^<\/?[a-z]+(?: style="[^"<>]*"| class="[\w -]+"| href="https?:[^"<>]*"| rel="noreferrer")*>$/;

type FaultyAnswer = Extract<ChatFault, { kind: 'answer' }>;

export const answering = (status: number, body: unknown = '', headers = {}): FaultyAnswer => ({
  kind: 'answer',
  status,
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

const TO_ROOT = { location: '/' };
const MAYBE = { mayHaveArrived: true };
const NOT = { mayHaveArrived: false };

/** @param refusal what a 4xx means that is not named otherwise @param said what a remote repeats of the request */
const answersOfAny = (refusal: FailureClass, said: string): readonly AnswerRow[] => [
  ...[408, 500, 502, 504].map((of): AnswerRow => [`http_${of}`, 'transient', answering(of), MAYBE]),
  ['http_503', 'transient', answering(503, '', { 'retry-after': '9' }), { retryAfterMs: 9000, ...NOT }],
  ...[302, 308].map((of): AnswerRow => [`http_${of}`, 'config', answering(of, '', TO_ROOT), MAYBE]),
  ['http_405', 'config', answering(405), NOT],
  ['http_422', refusal, answering(422, `it\n is ${said} ${'x'.repeat(300)}`), { ...NOT, quote: '“it is ' }],
  ['http_504', 'transient', answering(504, '<html><title>Down</title>'), { ...MAYBE, quote: '“Down”' }],
  ['ETIMEDOUT', 'transient', { kind: 'hang' }, { timeoutMs: 400, ...MAYBE }],
  ['ECONNRESET', 'transient', { kind: 'reset' }, MAYBE],
  // Of an answer that breaks off, the status counts.
  ['http_500', 'transient', { kind: 'cut', status: 500 }, MAYBE],
  ['http_503', 'transient', { kind: 'cut', status: 503 }, NOT],
  ['http_409', refusal, { kind: 'cut', status: 409 }, NOT],
  // More than is read of an answer.
  ['http_500', 'transient', answering(500, 'x'.repeat(1_000_000)), MAYBE],
];

export function chatContract<Settings>(subject: ChatSubject<Settings>): void {
  const { type, judge, settingsAt, address, callback, cardRefused } = subject;
  const known = settingsAt('https://chat.example');
  const secrets = type.secretsOf(known);
  const { compose } = type.formatOf(known);
  const composed = (card: Card, called?: readonly unknown[]) => {
    const isError = card.tone === 'error';
    const options = called === undefined ? {} : { mention_on_error: called };
    const destination = `${type.type}:${address}`;
    return compose(card, { isError, options, destination, template: 'error', at: 0, callback });
  };
  const { message, plain } = composed(plainCard({ message: CONFIDENTIAL }));
  const open = (origin: string): Promise<Channel> => type.open(settingsAt(origin), DIRECT);

  /** What is refused is tried as plain text, too; if that is refused, it is not the text's fault. */
  const failureCase = ([code, failureClass, answer, more = {}]: AnswerRow): FailureCase<ChatFault> => {
    const isTwice = failureClass === 'permanent' && cardRefused !== undefined;
    const faults = [answer].flat();
    const came = isTwice ? 'config' : failureClass;
    return [`it answers ${code}`, came, code, isTwice ? [...faults, ...faults] : faults, more];
  };

  describe('as a channel', () => {
    channelContract<ChatStandIn>({
      secrets,
      address,
      message,
      plainOf: () => plain,
      failures: [
        ...subject.answers,
        ...answersOfAny(subject.refusalClass ?? 'permanent', secrets.join(' ')),
      ].map(failureCase),
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
    const remote = forAll(() => startChatStandIn(judge));
    const channel = forAll(() => open(remote.origin));

    /** @returns what the remote accepted, as text */
    async function send(parts: Partial<Outgoing>): Promise<string> {
      await channel.send(outgoingOf({ address, message, ...parts }));
      return said(remote.accepted.at(-1) as ChatRequest);
    }

    it('takes an address as people write it, and no other', () => {
      const { addresses = {}, wrongAddresses = [] } = subject;
      for (const [written, canonical] of Object.entries({ [address]: address, ...addresses }))
        for (const each of [written, canonical])
          expect(type.parseAddress(each, known), written).to.equal(canonical);
      for (const wrong of ['', 'https://chat.example/hooks/1', ...wrongAddresses])
        expect(() => type.parseAddress(wrong, known), wrong).to.throw(AddressError);
    });

    it('warns of what crosses the network in clear, and of a URL that is no webhook’s', () => {
      const warned = (settings: unknown) =>
        type
          .warningsOf(settings as Settings)
          .map(({ fault }) => fault.in('en'))
          .join();
      const { doubted = {} } = subject;
      for (const origin of ['https://chat.example', 'http://127.0.0.1:1'])
        expect(warned(settingsAt(origin))).to.equal('');
      expect(warned(settingsAt('http://chat.example'))).to.match(/in clear/);
      for (const [url, words] of Object.entries(doubted))
        expect(warned({ hooks: { ops: url } }), url)
          .to.match(words)
          .and.not.contain('https:');
    });

    it('says of a check that fails nothing of a message that may have arrived', async () => {
      remote.faults.push({ kind: 'reset' });
      expect((await failureOf(channel.verify())).message).not.to.contain('may have arrived');
    });

    it('sends what the vendor takes of every card, however hostile or long, and shows it in its preview', async () => {
      for (const card of [plainCard(), ...HOSTILE_CARDS]) {
        const refusedBefore = remote.refusals.length;
        const one = composed(card);
        const sent = wordsOf(await send(one), subject.markup) + wordsIn(card.link?.text ?? '');
        expect(remote.refusals.slice(refusedBefore), card.summary.slice(0, 60)).to.deep.equal([]);
        const lines = one.asText().split('\n');
        for (const line of lines) expect(sent).to.contain(wordsIn(line));
        expect(lines.join('')).to.match(card.title === '' ? /^/ : /\S/);
        const html = one.asHtml().replace(/<style>.*?<\/style>/s, '');
        for (const tag of html.match(/<[^>]*>?/g) ?? []) expect(tag).to.match(HARMLESS_TAG);
      }
    });

    it('keeps the beginning and the end of an error message, and of an output, however long it and everything beside it are', async () => {
      if (callback !== undefined) return;
      const url = `https://jobs.example/${'a'.repeat(1900)}`;
      const { outputs } = HOSTILE_CARDS.at(-1) as Card;
      const card = plainCard({
        message: `BEGIN ${'請求書 '.repeat(50_000)} END`,
        outputs,
        facts: [{ name: 'Job', value: 'job-7', url }],
        link: { text: 'Open the job', url },
      });
      const ofOutput = [outputWith({ value: `BEGIN ${'請求書 '.repeat(5000)} END` })];
      for (const each of [card, plainCard({ outputs: ofOutput, outputCount: 1 })])
        expect(await send(composed(each))).to.match(/BEGIN [^]* END/);
    });

    it('shows of a list that is too long the first items, each whole, and how many more there are, beside a whole id of the job', async () => {
      if (callback !== undefined) return;
      const items = Array.from({ length: 400 }, (_, index) => `3f2b8c1e-7d4a-4f4e-9a51-${index + 1e11}`);
      const rows = items.map((id) => ({ id, state: 'done' }));
      for (const list of [items, rows]) {
        const outputs = [listOf('ids', list)];
        const facts = [{ name: 'Job', value: 'j-'.repeat(100), url: '' }];
        const restUrl = `https://jobs.example/${items[0]}`;
        const one = composed(plainCard({ facts, outputs, outputCount: 1, restUrl }));
        expect(await send(one)).to.contain(`${items.length}`);
        const sent = one.asText();
        expect(sent).to.contain('j-'.repeat(100));
        const count = items.findIndex((id) => !sent.includes(id));
        expect(count).to.be.above(5);
        expect(sent).to.contain(`… ${400 - count} more`);
        expect(sent.replaceAll(/3f2b8c1e-7d4a-4f4e-9a51-\d{12}/g, '')).not.to.match(/3f2b8c1e|4f4e-9a51/);
      }
    });

    it('shows of a thousand rows as many as there is room for, with a link to the rest', async () => {
      if (callback !== undefined) return;
      const message = await send(composed(ROWS));
      const rows = (message.match(/INV\W+\d+/g) ?? []).length;
      expect(rows).to.be.at.least(subject.leastRows ?? 50);
      expect(message)
        .to.contain(`… ${1000 - rows} more`)
        .and.contain(REST);
    });

    it('shows a long address whole, or says that it is left out, and opens no part of it', async () => {
      if (callback !== undefined) return;
      const url = `https://files.example/report?token=${'IQoJb3JpZ2luX2Vj'.repeat(136)}`;
      const outputs = [url, `see ${url} now`].map((value) => outputWith({ value }));
      const one = composed(plainCard({ outputs, outputCount: 2 }));
      await send(one);
      const shown = one.asText();
      expect(shown.replaceAll(url, '')).not.to.contain('files.example');
      if (!shown.includes(url)) expect(shown).to.match(/characters left out|… 2 more/);
    });

    it('mentions nobody but whom the destination has called for an error', async () => {
      const { mention } = subject;
      if (mention === undefined) return;
      const { called, written } = mention;
      const error = plainCard({ tone: 'error' });
      expect(await send(composed(error, called))).to.contain(written);
      expect(await send(composed(error))).not.to.contain(written);
      expect(await send(composed(plainCard({ tone: 'succeeded' }), called))).not.to.contain(written);
    });

    it('says to an error, its plain form, and to text that acts, that is meant for terminals or that has columns and addresses, what the file beside its test shows', async () => {
      const { called = [] } = subject.mention ?? {};
      const error = composed(plainCard(), called);
      const actingText = { title: ACTING_TEXT, message: ACTING_TEXT };
      const acting = composed(cardWith({ ...actingText, facts: [], outputCount: 4 }));
      await expectMessages(subject.messages, {
        error: error.message,
        plain: error.plain?.(),
        acting: acting.message,
        ...(callback === undefined && {
          terminal: composed(TERMINAL).message,
          columns: composed(COLUMNS).message,
          addresses: composed(ADDRESSES).message,
        }),
      });
      const preview = error.asText().split('\n').map(wordsIn);
      if (callback === undefined) expect(preview).to.include.members(PREVIEW.map(wordsIn));
      else expect(JSON.parse(error.asText())).to.deep.equal(error.message);
      for (const one of called) expect(preview.join()).to.contain(wordsIn(String(one)));
    });

    it('sends plain text in the same attempt where the card is refused, and says so', async () => {
      if (cardRefused === undefined) return;
      for (const each of [...HOSTILE_CARDS, plainCard()]) {
        const card = { ...each, link: plainCard().link };
        const [before, refusedBefore] = [remote.accepted.length, remote.refusals.length];
        remote.faults.push(cardRefused.fault);
        const receipt = await channel.send(outgoingOf({ address, ...composed(card) }));
        expect(receipt).to.include({ card_refused: cardRefused.code });
        expect(remote.accepted.length).to.equal(before + 1);
        expect(remote.refusals.slice(refusedBefore), card.summary.slice(0, 60)).to.deep.equal([]);
      }
      expect(said(remote.accepted.at(-1) as ChatRequest)).to.contain('請求書BOT');
    });

    it('is limited as the vendor limits it: this address alone, or all of the channel, for as long as it asks', async () => {
      const [most, answer, concerns, retryAfterMs] = subject.limit;
      await atStandIn({ type, settingsAt, judge: limitedTo(most, answer, judge) }, async (own, limited) => {
        for (let count = 0; count < most; count += 1) await own.send(outgoingOf({ address, message }));
        const failure = await failureOf(own.send(outgoingOf({ address, message })));
        expect(failure).to.include({ class: 'rate_limited', concerns, retryAfterMs });
        expect(limited.accepted).to.have.length(most);
      });
    });

    it('says when the message has been written, and waits past its time for the answer', async () => {
      const [reached, written, gate] = [moment(), moment(), moment()];
      mock.timers.enable({ apis: ['setTimeout'] });
      const until = () => {
        reached.happen();
        return gate.promise;
      };
      remote.faults.push({ kind: 'delay', until });
      const sent = channel.send(outgoingOf({ address, message, onHandedOver: written.happen }));
      await Promise.all([reached.promise, written.promise]);
      mock.timers.tick(AMPLE_MS + 59_000);
      gate.happen();
      expect(Object.keys(await sent)).not.to.be.empty;
      mock.timers.reset();
    });

    it('goes through a forward proxy, and says where the proxy refuses', async () => {
      const proxy = await startForwardProxy();
      const http = parseProxy(`http://${proxy.host}`);
      const openPool = poolsThrough({ https: http, http, exempt: [] });
      const sendThrough = async () => {
        const own = await type.open(settingsAt(remote.origin), { ...DIRECT, openPool });
        try {
          await own.send(outgoingOf({ address, message }));
        } finally {
          await own.close();
        }
      };
      await sendThrough();
      expect(proxy.asked.length).to.be.above(0);
      expect(proxy.asked.filter((url) => !url.startsWith(remote.origin))).to.deep.equal([]);
      proxy.faults.push(407);
      expect(await failureOf(sendThrough())).to.include({ class: 'config', code: 'proxy_407' });
      await proxy.close();
    });
  });
}

/** Gives the work a channel at a stand-in of its own, and closes both. */
export async function atStandIn<Settings, Result>(
  { type, judge, settingsAt }: Pick<ChatSubject<Settings>, 'type' | 'judge' | 'settingsAt'>,
  work: (channel: Channel, remote: ChatStandIn) => Promise<Result>,
): Promise<Result> {
  const remote = await startChatStandIn(judge);
  const channel = await type.open(settingsAt(remote.origin), DIRECT);
  try {
    return await work(channel, remote);
  } finally {
    await channel.close();
    await remote.close();
  }
}

/** JSON, or the texts of a form. */
function said({ body, headers }: ChatRequest): string {
  if (headers['content-type'] !== 'application/x-www-form-urlencoded') return body;
  return [...new URLSearchParams(body).values()].join('\n');
}

const TEXTS = /^(?:text|title|content|description|label|topLabel)$/;

/** Letters and digits in turn, but for addresses. */
function wordsIn(text: string): string {
  const read = text.normalize('NFKC').replaceAll('\\', '');
  return read.replaceAll(/https?:[^\s"<>)\]|]*|[^\p{L}\p{N}]+/gu, '');
}

/** Those of the members of a message that are texts. */
function wordsOf(request: string, markup: RegExp | undefined): string {
  const texts: string[] = [];
  const take = (key: string, value: unknown) => {
    if (TEXTS.test(key) && typeof value === 'string') texts.push(value.replaceAll(markup ?? '\n', '\n'));
    // It repeats what it makes a link.
    return key === 'selectAction' ? undefined : value;
  };
  if (request.startsWith('{"')) JSON.stringify(JSON.parse(request), take);
  return wordsIn(texts.length === 0 ? request : texts.join('\n'));
}
