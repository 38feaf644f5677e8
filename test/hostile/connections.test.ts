/** What thousands of requests and connections can do to the running program: nothing that the others notice. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { callback } from '../support/bridge-world.ts';
import { type HostileProgram, startHostileProgram } from '../support/hostile-program.ts';
import { honestDuring, type HonestWaits } from './honest-during.ts';

const ATTACKED_MS = 2000;
const MB = 1024 * 1024;

/** It starts with some 90 MB; 60 such connections took 1.8 GB, or the process. */
const MOST_RSS = 400 * MB;

/** Of CPU, several times what it takes, a fraction of what the attacks took. */
const MOST_WORK_MS = 3000;

const GET = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';

describe('Connections of a stranger', () => {
  let program: HostileProgram;
  const sockets = new Set<Socket>();

  before(async () => {
    program = await startHostileProgram();
  });

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await program.expectAlive();
  });

  after(() => program.close());

  /** Reads nothing of what comes. */
  function open(...parts: (string | Uint8Array)[]): Socket {
    const socket = connect({ port: program.port, host: '127.0.0.1' });
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.pause();
    for (const part of parts) socket.write(part);
    sockets.add(socket);
    return socket;
  }

  /** @param attack begins it, again whenever it is over */
  function seenDuring(attack: () => Promise<void>): Promise<HonestWaits> {
    return honestDuring(program, async () => {
      const until = Date.now() + ATTACKED_MS;
      while (Date.now() < until) await attack();
    });
  }

  function expectUnharmed({ statuses, healthStatuses, unanswered, mostWorkMs }: HonestWaits): void {
    expect([Object.keys(statuses), Object.keys(healthStatuses)]).to.deep.equal([['200'], ['200']]);
    expect(unanswered).to.deep.equal([]);
    expect(mostWorkMs, 'ms of CPU while one waited').to.be.below(MOST_WORK_MS);
    expect(program.memory().peakRss).to.be.below(MOST_RSS);
  }

  const blockOf = (request: string) => Buffer.from(request.repeat(Math.ceil(MB / request.length)));

  it('that send thousands of requests and read no answer cost next to nothing', async () => {
    const block = blockOf(GET);
    const seen = await seenDuring(async () => {
      for (let index = 0; index < 60; index += 1) open(block);
      await sleep(500);
    });
    expectUnharmed(seen);
  });

  it('that send thousands of callbacks and read no answer cost next to nothing', async () => {
    const body = JSON.stringify(callback());
    const length = Buffer.byteLength(body);
    const head = `POST ${program.path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
    const block = blockOf(`${head}${body}`);
    const seen = await seenDuring(async () => {
      for (let index = 0; index < 60; index += 1) open(block);
      await sleep(500);
    });
    expectUnharmed(seen);
  });

  it('that send as fast as answers are made, and read none, are dropped', async () => {
    const seen = await seenDuring(async () => {
      const all = Array.from({ length: 20 }, () => open());
      for (let round = 0; round < 40; round += 1) {
        for (const socket of all) socket.write(GET.repeat(20));
        await sleep(10);
      }
    });
    expectUnharmed(seen);
  });

  it('that say nothing, or not all of a head, keep nobody out, however many they are', async () => {
    const seen = await seenDuring(async () => {
      for (let index = 0; index < 300; index += 1) open(index % 2 === 0 ? '' : GET.slice(0, 25));
      await sleep(100);
    });
    expectUnharmed(seen);
  });
});
