import { join } from 'node:path';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import type { ComposeContext } from '../../../src/channels/channel.ts';
import type { DeliveryFailure } from '../../../src/channels/failure.ts';
import { webhookChannel } from '../../../src/channels/webhook/channel.ts';
import { parseJson } from '../../../src/callback/decode.ts';
import { composeWebhook } from '../../../src/channels/webhook/compose.ts';
import { conditionFault } from '../../../src/render/condition.ts';
import { secretsHidden } from '../../../src/text/hide-secrets.ts';
import { isJsonObject } from '../../../src/text/json.ts';
import { answering, atStandIn, chatContract, HOURLY } from '../../contract/chat-contract.ts';
import { DIRECT, outgoingOf, problemIn } from '../../contract/channel-contract.ts';
import { plainCard } from '../../support/chat-cards.ts';
import type { ChatFault, ChatRequest } from '../../support/chat-stand-in.ts';
import { judgeBy } from '../../support/vendors.ts';

const SECRET = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
const OLD_SECRET = `whsec_${Buffer.from('fedcba9876543210fedcba9876543210').toString('base64')}`;
const HOOK = { secret: [OLD_SECRET, SECRET], headers: { 'X-Key': 'header-key-1234' } };
const settingsAt = (origin: string) => ({ hooks: { erp: { url: `${origin}/hooks/0a1b2c3d4e5f`, ...HOOK } } });

