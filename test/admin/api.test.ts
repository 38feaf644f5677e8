/** What scripts can ask of the API and have done by it: `api.json`, which `UPDATE_MESSAGES=1` writes anew. Each answer is as docs/openapi.yaml says. */
import { join } from 'node:path';
import { expect } from 'chai';
import { SIGN_WORDS } from '../../src/incident/incident.ts';
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { anew } from '../support/anew.ts';
import { expectMessages } from '../support/expected-messages.ts';
import { openOffice } from '../support/office.ts';
import { faultIn } from '../support/openapi.ts';
import { target } from '../support/recorded.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** In this order: later ones see what earlier ones have done. */
const REQUESTS: readonly (readonly [what: string, body?: object])[] = [
  ['GET /healthz'],
  ['GET /readyz'],
  ['GET /api/callbacks?bot_id=monthly-report&limit=1'],
  ['GET /api/callbacks?bot_id=price-watch&limit=1&before=3'],
  ['GET /api/callbacks?state=held'],
  ['GET /api/callbacks/133'],
  ['GET /api/callbacks/133/body'],
  ['GET /api/bots?after=nightly-report'],
  ['GET /api/bots?search=REPORT&limit=1'],
  ['GET /api/bots/newsletter'],
  ['GET /api/report?from=2026-11-10&to=2026-11-12&bot_id=get_items'],
  ['GET /api/report?month=2026-11&bot_id=invoice-import'],
  ['GET /api/refused?limit=1'],
  ['GET /api/refused?before=2'],
  ['GET /api/snoozes?limit=1'],
  ['GET /api/snoozes?before=2'],
  ['GET /api/redeliveries'],
  ['GET /api/redeliveries/1'],
  ['POST /api/redeliver?state=dead&error_code=is_archived&from=3d&dry_run=true'],
  ['POST /api/redeliver?state=dead'],
  ['POST /api/dismiss?state=dead&dry_run=false'],
  ['POST /api/redeliveries/4/stop'],
  ['POST /api/deliveries/95/dismiss'],
  ['POST /api/deliveries/95/redeliver'],
  ['POST /api/deliveries/96/redeliver'],
  ['POST /api/deliveries/96/redeliver?again=true'],
  ['POST /api/deliveries/96/dismiss'],
  ['POST /api/callbacks/133/route'],
  ['POST /api/test', { destination: 'slack:#shop' }],
  ['POST /api/test', { destination: 'slack:#shopp' }],
  ['POST /api/snoozes', { bot_id: 'get_items', until: 'tomorrow', because: 'x', by: 'ayumi' }],
  ['POST /api/snoozes', { bot_id: 'get_items', until: 'tomorrow', why: 'x' }],
  ['DELETE /api/snoozes/3'],
  ['DELETE /api/snoozes/3'],
  ['GET /api/incidents?limit=1'],
  ['GET /api/incidents?state=open&kind=destination'],
  ['GET /api/incidents?destination=slack:#shop'],
  ['POST /api/incidents/6/take-up', { by: 'kenji', because: 'the VPN', quiet: true }],
  ['POST /api/incidents/take-up', { ids: [6, 11, 1], by: 'ayumi' }],
  ['POST /api/incidents/take-up', { ids: [6, 11, 1] }],
  ['POST /api/incidents/take-up', { ids: [6], whose: 'x' }],
  ['POST /api/incidents/take-up', { ids: ['6'], by: 'x' }],
  ['DELETE /api/incidents/6/take-up'],
  ['POST /api/incidents/6/close'],
  ['POST /api/incidents/6/close'],
  ['POST /api/incidents/6/take-up', { by: 'kenji' }],
  ['GET /api/incidents?bot_id=get_items'],
  ['POST /-/reload?dry_run=true'],
  ['POST /-/reload'],
  ['GET /api/callbacks?state=pending&limit=1'],
  ['GET /api/callbacks?kind=missed'],
  ['GET /api/bots?limit=1'],
  // The next page of one that ends with a BOT whose id is ''.
  ['GET /api/bots?after=&limit=1'],
];

