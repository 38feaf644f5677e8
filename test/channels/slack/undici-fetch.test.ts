import { expect } from 'chai';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Pool } from 'undici';
import { encodeFields, UndiciFetch } from '../../../src/channels/slack/undici-fetch.ts';

describe('fetch over an undici pool', () => {
  let server: Server;
  let pool: Pool;
  let origin: string;
  let answer: (request: IncomingMessage, response: ServerResponse) => unknown;

  const call = (ms = 5_000) => {
    const transport = new UndiciFetch(pool, origin, (body) => body.slice(0, 20));
    const url = transport.checkIn(`${origin}/api/auth.test?a=1`, {
      deadline: performance.now() + ms,
      fields: encodeFields({ more: '障害 & #1', last: '' }),
    });
    return transport.fetch(url, { method: 'POST', headers: { authorization: 'Bearer x' }, body: 'a=b' });
  };

  before(async () => {
    server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    pool = new Pool(origin, { connections: 1 });
  });
  after(async () => {
    await pool.destroy();
    server.closeAllConnections();
    server.close();
  });

  it('sends path, query, headers, body and further fields, and keeps the deadline to itself', async () => {
    let seen: unknown;
    answer = async (request, response) => {
      const { method, url, headers } = request;
      const fields = [...new URLSearchParams(await text(request))];
      seen = { method, url, authorization: headers.authorization, fields };
      response.writeHead(200, { 'X-Many': ['a', 'b'] }).end('{"ok":true}');
    };
    const response = await call();
    expect(seen).to.deep.equal({
      method: 'POST',
      url: '/api/auth.test?a=1',
      authorization: 'Bearer x',
      fields: [
        ['a', 'b'],
        ['more', '障害 & #1'],
        ['last', ''],
      ],
    });
    expect(response).to.include({ ok: true, status: 200 });
    expect(await response.json()).to.deep.equal({ ok: true });
    expect(await response.text()).to.equal('{"ok":true}');
    expect(response.headers.get('X-MANY')).to.equal('a,b');
    expect(response.headers.get('absent')).to.equal(null);
    expect([...response.headers.entries()]).to.deep.include(['x-many', 'a,b']);
  });

  it('shortens what it hands on of an answer', async () => {
    answer = (_request, response) => response.end('x'.repeat(100));
    expect(await (await call()).text()).to.equal('x'.repeat(20));
  });

  it('gives every 429 a Retry-After in seconds, puts one of a 200 into seconds, and touches no other answer', async () => {
    answer = (_request, response) => response.writeHead(429, { 'retry-after': 'later' }).end();
    expect((await call()).headers.get('retry-after')).to.equal('30');
    answer = (_request, response) => response.writeHead(200, { 'retry-after': '31 Dec 9999' }).end();
    expect((await call()).headers.get('retry-after')).to.equal('30');
    answer = (_request, response) => response.writeHead(200).end();
    expect((await call()).headers.get('retry-after')).to.equal(null);
    answer = (_request, response) => response.writeHead(503, { 'retry-after': 'later' }).end();
    expect((await call()).headers.get('retry-after')).to.equal('later');
  });

  it('follows no redirect', async () => {
    answer = (_request, response) => response.writeHead(307, { location: '/elsewhere' }).end();
    expect(await call()).to.include({ ok: false, status: 307 });
  });

  it('rejects at the deadline and frees the connection', async () => {
    answer = () => undefined;
    const error: unknown = await call(40).catch((reason: unknown) => reason);
    expect(error).to.include({ name: 'TimeoutError' });
    answer = (_request, response) => response.end('free');
    expect(await (await call()).text()).to.equal('free');
  });

  it('sends nothing when the deadline passed while no connection was free', async () => {
    let requests = 0;
    let finish: () => void = () => undefined;
    answer = (_request, response) => {
      requests += 1;
      finish = () => response.end('{}');
    };
    const first = call();
    const error: unknown = await call(40).catch((reason: unknown) => reason);
    expect(error).to.include({ name: 'TimeoutError' });
    finish();
    await first;
    answer = (_request, response) => response.end('free');
    expect(await (await call()).text()).to.equal('free');
    expect(requests).to.equal(1);
  });

  it('sends nothing when the deadline has passed already', async () => {
    let requests = 0;
    answer = (_request, response) => {
      requests += 1;
      response.end();
    };
    const error: unknown = await call(-1).catch((reason: unknown) => reason);
    expect(error).to.include({ name: 'TimeoutError' });
    expect(requests).to.equal(0);
  });

  it('makes no call that bears no deadline', async () => {
    const error: unknown = await new UndiciFetch(pool, origin, String)
      .fetch(`${origin}/api/auth.test`)
      .catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(TypeError);
  });
});
