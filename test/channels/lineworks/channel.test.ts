import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'chai';
import { AddressError, type Channel, type ComposeContext } from '../../../src/channels/channel.ts';
import type { Card } from '../../../src/channels/card.ts';
import { lineworksChannel } from '../../../src/channels/lineworks/channel.ts';
import { lineworksBot } from '../../../src/channels/lineworks/bot.ts';
import { lineworksHooks } from '../../../src/channels/lineworks/hook.ts';
import { answering, chatContract } from '../../contract/chat-contract.ts';
import { DIRECT, failureOf, outgoingOf } from '../../contract/channel-contract.ts';
import { cardWith, outputWith } from '../../support/cards.ts';
import { plainCard } from '../../support/chat-cards.ts';
import { type ChatStandIn, startChatStandIn } from '../../support/chat-stand-in.ts';
import { judgeBy, VENDORS } from '../../support/vendors.ts';
import { judgeLineworks } from './login.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PEM = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const APP = {
  clientId: 'client-1',
  clientSecret: 'client-secret-1',
  account: 'abc.serviceaccount@example',
  publicKey,
};
const ROOM = '0a1b2c3d-1111-2222-3333-444455556666';

const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
  answering(status, { code }, headers);
const UNAUTHORIZED = refusal(401, 'UNAUTHORIZED');

const settingsAt = (origin: string) => ({
  client_id: APP.clientId,
  client_secret: APP.clientSecret,
  service_account: APP.account,
  private_key: PEM,
  bot_id: '1234567',
  auth_url: origin,
  api_url: origin,
});

describe('the channel LINE WORKS, by a bot', () => {
  const tokens = new Set<string>();

  chatContract({
    messages: join(import.meta.dirname, 'messages.json'),
    type: lineworksChannel,
    judge: judgeLineworks(APP, tokens),
    settingsAt,
    address: ROOM,
    mention: {
      options: { mention_on_error: ['ops@example', 'all'] },
      isIn: ({ body }) => body.includes('"<m userId=\\"ops@example\\"> <m userId=\\"all\\">'),
    },
    failures: [
      [
        'it refuses a token that it has just given',
        'config',
        'UNAUTHORIZED',
        [UNAUTHORIZED, { kind: 'delay', until: () => Promise.resolve() }, UNAUTHORIZED],
      ],
      ['there is no such bot or room', 'config', 'NOT_FOUND', refusal(404, 'NOT_FOUND')],
      ['the bot is not in the room', 'config', 'ACCESS_DENIED', refusal(403, 'ACCESS_DENIED')],
      [
        'the tenant has had its messages, and it does not say when that ends',
        'rate_limited',
        'TOO_MANY_REQUESTS',
        refusal(429, 'TOO_MANY_REQUESTS'),
        { retryAfterMs: 60_000 },
      ],
    ],
    cardRefused: { fault: answering(400), code: 'http_400' },
    limit: {
      most: 4,
      answer: refusal(429, 'TOO_MANY_REQUESTS', { 'ratelimit-reset': '20' }),
      concerns: 'channel',
      retryAfterMs: 20_000,
    },
    textIn: ({ body }) => (JSON.parse(body) as { content: { text: string } }).content.text,
  });

  describe('and its token', () => {
    let remote: ChatStandIn;
    const open = (parts: object = {}): Promise<Channel> =>
      lineworksChannel.open({ ...settingsAt(remote.origin), ...parts }, DIRECT);
    const message = { content: { type: 'text', text: 'hello' } };

    before(async () => {
      remote = await startChatStandIn(judgeLineworks(APP, tokens));
    });
    after(() => remote.close());

    it('is fetched once for many messages, and anew where it is no longer taken', async () => {
      tokens.clear();
      const channel = await open();
      for (let count = 0; count < 3; count += 1) await channel.send(outgoingOf({ address: ROOM, message }));
      expect(tokens.size).to.equal(1);
      tokens.clear();
      await channel.send(outgoingOf({ address: 'user:ops@example', message }));
      expect(tokens.size).to.equal(1);
      expect(remote.accepted.at(-1)?.path).to.equal('/v1.0/bots/1234567/users/ops%40example/messages');
      await channel.close();
    });

    it('is renewed five minutes before it expires', async () => {
      for (const [tokenSeconds, count] of [
        [299, 2],
        [400, 1],
      ] as const) {
        const own = new Set<string>();
        const login = await startChatStandIn(judgeLineworks({ ...APP, tokenSeconds }, own));
        const channel = await open({ auth_url: login.origin });
        for (let call = 0; call < 2; call += 1) await channel.verify();
        expect(own.size).to.equal(count);
        await channel.close();
        await login.close();
      }
    });

    it('fails as config for every message where the login refuses the app', async () => {
      const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
      for (const [parts, code] of [
        [{ client_secret: 'another-secret' }, 'invalid_client'],
        [{ private_key: other.export({ type: 'pkcs8', format: 'pem' }).toString() }, 'invalid_grant'],
      ] as const) {
        const channel = await open(parts);
        const failure = await failureOf(channel.send(outgoingOf({ address: ROOM, message })));
        expect(failure).to.include({ class: 'config', code, concerns: 'channel' });
        expect(await failureOf(channel.verify())).to.include({ code });
        await channel.close();
      }
    });

    it('names whom it may not mention, where a mention has the whole message refused', async () => {
      const channel = await open();
      const options = { mention_on_error: ['gone@example'] };
      const composed = lineworksBot.format.compose(plainCard(), { isError: true, options } as never);
      await channel.verify();
      remote.faults.push(refusal(400, 'INVALID_PARAMETER'));
      const receipt = await channel.send(outgoingOf({ address: ROOM, ...composed }));
      expect(receipt).to.include({ card_refused: 'INVALID_PARAMETER' });
      expect(remote.accepted.at(-1)?.body).to.contain('"text":"@gone@example\\n❌').and.contain('job-7');
      await channel.close();
    });

    it('takes a key whose line ends came as text', async () => {
      const channel = await open({ private_key: PEM.replaceAll('\n', '\\n') });
      await channel.verify();
      await channel.close();
    });
  });
});

