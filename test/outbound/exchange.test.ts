import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSocketServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { type Dispatcher, Pool } from 'undici';
import { networkErrorOf } from '../../src/channels/network-error.ts';
import { askUrl } from '../../src/app/heartbeat.ts';
import { exchange, poolsThrough } from '../../src/outbound/exchange.ts';
import { type HttpPool, openPool } from '../../src/outbound/pool.ts';
import { NO_PROXIES } from '../../src/outbound/proxy.ts';
import { moment } from '../support/moment.ts';
import { onLoopback } from '../support/on-loopback.ts';
import { rejectionOf } from '../support/rejection-of.ts';

describe('A request to a remote', () => {
  let server: Awaited<ReturnType<typeof onLoopback>>;
  let pool: HttpPool;
  let origin: string;
  let answer: (request: IncomingMessage, response: ServerResponse) => unknown;
  let opened: Socket[];

  const call = async (ms = 20_000, through = pool) => {
    const asked = { path: '/api/auth.test?a=1', headers: { authorization: 'Bearer x' }, body: 'more=障害' };
    const answered = await exchange(through, { ...asked, deadline: performance.now() + ms });
    // Until the connection is free again.
    await turn();
    return answered;
  };

  beforeEach(async () => {
    opened = [];
    answer = (_request, response) => response.end('{}');
    const own = createServer({ keepAliveTimeout: 0 }, (request, response) => answer(request, response));
    server = await onLoopback(own.on('connection', (socket) => opened.push(socket)));
    origin = `http://${server.host}`;
    pool = openPool(origin);
  });
  afterEach(async () => {
    mock.timers.reset();
    await pool.destroy();
    await server.close();
  });

  it('sends path, query, headers and body, and hands over the whole answer, also a redirect, which it does not follow', async () => {
    let seen: unknown;
    answer = async (request, response) => {
      const { method, url, headers } = request;
      seen = { method, url, authorization: headers.authorization, body: await text(request) };
      response.writeHead(307, { location: '/elsewhere', 'X-Many': ['a', 'b'] });
      response.write('{"ok":');
      setImmediate(() => response.end('"障害"}'));
    };
    const { status, headers, body } = await call();
    const [method, url, authorization] = ['POST', '/api/auth.test?a=1', 'Bearer x'];
    expect(seen).to.deep.equal({ method, url, authorization, body: 'more=障害' });
    expect([status, headers['x-many'], body]).to.deep.equal([307, ['a', 'b'], '{"ok":"障害"}']);
  });

  it('is, of a URL that is asked, a GET with its query and its login, on a connection that ends with it', async () => {
    // Nothing but `askUrl` ends it.
    mock.timers.enable({ apis: ['setTimeout'] });
    const gone = moment();
    let request: IncomingMessage | undefined;
    answer = (asked, response) => {
      request = asked;
      request.socket.once('close', gone.happen);
      response.writeHead(204).end();
    };
    const url = `${origin.replace('//', '//me:p%40ss@')}/ping/abc?status=up`;
    expect(await askUrl(url, 20_000, poolsThrough(NO_PROXIES))).to.equal(204);
    expect([request?.method, request?.url]).to.deep.equal(['GET', '/ping/abc?status=up']);
    const authorization = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    expect(request?.headers).to.include({ authorization, 'user-agent': 'botbell' });
    expect(request?.headers).not.to.have.any.keys('content-length', 'transfer-encoding');
    await gone.promise;
  });

  it('knows that nothing was sent where the server hangs up in the TLS handshake', async () => {
    const rude = await onLoopback(createSocketServer((socket) => socket.once('data', () => socket.end())));
    const own = openPool(`https://${rude.host}`);
    const error = networkErrorOf(await rejectionOf(call(20_000, own)));
    expect(error).to.include({ code: 'ECONNRESET', mayHaveArrived: false });
    await own.destroy();
    await rude.close();
  });

  it('is answered by the beginning of what is larger than any service needs, or breaks off, and not by what comes before an answer', async () => {
    answer = (_request, response) => response.end('x'.repeat(2_000_000));
    expect(await call()).to.include({ status: 200, isCut: true });
    answer = (_request, response) => response.write('the beg', () => response.destroy());
    expect(await call()).to.include({ status: 200, body: 'the beg', isCut: true });
    answer = (_request, response) => response.writeProcessing(() => response.destroy());
    const lost = networkErrorOf(await rejectionOf(call()));
    expect(lost).to.include({ code: 'ECONNRESET', mayHaveArrived: true });
  });

  it('may have arrived, whatever then goes wrong with its answer', async () => {
    answer = ({ socket }) => socket.end('HTTP/1.1 000 None\r\ncontent-length: 0\r\n\r\n');
    expect(networkErrorOf(await rejectionOf(call())).mayHaveArrived).to.equal(true);
  });

  describe('at its deadline', () => {
    let single: Pool;
    beforeEach(() => (single = new Pool(origin, { connections: 1 })));
    afterEach(() => single.destroy());

    it('is rejected, or judged by the beginning of its answer, and its connection is free', async () => {
      await call(20_000, single);
      answer = () => undefined;
      expect(await rejectionOf(call(300, single))).to.include({ name: 'TimeoutError' });
      answer = (_request, response) => response.write('the beginning');
      expect(await call(2000, single)).to.include({ status: 200, body: 'the beginning', isCut: true });
      answer = (_request, response) => response.end('free');
      expect(await call(20_000, single)).to.include({ body: 'free' });
    });

    for (const [hasBegun, waitedMs, outcome] of [
      [false, 59_999, 'whole'],
      [false, 60_000, 'TimeoutError'],
      [true, 59_999, 'whole'],
      [true, 60_000, 'cut'],
    ] as const)
      it(`is waited for a minute longer where it has been written, if its caller wants to know that: ${outcome} after ${waitedMs} ms of an answer that ${hasBegun ? 'has begun' : 'has not begun'}`, async () => {
        mock.timers.enable({ apis: ['setTimeout'] });
        let handler: Partial<Dispatcher.DispatchHandler> = {};
        const controller = { abort: () => {} } as unknown as Dispatcher.DispatchController;
        const pool = { dispatch: (_: unknown, given: typeof handler) => Boolean((handler = given)) };
        const asked = { path: '/', headers: {}, deadline: performance.now() + 20_000, onWritten: () => {} };
        const answered = exchange(pool, asked).then(
          ({ isCut }) => (isCut ? 'cut' : 'whole'),
          ({ name }: Error) => name,
        );
        handler.onRequestStart?.(controller, {});
        if (hasBegun) handler.onResponseStart?.(controller, 200, {});
        mock.timers.tick(20_000);
        mock.timers.tick(waitedMs);
        handler.onResponseEnd?.(controller, {});
        expect(await answered).to.equal(outcome);
      });

    it('is not sent where it has passed, already or while no connection was free', async () => {
      const arrived = moment();
      let finish: (() => unknown) | undefined;
      let requests = 0;
      answer = (_request, response) => {
        requests += 1;
        if (finish !== undefined) return void response.end('free');
        finish = () => response.end('{}');
        arrived.happen();
      };
      expect(await rejectionOf(call(-1, single))).to.include({ code: 'UND_ERR_CONNECT_TIMEOUT' });
      const first = call(20_000, single);
      await arrived.promise;
      expect(await rejectionOf(call(40, single))).to.include({ code: 'UND_ERR_CONNECT_TIMEOUT' });
      finish?.();
      await first;
      expect(await call(20_000, single)).to.include({ body: 'free' });
      expect(requests).to.equal(2);
    });
  });

  describe('over a connection that is kept', () => {
    let received: number;
    /** What the server says of its idle connections; undefined: nothing. */
    let announced: string | undefined;

    beforeEach(() => {
      [received, announced] = [0, undefined];
      answer = (_request, response) => {
        received += 1;
        // With it, Node announces no time of its own.
        response.setHeader('connection', 'keep-alive');
        if (announced !== undefined) response.setHeader('keep-alive', announced);
        response.end('{}');
      };
    });

    for (const [announcement, keptMs] of [
      [undefined, 30_000],
      ['timeout=5', 4_000],
      ['timeout=5, max=100', 4_000],
      ['timeout=3600', 30_000],
    ] as const) {
      it(`finds it for ${keptMs / 1000} s where the server announces ${announcement ?? 'nothing'}`, async () => {
        announced = announcement;
        mock.timers.enable({ apis: ['setTimeout'] });
        await call();
        mock.timers.tick(keptMs - 1);
        await call();
        expect(opened).to.have.length(1);
        const closed = once(opened[0] as Socket, 'close');
        mock.timers.tick(keptMs);
        await closed;
        await call();
        expect([opened.length, received]).to.deep.equal([2, 3]);
      });
    }

    it('opens another one where the server announces a second, since it could meet its end', async () => {
      announced = 'timeout=1';
      await call();
      await once(opened[0] as Socket, 'close');
      await call();
      expect([opened.length, received]).to.deep.equal([2, 2]);
    });

    for (const [how, close] of [
      ['ends', (socket: Socket) => socket.end()],
      ['resets', (socket: Socket) => socket.resetAndDestroy()],
    ] as const) {
      it(`which the server ${how} as it comes, is neither lost nor sent twice`, async () => {
        for (let sent = 1; sent <= 20; sent += 1) {
          expect(await call()).to.include({ status: 200 });
          expect([opened.length, received]).to.deep.equal([sent, sent]);
          close(opened.at(-1) as Socket);
        }
      });
    }
  });
});
