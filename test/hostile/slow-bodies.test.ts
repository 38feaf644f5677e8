/** What bodies that come slowly, stall or come in crumbs can do to the running program: keep nobody else waiting. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { callback } from '../support/bridge-world.ts';
import { type HostileProgram, startHostileProgram } from '../support/hostile-program.ts';
import { RawClient } from '../support/raw-client.ts';
import { honestDuring, type HonestWaits } from './honest-during.ts';

const MB = 1024 * 1024;

/** It starts with some 90 MB; 60 stalled bodies of 8 MB took 550 MB, eight in crumbs the process. */
const MOST_RSS = 400 * MB;

/** Of CPU while one waits, several times what it takes. */
const MOST_WORK_MS = 3000;

/** Of CPU until five callbacks are answered beside crumbs, three times what it takes; 9000 when a read was parsed at once. */
const MOST_WORK_OF_FIRST_STEPS_MS = 2500;

/** Well below the 15 s for which 256 slow bodies kept everybody out. */
const HELD_MS = 1500;

function inChunks(body: Uint8Array, size: number): Buffer {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < body.length; at += size) {
    const part = body.subarray(at, at + size);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

describe('Bodies of a stranger', () => {
  let program: HostileProgram;
  const sockets = new Set<Socket>();

  before(async () => {
    program = await startHostileProgram({ receiver: 'trust_proxy: true' });
  });

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await program.expectAlive();
  });

  after(() => program.close());

  /** @param neighbour of all who come from one IPv6 /64 */
  function post(neighbour: number, headers: string, ...parts: (string | Uint8Array)[]): Socket {
    return postTo(program.path, neighbour, headers, ...parts);
  }

  function postTo(
    path: string,
    neighbour: number,
    headers: string,
    ...parts: (string | Uint8Array)[]
  ): Socket {
    const socket = connect({ port: program.port, host: '127.0.0.1' });
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.resume();
    const from = `X-Forwarded-For: 2001:db8:0:1::${neighbour.toString(16)}`;
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${from}\r\n${headers}\r\n\r\n`,
    );
    for (const part of parts) socket.write(part);
    sockets.add(socket);
    return socket;
  }

  /** Of what each connection brings, the first 4 kB are parsed at once. */
  async function untilFirstStepsAreParsed(): Promise<void> {
    for (let count = 0; count < 5; count += 1)
      expect((await program.post(JSON.stringify(callback()))).status).to.equal(200);
  }

  function expectUnharmed({ statuses, healthStatuses, unanswered, mostWorkMs }: HonestWaits): void {
    expect([Object.keys(statuses), Object.keys(healthStatuses)]).to.deep.equal([['200'], ['200']]);
    expect(unanswered).to.deep.equal([]);
    expect(mostWorkMs, 'ms of CPU while one waited').to.be.below(MOST_WORK_MS);
    expect(program.memory().peakRss).to.be.below(MOST_RSS);
  }

  for (const [what, length] of [
    ['small', 2000],
    ['large', 8 * MB],
  ] as const) {
    it(`keep nobody out while 300 of them drip (${what})`, async () => {
      const seen = await honestDuring(program, async () => {
        const slow = Array.from({ length: 300 }, (_, index) => post(index, `Content-Length: ${length}`, '{'));
        for (let waited = 0; waited < HELD_MS; waited += 250) {
          for (const socket of slow) socket.write(' ');
          await sleep(250);
        }
        const own = await program.post(JSON.stringify(callback()), {
          headers: { 'x-forwarded-for': '2001:db8:0:1::ffff' },
        });
        expect(own.status, 'a fast one of the same source').to.equal(200);
      });
      expectUnharmed(seen);
    });
  }

  it('keep nobody out while 60 of 8 MB stall before their end, of one source; the others’ large ones pass, too', async () => {
    const almost = Buffer.alloc(8 * MB - 10, ' ');
    const large = JSON.stringify(callback({ message: 'x'.repeat(500_000) }));
    const seen = await honestDuring(program, async () => {
      for (let index = 0; index < 60; index += 1) post(index, `Content-Length: ${8 * MB}`, almost);
      await sleep(500);
      for (let round = 0; round < 4; round += 1) {
        const answer = await program.post(large, { headers: { 'x-forwarded-for': `192.0.2.${round}` } });
        expect(answer.status, answer.body).to.equal(200);
      }
    });
    expectUnharmed(seen);
  });

  it('keep nobody out while eight come in chunks of one byte', async () => {
    const crumbs = Buffer.from('1\r\n \r\n'.repeat(100_000));
    const seen = await honestDuring(program, async () => {
      for (let index = 0; index < 8; index += 1)
        post(index, 'Transfer-Encoding: chunked', ...Array<Buffer>(20).fill(crumbs));
      await sleep(HELD_MS);
    });
    expectUnharmed(seen);
  });

  it('keep nobody waiting while 200 connections bring in crumbs what nobody wants', async () => {
    const crumbs = Buffer.from('6\r\n      \r\n'.repeat(20_000));
    for (let index = 0; index < 200; index += 1) postTo('/nope', index, 'Transfer-Encoding: chunked', crumbs);
    const before = program.cpuMs();
    await untilFirstStepsAreParsed();
    expect(program.cpuMs() - before, 'ms of CPU').to.be.below(MOST_WORK_OF_FIRST_STEPS_MS);
  });

  it('in crumbs, from 80 connections, keep nobody out who sends small chunks, too', async () => {
    const crumbs = Buffer.from('1\r\n \r\n'.repeat(20_000));
    const body = JSON.stringify(callback({ message: 'x'.repeat(400_000) }));
    for (let index = 0; index < 80; index += 1)
      post(index, 'Transfer-Encoding: chunked', ...Array<Buffer>(10).fill(crumbs));
    await untilFirstStepsAreParsed();
    const client = await RawClient.open(program.port);
    client.write(
      `POST ${program.path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Forwarded-For: 192.0.2.1\r\nTransfer-Encoding: chunked\r\n\r\n`,
      inChunks(Buffer.from(body), 5),
    );
    expect((await client.answer())?.status).to.equal(200);
    client.destroy();
  });
});
