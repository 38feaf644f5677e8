import { expect } from 'chai';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { Pool } from 'undici';
import { type HttpPool, openPool } from '../../src/outbound/pool.ts';
import { networkErrorOf } from '../../src/channels/network-error.ts';
import { exchange } from '../../src/outbound/exchange.ts';
import { moment } from '../support/moment.ts';

describe('a POST of a channel', () => {
  let server: Server;
  let pool: Pool;
  let origin: string;
  let answer: (request: IncomingMessage, response: ServerResponse) => unknown;

  const call = (ms = 20_000, through: HttpPool = pool) =>
    exchange(through, {
      path: '/api/auth.test?a=1',
      headers: { authorization: 'Bearer x' },
      body: 'more=障害',
      deadline: performance.now() + ms,
    });
  const errorOf = (calling: Promise<unknown>) => calling.catch((reason: unknown) => reason);

  beforeEach(async () => {
    server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    pool = new Pool(origin, { connections: 1 });
  });
  afterEach(async () => {
    await pool.destroy();
    server.closeAllConnections();
    server.close();
  });

  it('sends path, query, headers and body, and hands over the whole answer', async () => {
    let seen: unknown;
    answer = async (request, response) => {
      const { method, url, headers } = request;
      seen = { method, url, authorization: headers.authorization, body: await text(request) };
      response.writeHead(200, { 'X-Many': ['a', 'b'] });
      response.write('{"ok":');
      setImmediate(() => response.end('"障害"}'));
    };
    const { status, headers, body } = await call();
    const [method, url, authorization] = ['POST', '/api/auth.test?a=1', 'Bearer x'];
    expect(seen).to.deep.equal({ method, url, authorization, body: 'more=障害' });
    expect([status, headers['x-many'], body]).to.deep.equal([200, ['a', 'b'], '{"ok":"障害"}']);
  });

  it('knows that nothing was sent where the server hangs up in the TLS handshake', async () => {
    const rude = createSocketServer((socket) => socket.once('data', () => socket.end())).listen(
      0,
      '127.0.0.1',
    );
    await once(rude, 'listening');
    const own = openPool(`https://127.0.0.1:${(rude.address() as AddressInfo).port}`);
    expect(networkErrorOf(await errorOf(call(20_000, own)))).to.include({
      code: 'ECONNRESET',
      mayHaveArrived: false,
    });
    await own.destroy();
    rude.close();
  });

  it('fails where the answer is larger than any service needs', async () => {
    const own = openPool(origin);
    answer = (_request, response) => response.end('x'.repeat(2_000_000));
    expect(await errorOf(call(20_000, own))).to.include({ code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE' });
    await own.destroy();
  });

  it('follows no redirect', async () => {
    answer = (_request, response) => response.writeHead(307, { location: '/elsewhere' }).end();
    expect(await call()).to.include({ status: 307 });
  });

  it('rejects at the deadline and frees the connection', async () => {
    answer = (_request, response) => response.end('a connection');
    await call();
    answer = () => undefined;
    expect(await errorOf(call(300))).to.include({ name: 'TimeoutError' });
    answer = (_request, response) => response.end('free');
    expect(await call()).to.include({ body: 'free' });
  });

  it('sends nothing when the deadline passed while no connection was free', async () => {
    const arrived = moment();
    let finish = (): unknown => undefined;
    const bodies: string[] = [];
    answer = async (request, response) => {
      bodies.push(await text(request));
      finish = () => response.end('{}');
      arrived.happen();
    };
    const first = call();
    await arrived.promise;
    expect(await errorOf(call(40))).to.include({ code: 'UND_ERR_CONNECT_TIMEOUT' });
    finish();
    await first;
    answer = (_request, response) => response.end('free');
    expect(await call()).to.include({ body: 'free' });
    expect(bodies).to.have.length(1);
  });

  it('sends nothing when the deadline has passed already', async () => {
    let requests = 0;
    answer = (_request, response) => {
      requests += 1;
      response.end();
    };
    expect(await errorOf(call(-1))).to.include({ code: 'UND_ERR_CONNECT_TIMEOUT' });
    expect(requests).to.equal(0);
  });
});
