/** Connections that a channel keeps between its messages, and what servers do to them meanwhile. */
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { exchange } from '../../src/outbound/exchange.ts';
import { openPool, type HttpPool } from '../../src/outbound/pool.ts';

describe('A connection to a chat', () => {
  let server: Server;
  let pool: HttpPool;
  let opened: Socket[];
  let received: number;
  /** What the server says of its idle connections; undefined: nothing. */
  let announced: string | undefined;

  const answer = (response: ServerResponse) => {
    received += 1;
    // With it, Node announces no time of its own.
    response.setHeader('connection', 'keep-alive');
    if (announced !== undefined) response.setHeader('keep-alive', announced);
    response.end('{}');
  };
  /** Until the connection is free again, a turn after the answer. */
  const send = async () => {
    const sent = exchange(pool, { path: '/', headers: {}, body: 'b', deadline: performance.now() + 5_000 });
    const { status } = await sent;
    await turn();
    return status;
  };
  const open = () => opened.filter(({ destroyed }) => !destroyed).length;

  beforeEach(async () => {
    [opened, received, announced] = [[], 0, undefined];
    server = createServer({ keepAliveTimeout: 0 }, (_request, response) => answer(response));
    server.on('connection', (socket) => opened.push(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    pool = openPool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });

  afterEach(async () => {
    mock.timers.reset();
    await pool.destroy();
    server.closeAllConnections();
    server.close();
  });

  for (const [announcement, keptMs] of [
    [undefined, 30_000],
    ['timeout=5', 4_000],
    ['timeout=5, max=100', 4_000],
    ['timeout=3600', 30_000],
  ] as const) {
    it(`is kept for ${keptMs / 1000} s where the server announces ${announcement ?? 'nothing'}`, async () => {
      announced = announcement;
      mock.timers.enable({ apis: ['setTimeout'] });
      await send();
      mock.timers.tick(keptMs - 1);
      await send();
      expect(opened).to.have.length(1);
      const closed = once(opened[0] as Socket, 'close');
      mock.timers.tick(keptMs);
      await closed;
      await send();
      expect([opened.length, received]).to.deep.equal([2, 3]);
    });
  }

  it('is not kept where the server announces a second, since a message could meet its end', async () => {
    announced = 'timeout=1';
    await send();
    await once(opened[0] as Socket, 'close');
    expect(open()).to.equal(0);
    await send();
    expect([opened.length, received]).to.deep.equal([2, 2]);
  });

  for (const [how, close] of [
    ['ends', (socket: Socket) => socket.end()],
    ['resets', (socket: Socket) => socket.resetAndDestroy()],
  ] as const) {
    it(`that the server ${how} as a message comes costs neither that message nor a second one`, async () => {
      for (let sent = 1; sent <= 20; sent += 1) {
        expect(await send()).to.equal(200);
        expect([opened.length, received]).to.deep.equal([sent, sent]);
        close(opened.at(-1) as Socket);
      }
    });
  }
});
