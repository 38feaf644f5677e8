/** What bodies that come slowly, stall or come in crumbs can do to the running program: keep nobody else waiting. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { callback } from '../support/bridge-world.ts';
import { type HonestSeen } from '../support/honest-prober.ts';
import { type HostileProgram, startHostileProgram } from '../support/hostile-program.ts';

const MB = 1024 * 1024;

/** It starts with some 90 MB; 60 stalled bodies of 8 MB took 550 MB, eight in crumbs the process. */
const MOST_RSS = 400 * MB;
const SLOWEST_MS = 3000;

/** Well below the 15 s for which 256 slow bodies kept everybody out. */
const HELD_MS = 1500;

describe('Bodies of a stranger', function () {
  this.timeout(60_000);
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
    const socket = connect({ port: program.port, host: '127.0.0.1' });
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.resume();
    const from = `X-Forwarded-For: 2001:db8:0:1::${neighbour.toString(16)}`;
    socket.write(
      `POST ${program.path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${from}\r\n${headers}\r\n\r\n`,
    );
    for (const part of parts) socket.write(part);
    sockets.add(socket);
    return socket;
  }

  async function seenDuring(attack: () => Promise<void>): Promise<HonestSeen> {
    const honest = await program.startHonest();
    await attack();
    return honest.stop();
  }

  function expectUnharmed({ statuses, healthStatuses, unanswered, slowestPostMs }: HonestSeen): void {
    expect([Object.keys(statuses), Object.keys(healthStatuses)]).to.deep.equal([['200'], ['200']]);
    expect(unanswered).to.deep.equal([]);
    expect(slowestPostMs).to.be.below(SLOWEST_MS);
    expect(program.memory().peakRss).to.be.below(MOST_RSS);
  }

  for (const [what, length] of [
    ['small', 2000],
    ['large', 8 * MB],
  ] as const) {
    it(`keep nobody out while 300 of them drip (${what})`, async () => {
      const seen = await seenDuring(async () => {
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
    const seen = await seenDuring(async () => {
      for (let index = 0; index < 60; index += 1) post(index, `Content-Length: ${8 * MB}`, almost);
      await sleep(500);
      for (let round = 0; round < 4; round += 1) {
        const answer = await program.post(large, { headers: { 'x-forwarded-for': `192.0.2.${round}` } });
        expect(answer.status, answer.body).to.equal(200);
        expect(answer.ms).to.be.below(SLOWEST_MS);
      }
    });
    expectUnharmed(seen);
  });

  it('keep nobody out while eight come in chunks of one byte', async () => {
    const crumbs = Buffer.from('1\r\n \r\n'.repeat(100_000));
    const seen = await seenDuring(async () => {
      for (let index = 0; index < 8; index += 1)
        post(index, 'Transfer-Encoding: chunked', ...Array<Buffer>(20).fill(crumbs));
      await sleep(HELD_MS);
    });
    expectUnharmed(seen);
  });
});
