/** The admin listener: how the service is, who comes in, from where, and what page and API behind the guards can rely on. */
import { expect } from 'chai';
import type { Context } from 'koa';
import { actorOf, WrongPasswords } from '../../src/admin/password.ts';
import type { Readiness } from '../../src/admin/services.ts';
import type { AdminConfig } from '../../src/config/config.ts';
import type { TurnedAway } from '../../src/http/problem.ts';
import { type AdminWorld, basic, openAdminWorld } from '../support/admin-world.ts';
import { faultIn } from '../support/openapi.ts';

const PASSWORD = 'pass:wörd';
const RIGHT = basic(`admin:${PASSWORD}`);
const WRONG = basic('admin:guess');
const SCRAPER = { authorization: 'Bearer scrape-me' };
const SECURED = { password: PASSWORD, metricsToken: 'scrape-me' };
const HERE = '127.0.0.1:8081';

const READY: Readiness = { store: true, config: true, accepting: true };

type Headers = Readonly<Record<string, string>>;

/** What is answered, to requests that differ in their path or in their headers. */
type Row = readonly [number, what: string | readonly string[], headers?: Headers | readonly Headers[]];

/** Apart by blanks. */
const hosts = (names: string) => names.split(' ').map((host) => ({ host }));
const sites = (names: string, more: Headers = {}) =>
  names.split(' ').map((site) => ({ 'sec-fetch-site': site, ...more }));
const origins = (names: string) => names.split(' ').map((origin) => ({ host: HERE, origin }));
const referers = (pages: string) => pages.split(' ').map((referer) => ({ host: HERE, referer }));
const paths = (method: string, all: string) => all.split(' ').map((path) => `${method} ${path}`);
const fetched = (mode: string, dest: string) => ({
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': mode,
  'sec-fetch-dest': dest,
});
const NOTHING = 'POST /api/nothing';
const OPEN_TO_ALL = ['GET /metrics', 'GET /healthz'];

const GUARDED: Readonly<Record<string, readonly [config: Partial<AdminConfig>, ...rows: readonly Row[]]>> = {
  'answers on loopback to its own names, and to no other, as a page of any site may use it': [
    { hosts: ['Botbell.internal'] },
    [200, OPEN_TO_ALL, hosts('localhost localhost:8081 127.0.0.1:1 [::1]:8081 botbell.internal:8081')],
    [403, OPEN_TO_ALL, hosts('evil.example localhost.evil.example:8081 10.0.0.1 127.0.0.1.evil.example')],
  ],
  'answers to any name where it listens beyond loopback': [
    { listen: { host: '0.0.0.0', port: 0 }, password: PASSWORD },
    [200, 'GET /metrics', { host: 'botbell.example', ...RIGHT }],
  ],
  'asks for the password everywhere but at /healthz and /readyz': [
    SECURED,
    [401, paths('GET', '/ /metrics /api/bots /-/reload /assets/app.js /healthz/ /x')],
    [200, ['GET /healthz', 'GET /readyz', 'HEAD /healthz']],
    [200, ['GET /', 'GET /metrics'], RIGHT],
  ],
  'lets nobody in by another password, another name or another scheme': [
    SECURED,
    [401, 'GET /', [basic('admin:pass'), basic('admin'), basic(`root:${PASSWORD}`)]],
    [401, 'GET /', [{ authorization: `Bearer ${PASSWORD}` }, { authorization: 'Basic !!!' }]],
  ],
  'gives scrapers /metrics for a token of its own, and nothing else': [
    SECURED,
    [200, 'GET /metrics', SCRAPER],
    [401, paths('GET', '/ /api/bots /metrics/ /Metrics /-/reload'), SCRAPER],
    [401, 'GET /metrics', basic('admin:scrape-me')],
  ],
  'refuses what a browser sends for another site by Sec-Fetch-Site, which no page can change': [
    {},
    [403, NOTHING, sites('cross-site same-site anything', { host: HERE, origin: `http://${HERE}` })],
    [404, NOTHING, sites('same-origin', { origin: 'https://botbell.example' })],
    [404, NOTHING, sites('none')],
  ],
  'refuses it by Origin, where a browser says no more': [
    {},
    [403, NOTHING, origins('https://evil.example null http://127.0.0.1 http://127.0.0.1:8082 nonsense')],
    [403, NOTHING, origins(`http://${HERE}.evil.example`)],
    [404, NOTHING, origins(`http://${HERE}`)],
  ],
  'refuses it by Referer, where a browser sends nothing else': [
    {},
    [403, NOTHING, referers(`http://evil.example/page http://evil.example/?http://${HERE}/ nonsense`)],
    [404, NOTHING, referers(`http://${HERE}/dead?page=2`)],
    [404, NOTHING, { host: HERE, origin: `http://${HERE}`, referer: 'http://evil.example/' }],
    [200, 'GET /', referers('http://evil.example/page')],
  ],
  'refuses nothing that is sent by no browser, nor a page that a link opens': [
    {},
    [404, NOTHING],
    [200, 'GET /', fetched('navigate', 'document')],
    [403, 'GET /', [fetched('no-cors', 'image'), fetched('navigate', 'iframe'), fetched('cors', 'empty')]],
  ],
  'refuses what another site sends to page, API and reload alike, before a password is looked at': [
    SECURED,
    [403, paths('POST', '/act/redeliver /api/test /-/reload /metrics'), sites('cross-site', WRONG)],
  ],
};

