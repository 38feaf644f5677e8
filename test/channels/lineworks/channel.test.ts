import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ComposeContext } from '../../../src/channels/channel.ts';
import type { Card } from '../../../src/channels/card.ts';
import { lineworksChannel, lineworksHooks } from '../../../src/channels/lineworks/channel.ts';
import { lineworksBot } from '../../../src/channels/lineworks/bot.ts';
import { answering, chatContract } from '../../contract/chat-contract.ts';
import { DIRECT, failureOf, outgoingOf, problemIn } from '../../contract/channel-contract.ts';
import { cardWith, outputWith } from '../../support/cards.ts';
import { plainCard } from '../../support/chat-cards.ts';
import { startChatStandIn } from '../../support/chat-stand-in.ts';
import { judgeBy, type Limits } from '../../support/vendors.ts';
import { judgeLineworks } from './login.ts';

const rsaKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const pemOf = ({ privateKey }: ReturnType<typeof rsaKey>) =>
  privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const KEYS = rsaKey();
const APP = {
  clientId: 'client-1',
  clientSecret: 'client-secret-1',
  account: 'abc.serviceaccount@example',
  publicKey: KEYS.publicKey,
};
const ROOM = '0a1b2c3d-1111-2222-3333-444455556666';
const HOOKS = { ops: 'https://webhook.worksmobile.com/message/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9' };

const refusal = (status: number, code: string, headers = {}) => answering(status, { code }, headers);
const UNAUTHORIZED = refusal(401, 'UNAUTHORIZED');
const LOGGED_IN = Promise.resolve();

const settingsAt = (origin: string) => ({
  client_id: APP.clientId,
  client_secret: APP.clientSecret,
  service_account: APP.account,
  // As variables of the environment often have it.
  private_key: pemOf(KEYS).replaceAll('\n', '\\n'),
  bot_id: '1234567',
  auth_url: origin,
  api_url: origin,
});

/** developers.worksmobile.com: the Incoming Webhook app */
const LIMITS: Limits = {
  path: /^\/message\/[0-9a-f-]{36}$/,
  most: { title: 100, 'body.text': 1000, 'button.label': 20 },
  texts: [[/./, [], /<\s*\/?\s*m/i]],
  taken: { status: 200 },
};

