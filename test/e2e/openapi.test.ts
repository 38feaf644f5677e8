/** docs/openapi.yaml against one running Botbell: it has the paths by which the listeners route, and each answer is as it says. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import { request } from 'undici';
import { parse } from 'yaml';
import { basic } from '../support/admin-world.ts';
import { type BridgeWorld, callback, createBridgeWorld } from '../support/bridge-world.ts';
import { until } from '../support/proof-wait.ts';
import { RawClient } from '../support/raw-client.ts';

const ROOT = join(import.meta.dirname, '../..');
const TEXT = readFileSync(join(ROOT, 'docs/openapi.yaml'), 'utf8');

type Json = Readonly<Record<string, unknown>>;
type Item = Readonly<Record<string, { readonly responses: Readonly<Record<string, unknown>> } | undefined>>;

interface Document {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Item>>;
}

const DOCUMENT = parse(TEXT) as Document;

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(DOCUMENT, 'document', false, false);

const escaped = (key: string) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Where the document has this answer; an error that an operation does not name is any listener's problem. */
function placeOf(method: string, path: string, status: number): string {
  const template = Object.keys(DOCUMENT.paths)
    .filter((each) => new RegExp(`^${each.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path))
    .toSorted((a, b) => a.split('{').length - b.split('{').length)[0];
  const verb = method.toLowerCase();
  const isNamed = DOCUMENT.paths[template ?? '']?.[verb]?.responses[status] !== undefined;
  if (isNamed) return `/paths/${escaped(template ?? '')}/${verb}/responses/${status}`;
  return status < 400 ? `/no ${status} of ${method} ${path}` : '/components/responses/Problem';
}

/** What of an answer is not as the document says. */
function faultsOf(place: string, status: number, type: string, body: string): unknown {
  const content = ajv.getSchema(`document#${place}/content/${escaped(type)}/schema`);
  if (content === undefined) return `the document has no ${type} at ${place}`;
  const value: unknown = type.endsWith('json') ? JSON.parse(body) : body;
  const isOther = type === 'application/problem+json' && (value as Json)['status'] !== status;
  if (isOther) return 'it says another status';
  return content(value) === true ? undefined : JSON.stringify(content.errors);
}

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

interface Asking {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

describe('The OpenAPI document', () => {
  it('is OpenAPI 3.1, of the program’s version', async () => {
    const validator = new Validator();
    expect(await validator.validate(TEXT)).to.deep.equal({ valid: true });
    expect(validator.version).to.equal('3.1');
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(DOCUMENT.info.version).to.equal(version);
  });

  it('has the paths by which the listeners route, and no other', () => {
    const folder = join(ROOT, 'src/admin');
    const routes = ['api.ts', 'admin.ts'].flatMap((file) => [
      ...readFileSync(join(folder, file), 'utf8').matchAll(/\b(?:get|act)\((?:'(\w+)', )?'(\/[^']+)'/g),
    ]);
    const found = routes.map(
      ([, method = 'get', path = '']) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
    );
    const described = Object.entries(DOCUMENT.paths).flatMap(([path, item]) =>
      ['get', 'post', 'delete'].filter((method) => method in item).map((method) => `${method} ${path}`),
    );
    const received = ['post /callbacks', 'post /callbacks/{token}'];
    expect(described.toSorted()).to.deep.equal([...found, ...received].toSorted());
  });

  describe('says what is answered', () => {
    let world: BridgeWorld;

    beforeEach(async () => {
      world = await createBridgeWorld(CONFIG);
    });

    afterEach(() => world.close());

    const send = async (listener: 'receiver' | 'admin', what: string, { headers, body }: Asking) => {
      const [method = '', path = ''] = what.split(' ');
      const answer = await request(`http://127.0.0.1:${world.app[listener]?.port}${path}`, {
        method: method as 'GET',
        headers: headers ?? {},
        body: body ?? null,
      });
      const text = await answer.body.text();
      const [type = ''] = String(answer.headers['content-type']).split(';');
      const place = placeOf(method, path.split('?')[0] ?? '', answer.statusCode);
      const faults = faultsOf(place, answer.statusCode, type, text);
      expect(faults, `${answer.statusCode} to ${what}: ${text.slice(0, 500)}`).to.equal(undefined);
      return { status: answer.statusCode, json: type.endsWith('json') ? (JSON.parse(text) as Json) : {} };
    };

    const posts = async (status: number, path: string, asking: Asking) => {
      const { status: answered } = await send('receiver', `POST ${path}`, { headers: JSON_TYPE, ...asking });
      expect(answered, JSON.stringify(asking).slice(0, 300)).to.equal(status);
    };
    const posted = (changes: Json = {}) => JSON.stringify(callback({ bot_id: 'ops', ...changes }));

    const asks = async (status: number, what: string, asking?: Asking) => {
      const { status: answered, json } = await send('admin', what, { headers: RIGHT, ...asking });
      expect(answered, `${what}: ${JSON.stringify(json)}`).to.equal(status);
      return json;
    };

    /** Slack is asked, and does not answer before this is called. */
    const heldUp = () => {
      let release = () => {};
      const released = new Promise<void>((resolve) => (release = resolve));
      const calls = world.slack.calls.length;
      world.slack.faults.push({ kind: 'delay', until: () => released });
      return { release, isAsked: () => until('Slack is asked', () => world.slack.calls.length > calls) };
    };

    it('to a callback', async () => {
      const path = '/callbacks';
      const body = posted();
      // Takes no room of `max_in_flight` before it is there.
      const slow = await RawClient.open(world.app.receiver.port);
      slow.write(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{`,
      );
      await posts(200, path, { body });
      await posts(400, path, { body: 'nonsense' });
      await posts(403, path, { body, headers: { ...JSON_TYPE, 'x-forwarded-for': '192.0.2.7' } });
      await posts(413, path, { body: posted({ message: 'x'.repeat(70_000) }) });
      await posts(415, path, { body, headers: { 'content-type': 'text/plain' } });
      await posts(422, path, { body: '{"status":9}' });
      world.slack.faults.push({ kind: 'error', error: 'internal_error' });
      await posts(502, path, { body: posted() });
      await world.swap((yaml) => yaml.replace('max_body: 64kb', `token: '${TOKEN}', max_body: 1kb`));
      await posts(200, `${path}/${TOKEN}`, { body: posted() });
      await posts(413, `${path}/${TOKEN}`, { body: posted({ message: 'x'.repeat(2000) }) });
      for (const wrong of [path, `${path}/wrong`, '/elsewhere']) await posts(404, wrong, { body });
      expect((await send('receiver', `PUT ${path}/${TOKEN}`, { body })).status).to.equal(405);
      expect((await send('receiver', 'GET /healthz', {})).status).to.equal(200);
      slow.destroy();
    });

    it('to too many callbacks at once, and to one that takes too long', async () => {
      await world.swap((yaml) => yaml.replace('max_in_flight: 1', 'max_in_flight: 1, answer_within: 2500ms'));
      const { release, isAsked } = heldUp();
      const late = posts(504, '/callbacks', { body: posted() });
      await isAsked();
      await posts(503, '/callbacks', { body: posted() });
      await late;
      release();
    });

    const closeAdmin = () =>
      world.swap((yaml) =>
        yaml.replace(
          "admin: { listen: '127.0.0.1:0' }",
          `admin: { listen: '127.0.0.1:0', password: '${PASSWORD}' }`,
        ),
      );

    const postDead = async () => {
      const refusal = {
        at: 'rcpt',
        does: 'refuse',
        code: 550,
        text: '5.1.1 no such user',
        times: 1,
      } as const;
      world.mail.faults.push({ ...refusal, address: 'gone@example.com' });
      expect((await world.post(callback({ bot_id: 'gone' }))).body.result).to.equal('gave_up');
      const [item] = (await asks(200, 'GET /api/callbacks?state=dead'))['items'] as Json[];
      const [delivery] = (item?.['deliveries'] ?? []) as Json[];
      return { callback: String(item?.['id']), delivery: String(delivery?.['id']) };
    };

    it('to who reads', async () => {
      await closeAdmin();
      const { callback: id } = await postDead();
      await world.post('nonsense');
      for (const path of [
        '/healthz',
        '/readyz',
        '/metrics',
        '/api/bots',
        '/api/bots/gone',
        `/api/callbacks/${id}/body`,
      ])
        await asks(200, `GET ${path}`);
      expect((await asks(200, 'GET /api/refused'))['items']).to.have.length(1);
      const { alerts } = await asks(200, `GET /api/callbacks/${id}`);
      for (const alert of alerts as number[]) await asks(200, `GET /api/callbacks/${alert}`);
      expect(alerts).to.have.length(1);
      await asks(400, 'GET /api/callbacks?nobody_reads=this');
      await asks(401, 'GET /api/callbacks', { headers: {} });
      await asks(403, 'GET /api/callbacks', { headers: { ...RIGHT, host: 'elsewhere.example' } });
      await asks(404, 'GET /api/callbacks/999999999');
      await asks(405, 'DELETE /api/callbacks');
    });

    it('to who acts on one', async () => {
      await closeAdmin();
      const dead = await postDead();
      await asks(202, `POST /api/deliveries/${dead.delivery}/redeliver`);
      await until('it is delivered', async () => {
        const { items } = await asks(200, 'GET /api/callbacks?bot_id=gone&state=delivered');
        return (items as Json[]).length > 0;
      });
      await asks(202, `POST /api/callbacks/${dead.callback}/route`);
      for (const what of ['redeliver', 'dismiss'])
        await asks(409, `POST /api/deliveries/${dead.delivery}/${what}`);
      await asks(202, `POST /api/deliveries/${(await postDead()).delivery}/dismiss`);
      const large = { headers: { ...RIGHT, ...JSON_TYPE }, body: ' '.repeat(70_000) };
      await asks(413, 'POST /api/test', large);
      for (const [destination, status] of [
        ['slack:#ops', 200],
        ['slack:#nowhere', 422],
      ] as const)
        await asks(status, 'POST /api/test', {
          headers: { ...RIGHT, ...JSON_TYPE },
          body: JSON.stringify({ destination }),
        });
    });

    it('to who acts on many', async () => {
      await closeAdmin();
      await postDead();
      for (const what of ['dismiss', 'redeliver']) {
        await asks(200, `POST /api/${what}?state=dead&dry_run=true`);
        const { id } = await asks(202, `POST /api/${what}?state=dead`);
        await asks(200, `GET /api/redeliveries/${String(id)}`);
        await asks(202, `POST /api/redeliveries/${String(id)}/stop`);
      }
      await asks(200, 'GET /api/redeliveries');
    });

    it('to who wants not to be told for a while', async () => {
      const body = JSON.stringify({ destination: 'slack:#ops', until: 'tomorrow', because: 'x' });
      const { id } = await asks(201, 'POST /api/snoozes', { headers: { ...RIGHT, ...JSON_TYPE }, body });
      await asks(200, 'GET /api/snoozes');
      await asks(202, `DELETE /api/snoozes/${String(id)}`);
      await asks(404, `DELETE /api/snoozes/${String(id)}`);
    });

    it('to a reload, and while it stops', async () => {
      await closeAdmin();
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
      await until('it is not ready', async () => (await send('admin', 'GET /readyz', {})).status === 503);
      release();
      expect((await last).status).to.equal(200);
      await stopped;
    });
  });
});