/** A receiver of Standard Webhooks: takes what another implementation of the specification verifies by each secret. */
const judge = (request: ChatRequest) => {
  const { answer, ...verdict } = judgeBy({
    path: /^\/hooks\/\w+$/,
    header: ['x-key', 'header-key-1234'],
    mostBytes: 256 * 1024,
    wrong: ({ type, timestamp, data, ...others }) => {
      const isRight = /^\w+(\.\w+)*$/.test(String(type)) && !Number.isNaN(Date.parse(String(timestamp)));
      return isRight && isJsonObject(data) && Object.keys(others).length === 0 ? undefined : 'its members';
    },
    taken: { status: 204 },
  })(request);
  const { method, body, headers } = request;
  try {
    for (const secret of method === 'GET' ? [] : [OLD_SECRET, SECRET])
      new Webhook(secret).verify(body, headers as Record<string, string>);
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

const messageOf = (callback: object | undefined, template = 'error', card = plainCard()) => {
  const context = { options: {}, isError: true, destination: 'webhook:erp', template, at: 1_795_000_000_000 };
  return composeWebhook(card, { ...context, callback } as ComposeContext).message;
};

describe('the channel webhook', () => {
  chatContract({
    messages: join(import.meta.dirname, 'messages.json'),
    type: webhookChannel,
    judge,
    settingsAt,
    address: 'erp',
    wrongAddresses: ['other', 'erp/1'],
    callback: CALLBACK as ComposeContext['callback'] & object,
    answers: [
      ['http_410', 'config', answering(410), HOURLY],
      ['http_400', 'config', answering(400)],
    ],
    refusalClass: 'config',
    limit: [3, answering(429, '', { 'retry-after': '30' }), 'address', 30_000],
  });

  it('sends the callback as it came, numbers as they were spelt and keys in their order, by one ID whatever the attempt', async () => {
    const callback =
      '"output":{"合計":"599","2":[1.10,-0],"1":{"2026":1,"2025":12345678901234567890}},"rate":1.0,"7":1e400';
    const { value } = parseJson(Buffer.from(`{${callback}}`));
    const outgoing = outgoingOf({ address: 'erp', message: messageOf(value as object) });
    const accepted = await atStandIn({ type: webhookChannel, judge, settingsAt }, async (channel, remote) => {
      for (let attempt = 0; attempt < 2; attempt += 1) await channel.send(outgoing);
      return remote.accepted;
    });
    expect(new Set(accepted.map(({ headers }) => headers['webhook-id'])).size).to.equal(1);
    expect(accepted[1]?.body).to.equal(
      `{"type":"bot.run.error","timestamp":"2026-11-18T11:06:40.000Z","data":{${callback},"status_name":"error","destination":"webhook:erp"}}`,
    );
  });

  it('tells what Botbell says by itself in the words of its card', () => {
    const card = plainCard({ summary: 'It could not be delivered' });
    const { type, data } = messageOf(undefined, 'dead_letter', card);
    expect(type).to.equal('botbell.dead_letter');
    expect(data).to.include({ summary: 'It could not be delivered', destination: 'webhook:erp' });
  });

  it('leaves the output out of what is larger than 256 KiB, and cuts texts where that is not enough', () => {
    const long = 'あ'.repeat(88_000);
    const { data } = messageOf({ ...CALLBACK, output: { long } });
    const { output: _, ...rest } = CALLBACK;
    const added = { truncated: true, status_name: 'error', destination: 'webhook:erp' };
    expect(data).to.deep.equal({ ...rest, ...added });
    const cut = messageOf({ ...CALLBACK, message: long, extra: long });
    expect(JSON.stringify(cut).length).to.be.below(10_000);
    expect(cut.data).to.include({ truncated: true, job_id: 'job-7' }).and.not.to.have.property('extra');
    const alert = messageOf(undefined, 'summary', plainCard({ text: long }));
    expect(JSON.stringify(alert).length).to.be.below(10_000);
    expect(alert.data).to.include({ truncated: true, title: plainCard().title, destination: 'webhook:erp' });
  });

  it('hides its secrets however a remote quotes them: the URL whole, its keys as written or decoded, a header without its scheme, a credential in a body of its own; no other word', () => {
    const url = 'https://erp.example/in/ab%2Fcd%21efghijk1(x)?from=production-1&k=a%20b%2Fsecret%21key(1)';
    const known = { 'X-Env': 'production-eu1', 'X-Component': 'invoice-bot2' };
    const words = { parse_mode: 'MarkdownV2', source: ['prod-server01', { component: 'invoice-bot2' }] };
    const server = 'prod-server01';
    const ids = { dedup_key: server, threadKey: server, token: `{{ job_id }}-${server}` };
    const keysIn = { routing_key: 'key-of-body-1', auth: [{ apiToken: ['token-of-body-2'] }] };
    const headers = { Authorization: 'Bearer key-of-erp-9', ...known };
    const erp = { url, headers, body: { ...keysIn, ...words, ...ids } };
    const hide = secretsHidden(webhookChannel.secretsOf({ hooks: { erp } }));
    const keys = ['ab%2Fcd%21efghijk1(x)', 'a%20b%2Fsecret%21key(1)'];
    const quoted = [url, ...keys, ...keys.map(decodeURIComponent), 'key-of-erp-9', 'key-of-body-1'];
    for (const each of [...quoted, 'token-of-body-2']) expect(hide(`<${each}>`)).to.equal('<[secret]>');
    const others = 'invoice-bot2 prod-server01-77 MarkdownV2 production-eu1';
    expect(hide(others)).to.equal(others);
  });

  it('refuses secrets and headers that would not do, and says that nothing is signed without a secret', () => {
    const unsigned = { url: 'https://erp.example/' };
    const isValid = (hook: object) =>
      webhookChannel.settings.isValidSync({ hooks: { erp: { ...unsigned, ...hook } } }, { strict: true });
    expect(isValid({})).to.equal(true);
    const short = `whsec_${Buffer.from('short').toString('base64')}`;
    for (const wrong of [{ secret: 'abc' }, { secret: [short] }, { other: 1 }])
      expect(isValid(wrong), JSON.stringify(wrong)).to.equal(false);
    for (const name of ['Content-Type', 'webhook-id', 'Expect', 'Upgrade', 'not ok'])
      expect(isValid({ headers: { [name]: 'a' } }), name).to.equal(false);
    expect(isValid({ headers: { ok: 'a\nb' } })).to.equal(false);
    const [warning] = webhookChannel.warningsOf({ hooks: { erp: unsigned } });
    expect(warning?.fault.in('en')).to.match(/nothing is signed/);
  });

  for (const [ok, answer, becomes] of [
    ['answer.errcode == 0', answering(200, { errcode: 0 }), 'taken'],
    ['answer.errcode == 0', answering(200, { errcode: 310_000, errmsg: 'no keyword' }), 'config not_ok'],
    ['answer.errcode == 0', answering(200, 'ok'), 'config not_ok'],
    ['answer.ok == true', answering(200, { ok: false, error: 'channel_not_found' }), 'config not_ok'],
    ['answer[0].code == 0', answering(200, [{ code: '0' }]), 'taken'],
    ['status == 302', answering(302, '<html>moved'), 'taken'],
    ['status == 302', answering(200, '<html>sign in'), 'config not_ok'],
    ['status == 302 or status == 409', answering(409), 'taken'],
    ['answer.code == 0', answering(429, { code: 9 }), 'rate_limited http_429'],
    ['answer.code == 0', answering(503), 'transient http_503'],
    ['answer.code == 0', answering(302), 'config, may have arrived http_302'],
    ['answer.code == 0', { kind: 'cut', status: 200 }, 'transient, may have arrived not_ok'],
    ['status < 300', { kind: 'cut', status: 200 }, 'taken'],
  ] as const satisfies readonly (readonly [string, ChatFault, string])[])
    it(`is ${becomes} where ok is "${ok}": ${JSON.stringify(answer)}`, async () => {
      const settings = (origin: string) => ({ hooks: { erp: { ...settingsAt(origin).hooks.erp, ok } } });
      const failed = ({ class: of, mayHaveArrived, code }: DeliveryFailure) =>
        `${of}${mayHaveArrived ? ', may have arrived' : ''} ${code}`;
      await atStandIn({ type: webhookChannel, judge, settingsAt: settings }, async (channel, remote) => {
        remote.faults.push(answer);
        const sent = channel.send(outgoingOf({ address: 'erp', message: messageOf(CALLBACK) }));
        expect(await sent.then(() => 'taken', failed)).to.equal(becomes);
      });
    });

  it('refuses a condition that cannot be meant, and asks for one where a host answers 200 also to what it refuses', () => {
    const faultOf = (ok: string) =>
      problemIn(webhookChannel, { hooks: { erp: { url: 'https://erp.example/', ok } } }, { conditionFault });
    expect(faultOf('answer.errcode == 0 and status < 300')).to.equal(undefined);
    expect(faultOf('anser.errcode == 0')).to.match(/^hooks\.erp\.ok is wrong: .*did you mean "answer"/);
    expect(faultOf('status ==')).to.match(/^hooks\.erp\.ok is wrong: a condition is/);
    const warned = (url: string, more = {}) => {
      const hooks = { erp: { url, secret: SECRET, ...more } };
      return webhookChannel
        .warningsOf({ hooks })
        .map((one) => one.fault.in('en'))
        .join();
    };
    expect(warned('https://oapi.dingtalk.com/robot/send')).to.match(/ok: "answer\.errcode == 0"/);
    expect(warned('https://script.google.com/macros/s/x/exec')).to.match(/ok: "status == 302"/);
    expect(warned('https://oapi.dingtalk.com/robot/send', { ok: 'answer.errcode == 0' })).to.equal('');
    expect(warned('https://hooks.slack.com/services/T/B/x')).to.equal('');
  });

  it('has a call for each hook, however many others of its channel do not answer', async () => {
    const channel = await webhookChannel.open(settingsAt('https://erp.example'), DIRECT);
    const hung = Array.from({ length: 30 }, async (_, n) => channel.turn?.(0, `hook${n}`));
    expect(await Promise.all(hung)).to.not.include(undefined);
    await channel.close();
  });
});
