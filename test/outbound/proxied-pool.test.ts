/** What a channel over HTTP sees of a proxy on the way, for https: and for http: remotes. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { networkErrorOf } from '../../src/channels/network-error.ts';
import type { HttpPool } from '../../src/outbound/pool.ts';
import { exchange, poolsThrough } from '../../src/outbound/exchange.ts';
import { parseProxy } from '../../src/outbound/proxy.ts';
import { type ForwardProxy, startForwardProxy } from '../support/forward-proxy.ts';

const LOGIN = { user: 'bot', password: 'p@ss:wörd' };
const IN_URL = 'bot:p%40ss%3Aw%C3%B6rd@';

const TLS = 'test/fixtures/tls/remote.test';

describe('A POST of a channel through a proxy', () => {
  let plain: Server;
  let secure: ReturnType<typeof createHttpsServer>;
  let answer: (response: ServerResponse) => unknown;
  let proxy: ForwardProxy;
  let pools: HttpPool[];

  const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;

  async function open(origin: string, user = IN_URL, host = proxy.host): Promise<HttpPool> {
    const through = parseProxy(`http://${user}${host}`);
    const pool = await poolsThrough({ https: through, http: through, exempt: [] })(origin);
    pools.push(pool);
    return pool;
  }

  const send = (pool: HttpPool, ms = 5_000) =>
    exchange(pool, { path: '/api/x?a=1', headers: {}, body: 'b', deadline: performance.now() + ms });

  const errorOf = async (sending: Promise<unknown>) => {
    const outcome: unknown = await sending.then(
      () => 'no error at all',
      (error: unknown) => error,
    );
    const { words, ...error } = networkErrorOf(outcome);
    return { ...error, words: words.en };
  };

  before(async () => {
    const keys = { key: readFileSync(`${TLS}.key`), cert: readFileSync(`${TLS}.crt`) };
    plain = createHttpServer((_request, response) => answer(response)).listen(0, '127.0.0.1');
    secure = createHttpsServer(keys, (_request, response) => answer(response)).listen(0, '127.0.0.1');
    await Promise.all([once(plain, 'listening'), once(secure, 'listening')]);
  });

  after(() => {
    for (const server of [plain, secure]) {
      server.closeAllConnections();
      server.close();
    }
  });

  beforeEach(async () => {
    pools = [];
    answer = (response) => response.end('{}');
    const ports = { 'plain.test': portOf(plain), 'remote.test': portOf(secure) };
    proxy = await startForwardProxy({ login: LOGIN, ports });
    // The certificate of remote.test is nobody's but its own.
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  });

  afterEach(async () => {
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    await Promise.all(pools.map((pool) => pool.destroy()));
    await proxy.close();
  });

  it('has an http: remote asked for by its whole URL', async () => {
    expect(await send(await open('http://plain.test'))).to.include({ status: 200, body: '{}' });
    expect(proxy.asked).to.deep.equal(['http://plain.test/api/x?a=1']);
  });

  it('goes to an https: remote by a tunnel, which it uses again', async () => {
    const pool = await open('https://remote.test');
    for (let count = 0; count < 9; count += 1)
      expect(await send(pool)).to.include({ status: 200, body: '{}' });
    // Whoever asks as soon as there is an answer comes before its connection is free again.
    expect(proxy.asked.length).to.be.at.most(2);
    expect(new Set(proxy.asked)).to.deep.equal(new Set(['remote.test:443']));
  });

  it('fails where the certificate at the end of the tunnel is not accepted', async () => {
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    const { isRefusal, words } = await errorOf(send(await open('https://remote.test')));
    expect([isRefusal, words]).to.deep.equal([true, 'its TLS certificate or version was not accepted']);
  });

  it('opens as many connections at once as without, and no more', async () => {
    const pool = await open('https://remote.test');
    const held: ServerResponse[] = [];
    const all = new Promise<void>((resolve) => {
      answer = (response) => void (held.push(response) === 50 && resolve());
    });
    const sending = Array.from({ length: 120 }, () => send(pool, 20_000));
    await all;
    answer = (response) => response.end('{}');
    for (const response of held) response.end('{}');
    await Promise.all(sending);
    expect(proxy.mostTunnels()).to.equal(50);
  });

  it('leaves nothing open when the channel is closed', async () => {
    const pool = await open('https://remote.test');
    await send(pool);
    await pool.destroy();
    while (proxy.openTunnels() > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  for (const origin of ['https://remote.test', 'http://plain.test']) {
    describe(`to ${origin}`, () => {
      it('says that a password is wrong or missing, and what to do, without showing it', async () => {
        const wrong = await errorOf(send(await open(origin, 'bot:s3cret@')));
        expect(wrong).to.include({ code: 'proxy_407', isRefusal: true, mayHaveArrived: false });
        expect(wrong.words)
          .to.include(
            `the proxy http://${proxy.host} refused to connect (407): check the user name and password`,
          )
          .and.not.to.include('s3cret');
        const missing = await errorOf(send(await open(origin, '')));
        expect(missing).to.include({ code: 'proxy_407', isRefusal: true });
      });

      it('may succeed later where the proxy is not there, and says which', async () => {
        const { host } = proxy;
        await proxy.close();
        const error = await errorOf(send(await open(origin, IN_URL, host)));
        expect(error).to.include({ code: 'ECONNREFUSED', isRefusal: false, mayHaveArrived: false });
        expect(error.words).to.match(
          /^the proxy http:\/\/127\.0\.0\.1:\d+ could not be used: the connection/,
        );
      });

      it('may succeed later where the proxy does not answer in time', async () => {
        proxy.faults.push('silence');
        const pool = await open(origin);
        expect(await errorOf(send(pool, 300))).to.include({ code: 'ETIMEDOUT', isRefusal: false });
        expect(await send(pool)).to.include({ status: 200 });
      });
    });
  }

  for (const status of [500, 502, 503, 504, 408, 429]) {
    it(`may succeed later where the proxy answers CONNECT with ${status}`, async () => {
      proxy.faults.push(status);
      const pool = await open('https://remote.test');
      const error = await errorOf(send(pool));
      expect(error).to.include({ code: `proxy_${status}`, isRefusal: false, mayHaveArrived: false });
      expect(error.words).to.equal(`the proxy http://${proxy.host} could not connect (${status})`);
      expect(await send(pool)).to.include({ status: 200 });
    });
  }

  it('is refused for good where the proxy does not let it pass', async () => {
    proxy.faults.push(403);
    const error = await errorOf(send(await open('https://remote.test')));
    expect(error).to.include({ code: 'proxy_403', isRefusal: true, mayHaveArrived: false });
    expect(error.words).to.include('ask whoever runs it to allow this host');
  });

  it('fails once where the proxy resets the connection, instead of asking it again and again', async () => {
    proxy.faults.push('reset', 'reset', 'reset');
    const pool = await open('https://remote.test');
    const error = await errorOf(send(pool));
    expect(error).to.include({ code: 'ECONNRESET', isRefusal: false, mayHaveArrived: false });
    expect(error.words).to.include(proxy.host);
    expect(proxy.asked).to.have.length(1);
    proxy.faults.splice(0);
    expect(await send(pool)).to.include({ status: 200 });
  });

  it('takes an answer of an http: remote that may be either its own or the proxy’s as the remote’s', async () => {
    proxy.faults.push(502);
    expect(await send(await open('http://plain.test'))).to.include({ status: 502 });
  });
});