describe('the channel LINE WORKS, by the Incoming Webhook app', () => {
  chatContract({
    messages: join(import.meta.dirname, 'hook-messages.json'),
    type: lineworksChannel,
    judge: judgeBy(VENDORS.lineworks_hook),
    settingsAt: (origin) => ({ hooks: { ops: `${origin}/message/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9` } }),
    address: 'ops',
    failures: [
      ['the webhook was removed', 'config', 'http_404', answering(404)],
      [
        'its URL was never given out',
        'config',
        'invalid_url',
        answering(400, { message: 'Invalid webhook URL' }),
      ],
      [
        'a sign-in stands before it',
        'config',
        'http_200',
        answering(200, '<!DOCTYPE html><title>Sign in</title>'),
      ],
      [
        'the tenant has had its messages, and it says when that ends',
        'rate_limited',
        'http_429',
        answering(429, '', { 'ratelimit-reset': '12' }),
        { retryAfterMs: 12_000 },
      ],
    ],
    cardRefused: { fault: answering(400), code: 'http_400' },
    limit: { most: 1, answer: { status: 429 }, concerns: 'channel', retryAfterMs: 30_000 },
    textIn: ({ body }) => {
      const { title, body: inner } = JSON.parse(body) as { title: string; body: { text: string } };
      return `${title}\n${inner.text}`;
    },
  });
});

describe('the text for the Incoming Webhook app', () => {
  const bodyOf = (card: Card) =>
    lineworksHooks.format.compose(card, { options: {} } as ComposeContext).message;

  it('has what Botbell says itself whole where there is nothing beside it', () => {
    const text = 'What to do: fix the cause. '.repeat(30).trim();
    expect(bodyOf(cardWith({ tone: 'alert', text, message: '', facts: [] })).body).to.deep.equal({ text });
  });

  it('shows every short output of a card that has little else', () => {
    const outputs = Array.from({ length: 5 }, (_, index) => outputWith({ name: `Sum ${index}` }));
    expect(bodyOf(cardWith({ tone: 'succeeded', outputs, message: '' })).body.text).to.contain('Sum 4: 12');
  });

  it('mentions nobody on its button', () => {
    const link = { text: '<m userId="all">', url: 'https://jobs.example/7' };
    expect(bodyOf(cardWith({ link })).button?.label).to.equal('＜m userId="all">');
  });
});

describe('the settings of LINE WORKS', () => {
  const isValid = (settings: object) => lineworksChannel.settings.isValidSync(settings, { strict: true });

  it('are those of a bot or hooks, whole and not both', () => {
    const bot = settingsAt('https://auth.example');
    const hooks = { ops: 'https://webhook.worksmobile.com/message/x' };
    expect([isValid(bot), isValid({ hooks })]).to.deep.equal([true, true]);
    const { bot_id: _, ...withoutBot } = bot;
    for (const wrong of [
      {},
      withoutBot,
      { ...bot, hooks },
      { ...bot, private_key: 'no key' },
      { ...bot, client_secret: '' },
      { hooks: {} },
      { hooks, typo: 1 },
    ])
      expect(isValid(wrong), JSON.stringify(Object.keys(wrong))).to.equal(false);
  });

  it('are warned of where a URL is cut short, or what is sent can be read on the way', () => {
    const hook = (url: string) => lineworksChannel.warningsOf({ hooks: { ops: url } }).length;
    expect(hook('https://webhook.worksmobile.com/message/0a1b2c3d-4e5f')).to.equal(0);
    expect(hook('https://webhook.worksmobile.com/message/')).to.equal(1);
    // Of a URL that is a beginning of ours, hiding secrets would make nonsense.
    const [warning] = lineworksChannel.warningsOf({ hooks: { ops: 'https://webhook.worksmobile.com/' } });
    expect(warning?.message).to.not.include('https:');
    expect(hook('http://hooks.example/message/0a1b2c3d-4e5f')).to.equal(1);
    const bot = settingsAt('https://www.worksapis.com');
    expect(lineworksChannel.warningsOf(bot)).to.deep.equal([]);
    expect(lineworksChannel.warningsOf({ ...bot, api_url: 'http://api.example' })).to.deep.equal([
      { key: 'api_url', message: 'the token crosses the network in clear: use https://' },
    ]);
  });

  it('decide what an address is: the name of a hook, or a channel or a member of the bot', () => {
    const hooks = { ops: 'https://webhook.worksmobile.com/message/x' };
    expect(lineworksChannel.parseAddress('ops', { hooks })).to.equal('ops');
    expect(lineworksChannel.parseAddress(ROOM.toUpperCase(), {})).to.equal(ROOM);
    expect(lineworksChannel.parseAddress('user:ops@example', {})).to.equal('user:ops@example');
    expect(() => lineworksChannel.parseAddress('ops', {})).to.throw(AddressError);
    expect(Object.keys(lineworksChannel.formatOf({ hooks }).options ?? {})).to.deep.equal([]);
    expect(Object.keys(lineworksChannel.formatOf({}).options ?? {})).to.deep.equal(['mention_on_error']);
  });
});
