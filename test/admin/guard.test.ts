/** Who comes in, from where, and what the page and the API behind the guards can rely on. */
import { connect } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import type { Context } from 'koa';
import type { AdminState } from '../../src/admin/actor.ts';
import { actorOf } from '../../src/admin/actor.ts';
import { type AdminTurnedAway, createAdminMemory } from '../../src/admin/admin.ts';
import { formOf, formTokenOf } from '../../src/admin/form-token.ts';
import type { AdminConfig } from '../../src/config/config.ts';
import { type AdminWorld, basic, openAdminWorld } from '../support/admin-world.ts';
import { ManualClock } from '../support/manual-clock.ts';

const PASSWORD = 'pass:wörd';
const RIGHT = basic(`admin:${PASSWORD}`);
const WRONG = basic('admin:guess');
/** As a browser makes one. */
const BOUNDARY = '----WebKitFormBoundary7MA4YWxkTrZu0gW';
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

/** Shows what the guards have left it. */
function echo(ctx: Context): void {
  const { user } = ctx.state as AdminState;
  ctx.body = {
    path: ctx.path,
    token: formTokenOf(ctx),
    form: [...formOf(ctx)],
    user: user ?? null,
    actor: actorOf(ctx, 'page'),
  };
}

describe('the guards of the admin listener', () => {
  let world: AdminWorld;
  let clock: ManualClock;
  let turnedAway: AdminTurnedAway[];
  /** For so many milliseconds each, where somebody was slowed. */
  let slept: number[];

  const open = async (config: Partial<AdminConfig> = {}) => {
    clock = new ManualClock();
    turnedAway = [];
    slept = [];
    world = await openAdminWorld({
      config,
      // Nobody waits for what is slowed.
      memory: createAdminMemory({
        now: () => clock.now(),
        monotonic: () => clock.monotonic(),
        startTimer: (ms, onTime) => clock.startTimer(ms, onTime),
        sleep: (ms) => {
          slept.push(ms);
          return Promise.resolve();
        },
      }),
      page: echo,
      onTurnedAway: (report) => turnedAway.push(report),
    });
  };

  afterEach(() => world.close());

  const get = (path: string, headers: Record<string, string> = {}) => world.ask(`GET ${path}`, { headers });
  const statusOf = async (path: string, headers: Record<string, string> = {}) =>
    (await get(path, headers)).status;
  const cookiesOf = ({ headers }: { headers: Readonly<Record<string, string | string[] | undefined>> }) =>
    [headers['set-cookie'] ?? []].flat();
  const sentBack = (cookies: readonly string[]) =>
    ({ cookie: cookies.map((cookie) => cookie.split(';', 1)[0]).join('; ') }) as Record<string, string>;

  describe('ask for the password', () => {
    beforeEach(() => open({ password: PASSWORD }));

    it('everywhere but at /healthz and /readyz', async () => {
      for (const path of ['/', '/metrics', '/api/bots', '/-/reload', '/assets/app.js', '/healthz/', '/x'])
        expect(await statusOf(path), path).to.equal(401);
      expect(await statusOf('/healthz')).to.equal(200);
      expect(await statusOf('/readyz')).to.equal(200);
      expect(await statusOf('/', RIGHT)).to.equal(200);
    });

    const guess = async (times: number) => {
      const statuses: number[] = [];
      for (let time = 0; time < times; time += 1) statuses.push(await statusOf('/', WRONG));
      return statuses;
    };

    it('and answer 401 to ten wrong ones, 429 to what is more', async () => {
      expect(await guess(12)).to.deep.equal([...Array<number>(10).fill(401), 429, 429]);
      const { headers } = await get('/', WRONG);
      expect(headers['retry-after']).to.equal('2');
      await clock.advance(6000);
      expect(await guess(2)).to.deep.equal([401, 429]);
    });

    it('and hold back the answers to wrong ones for longer and longer', async () => {
      await guess(12);
      expect(slept).to.deep.equal([0, 0, 0, 125, 250, 500, 1000, 2000, 2000, 2000, 2000, 4000]);
    });

    it('and look at no more of them where they come all at once', async () => {
      const all = await Promise.all(Array.from({ length: 60 }, () => statusOf('/', WRONG)));
      expect(all.filter((status) => status === 401)).to.have.length(10);
      expect(all.filter((status) => status === 429)).to.have.length(50);
      expect(slept.filter((ms) => ms > 2000)).to.deep.equal([4000, 6000, 8000]);
    });

    it('and let in a right one all the same, a little later, whoever guesses from its address', async () => {
      await guess(11);
      expect(await statusOf('/', RIGHT)).to.equal(200);
      expect(slept.at(-1)).to.equal(4000);
    });

    it('and do not tell from a 429 whether one was right, where they come faster than they are looked at', async () => {
      await guess(14);
      const [right, wrong] = [await get('/', RIGHT), await get('/', WRONG)];
      expect([right.status, right.body]).to.deep.equal([429, wrong.body]);
    });

    it('and let in a browser that has come in before, whoever guesses from its address', async () => {
      const cookies = cookiesOf(await get('/', { ...RIGHT, ...BROWSER }));
      for (let time = 0; time < 20; time += 1) await get('/', WRONG);
      expect(await statusOf('/', { ...RIGHT, ...sentBack(cookies) })).to.equal(200);
      for (let time = 0; time < 10; time += 1)
        expect(await statusOf('/', { ...WRONG, ...sentBack(cookies) })).to.equal(401);
      expect(await statusOf('/', { ...WRONG, ...sentBack(cookies) })).to.equal(429);
    });

    it('and do not know a browser by a cookie that somebody has made up', async () => {
      const cookies = cookiesOf(await get('/', { ...RIGHT, ...BROWSER }));
      const cookie = cookies.find((each) => each.startsWith('botbell_client=')) ?? '';
      expect(cookie)
        .to.match(/; httponly/i)
        .and.to.match(/; samesite=lax/i);
      await guess(14);
      const [id = ''] = cookie.slice('botbell_client='.length).split('.');
      for (const made of [`${id}.AAAA`, `other.${cookie.split('.')[1] ?? ''}`, '.', 'x'])
        expect(await statusOf('/', { ...RIGHT, cookie: `botbell_client=${made}` }), made).to.equal(429);
    });

    it('and give no such cookie to who does not know the password', async () => {
      expect(cookiesOf(await get('/', { ...WRONG, ...BROWSER }))).to.deep.equal([]);
      expect(cookiesOf(await get('/', BROWSER))).to.deep.equal([]);
    });

    it('and count nothing of who has sent none, as a browser does at first', async () => {
      for (let time = 0; time < 30; time += 1) expect(await statusOf('/')).to.equal(401);
      expect(await statusOf('/', RIGHT)).to.equal(200);
      expect(turnedAway).to.deep.equal([]);
    });

    it('and say for the log who has sent wrong ones', async () => {
      await guess(11);
      expect(turnedAway[0]).to.deep.equal({ status: 401, from: '127.0.0.1', problem: 'a wrong password' });
      expect(turnedAway.at(-1)).to.include({ status: 429, from: '127.0.0.1' });
      expect(JSON.stringify(turnedAway)).not.to.include('guess');
    });
  });

  describe('count wrong passwords by the address that is meant:', () => {
    const guess = (from: string) => get('/', { ...WRONG, 'x-forwarded-for': from });

    it('that of the connection, whatever somebody writes into X-Forwarded-For', async () => {
      await open({ password: PASSWORD });
      for (let number = 0; number < 10; number += 1) await guess(`192.0.2.${number}`);
      expect((await guess('192.0.2.77')).status).to.equal(429);
    });

    it('behind a proxy that the config names, the one that it has added', async () => {
      await open({ password: PASSWORD, trustProxy: ['127.0.0.1/32'] });
      for (let number = 0; number < 10; number += 1) await guess(`10.9.9.${number}, 192.0.2.1`);
      expect((await guess('10.9.9.99, 192.0.2.1')).status).to.equal(429);
      expect((await guess('192.0.2.1, 192.0.2.2')).status).to.equal(401);
    });

    it('of IPv6, the network of a subscriber', async () => {
      await open({ password: PASSWORD, trustProxy: true });
      for (let number = 1; number <= 10; number += 1) await guess(`2001:db8:1:2::${number}`);
      expect((await guess('2001:db8:1:2:ffff::1')).status).to.equal(429);
      expect((await guess('2001:db8:1:3::1')).status).to.equal(401);
    });
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

    it('and count wrong ones like passwords', async () => {
      for (let time = 0; time < 10; time += 1)
        expect(await statusOf('/metrics', bearer('guess'))).to.equal(401);
      expect(await statusOf('/metrics', bearer('guess'))).to.equal(429);
      expect(await statusOf('/metrics', bearer('scrape-me'))).to.equal(200);
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
      expect(await post({ origin: 'http://LOCALHOST' }, 'localhost:80')).to.equal(404);
      expect(await post({ origin: 'https://localhost' }, 'localhost:443')).to.equal(404);
    });

    it('but not what is sent by no browser, nor what only reads', async () => {
      expect(await post({})).to.equal(404);
      expect(
        await statusOf('/', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }),
      ).to.equal(200);
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

  describe('check the token of forms', () => {
    beforeEach(() => open());

    const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
    const submit = (body: string, headers: Record<string, string>) =>
      world.ask('POST /act/dismiss', { headers: { ...FORM, ...headers }, body });

    const page = async () => {
      const answer = await get('/', BROWSER);
      const token = String(answer.json['token']);
      return { token, cookies: sentBack(cookiesOf(answer)) };
    };

    it('which a page gets with a cookie that no script and no other site’s form brings', async () => {
      const answer = await get('/', BROWSER);
      const cookie = cookiesOf(answer).find((each) => each.startsWith('botbell_form=')) ?? '';
      expect(cookie)
        .to.match(/; httponly/i)
        .and.to.match(/; samesite=lax/i);
      expect(cookie).to.include(String(answer.json['token']));
      expect(answer.json['token']).to.match(/^[\w-]{43}$/);
    });

    it('and hand on what else they hold', async () => {
      const { token, cookies } = await page();
      const { status, json } = await submit(
        `token=${token}&delivery=17&note=%E8%AB%8B%E6%B1%82&note=b`,
        cookies,
      );
      expect([status, json['form']]).to.deep.equal([
        200,
        [
          ['delivery', '17'],
          ['note', '請求'],
          ['note', 'b'],
        ],
      ]);
    });

    it('also where they come in parts, with a file', async () => {
      const { token, cookies } = await page();
      const part = (name: string, value: string, more = '') =>
        `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
      const body = `${part('token', token)}${part('callback', '{"名":1}', '; filename="a.json"')}--${BOUNDARY}--\r\n`;
      const headers = { ...cookies, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
      const { status, json } = await submit(body, headers);
      expect([status, json['form']]).to.deep.equal([200, [['callback', '{"名":1}']]]);
    });

    it('and refuse a form without it, with another one, or without its cookie', async () => {
      const { token, cookies } = await page();
      expect((await submit('delivery=17', cookies)).status).to.equal(403);
      expect((await submit('', cookies)).status).to.equal(403);
      expect((await submit('token=&delivery=17', cookies)).status).to.equal(403);
      expect((await submit(`token=${'A'.repeat(43)}`, cookies)).status).to.equal(403);
      expect((await submit(`token=${token}`, {})).status).to.equal(403);
      expect((await submit('token=', { cookie: 'botbell_form=' })).status).to.equal(403);
      expect(turnedAway.at(-1)?.problem).to.equal('a form without its token');
    });

    it('which stays the same, in whatever tab a page is opened', async () => {
      const { token, cookies } = await page();
      const again = await get('/bots/1', { ...BROWSER, ...cookies });
      expect([again.json['token'], cookiesOf(again)]).to.deep.equal([token, []]);
    });

    it('and take no more of a form than 64 KB, nor more than 200 fields', async () => {
      const { token, cookies } = await page();
      expect((await submit(`token=${token}&a=${'x'.repeat(70_000)}`, cookies)).status).to.equal(413);
      expect((await submit(`token=${token}${'&a=1'.repeat(200)}`, cookies)).status).to.equal(400);
      expect((await submit('{}', { ...cookies, 'content-type': 'application/json' })).status).to.equal(415);
      expect((await submit('x', { ...cookies, 'content-encoding': 'gzip' })).status).to.equal(400);
    });

    it('but of what is pasted into the playground, as much as a callback may have', async () => {
      const { token, cookies } = await page();
      const paste = (bytes: number) =>
        world.ask('POST /playground', {
          headers: { ...FORM, ...cookies },
          body: `token=${token}&callback=${'x'.repeat(bytes)}`,
        });
      expect((await paste(1_000_000)).status).to.equal(200);
      expect((await paste(3_000_000)).status).to.equal(413);
    });

    it('and cut off who sends more than was said, or less', async () => {
      const head =
        'POST /act/x HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-www-form-urlencoded\r\n';
      const chunk = `2000\r\n${'x'.repeat(0x2000)}\r\n`;
      const answer = await raw(`${head}transfer-encoding: chunked\r\n\r\n${chunk.repeat(20)}0\r\n\r\n`);
      expect(answer).to.match(/^HTTP\/1.1 413 /);
    });
  });

  const raw = async (text: string) => {
    const socket = connect(world.server.port, '127.0.0.1');
    socket.end(text);
    let answer = '';
    socket.on('data', (piece: Buffer) => (answer += piece.toString()));
    await once(socket, 'close');
    return answer;
  };

  describe('name who asks', () => {
    const actor = async (headers: Record<string, string>) => (await get('/', headers)).json['actor'];

    it('by the Basic user and the address', async () => {
      await open({ password: PASSWORD });
      expect(
        await actor({ ...RIGHT, 'x-forwarded-user': 'mallory', 'x-forwarded-for': '1.2.3.4' }),
      ).to.deep.equal({
        via: 'page',
        user: 'admin',
        from: '127.0.0.1',
      });
    });

    it('by the address alone, where no password is asked for', async () => {
      await open();
      expect(await actor(basic('somebody:x'))).to.deep.equal({ via: 'page', from: '127.0.0.1' });
    });

    it('by what a trusted proxy says, cleaned', async () => {
      await open({ password: PASSWORD, trustProxy: ['127.0.0.0/8'] });
      const headers = { ...RIGHT, 'x-forwarded-for': '192.0.2.7' };
      const name = Buffer.from('田中\u202e さん').toString('latin1');
      expect(await actor({ ...headers, 'x-forwarded-user': name })).to.deep.equal({
        via: 'page',
        user: '田中 さん',
        from: '192.0.2.7',
      });
      const long = (await actor({ ...headers, 'x-forwarded-user': 'x'.repeat(5000) })) as { user: string };
      expect(long.user.length).to.be.lessThan(120);
      expect(await actor(headers)).to.include({ user: 'admin' });
    });

    it('by no header of who connects past the proxy', async () => {
      await open({ trustProxy: ['10.0.0.0/8'] });
      const headers = { 'x-forwarded-user': 'mallory', 'x-forwarded-for': '1.2.3.4' };
      expect(await actor(headers)).to.deep.equal({ via: 'page', from: '127.0.0.1' });
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