const REFUSED: Readonly<Record<number, readonly string[]>> = {
  400: [
    'GET /api/callbacks?nobody_reads=this&kind=error',
    'GET /api/callbacks/1?x=1',
    'GET /api/redeliveries?limit=1',
    'GET /api/redeliveries/1?x=1',
    'GET /api/refused?limit=-1',
    'GET /api/bots?days=0',
    'GET /api/report?month=2026-13&form=csv',
    'GET /api/report?from=yesterday&to=&format=pdf',
    'GET /api/report?month=2026-11&from=2026-11-01',
    'GET /api/bots/a?since=1',
    'POST /api/callbacks/1/route?dry_run=true',
    'POST /api/deliveries/1/redeliver?agian=true',
    'POST /api/deliveries/1/redeliver?again=true&again=true',
    'POST /api/deliveries/1/dismiss?again=true',
    'POST /api/redeliveries/1/stop?x=1',
    'POST /api/test?destination=a',
    'POST /-/reload?dryrun=true',
    'POST /-/reload?dry_run',
    'POST /api/redeliver',
    'POST /api/redeliver?state=delivered',
    'POST /api/redeliver?state=dead&limit=5',
    'POST /api/redeliver?state=dead&dry_run=yes',
    'POST /api/redeliver?state=dead&bot_id=',
    'POST /api/dismiss?stat=dead&bot=x&from=tomorrow&dry_run=1',
  ],
  404: [
    'GET /api/callbacks/999999',
    'GET /api/callbacks/999999/body',
    'GET /api/callbacks/x',
    'GET /api/callbacks/99999999999999999999',
    'GET /api/bots/nobody',
    'GET /api/bots/%00',
    'GET /api/redeliveries/99',
    'GET /api/nothing',
    'POST /api/deliveries/99999/redeliver',
  ],
  405: [
    'POST /api/callbacks',
    'DELETE /api/callbacks/1',
    'GET /api/deliveries/1/redeliver',
    'PUT /api/test',
    'OPTIONS /api/bots',
    'POST /healthz',
    'POST /metrics',
    'GET /-/reload',
  ],
};