describe('the channel LINE WORKS, by a bot', () => {
  const tokens = new Set<string>();
  const judge = judgeLineworks(APP, tokens);
  const message = { content: { type: 'text', text: 'hello' } };

  async function opened(settings: object = {}) {
    tokens.clear();
    const remote = await startChatStandIn(judgeLineworks(APP, tokens));
    const channel = await lineworksChannel.open({ ...settingsAt(remote.origin), ...settings }, DIRECT);
    const close = async () => {
      await channel.close();
      await remote.close();
    };
    return { ...channel, remote, close };
  }

  chatContract({
    messages: join(import.meta.dirname, 'messages.json'),
    leastRows: 25,
    type: lineworksChannel,
    judge,
    settingsAt,
    address: ROOM,
    addresses: { [ROOM.toUpperCase()]: ROOM, 'user:ops@example': 'user:ops@example' },
    wrongAddresses: ['ops', ROOM.slice(1), 'user:'],
    mention: { called: ['ops@example', 'all'], written: '"<m userId=\\"ops@example\\"> <m userId=\\"all' },
    answers: [
      // The first and the third are of the message, the second is of the login between them.
      ['UNAUTHORIZED', 'config', [UNAUTHORIZED, { kind: 'delay', until: () => LOGGED_IN }, UNAUTHORIZED]],
      ['NOT_FOUND', 'config', refusal(404, 'NOT_FOUND')],
      ['ACCESS_DENIED', 'config', refusal(403, 'ACCESS_DENIED')],
      ['TOO_MANY_REQUESTS', 'rate_limited', refusal(429, 'TOO_MANY_REQUESTS'), { retryAfterMs: 60_000 }],
    ],
    cardRefused: { fault: answering(400), code: 'http_400' },
    limit: [4, refusal(429, 'TOO_MANY_REQUESTS', { 'ratelimit-reset': '20' }), 'channel', 20_000],
  });

  it('fetches a token once for many messages, and anew where it is no longer taken', async () => {
    const channel = await opened();
    for (let count = 0; count < 3; count += 1) await channel.send(outgoingOf({ address: ROOM, message }));
    expect(tokens.size).to.equal(1);
    tokens.clear();
    await channel.send(outgoingOf({ address: 'user:ops@example', message }));
    expect(tokens.size).to.equal(1);
    const { path } = channel.remote.accepted.at(-1) ?? {};
    expect(path).to.equal('/v1.0/bots/1234567/users/ops%40example/messages');
    await channel.close();
  });

  it('quotes an answer without the token that it repeats', async () => {
    const channel = await opened();
    await channel.verify();
    const [token = ''] = tokens;
    channel.remote.faults.push(answering(403, { message: `${token} is not allowed` }));
    const { message: words } = await failureOf(channel.send(outgoingOf({ address: ROOM, message })));
    expect(words).to.contain('is not allowed').and.not.contain(token);
    await channel.close();
  });

  it('fails as config where the login refuses the app, and pauses the channel for five minutes, then for twice as long', async () => {
    for (const [code, settings] of Object.entries({
      invalid_client: { client_secret: 'another-secret' },
      invalid_grant: { private_key: pemOf(rsaKey()) },
    })) {
      const channel = await opened(settings);
      for (const minutes of [5, 10]) {
        const failure = await failureOf(channel.send(outgoingOf({ address: ROOM, message })));
        const paused = { concerns: 'channel', retryAfterMs: minutes * 60_000 };
        expect(failure).to.include({ class: 'config', code, ...paused });
        expect(failure.message).to.contain(`in ${minutes} minutes, or after a reload`);
      }
      expect(await failureOf(channel.verify())).to.include({ code });
      await channel.close();
    }
  });

  it('says of a login that is answered amiss that nothing has arrived', async () => {
    const channel = await opened();
    channel.remote.faults.push(answering(200, '<!DOCTYPE html><title>Sign in</title>'));
    const send = () => failureOf(channel.send(outgoingOf({ address: ROOM, message })));
    const failure = await send();
    expect(failure).to.include({ class: 'config', code: 'http_200', mayHaveArrived: false });
    expect(failure.message).not.to.contain('may have arrived');
    channel.remote.faults.push(answering(200, { result: 'ok' }));
    expect((await send()).message).to.contain('has no access_token');
    await channel.close();
  });

  it('names the token server where that is not reached, which is another host than the one that takes messages', async () => {
    const gone = await startChatStandIn(judge);
    await gone.close();
    const channel = await opened({ auth_url: gone.origin });
    const failure = await failureOf(channel.send(outgoingOf({ address: ROOM, message })));
    expect(failure).to.include({ class: 'transient', code: 'ECONNREFUSED', mayHaveArrived: false });
    expect(failure.message).to.match(/^No answer from the token server of LINE WORKS: /);
    await channel.close();
  });

  it('names whom it may not mention, where a mention has the whole message refused', async () => {
    const channel = await opened();
    const options = { mention_on_error: ['gone@example'] };
    const composed = lineworksBot.format.compose(plainCard(), { isError: true, options } as never);
    await channel.verify();
    channel.remote.faults.push(refusal(400, 'INVALID_PARAMETER'));
    const receipt = await channel.send(outgoingOf({ address: ROOM, ...composed }));
    expect(receipt).to.include({ card_refused: 'INVALID_PARAMETER' });
    const { body } = channel.remote.accepted.at(-1) ?? {};
    expect(body).to.contain('"text":"@gone@example\\n❌').and.contain('job-7');
    await channel.close();
  });
});

