/** What scripts see and do by the API, through the whole of Botbell. */
import { expect } from 'chai';
import { request } from 'undici';
import { askerOf, basic } from '../support/admin-world.ts';
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
const PROXY_PASSWORD = 'p@ss:w0rd';

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

describe('The API of a running Botbell', () => {
  let world: BridgeWorld;

  beforeEach(async () => {
    world = await createBridgeWorld(CONFIG);
  });

  afterEach(() => world.close());

  const ask = (what: string, headers: Record<string, string> = {}, body?: unknown) =>
    askerOf(world.app.admin?.port ?? 0)(what, {
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  it('says no secret in any answer, nor does the page', async () => {
    await world.restart((yaml) =>
      yaml
        .replace(
          "admin: { listen: '127.0.0.1:0' }",
          `admin: { listen: '127.0.0.1:0', password: '${PASSWORD}', metrics_token: '${METRICS_TOKEN}' }`,
        )
        .replace('\nreceiver:', `\nproxy: 'http://bot:${encodeURIComponent(PROXY_PASSWORD)}@127.0.0.1:9'$&`)
        .replace(
          "listen: '127.0.0.1:0' }\ndelivery",
          `listen: '127.0.0.1:0', token: '${RECEIVER_TOKEN}' }\ndelivery`,
        ),
    );
    // What a remote or a library repeats of them.
    const text = `5.7.8 ${SMTP_PASSWORD} ${SLACK_TOKEN} ${RECEIVER_TOKEN} ${PROXY_PASSWORD}`;
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
    for (const secret of [
      SLACK_TOKEN,
      SMTP_PASSWORD,
      PASSWORD,
      METRICS_TOKEN,
      RECEIVER_TOKEN,
      PROXY_PASSWORD,
      encodeURIComponent(PROXY_PASSWORD),
    ])
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
