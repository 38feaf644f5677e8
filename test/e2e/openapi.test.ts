/** docs/openapi.yaml against the listeners of one running Botbell: their paths, and answers. Those of the API are in test/admin/api.test.ts. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { OWN_NAMES } from '../../src/notice/notice.ts';
import { anew } from '../support/anew.ts';
import { type Asking, askerOf, basic } from '../support/admin-world.ts';
import { callback, createBridgeWorld } from '../support/bridge-world.ts';
import { examplesIn, faultBy, faultIn, OPENAPI, OPENAPI_TEXT } from '../support/openapi.ts';
import { until } from '../support/proof-wait.ts';
import { RawClient } from '../support/raw-client.ts';

const ROOT = join(import.meta.dirname, '../..');
const PASSWORD = 'ADMIN-SECRET';
const TOKEN = 'RECEIVER-SECRET-TOKEN';
const CONFIG = `
receiver: { listen: '127.0.0.1:0', trust_proxy: true, allow_from: [127.0.0.0/8], max_body: 64kb, max_in_flight: 1 }
delivery: { attempts_per_request: 1, permanent_attempts: 0, alerts: [operators] }
groups: { operators: [{ email: [ops@example.com] }] }
routes:
  - { bot_id: gone, notify: [{ email: [gone@example.com] }] }
  - { bot_id: ops, notify: [{ slack: '#ops' }] }
`;
const RIGHT = basic(`admin:${PASSWORD}`);
const JSON_TYPE = { 'content-type': 'application/json' };

const PATH = '/callbacks';
const posted = (changes: object = {}) => JSON.stringify(callback({ bot_id: 'ops', ...changes }));

type Row = readonly [status: number, what: string, asking: Asking];

/** Of a receiver without a token, then with one. */
const POSTS: readonly Row[] = [
  [200, `POST ${PATH}`, { body: posted() }],
  [400, `POST ${PATH}`, { body: 'nonsense' }],
  [403, `POST ${PATH}`, { body: posted(), headers: { ...JSON_TYPE, 'x-forwarded-for': '192.0.2.7' } }],
  [413, `POST ${PATH}`, { body: posted({ message: 'x'.repeat(70_000) }) }],
  [415, `POST ${PATH}`, { body: posted(), headers: { 'content-type': 'text/plain' } }],
  [422, `POST ${PATH}`, { body: '{"status":9}' }],
];
const POSTS_WITH_TOKEN: readonly Row[] = [
  [200, `POST ${PATH}/${TOKEN}`, { body: posted() }],
  [413, `POST ${PATH}/${TOKEN}`, { body: posted({ message: 'x'.repeat(2000) }) }],
  [404, `POST ${PATH}`, { body: posted() }],
  [404, `POST ${PATH}/wrong`, { body: posted() }],
  [404, 'POST /elsewhere', { body: posted() }],
  [405, `PUT ${PATH}/${TOKEN}`, { body: posted() }],
  [200, 'GET /healthz', {}],
];