describe('The API of an office', () => {
  const world = anew(() => openOffice());

  afterEach(() => expect(world.unforeseen).to.deep.equal([]));

  const ask = async (what: string, body?: string, headers: Readonly<Record<string, string>> = JSON_TYPE) => {
    const answer = await world.ask(what, body === undefined ? {} : { headers, body });
    expect(faultIn(what, answer), `${what}: ${answer.body.slice(0, 500)}`).to.equal(undefined);
    return answer;
  };

  it('answers with what there is and what has come of it, and hands on who asked', async () => {
    const answers: Record<string, unknown> = {};
    for (const [index, [what, body]] of REQUESTS.entries()) {
      const text = body && JSON.stringify(body);
      const { status, headers, json } = await ask(what, text);
      const { location, 'cache-control': keeping } = headers;
      expect(keeping, what).to.equal('no-store');
      const isBegun = location !== undefined;
      answers[`${index} ${what} ${text ?? ''}`.trim()] = { status, ...(isBegun && { location }), json };
    }
    const done = world.done.map((act) => {
      if ('cause' in act) return `${act.what}: ${act.cause}`;
      expect(act.actor).to.include({ via: 'api', from: '127.0.0.1' });
      return `${act.what} ${act.subject}: ${act.result} ${act.actor?.user ?? ''}`.trim();
    });
    await expectMessages(join(import.meta.dirname, 'api.json'), { ...answers, done });
  });

  it('gives a report as a file for spreadsheets', async () => {
    const { status, headers, body } = await ask('GET /api/report?month=2026-11&format=csv');
    expect(status).to.equal(200);
    expect(headers['content-disposition']).to.equal('attachment; filename="botbell-2026-11.csv"');
    expect(body).to.match(/^from,to,bot_id,[^]*,invoice-import,請求書取込BOT,14,/);
  });

  it('gives incidents of every sign, also of a store that was back before a callback came', async () => {
    for (const sign of Object.keys(SIGN_WORDS))
      await world.recorded.incident(`kind = 'botbell', sign = '${sign}', count = 0, over_at = 2`);
    const { json } = await ask('GET /api/incidents?state=over&kind=botbell');
    const given = (json as { items: { sign: string }[] }).items.map(({ sign }) => sign);
    expect(given).to.have.members(Object.keys(SIGN_WORDS));
  });

  it('refuses what nobody reads and what is not there, names each parameter, and does nothing', async () => {
    const refused: Record<string, unknown> = {};
    for (const [status, requests] of Object.entries(REFUSED))
      for (const what of requests) {
        const { status: answered, headers, json } = await ask(what);
        expect(answered, what).to.equal(Number(status));
        expect(headers['content-type'], what).to.equal('application/problem+json');
        const errors = json['errors'] as readonly { parameter: string; detail: string }[] | undefined;
        const named = errors?.map(({ parameter, detail }) => `${parameter} ${detail}`).join('; ');
        refused[`${status} ${what}`] = headers['allow'] ?? named ?? json['detail'];
      }
    await expectMessages(join(import.meta.dirname, 'api-refused.json'), refused);
    expect(world.done).to.have.length(1);
    expect(world.done[0]).to.include({ result: 'unknown' });
  });

  it('refuses a body that is no JSON object, is too large, lacks what is needed, or says what nobody reads', async () => {
    const right = '{"destination": "slack:#shop"}';
    const type = (text: string) => ({ 'content-type': text });
    for (const [status, body, headers] of [
      [400, right.slice(0, -1)],
      [400, '"x"'],
      [400, right.replace('}', ', "reason": "x"}')],
      [400, '{}'],
      [413, ' '.repeat(129 * 1024)],
      [415, 'destination=x', type('application/x-www-form-urlencoded')],
      [200, right, type('application/json; charset=utf-8')],
    ] as const)
      expect((await ask('POST /api/test', body, headers)).status, body.slice(0, 50)).to.equal(status);
    expect(world.done).to.have.length(1);
  });

  it('takes up at once all that may be open of one cause', async () => {
    const statusOf = async (count: number) => {
      const ids = Array.from({ length: count }, (_, nth) => nth + 1);
      return (await ask('POST /api/incidents/take-up', JSON.stringify({ ids, by: 'kenji' }))).status;
    };
    expect([await statusOf(10_000), await statusOf(10_001)]).to.deep.equal([202, 400]);
  });

  it('says with which config it goes on once another one is loaded', async () => {
    const said = { warnings: [], unchanged: ['a.b'] };
    const loaded = { isLoaded: true, hasChanged: true, configHash: 'c0ffee', ...said };
    Object.assign(world.services.reloading, { reload: () => Promise.resolve(loaded) });
    const { status, json } = await ask('POST /-/reload');
    expect([status, json]).to.deep.equal([200, { result: 'reloaded', config: 'c0ffee', ...said }]);
  });

  it('gives a callback to the letter, a large one at an address of its own alone', async () => {
    const body = '{"code": 1e2, "job_id":"a","big":12345678901234567890123,"x":[1.50,"</script>"]}';
    const small = await world.recorded.arrive({}, [], { body: Buffer.from(body) });
    expect((await ask(`GET /api/callbacks/${small.callbackId}`)).body).to.include(`"callback":${body}`);
    const large = JSON.stringify({ message: 'x'.repeat(1_100_000) });
    const { callbackId } = await world.recorded.arrive({ job_id: 'large' }, [], { body: Buffer.from(large) });
    const { json } = await ask(`GET /api/callbacks/${callbackId}`);
    expect(json).to.include({ callback: null, callback_url: `/api/callbacks/${callbackId}/body` });
    expect((await world.ask(`GET ${String(json['callback_url'])}`)).body).to.equal(large);
    const alerted = `${small.callbackId}, 1, 'alerted', '{"alertId":${callbackId},"who":[]}'`;
    await world.store.run(`insert into history (callback_id, at, what, entry) values (${alerted})`);
    const { alerts } = (await ask(`GET /api/callbacks/${small.callbackId}`)).json;
    expect(alerts, 'what is about it').to.deep.equal([callbackId]);
  });

  it('cleans what strangers wrote where it stands in lists, and finds it as it is shown there', async () => {
    const naughty = [
      '</script><script>alert(1)</script>',
      'a\u0000b\u202ec\u2028d\ufeff',
      '\ud800 alone',
      '__proto__',
      '🏴󠁧󠁢󠁳󠁣󠁴󠁿👩‍👩‍👧‍👦 ﷽ 𝕫 /?#&',
      '\u0301'.repeat(500),
      'x'.repeat(20_000),
    ];
    for (const text of naughty)
      await world.recorded.arrive({ job_id: text, bot_id: text, bot_name: text }, [target('slack:#shop')]);
    const { items } = (await ask(`GET /api/callbacks?limit=${naughty.length}`)).json;
    for (const item of items as readonly Readonly<Record<string, string>>[]) {
      const { job_id: jobId = '', bot_id: botId = '', bot_name: botName = '' } = item;
      expect(jobId + botId + botName).not.to.match(/[\u0000-\u0008\u202e\u2028\ufeff]/);
      const found = await ask(`GET /api/callbacks?job_id=${encodeURIComponent(jobId)}`);
      expect(found.json['items'], jobId).to.deep.equal([item]);
    }
    const bots = (await ask('GET /api/bots')).json['items'] as readonly { readonly bot_id: string }[];
    for (const { bot_id: id } of bots)
      expect((await ask(`GET /api/bots/${encodeURIComponent(id)}`)).json['bot_id']).to.equal(id);
  });

  it('answers 503 while the ledger cannot be read or written', async () => {
    const fails = () => Promise.reject(new LedgerUnavailable('disk /var/secret/path is gone'));
    const reads = { callbacks: fails, story: fails, bots: fails, refusals: fails, bulks: fails };
    Object.assign(world.services.archive, reads);
    Object.assign(world.services.people, { dismiss: fails });
    const reading = ['callbacks', 'callbacks/1', 'bots', 'refused', 'redeliveries'];
    for (const what of [...reading.map((path) => `GET /api/${path}`), 'POST /api/deliveries/1/dismiss']) {
      const { status, headers, body } = await ask(what);
      expect([status, headers['retry-after']], what).to.deep.equal([503, '5']);
      expect(body, what).not.to.include('secret');
    }
  });
});