function echo(ctx: Context): void {
  ctx.body = { actor: actorOf(ctx, 'page') };
}

describe('the admin listener', () => {
  let world: AdminWorld;
  let readiness: Readiness;
  let turnedAway: TurnedAway[];
  let now: number;

  let wrongPasswords: WrongPasswords;

  const open = async (config: Partial<AdminConfig> = {}) => {
    readiness = READY;
    turnedAway = [];
    now = 0;
    wrongPasswords = new WrongPasswords({ monotonic: () => now });
    await serve(config);
  };

  const serve = async (config: Partial<AdminConfig>) => {
    world = await openAdminWorld({
      config,
      readiness: () => readiness,
      wrongPasswords,
      page: echo,
      onTurnedAway: (report) => turnedAway.push(report),
    });
  };

  afterEach(() => world.close());

  const get = (path: string, headers: Headers = {}) => world.ask(`GET ${path}`, { headers });

  it('says at /healthz that the process is alive, at /readyz that callbacks are taken, or what is missing', async () => {
    await open();
    expect(await get('/healthz')).to.include({ status: 200, body: '{"status":"ok"}' });
    for (const missing of [undefined, 'store', 'config', 'accepting'] as const) {
      readiness = { ...READY, ...(missing && { [missing]: false }) };
      const answer = await get('/readyz');
      const { status, json } = answer;
      const expected = missing ? [503, 'not ready'] : [200, 'ready'];
      expect([status, json], missing).to.deep.equal([expected[0], { status: expected[1], ...readiness }]);
      expect(faultIn('GET /readyz', answer)).to.equal(undefined);
    }
  });

  it('gives the metrics in Prometheus’ format', async () => {
    await open();
    const answer = await get('/metrics');
    const { headers, body } = answer;
    expect(faultIn('GET /metrics', answer)).to.equal(undefined);
    expect(headers['content-type']).to.equal('text/plain; version=0.0.4; charset=utf-8');
    expect(body).to.contain('botbell_build_info{version="1.2.3"} 1');
  });

  for (const [promise, [config, ...rows]] of Object.entries(GUARDED))
    it(promise, async () => {
      await open(config);
      for (const [status, paths, given = {}] of rows)
        for (const what of [paths].flat())
          for (const headers of [given].flat()) {
            const answer = await world.ask(what, { headers });
            expect(answer.status, `${what} ${JSON.stringify(headers)}`).to.equal(status);
            const realm = status === 401 ? 'Basic realm="Botbell", charset="UTF-8"' : undefined;
            expect(answer.headers['www-authenticate'], what).to.equal(realm);
            if (status >= 400) expect(faultIn(what, answer)).to.equal(undefined);
          }
    });

  describe('limits who guesses the password', () => {
    beforeEach(() => open({ password: PASSWORD, metricsToken: 'scrape-me', trustProxy: ['127.0.0.1/32'] }));

    const from = (address: string, headers: Headers) => get('/', { ...headers, 'x-forwarded-for': address });
    const guess = async (times: number, addressOf: (time: number) => string) => {
      const statuses: number[] = [];
      for (let time = 0; time < times; time += 1) statuses.push((await from(addressOf(time), WRONG)).status);
      return statuses;
    };
    const refused = (times: number, status: number) => Array<number>(times).fill(status);

    it('to ten wrong ones at once and one each ten seconds, and answers any more, and a right one, 429 at once', async () => {
      // What stands before the proxy's entry, anybody may have written.
      const statuses = await guess(12, (time) => `10.9.9.${time}, 192.0.2.1`);
      expect(statuses).to.deep.equal([...refused(10, 401), 429, 429]);
      now += 9_999;
      const { status, headers, json } = await from('192.0.2.1', RIGHT);
      expect([status, headers['retry-after']]).to.deep.equal([429, '1']);
      expect(json['detail']).to.equal('Too many wrong passwords have come: none is looked at for 1 s.');
      expect((await from('192.0.2.2', RIGHT)).status, 'another address').to.equal(200);
      now += 1;
      expect(await guess(2, () => '192.0.2.1')).to.deep.equal([401, 429]);
      now += 10_000;
      expect((await from('192.0.2.1', RIGHT)).status).to.equal(200);
    });

    it('by the /64 of IPv6', async () => {
      const statuses = await guess(12, (time) => `2001:db8:0:1::${time.toString(16)}`);
      expect(statuses.slice(9)).to.deep.equal([401, 429, 429]);
      expect(await guess(1, () => '2001:db8:0:2::1')).to.deep.equal([401]);
    });

    it('in all, from wherever they come, but not an address from which a right one has come', async () => {
      expect((await get('/metrics', { ...SCRAPER, 'x-forwarded-for': '198.51.100.7' })).status).to.equal(200);
      const statuses = await guess(102, (time) => `10.0.${time}.1`);
      expect(statuses.slice(99)).to.deep.equal([401, 429, 429]);
      expect((await from('192.0.2.9', RIGHT)).status).to.equal(429);
      expect((await get('/metrics', { ...SCRAPER, 'x-forwarded-for': '198.51.100.7' })).status).to.equal(200);
      expect(await guess(1, () => '198.51.100.7'), 'and there as anywhere').to.deep.equal([401]);
      now += 1000;
      expect((await from('192.0.2.9', RIGHT)).status).to.equal(200);
    });

    const knownBy = async (login: Headers) => {
      const cookie = String((await from('192.0.2.1', login)).headers['set-cookie']);
      expect(cookie).to.match(/^botbell_known=[\w-]{43}; path=\/; samesite=lax; httponly$/i);
      return { cookie: cookie.split(';')[0] ?? '' };
    };

    it('but not a browser that has come in before, also from where others guess', async () => {
      const known = await knownBy(RIGHT);
      await guess(11, () => '192.0.2.1');
      const again = await from('192.0.2.1', { ...RIGHT, ...known });
      expect([again.status, again.headers['set-cookie']]).to.deep.equal([200, undefined]);
      const forged = { cookie: 'botbell_known=AAAAAAAAAAAAAAAAAAAAAA' };
      expect((await from('192.0.2.1', { ...RIGHT, ...forged })).status).to.equal(429);
      for (const status of [...refused(10, 401), 429])
        expect((await from('192.0.2.3', { ...WRONG, ...known })).status).to.equal(status);
    });

    it('and those of a browser that came in with an earlier password as any other’s', async () => {
      const before = await knownBy(RIGHT);
      await world.close();
      await serve({ password: 'another one', trustProxy: ['127.0.0.1/32'] });
      const login = basic('admin:another one');
      const known = await knownBy(login);
      for (let time = 0; time < 11; time += 1) await from('192.0.2.3', { ...RIGHT, ...before });
      expect((await from('192.0.2.3', { ...login, ...before })).status).to.equal(429);
      expect((await from('192.0.2.3', { ...login, ...known })).status).to.equal(200);
    });

    it('but nobody who has sent none, as a browser does at first', async () => {
      for (let time = 0; time < 30; time += 1) expect((await get('/')).status).to.equal(401);
      expect((await get('/', RIGHT)).status).to.equal(200);
      expect(turnedAway).to.deep.equal([]);
    });

    it('and says for the log who has sent wrong ones, and that another site has had something sent', async () => {
      await guess(11, () => '192.0.2.1');
      await get('/x', { 'sec-fetch-site': 'cross-site' });
      expect(turnedAway.slice(9)).to.deep.equal([
        { status: 401, from: '192.0.2.1', problem: 'a wrong password' },
        { status: 429, from: '192.0.2.1', problem: 'too many wrong passwords' },
        { status: 403, from: '127.0.0.1', problem: 'sent from another site' },
      ]);
    });
  });

  const trusting: Partial<AdminConfig> = { password: PASSWORD, trustProxy: ['127.0.0.0/8'] };
  for (const [how, config, login, forwarded, user, from] of [
    ['the Basic user and the address', { password: PASSWORD }, RIGHT, '1.2.3.4', 'admin', '127.0.0.1'],
    ['the address alone without a password', {}, basic('somebody:x'), '1.2.3.4', undefined, '127.0.0.1'],
    ['the address that a trusted proxy names', trusting, RIGHT, '192.0.2.7', 'admin', '192.0.2.7'],
  ] as const)
    it(`names who asks by ${how}, and by no name that a header claims`, async () => {
      await open(config);
      const headers = { ...login, 'x-forwarded-for': forwarded, 'x-forwarded-user': 'mallory' };
      const { actor } = (await get('/', headers)).json;
      expect(actor).to.deep.equal({ via: 'page', ...(user && { user }), from });
    });

  it('lets no answer be kept, framed, sniffed, or read by another site', async () => {
    await open({ password: PASSWORD });
    for (const [what, headers] of [
      ['GET /healthz', {}],
      ['GET /metrics', RIGHT],
      ['GET /api/nothing', RIGHT],
      ['GET /', {}],
      ['GET /', RIGHT],
      ['POST /x', { 'sec-fetch-site': 'cross-site' }],
      ['GET /healthz', { host: 'evil.example' }],
    ] as const) {
      expect((await world.ask(what, { headers })).headers, what).to.include({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'x-frame-options': 'DENY',
      });
    }
  });
});
