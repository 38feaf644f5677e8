import { join } from 'node:path';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import type { ComposeContext } from '../../../src/channels/channel.ts';
import { webhookChannel } from '../../../src/channels/webhook/channel.ts';
import { parseJson } from '../../../src/callback/decode.ts';
import { composeWebhook } from '../../../src/channels/webhook/compose.ts';
import { secretsHidden } from '../../../src/text/hide-secrets.ts';
import { isJsonObject } from '../../../src/text/json-object.ts';
import { answering, chatContract, HOUR_MS } from '../../contract/chat-contract.ts';
import { DIRECT, outgoingOf } from '../../contract/channel-contract.ts';
import { plainCard } from '../../support/chat-cards.ts';
import { type ChatRequest, startChatStandIn } from '../../support/chat-stand-in.ts';
import { judgeBy } from '../../support/vendors.ts';

const SECRET = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
const OLD_SECRET = `whsec_${Buffer.from('fedcba9876543210fedcba9876543210').toString('base64')}`;
const settingsAt = (origin: string) => ({
  hooks: {
    erp: {
      url: `${origin}/hooks/0a1b2c3d4e5f`,
      secret: [OLD_SECRET, SECRET],
      headers: { 'X-Key': 'header-key-1234' },
    },
  },
});

const verify = ({ body, headers }: ChatRequest, secret = SECRET) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

/** A receiver of Standard Webhooks: takes what another implementation of the specification verifies. */
const judge = (request: ChatRequest) => {
  const { answer, ...verdict } = judgeBy({
    path: /^\/hooks\/\w+$/,
    mostBytes: 256 * 1024,
    members: 'any',
    wrong: ({ type, timestamp, data, ...others }) => {
      const isRight = /^\w+(\.\w+)*$/.test(String(type)) && !Number.isNaN(Date.parse(String(timestamp)));
      return isRight && isJsonObject(data) && Object.keys(others).length === 0 ? undefined : 'its members';
    },
    taken: { status: 204 },
  })(request);
  try {
    if (request.method !== 'GET') verify(request);
    return { answer, ...verdict };
  } catch (error) {
    return { answer: { status: 400 }, refused: String(error) };
  }
};

const CALLBACK = {
  code: 200,
  job_id: 'job-7',
  bot_id: 'get_items',
  bot_name: '請求書BOT',
  status: 1,
  start_time: '2026-11-20T09:00:00+09:00',
  message: 'The page did not open',
  output: { 件数: '42', 商品: [{ 商品名: 'チーズケーキ' }], 一覧: '一覧.xlsx' },
};

const contextOf = (callback: object | undefined, name = 'error'): ComposeContext => ({
  options: {},
  isError: true,
  destination: 'webhook:erp',
  template: name,
  at: 1_795_000_000_000,
  callback: callback as ComposeContext['callback'],
});

const composeMessage = (...given: Parameters<typeof composeWebhook>) => composeWebhook(...given).message;

