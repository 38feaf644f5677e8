/** What a channel over HTTP sees of a proxy on the way, for https: and for http: remotes. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { expect } from 'chai';
import { networkErrorOf } from '../../src/channels/network-error.ts';
import type { HttpPool } from '../../src/outbound/pool.ts';
import { exchange, poolsThrough } from '../../src/outbound/exchange.ts';
import { parseProxy } from '../../src/outbound/proxy.ts';
import { type ForwardProxy, type ProxyFault, startForwardProxy } from '../support/forward-proxy.ts';
import { onLoopback } from '../support/on-loopback.ts';
import { rejectionOf } from '../support/rejection-of.ts';

const TLS = 'test/fixtures/tls/remote.test';

type Scheme = 'http' | 'https';

const HTTPS: readonly Scheme[] = ['https'];
const BOTH: readonly Scheme[] = ['http', 'https'];

interface Failure {
  readonly comesTo: ProxyFault | 'gone';
  readonly code: string;
  readonly schemes?: readonly Scheme[];
  /** What is said of the proxy; undefined: it may be the remote that is silent. */
  readonly words?: string;
}

const FAILURES: readonly Failure[] = [
  { comesTo: 'silence', code: 'ETIMEDOUT', schemes: ['http'] },
  { comesTo: 'silence', code: 'ETIMEDOUT', words: 'could not be used: the connection' },
  { comesTo: 'gone', code: 'ECONNREFUSED', schemes: BOTH, words: 'could not be used: the connection' },
  { comesTo: 'reset', code: 'ECONNRESET', words: 'could not be used: the connection' },
  { comesTo: 407, code: 'proxy_407', schemes: BOTH, words: 'refused to connect (407): check the user name' },
  { comesTo: 403, code: 'proxy_403', words: 'refused to connect (403): ' },
  ...[408, 429, 500, 503].map((comesTo) => ({
    comesTo,
    code: `proxy_${comesTo}`,
    words: `could not connect (${comesTo})`,
  })),
];

describe('A POST of a channel through a proxy', () => {
  const keys = { key: readFileSync(`${TLS}.key`), cert: readFileSync(`${TLS}.crt`) };
  let answer: (response: ServerResponse) => unknown;
  let remotes: Record<Scheme, Awaited<ReturnType<typeof onLoopback>>>;
  let proxy: ForwardProxy;
  let pool: HttpPool;
  let opened: Duplex[];

  const hostOf = (scheme: Scheme) => remotes[scheme].host;

  async function open(scheme: Scheme): Promise<HttpPool> {
    const through = parseProxy(`http://bot:p%40ss%3Aw%C3%B6rd@${proxy.host}`);
    pool = await poolsThrough({ https: through, http: through, exempt: [] })(`${scheme}://${hostOf(scheme)}`);
    return pool;
  }

  const send = (ms = 20_000) =>
    exchange(pool, { path: '/api/x?a=1', headers: {}, body: 'b', deadline: performance.now() + ms });

  before(async () => {
    const http = createHttpServer((_request, response) => answer(response));
    const https = createHttpsServer(keys, (_request, response) => answer(response));
    https.on('connection', (socket) => opened.push(socket));
    remotes = { http: await onLoopback(http), https: await onLoopback(https) };
  });

  after(() => Promise.all(Object.values(remotes).map((remote) => remote.close())));

  beforeEach(async () => {
    opened = [];
    answer = (response) => response.end('{}');
    proxy = await startForwardProxy();
    // The certificate is nobody's but its own.
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  });

  afterEach(async () => {
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    await pool.destroy();
    await proxy.close();
  });

  for (const scheme of ['http', 'https'] as const)
    it(`asks for an ${scheme}: remote as such are asked for, with the login of the proxy's URL`, async () => {
      await open(scheme);
      expect(await send()).to.include({ status: 200, body: '{}' });
      const asked = { http: `http://${hostOf('http')}/api/x?a=1`, https: hostOf('https') };
      expect(proxy.asked).to.deep.equal([asked[scheme]]);
      expect(proxy.login()).to.equal(`Basic ${Buffer.from('bot:p@ss:wörd').toString('base64')}`);
    });

  it('fails where the certificate at the end of the tunnel is not accepted', async () => {
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    await open('https');
    const { isRefusal, words } = networkErrorOf(await rejectionOf(send()));
    expect(isRefusal).to.equal(true);
    expect(words.en).to.include('its TLS certificate');
  });

  it('opens as many connections at once as without, uses them again, and leaves none open when it is closed', async () => {
    await open('https');
    const held: ServerResponse[] = [];
    const all = new Promise<void>((resolve) => {
      answer = (response) => void (held.push(response) === 50 && resolve());
    });
    const sending = Array.from({ length: 120 }, () => send());
    await all;
    answer = (response) => response.end('{}');
    for (const response of held) response.end('{}');
    await Promise.all(sending);
    expect(opened).to.have.length(50);
    const closed = opened.filter(({ closed }) => !closed).map((socket) => once(socket, 'close'));
    await pool.destroy();
    await Promise.all(closed);
  });

  for (const { comesTo, code, schemes = HTTPS, words } of FAILURES)
    for (const scheme of schemes)
      it(`to an ${scheme}: remote fails as ${code} where the proxy comes to "${comesTo}", and says what to do`, async () => {
        await open(scheme);
        if (comesTo === 'gone') await proxy.close();
        // Once: after a reset, undici's agent would ask again and again.
        else proxy.faults.push(comesTo);
        const error = networkErrorOf(await rejectionOf(send(comesTo === 'silence' ? 300 : 20_000)));
        expect(error).to.include({ code, isRefusal: comesTo === 407 || comesTo === 403 });
        if (words !== undefined) {
          expect(error.mayHaveArrived).to.equal(false);
          expect(error.words.en).to.include(`the proxy http://${proxy.host} ${words}`);
        }
        if (comesTo !== 'gone') expect(await send()).to.include({ status: 200 });
      });

  it('takes an answer of an http: remote that may be either its own or the proxy’s as the remote’s', async () => {
    proxy.faults.push(502);
    await open('http');
    expect(await send()).to.include({ status: 502 });
  });
});