describe('the channel LINE WORKS, by the Incoming Webhook app', () => {
  const bodyOf = (card: Card) =>
    lineworksHooks.format.compose(card, { options: {} } as ComposeContext).message.body;

  chatContract({
    messages: join(import.meta.dirname, 'hook-messages.json'),
    leastRows: 10,
    type: lineworksChannel,
    judge: judgeBy(LIMITS),
    settingsAt: (origin) => ({ hooks: { ops: `${origin}${new URL(HOOKS.ops).pathname}` } }),
    address: 'ops',
    wrongAddresses: ['other', ROOM],
    doubted: {
      'https://webhook.worksmobile.com/message/': /not the whole URL/,
      'https://webhook.worksmobile.com/': /not the whole URL/,
    },
    answers: [
      ['http_404', 'config', answering(404)],
      ['invalid_url', 'config', answering(400, { message: 'Invalid webhook URL' })],
      ['http_200', 'config', answering(200, '<!DOCTYPE html><title>Sign in</title>')],
      ['http_429', 'rate_limited', answering(429, '', { 'ratelimit-reset': '12' }), { retryAfterMs: 12_000 }],
    ],
    cardRefused: { fault: answering(400), code: 'http_400' },
    limit: [1, answering(429), 'channel', 30_000],
  });

  it('has what Botbell says itself whole where there is nothing beside it, and every output of a short card', () => {
    const text = 'What to do: fix the cause. '.repeat(30).trim();
    expect(bodyOf(cardWith({ tone: 'alert', text, message: '', facts: [] }))).to.deep.equal({ text });
    const outputs = Array.from({ length: 5 }, (_, index) => outputWith({ name: `Sum ${index}` }));
    expect(bodyOf(cardWith({ tone: 'succeeded', outputs, message: '' })).text).to.contain('Sum 4: 12');
  });

  it('loses of a list in its words the last items, whole, and says how many', () => {
    const items = Array.from({ length: 40 }, (_, index) => `• BOT ${index} · ${'failed '.repeat(5).trim()}`);
    const text = ['What happened:', ...items, 'What to do: mend it.'].join('\n');
    const lines = bodyOf(cardWith({ tone: 'alert', text, message: '', facts: [] })).text.split('\n');
    const shown = lines.filter((line) => line.startsWith('• '));
    expect(shown).to.have.length.within(10, 30).and.deep.equal(items.slice(0, shown.length));
    const rest = [`… ${40 - shown.length} more`, 'What to do: mend it.'];
    expect(lines.slice(shown.length + 1)).to.deep.equal(rest);
  });
});

describe('the settings of LINE WORKS', () => {
  it('are those of a bot or hooks, whole and not both', () => {
    const bot = settingsAt('https://auth.example');
    for (const right of [bot, { hooks: HOOKS }])
      expect(problemIn(lineworksChannel, right)).to.equal(undefined);
    const { bot_id: _, ...withoutBot } = bot;
    for (const [wrong, words] of [
      [{}, 'needs either hooks, or client_id'],
      [withoutBot, 'needs either'],
      [{ ...bot, hooks: HOOKS }, 'needs either'],
      [{ ...bot, private_key: 'no key' }, 'private_key'],
      [{ ...bot, client_secret: '' }, 'client_secret'],
      [{ ...bot, api_url: 'https://api.example/v1.0' }, 'api_url must be an origin'],
      [{ ...bot, auth_url: 'https://auth.example/oauth2/' }, 'auth_url must be an origin'],
      [{ hooks: {} }, 'hooks'],
      [{ hooks: HOOKS, typo: 1 }, 'typo'],
    ] as const)
      expect(problemIn(lineworksChannel, wrong)).to.contain(words);
  });

  it('decide whether somebody can be mentioned', () => {
    const optionsOf = (settings: object) => Object.keys(lineworksChannel.formatOf(settings).options ?? {});
    expect([{ hooks: HOOKS }, {}].map(optionsOf)).to.deep.equal([[], ['mention_on_error']]);
  });
});