describe('the channel webhook', () => {
  chatContract({
    messages: join(import.meta.dirname, 'messages.json'),
    type: webhookChannel,
    judge,
    settingsAt,
    address: 'erp',
    callback: CALLBACK as ComposeContext['callback'] & object,
    failures: [
      ['it asks never to be called again', 'config', 'http_410', answering(410), { retryAfterMs: HOUR_MS }],
      ['it is under repair', 'config', 'http_400', answering(400)],
    ],
    refusalClass: 'config',
    limit: {
      most: 3,
      answer: { status: 429, headers: { 'retry-after': '30' } },
      concerns: 'address',
      retryAfterMs: 30_000,
    },
    textIn: ({ body }) => JSON.stringify(JSON.parse(body), null, 2),
  });

  it('hands on the callback as it came, with its status by name and the destination', () => {
    const { type, timestamp, data } = composeMessage(
      plainCard(),
      contextOf({ ...CALLBACK, own_field: [1, { a: null }] }),
    );
    expect({ type, timestamp }).to.deep.equal({
      type: 'bot.run.error',
      timestamp: '2026-11-18T11:06:40.000Z',
    });
    expect(data).to.deep.equal({
      ...CALLBACK,
      own_field: [1, { a: null }],
      status_name: 'error',
      destination: 'webhook:erp',
    });
  });

  it('sends numbers as they were spelt, and keys in their order, whole numbers too', async () => {
    const remote = await startChatStandIn(judge);
    const channel = await webhookChannel.open(settingsAt(remote.origin), DIRECT);
    const callback =
      '"output":{"合計":"599","2":[1.10,-0],"1":{"2026":1,"2025":12345678901234567890}},"rate":1.0,"7":1e400';
    const { value } = parseJson(Buffer.from(`{${callback}}`));
    const message = composeMessage(plainCard(), contextOf(value as object));
    await channel.send(outgoingOf({ address: 'erp', message }));
    await channel.close();
    await remote.close();
    expect(remote.accepted[0]?.body).to.contain(
      `"data":{${callback},"status_name":"error","destination":"webhook:erp"}`,
    );
  });

  it('tells what Botbell says by itself in the words of its card', () => {
    const { type, data } = composeMessage(
      plainCard({ summary: 'It could not be delivered' }),
      contextOf(undefined, 'dead_letter'),
    );
    expect(type).to.equal('botbell.dead_letter');
    expect(data).to.include({ summary: 'It could not be delivered', destination: 'webhook:erp' });
  });

  it('leaves the output out of what is larger than 256 KiB, and cuts texts where that is not enough', () => {
    const long = 'あ'.repeat(200_000);
    const { data } = composeMessage(plainCard(), contextOf({ ...CALLBACK, output: { long } }));
    const { output: _, ...rest } = CALLBACK;
    expect(data).to.deep.equal({
      ...rest,
      truncated: true,
      status_name: 'error',
      destination: 'webhook:erp',
    });
    const cut = composeMessage(plainCard(), contextOf({ ...CALLBACK, message: long, extra: long }));
    expect(JSON.stringify(cut).length).to.be.below(10_000);
    expect(cut.data).to.include({ truncated: true, job_id: 'job-7' }).and.not.to.have.property('extra');
    const alert = composeMessage(plainCard({ text: long }), contextOf(undefined, 'summary'));
    expect(JSON.stringify(alert).length).to.be.below(10_000);
    expect(alert.data).to.include({ truncated: true, title: plainCard().title, destination: 'webhook:erp' });
  });

  it('keeps the id over the attempts of one delivery, and signs each with its own time and with every secret', async () => {
    const remote = await startChatStandIn(judge);
    const channel = await webhookChannel.open(settingsAt(remote.origin), DIRECT);
    const message = composeMessage(plainCard(), contextOf(CALLBACK));
    for (let attempt = 0; attempt < 2; attempt += 1)
      await channel.send(outgoingOf({ address: 'erp', message }));
    await channel.close();
    await remote.close();
    expect(remote.refusals).to.deep.equal([]);
    expect(new Set(remote.accepted.map(({ headers }) => headers['webhook-id'])).size).to.equal(1);
    for (const request of remote.accepted) {
      expect(request.headers['x-key']).to.equal('header-key-1234');
      verify(request, OLD_SECRET);
    }
  });

  it('hides its secrets however a remote quotes them: the URL whole, its keys as written or decoded, a header without its scheme', () => {
    const url =
      'https://erp.example/in/ab%2Fcd%21efghijk1(x)?from=production-cluster-1&k=a%20b%2Fsecret%21key(1)';
    const hook = { url, headers: { Authorization: 'Bearer key-of-erp-9' } };
    const hide = secretsHidden(webhookChannel.secretsOf({ hooks: { erp: hook } }));
    const keys = ['ab%2Fcd%21efghijk1(x)', 'a%20b%2Fsecret%21key(1)'];
    for (const quoted of [url, ...keys, ...keys.map(decodeURIComponent), 'key-of-erp-9'])
      expect(hide(`<${quoted}>`)).to.equal('<[secret]>');
  });

  it('refuses secrets and headers that would not do, and says that nothing is signed without a secret', () => {
    const isValid = (hook: object) =>
      webhookChannel.settings.isValidSync(
        { hooks: { erp: { url: 'https://erp.example/', ...hook } } },
        { strict: true },
      );
    expect(isValid({})).to.equal(true);
    for (const wrong of [
      { secret: 'abc' },
      { secret: [`whsec_${Buffer.from('short').toString('base64')}`] },
      { headers: { 'Content-Type': 'text/plain' } },
      { headers: { 'webhook-id': '1' } },
      { headers: { Expect: '100-continue' } },
      { headers: { Upgrade: 'h2c' } },
      { headers: { ok: 'a\nb' } },
      { headers: { 'not ok': 'a' } },
      { other: 1 },
    ])
      expect(isValid(wrong), JSON.stringify(wrong)).to.equal(false);
    const [warning] = webhookChannel.warningsOf({ hooks: { erp: { url: 'https://erp.example/' } } });
    expect(warning?.message).to.match(/nothing is signed/);
  });
});
