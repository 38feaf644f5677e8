/** Whatever is asked of the admin listener, the rest of the process goes on. */
import { PassThrough } from 'node:stream';
import { connect } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import type { Context } from 'koa';
import { request } from 'undici';
import { createAdminMemory } from '../../src/admin/admin.ts';
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { type AdminWorld, openAdminWorld } from '../support/admin-world.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { until } from '../support/proof-wait.ts';

function streamBegun(): PassThrough {
  const stream = new PassThrough();
  stream.write(': begun\n');
  return stream;
}

describe('the admin listener', () => {
  let world: AdminWorld;
  let clock: ManualClock;
  let waiting: (() => void)[];

  beforeEach(async () => {
    clock = new ManualClock();
    waiting = [];
    world = await openAdminWorld({ memory: createAdminMemory(clock), page });
  });

  afterEach(() => world.close());

  const page = async (ctx: Context) => {
    if (ctx.path === '/stream') ctx.body = streamBegun();
    else if (ctx.path === '/ledger') throw new LedgerUnavailable('gone');
    else if (ctx.path === '/fails') throw new Error('unforeseen');
    else if (ctx.path === '/quick') ctx.body = 'quick';
    else {
      await new Promise<void>((resolve) => waiting.push(resolve));
      ctx.body = 'slow';
    }
  };
  const get = async (path: string) => (await world.ask(`GET ${path}`)).status;
  const sent = async (text: string) => {
    const socket = connect(world.server.port, '127.0.0.1');
    await once(socket, 'connect');
    await new Promise((resolve) => {
      socket.write(text, resolve);
    });
    return socket;
  };
  const underWay = (count: number) => until(`${count} under way`, () => waiting.length === count);
  const finish = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };

  it('works on sixteen requests at once, and answers 503 to what is more', async () => {
    const slow = Array.from({ length: 16 }, () => get('/slow'));
    await underWay(16);
    const { status, headers } = await world.ask('GET /quick');
    expect([status, headers['retry-after'], headers['content-type']]).to.deep.equal([
      503,
      '1',
      'application/problem+json',
    ]);
    expect(await get('/api/callbacks')).to.equal(503);
    expect([await get('/healthz'), await get('/readyz'), await get('/metrics')]).to.deep.equal([
      200, 200, 200,
    ]);
    finish();
    expect(await Promise.all(slow)).to.deep.equal(Array(16).fill(200));
    expect(await get('/quick')).to.equal(200);
  });

  it('counts what fails no longer than what succeeds', async () => {
    for (let time = 0; time < 20; time += 1) {
      expect(await get('/fails')).to.equal(500);
      expect(await get('/ledger')).to.equal(503);
    }
    expect(await get('/quick')).to.equal(200);
  });

  it('answers 503 to what takes half a minute, and counts it until it is done', async () => {
    const slow = Array.from({ length: 16 }, () => get('/slow'));
    await underWay(16);
    await clock.advance(30_000);
    expect(await Promise.all(slow)).to.deep.equal(Array(16).fill(503));
    expect(await get('/quick')).to.equal(503);
    finish();
    await until('a turn', async () => (await get('/quick')) === 200);
  });

  it('has two large forms in memory at most', async () => {
    const head =
      'POST /playground HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n' +
      'content-type: application/x-www-form-urlencoded\r\n\r\ntoken=';
    const sockets = await Promise.all([sent(head), sent(head)]);
    await until('a third one is refused', async () => (await world.ask('POST /playground')).status === 503);
    expect(await get('/quick')).to.equal(200);
    for (const socket of sockets) socket.destroy();
    await until('a turn', async () => (await world.ask('POST /playground')).status === 403);
  });

  it('counts no stream that is out already', async () => {
    const streams = await Promise.all(
      Array.from({ length: 20 }, () => request(`http://127.0.0.1:${world.server.port}/stream`)),
    );
    expect(await get('/quick')).to.equal(200);
    for (const { body } of streams) body.destroy();
  });

  it('gives back the turn of a client that has gone while it sent its form', async () => {
    const head =
      'POST /act/x HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n' +
      'content-type: application/x-www-form-urlencoded\r\n\r\ntoken=';
    const sockets = await Promise.all(Array.from({ length: 20 }, () => sent(head)));
    await until('all turns are taken', async () => (await get('/quick')) === 503);
    for (const socket of sockets) socket.destroy();
    await until('a turn', async () => (await get('/quick')) === 200);
    expect(world.unforeseen).to.deep.equal([]);
  });
});
