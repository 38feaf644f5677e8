import { expect } from 'chai';
import { request } from 'undici';
import { anew, forAll } from '../support/anew.ts';
import { askerOf, basic } from '../support/admin-world.ts';
import { callback, createBridgeWorld, SLACK_TOKEN, SMTP_PASSWORD } from '../support/bridge-world.ts';
import { lockTable } from '../support/lock-table.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { until } from '../support/proof-wait.ts';

const PASSWORD = 'ADMIN-SECRET-pässword';
const METRICS_TOKEN = 'METRICS-SECRET-TOKEN';
const RECEIVER_TOKEN = 'RECEIVER-SECRET-TOKEN';
const PROXY_PASSWORD = 'p@ss:w0rd';

const OF_LISTENERS = [PASSWORD, METRICS_TOKEN, RECEIVER_TOKEN];
const OF_REMOTES = [SLACK_TOKEN, SMTP_PASSWORD, PROXY_PASSWORD, encodeURIComponent(PROXY_PASSWORD)];
const SECRETS = [...OF_LISTENERS, ...OF_REMOTES];

const CONFIG = `
receiver: { listen: '127.0.0.1:0', token: '${RECEIVER_TOKEN}' }
delivery: { attempts_per_request: 1, permanent_attempts: 0 }
routes:
  - bot_id: gone
    notify: [{ email: [gone@example.com] }]
  - bot_id: ops
    notify: [{ slack: '#ops' }]
`;

const READ =
  '/api/callbacks /api/callbacks/1 /api/callbacks/1/body /api/refused /api/bots /api/bots/gone /api/redeliveries /api/incidents /api/report /api/report?format=csv / /bots?bot_id=gone /reports /callbacks /callbacks/1 /callbacks?job_id=j /dead /refused /destinations /config /playground?callback=1 /deliveries/1/message /metrics'.split(
    ' ',
  );

describe('Page and API of a running Botbell', () => {
  const world = anew(() => createBridgeWorld(CONFIG));
  const server = forAll(() => startPostgres());

  const ask = (what: string, headers: Record<string, string> = {}, body?: string) =>
    askerOf(world.app.admin?.port ?? 0)(what, { headers, ...(body !== undefined && { body }) });
  const post = (body: string) =>
    request(`http://127.0.0.1:${world.app.receiver.port}/callbacks/${RECEIVER_TOKEN}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });

  it('say no secret in any answer', async () => {
    const secured = `password: '${PASSWORD}', metrics_token: '${METRICS_TOKEN}'`;
    const proxy = `http://bot:${encodeURIComponent(PROXY_PASSWORD)}@127.0.0.1:9`;
    await world.restart((yaml) =>
      yaml
        .replace("admin: { listen: '127.0.0.1:0'", `$&, ${secured}`)
        .replace('\nreceiver:', `\nproxy: '${proxy}'$&`),
    );
    // What a remote or a library repeats of them.
    const text = `5.7.8 ${SMTP_PASSWORD} ${SLACK_TOKEN} ${RECEIVER_TOKEN} ${PROXY_PASSWORD}`;
    world.mail.faults.push({ at: 'rcpt', does: 'refuse', code: 550, text, address: 'gone@example.com' });
    const gone = { bot_id: 'gone', job_id: 'j' };
    // A BOT may say one, too; what it has posted is shown to the letter.
    const saying = { bot_id: 'gone', bot_name: SLACK_TOKEN, message: `with ${SLACK_TOKEN}` };
    for (const each of [gone, saying]) await post(JSON.stringify(callback(each)));
    for (const body of [`nonsense ${SLACK_TOKEN}`, `{"start_time":"${SLACK_TOKEN}"}`]) await post(body);
    const right = { ...basic(`admin:${PASSWORD}`), accept: 'text/html, application/json' };
    const test = '{"destination": "email:gone@example.com"}';
    const answers = [
      await ask('POST /api/test', { ...right, 'content-type': 'application/json' }, test),
      ...(await Promise.all(READ.map((path) => ask(`GET ${path}`, right)))),
      await ask('GET /metrics', { authorization: `Bearer ${METRICS_TOKEN}` }),
      await ask('POST /-/reload', right),
      await ask('POST /-/reload?dry_run=true', right),
    ];
    expect(answers.filter(({ status }) => status !== 200)).to.deep.equal([]);
    const wrong = await ask('GET /', { ...basic('admin:wrong'), accept: 'text/html' });
    const all = JSON.stringify([...answers, wrong]);
    expect(all).to.include('5.7.8');
    for (const secret of SECRETS) expect(all, secret).not.to.include(secret);
  });

  it('say so while the ledger’s reader hangs, and callbacks are delivered and answered as ever', async () => {
    const url = await server.createDatabase();
    await world.restart((yaml) => yaml.replace(/sqlite:[^']*/, url));
    const unlock = await lockTable(url, 'refused');
    try {
      const hung = Array.from({ length: 20 }, () => ask('GET /api/refused'));
      const posts = Array.from({ length: 10 }, () => post(JSON.stringify(callback({ bot_id: 'ops' }))));
      for (const { body } of await Promise.all(posts))
        expect(await body.json()).to.include({ result: 'delivered' });
      for (const { status, headers } of await Promise.all(hung))
        expect([status, headers['retry-after']]).to.deep.equal([503, '5']);
      expect((await ask('GET /healthz')).status).to.equal(200);
    } finally {
      await unlock();
    }
    await until('the reader', async () => (await ask('GET /api/refused')).status === 200);
  });
});