describe('The OpenAPI document', () => {
  it('is OpenAPI 3.1, of the program’s version', async () => {
    const validator = new Validator();
    expect(await validator.validate(OPENAPI_TEXT)).to.deep.equal({ valid: true });
    expect(validator.version).to.equal('3.1');
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(OPENAPI.info.version).to.equal(version);
  });

  it('has no example that is not as it says', () => {
    const examples = examplesIn(OPENAPI);
    expect(examples).to.have.length.above(30);
    expect(examples.flatMap(([place, value]) => faultBy(place, value) ?? [])).to.deep.equal([]);
  });

  it('says what a hook is posted, of each of Botbell’s own notices by its name', () => {
    const posted = readFileSync(join(ROOT, 'test/channels/webhook/messages.json'), 'utf8');
    const messages = Object.entries(
      JSON.parse(posted) as Readonly<Record<string, { readonly data: object }>>,
    );
    const faults = (message: unknown) => faultBy('/components/schemas/HookMessage', message);
    expect(messages.flatMap(([, message]) => faults(message) ?? [])).to.deep.equal([]);
    const words = { title: '', summary: '', text: '', message: '', destination: 'erp:orders' };
    const timestamp = new Date(0).toISOString();
    for (const name of [...OWN_NAMES, 'overdue'])
      expect(faults({ type: `botbell.${name}`, timestamp, data: words }), name).to.equal(undefined);
    expect(faults({ type: 'botbell.recovered', timestamp, data: words })).not.to.equal(undefined);
  });

  it('has the paths by which the listeners route, and no other', () => {
    const folder = join(ROOT, 'src/admin');
    const routes = ['api.ts', 'admin.ts'].flatMap((file) => [
      ...readFileSync(join(folder, file), 'utf8').matchAll(/\b(?:get|act)\((?:'(\w+)', )?'(\/[^']+)'/g),
    ]);
    const found = routes.map(
      ([, method = 'get', path = '']) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
    );
    const described = Object.entries(OPENAPI.paths).flatMap(([path, item]) =>
      ['get', 'post', 'delete'].filter((method) => method in item).map((method) => `${method} ${path}`),
    );
    const received = ['post /callbacks', 'post /callbacks/{token}'];
    expect(described.toSorted()).to.deep.equal([...found, ...received].toSorted());
  });

  describe('says what is answered', () => {
    const world = anew(() => createBridgeWorld(CONFIG));

    const answers = async (listener: 'receiver' | 'admin', [status, what, asking]: Row) => {
      const answer = await askerOf(world.app[listener]?.port ?? 0)(what, asking);
      expect([answer.status, faultIn(what, answer)], `${what}: ${answer.body.slice(0, 300)}`).to.deep.equal([
        status,
        undefined,
      ]);
      return answer.json;
    };
    const received = (rows: readonly Row[]) =>
      rows.reduce(
        (before, [status, what, asking]) =>
          before.then(() => answers('receiver', [status, what, { headers: JSON_TYPE, ...asking }])),
        Promise.resolve({}),
      );
    const asks = (status: number, what: string, headers = RIGHT) =>
      answers('admin', [status, what, { headers }]);

    /** Slack is asked, and does not answer before this is called. */
    const heldUp = () => {
      let release = () => {};
      const released = new Promise<void>((resolve) => (release = resolve));
      const calls = world.slack.calls.length;
      world.slack.faults.push({ kind: 'delay', until: () => released });
      return { release, isAsked: () => until('Slack is asked', () => world.slack.calls.length > calls) };
    };

    it('to a callback', async () => {
      // Takes no room of `max_in_flight` before it is there.
      const slow = await RawClient.open(world.app.receiver.port);
      slow.write(
        `POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{`,
      );
      await received(POSTS);
      world.slack.faults.push({ kind: 'error', error: 'internal_error' });
      await received([[502, `POST ${PATH}`, { body: posted() }]]);
      await world.swap((yaml) => yaml.replace('max_body: 64kb', `token: '${TOKEN}', max_body: 1kb`));
      await received(POSTS_WITH_TOKEN);
      slow.destroy();
    });

    it('to a callback that takes too long', async () => {
      await world.swap((yaml) => yaml.replace('max_in_flight: 1', 'max_in_flight: 1, answer_within: 2500ms'));
      world.mail.faults.push({ at: 'rcpt', does: 'hang' });
      await received([[504, `POST ${PATH}`, { body: posted({ bot_id: 'gone' }) }]]);
    });

    it('to who reads, reloads the config, and looks on while it stops', async () => {
      await world.swap((yaml) =>
        yaml.replace("admin: { listen: '127.0.0.1:0'", `$&, password: '${PASSWORD}'`),
      );
      world.mail.faults.push({
        at: 'rcpt',
        does: 'refuse',
        code: 550,
        text: 'no',
        address: 'gone@example.com',
      });
      await world.post(callback({ bot_id: 'gone' }));
      const { alerts } = await asks(200, 'GET /api/callbacks/1');
      expect(alerts).to.have.length(1);
      await asks(200, `GET /api/callbacks/${String(alerts)}`);
      await asks(200, 'GET /metrics');
      await asks(200, 'GET /api/report?format=csv');
      await world.post(callback({ bot_id: ' ops  2 ' }));
      const { items } = await asks(200, 'GET /api/callbacks?bot_id=%20ops%20%202%20');
      expect((items as { bot_id: string }[]).map(({ bot_id }) => bot_id)).to.deep.equal([' ops  2 ']);
      await asks(401, 'GET /api/callbacks', {});
      await asks(403, 'GET /api/callbacks', { ...RIGHT, host: 'elsewhere.example' });
      const file = join(world.folder, 'botbell.yaml');
      const good = readFileSync(file, 'utf8');
      writeFileSync(file, good.replace('#ops', '#log'));
      await asks(200, 'POST /-/reload?dry_run=true');
      writeFileSync(file, `${good}\nunknown: key\n`);
      await asks(422, 'POST /-/reload');
      await asks(200, 'GET /readyz');
      writeFileSync(file, good);
      await asks(200, 'POST /-/reload');
      const { release, isAsked } = heldUp();
      const last = world.post(callback({ bot_id: 'ops' }));
      await isAsked();
      const stopped = world.app.stop();
      await until('it is not ready', async () => {
        const { status } = await askerOf(world.app.admin?.port ?? 0)('GET /readyz');
        return status === 503;
      });
      await asks(503, 'GET /readyz');
      await received([[503, `POST ${PATH}`, { body: posted() }]]);
      release();
      expect((await last).status).to.equal(200);
      await stopped;
    });
  });
});
