/** Who comes in, from where, and what the page and the API behind the guards can rely on. */
import { expect } from 'chai';
import type { Context } from 'koa';
import { actorOf, WrongPasswords } from '../../src/admin/password.ts';
import type { AdminConfig } from '../../src/config/config.ts';
import type { TurnedAway } from '../../src/http/problem.ts';
import { type AdminWorld, basic, openAdminWorld } from '../support/admin-world.ts';
import { until } from '../support/proof-wait.ts';

const PASSWORD = 'pass:wörd';
const RIGHT = basic(`admin:${PASSWORD}`);
const WRONG = basic('admin:guess');

/** Shows what the guards have left it. */
function echo(ctx: Context): void {
  ctx.body = { actor: actorOf(ctx, 'page') };
}

describe('the guards of the admin listener', () => {
  let world: AdminWorld;
  let turnedAway: TurnedAway[];
  /** For so many milliseconds each, where somebody was slowed. */
  let slept: number[];
  /** Undefined: nobody waits for what is slowed. */
  let held: (() => void)[] | undefined;

  const open = async (config: Partial<AdminConfig> = {}) => {
    turnedAway = [];
    slept = [];
    held = undefined;
    world = await openAdminWorld({
      config,
      wrongPasswords: new WrongPasswords({
        monotonic: () => 0,
        sleep: async (ms) => {
          slept.push(ms);
          if (held !== undefined) await new Promise<void>((resolve) => held?.push(resolve));
        },
      }),
      page: echo,
      onTurnedAway: (report) => turnedAway.push(report),
    });
  };

  const holdSleepers = () => {
    held = [];
  };
  const releaseSleepers = () => {
    for (const wake of held?.splice(0) ?? []) wake();
  };

  afterEach(() => world.close());

  const get = (path: string, headers: Record<string, string> = {}) => world.ask(`GET ${path}`, { headers });
  const statusOf = async (path: string, headers: Record<string, string> = {}) =>
    (await get(path, headers)).status;

  describe('ask for the password', () => {
    beforeEach(() => open({ password: PASSWORD }));

    it('everywhere but at /healthz and /readyz', async () => {
      for (const path of ['/', '/metrics', '/api/bots', '/-/reload', '/assets/app.js', '/healthz/', '/x'])
        expect(await statusOf(path), path).to.equal(401);
      expect(await statusOf('/healthz')).to.equal(200);
      expect(await statusOf('/readyz')).to.equal(200);
      expect(await statusOf('/', RIGHT)).to.equal(200);
    });

    it('and let nobody in by another one, another name or another scheme', async () => {
      for (const headers of [
        basic('admin:pass'),
        basic('admin'),
        basic(`root:${PASSWORD}`),
        { authorization: `Bearer ${PASSWORD}` },
        { authorization: 'Basic !!!' },
      ]) {
        const { status, headers: answered } = await get('/', headers);
        expect([status, answered['www-authenticate']]).to.deep.equal([
          401,
          'Basic realm="Botbell", charset="UTF-8"',
        ]);
      }
    });

    const guess = async (times: number) => {
      const statuses: number[] = [];
      for (let time = 0; time < times; time += 1) statuses.push(await statusOf('/', WRONG));
      return statuses;
    };

    it('and have each one wait a second after five wrong ones', async () => {
      expect(await guess(7)).to.deep.equal(Array<number>(7).fill(401));
      expect(slept).to.deep.equal([1000, 1100]);
    });

    it('and look at ten a second of those that wait, and let in a right one behind them', async () => {
      await guess(5);
      holdSleepers();
      const waiting = Array.from({ length: 60 }, () => statusOf('/', WRONG));
      await until('all wait', () => slept.length === 60);
      expect(slept.slice(0, 3)).to.deep.equal([1000, 1100, 1200]);
      const right = statusOf('/', RIGHT);
      await until('the right one waits, too', () => slept.length === 61);
      expect(slept.at(-1), 'no longer than this').to.equal(5000);
      releaseSleepers();
      expect(await right).to.equal(200);
      expect(await Promise.all(waiting)).to.deep.equal(Array<number>(60).fill(401));
    });

    it('and let in a right one all the same, a second later, after which nobody waits', async () => {
      await guess(6);
      expect(await statusOf('/', RIGHT)).to.equal(200);
      expect(slept).to.have.length(2);
      await guess(5);
      expect(slept).to.have.length(2);
    });

    it('and count nothing of who has sent none, as a browser does at first', async () => {
      for (let time = 0; time < 30; time += 1) expect(await statusOf('/')).to.equal(401);
      expect(await statusOf('/', RIGHT)).to.equal(200);
      expect(turnedAway).to.deep.equal([]);
    });

    it('and say for the log who has sent wrong ones', async () => {
      await guess(1);
      expect(turnedAway).to.deep.equal([{ status: 401, from: '127.0.0.1', problem: 'a wrong password' }]);
      expect(JSON.stringify(turnedAway)).not.to.include('guess');
    });
  });

  it('count wrong passwords by the address that is meant, behind a proxy the one that it has added', async () => {
    await open({ password: PASSWORD, trustProxy: ['127.0.0.1/32'] });
    const guess = (from: string) => get('/', { ...WRONG, 'x-forwarded-for': from });
    for (let number = 0; number < 5; number += 1) await guess(`10.9.9.${number}, 192.0.2.1`);
    expect(slept).to.deep.equal([]);
    await guess('192.0.2.1, 192.0.2.2');
    expect(slept).to.deep.equal([]);
    await guess('10.9.9.99, 192.0.2.1');
    expect(slept).to.deep.equal([1000]);
  });

  describe('give scrapers /metrics for a token of its own', () => {
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

    beforeEach(() => open({ password: PASSWORD, metricsToken: 'scrape-me' }));

    it('and nothing else', async () => {
      expect(await statusOf('/metrics', bearer('scrape-me'))).to.equal(200);
      expect(await statusOf('/metrics', RIGHT)).to.equal(200);
      for (const path of ['/', '/api/bots', '/metrics/', '/Metrics', '/-/reload'])
        expect(await statusOf(path, bearer('scrape-me')), path).to.equal(401);
      expect(await statusOf('/metrics', basic('admin:scrape-me'))).to.equal(401);
    });
  });

  describe('refuse what a browser sends for another site', () => {
    beforeEach(() => open());

    const post = async (headers: Record<string, string>, host = '127.0.0.1:8081') =>
      (await world.ask('POST /api/nothing', { headers: { host, ...headers } })).status;

    it('by Sec-Fetch-Site, which no page can change', async () => {
      for (const site of ['cross-site', 'same-site', 'anything'])
        expect(await post({ 'sec-fetch-site': site, origin: 'http://127.0.0.1:8081' }), site).to.equal(403);
      expect(await post({ 'sec-fetch-site': 'same-origin', origin: 'https://botbell.example' })).to.equal(
        404,
      );
      expect(await post({ 'sec-fetch-site': 'none' })).to.equal(404);
    });

    it('by Origin, where a browser says no more', async () => {
      for (const origin of [
        'https://evil.example',
        'null',
        'http://127.0.0.1',
        'http://127.0.0.1:8082',
        'http://127.0.0.1:8081.evil.example',
        'nonsense',
      ])
        expect(await post({ origin }), origin).to.equal(403);
      expect(await post({ origin: 'http://127.0.0.1:8081' })).to.equal(404);
    });

    it('but not what is sent by no browser, nor a page that is opened', async () => {
      expect(await post({})).to.equal(404);
      const fetched = (mode: string, dest: string) =>
        statusOf('/', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode, 'sec-fetch-dest': dest });
      expect(await fetched('navigate', 'document')).to.equal(200);
      for (const [mode, dest] of [
        ['no-cors', 'image'],
        ['navigate', 'iframe'],
        ['cors', 'empty'],
      ] as const)
        expect(await fetched(mode, dest), dest).to.equal(403);
    });

    it('of the page, of the API and of the reload alike, before a password is looked at', async () => {
      await world.close();
      await open({ password: PASSWORD });
      for (const path of ['/act/redeliver', '/api/test', '/-/reload', '/metrics']) {
        const headers = { ...WRONG, 'sec-fetch-site': 'cross-site' };
        expect((await world.ask(`POST ${path}`, { headers })).status, path).to.equal(403);
      }
      expect(turnedAway[0]).to.deep.equal({
        status: 403,
        from: '127.0.0.1',
        problem: 'sent from another site',
      });
    });
  });

  for (const [how, config, login, forwarded, user, from] of [
    ['the Basic user and the address', { password: PASSWORD }, RIGHT, '1.2.3.4', 'admin', '127.0.0.1'],
    ['the address alone without a password', {}, basic('somebody:x'), '1.2.3.4', undefined, '127.0.0.1'],
    [
      'the address that a trusted proxy names',
      { password: PASSWORD, trustProxy: ['127.0.0.0/8'] as string[] },
      RIGHT,
      '192.0.2.7',
      'admin',
      '192.0.2.7',
    ],
  ] as const)
    it(`name who asks by ${how}, and by no name that a header claims`, async () => {
      await open(config);
      const headers = { ...login, 'x-forwarded-for': forwarded, 'x-forwarded-user': 'mallory' };
      expect((await get('/', headers)).json['actor']).to.deep.equal({
        via: 'page',
        ...(user && { user }),
        from,
      });
    });

  it('let no answer be kept, framed, sniffed, or read by another site', async () => {
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
      });
    }
  });
});
