/** What scripts see and do by the API, through the whole of Botbell. */
import { expect } from 'chai';
import { request } from 'undici';
import { basic } from '../support/admin-world.ts';
import {
  type BridgeWorld,
  callback,
  createBridgeWorld,
  SLACK_TOKEN,
  SMTP_PASSWORD,
} from '../support/bridge-world.ts';
import { lockTable } from '../support/lock-table.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { until } from '../support/proof-wait.ts';

const PASSWORD = 'ADMIN-SECRET-pässword';
const METRICS_TOKEN = 'METRICS-SECRET-TOKEN';
const RECEIVER_TOKEN = 'RECEIVER-SECRET-TOKEN';

const CONFIG = `
receiver: { listen: '127.0.0.1:0' }
delivery: { attempts_per_request: 1, permanent_attempts: 0 }
display: { timezone: Asia/Tokyo }
routes:
  - bot_id: gone
    notify: [{ email: [gone@example.com] }]
  - bot_id: ops
    notify: [{ slack: '#ops' }]
`;

type Json = Readonly<Record<string, unknown>>;

describe('The API of a running Botbell', () => {
  let world: BridgeWorld;

  beforeEach(async () => {
    world = await createBridgeWorld(CONFIG);
  });

  afterEach(() => world.close());

  const ask = async (what: string, headers: Record<string, string> = {}, body?: unknown) => {
    const [method = '', path = ''] = what.split(' ');
    const answer = await request(`http://127.0.0.1:${world.app.admin?.port}${path}`, {
      method: method as 'GET',
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    const isJson = String(answer.headers['content-type']).includes('json');
    const json = isJson ? (JSON.parse(text) as Json) : {};
    return { status: answer.statusCode, headers: answer.headers, text, json };
  };
  const itemsOf = ({ json }: { json: Json }) => json['items'] as Json[];
  const firstDelivery = (found: Json | undefined) => (found?.['deliveries'] as Json[] | undefined)?.[0];
  const refuseMail = (times: number) =>
    world.mail.faults.push({
      at: 'rcpt',
      does: 'refuse',
      code: 550,
      text: '5.1.1 no such user',
      address: 'gone@example.com',
      times,
    });
  const mails = () => world.mail.mails.map(({ to }) => to.join());
  const eventsOf = async (id: unknown) => {
    const { json } = await ask(`GET /api/callbacks/${String(id)}`);
    return (json['timeline'] as Json[]).map(({ what, text }) => `${String(what)}: ${String(text)}`);
  };

  it('delivers a dead letter again, once however often it is asked for at once, and says in its story who asked', async () => {
    refuseMail(1);
    expect((await world.post(callback({ bot_id: 'gone' }))).body.result).to.equal('gave_up');
    const [found] = itemsOf(await ask('GET /api/callbacks?state=dead'));
    const delivery = firstDelivery(found);
    expect(delivery).to.deep.include({ destination: 'email:gone@example.com', state: 'dead' });
    const again = `POST /api/deliveries/${String(delivery?.['id'])}/redeliver`;
    const answers = await Promise.all([1, 2, 3].map(() => ask(again)));
    expect(answers[0]?.status).to.equal(202);
    for (const { status } of answers) expect(status).to.be.oneOf([202, 409]);
    await until('the mail', () => mails().length > 0);
    await until(
      'the story',
      async () => (await eventsOf(found?.['id'])).at(-1)?.startsWith('delivered') ?? false,
    );
    const redelivered = (await eventsOf(found?.['id'])).find((event) => event.startsWith('redelivered'));
    expect(redelivered).to.include('127.0.0.1');
    expect(mails()).to.deep.equal(['gone@example.com']);
    expect((await ask(again)).status).to.equal(409);
  });

  it('tells who was told nothing, once the config is mended and the callback routed anew', async () => {
    const posted = await world.post(callback({ bot_id: 'new', job_id: 'job of new' }));
    expect(posted.body.result).to.equal('no_route');
    const [found] = itemsOf(await ask('GET /api/callbacks?result=no_route'));
    const route = `POST /api/callbacks/${String(found?.['id'])}/route`;
    expect((await ask(route)).json['told']).to.deep.equal([]);
    await world.swap((yaml) =>
      yaml.replace('routes:', "routes:\n  - { bot_id: new, notify: [{ slack: '#log' }] }"),
    );
    expect((await ask(route)).json['told']).to.deep.equal(['slack:#log']);
    await until('the message', () => world.slack.messages.length > 0);
    expect((await ask(route)).json).to.deep.include({ told: [], untouched: ['slack:#log'] });
    expect((await eventsOf(found?.['id'])).join('\n')).to.include('routed anew: ');
  });

  it('redelivers all that a filter matches, and dismisses the rest', async () => {
    refuseMail(5);
    for (let number = 0; number < 5; number += 1)
      await world.post(callback({ bot_id: 'gone', job_id: `bulk ${number}` }));
    const filter = 'bot_id=gone&state=dead&error_code=550';
    const dry = await ask(`POST /api/redeliver?${filter}&dry_run=true`);
    expect([dry.status, dry.json['messages'], dry.json['destinations']]).to.deep.equal([
      200,
      5,
      [{ destination: 'email:gone@example.com', messages: 5 }],
    ]);
    expect(mails()).to.deep.equal([]);
    const started = await ask(`POST /api/redeliver?${filter}`);
    expect(started.status).to.equal(202);
    const job = `GET ${String(started.headers['location'])}`;
    await until('all of it', async () => (await ask(job)).json['delivered'] === 5);
    expect(mails()).to.have.length(5);
    expect((await ask(job)).json).to.include({ state: 'done', given: 5, dead: 0, pending: 0 });
    expect((await ask('POST /api/redeliver?bot_id=gone&dry_run=true')).json['messages']).to.equal(0);
    refuseMail(1);
    await world.post(callback({ bot_id: 'gone' }));
    const [dead] = itemsOf(await ask('GET /api/callbacks?state=dead'));
    const delivery = firstDelivery(dead);
    const dismiss = `POST /api/deliveries/${String(delivery?.['id'])}/dismiss`;
    expect((await ask(dismiss)).status).to.equal(202);
    expect(itemsOf(await ask('GET /api/callbacks?state=dead'))).to.deep.equal([]);
  });

  it('really sends a test, and says what the remote answered', async () => {
    const { status, json } = await ask('POST /api/test', {}, { destination: 'slack:#ops' });
    expect([status, json['delivered']]).to.deep.equal([200, true]);
    expect(world.slack.messages).to.have.length(1);
  });

  it('says no secret in any answer, nor does the page', async () => {
    await world.restart((yaml) =>
      yaml
        .replace(
          "admin: { listen: '127.0.0.1:0' }",
          `admin: { listen: '127.0.0.1:0', password: '${PASSWORD}', metrics_token: '${METRICS_TOKEN}' }`,
        )
        .replace(
          "listen: '127.0.0.1:0' }\ndelivery",
          `listen: '127.0.0.1:0', token: '${RECEIVER_TOKEN}' }\ndelivery`,
        ),
    );
    // What a remote or a library repeats of them.
    const text = `5.7.8 ${SMTP_PASSWORD} ${SLACK_TOKEN} ${RECEIVER_TOKEN}`;
    world.mail.faults.push({ at: 'rcpt', does: 'refuse', code: 550, text, address: 'gone@example.com' });
    const url = `http://127.0.0.1:${world.app.receiver.port}/callbacks/${RECEIVER_TOKEN}`;
    for (const body of [JSON.stringify(callback({ bot_id: 'gone', job_id: 'j' })), 'nonsense'])
      await request(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const right = basic(`admin:${PASSWORD}`);
    const page = { ...right, accept: 'text/html' };
    const test = { destination: 'email:gone@example.com' };
    const answers = [
      await ask('POST /api/test', right, test),
      ...(await Promise.all(
        [
          '/callbacks',
          '/callbacks/1',
          '/callbacks/1/body',
          '/refused',
          '/bots',
          '/bots/gone',
          '/redeliveries',
        ].map((path) => ask(`GET /api${path}`, right)),
      )),
      ...(await Promise.all(
        [
          '/',
          '/bots/gone',
          '/callbacks',
          '/callbacks/1',
          '/callbacks?job_id=j',
          '/dead',
          '/refused',
          '/destinations',
          '/config',
          '/playground?callback=1',
          '/deliveries/1/message',
        ].map((path) => ask(`GET ${path}`, page)),
      )),
      await ask('GET /metrics', { authorization: `Bearer ${METRICS_TOKEN}` }),
      await ask('POST /-/reload', right),
      await ask('POST /-/reload?dry_run=true', right),
      await ask('GET /', { ...basic('admin:wrong'), accept: 'text/html' }),
    ];
    expect(answers.slice(0, -1).map(({ status }) => status)).to.deep.equal(
      Array(answers.length - 1).fill(200),
    );
    expect(JSON.stringify(answers)).to.include('5.7.8');
    for (const secret of [SLACK_TOKEN, SMTP_PASSWORD, PASSWORD, METRICS_TOKEN, RECEIVER_TOKEN])
      expect(JSON.stringify(answers)).not.to.include(secret);
  });

  describe('while the ledger’s reader hangs', () => {
    let server: PostgresServer;

    before(async () => {
      server = await startPostgres();
    });

    after(() => server.close());

    it('says so, and callbacks are delivered and answered as ever', async () => {
      const url = await server.createDatabase();
      await world.restart((yaml) => yaml.replace(/sqlite:[^']*/, url));
      const unlock = await lockTable(url, 'refused');
      try {
        const hung = Array.from({ length: 20 }, () => ask('GET /api/refused'));
        const posts = await Promise.all(
          Array.from({ length: 10 }, () => world.post(callback({ bot_id: 'ops' }))),
        );
        expect(posts.map(({ body }) => body.result)).to.deep.equal(Array(10).fill('delivered'));
        const answers = await Promise.all(hung);
        expect(answers.map(({ status }) => status)).to.deep.equal(Array(20).fill(503));
        expect(answers.every(({ headers }) => headers['retry-after'] !== undefined)).to.equal(true);
        expect((await ask('GET /healthz')).status).to.equal(200);
      } finally {
        await unlock();
      }
      await until('the reader', async () => (await ask('GET /api/refused')).status === 200);
    });
  });
});
