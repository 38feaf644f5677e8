/** Many bodies at once, slow, large or in crumbs: none of them keeps the others out. */
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { callbackWith } from '../support/callbacks.ts';
import { until } from '../support/proof-wait.ts';
import { RawClient } from '../support/raw-client.ts';
import { openReceiver, type ReceiverBench, type ReceiverLimits } from '../support/receiver-bench.ts';

const MB = 1024 * 1024;
const SMALL = Buffer.from(JSON.stringify(callbackWith()));
const LARGE = Buffer.from(JSON.stringify(callbackWith({ message: 'x'.repeat(900_000) })));

function head(from: string, headers: string): string {
  return `POST /callbacks HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Forwarded-For: ${from}\r\n${headers}\r\n\r\n`;
}

function inChunks(body: Uint8Array, size: number): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) {
    const part = body.subarray(at, at + size);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), Buffer.from(part), Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

describe('bodies that are being read', () => {
  let bench: ReceiverBench;
  const clients: RawClient[] = [];

  const open = async (limits: ReceiverLimits = {}) => {
    const settings = { maxBodyBytes: MB, trustProxy: true };
    bench = await openReceiver(settings, { checkMs: 10 }, undefined, limits);
  };

  const connect = async () => {
    const client = await RawClient.open(bench.port);
    clients.push(client);
    return client;
  };

  /** @returns the client, that waits for its answer */
  const send = async (from: string, body: Uint8Array, cut = 0) => {
    const client = await connect();
    client.write(head(from, `Content-Length: ${body.length}`), body.subarray(0, body.length - cut));
    return client;
  };

  const statusOf = async (client: RawClient) => (await client.answer())?.status;

  /** They are at the server and have brought all that they are going to. */
  const untilHeld = (bytes: number) =>
    until(`${bytes} bytes held`, () => bench.readings.usage.heldBytes >= bytes);

  const expectNothingHeld = () =>
    until('everything was given back', () => {
      const { heldBytes, waitingCount, sourceCount } = bench.readings.usage;
      return heldBytes === 0 && waitingCount === 0 && sourceCount === 0;
    });

  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await expectNothingHeld();
    expect(bench.unforeseen).to.deep.equal([]);
    await bench.close();
  });

  it('of one source are all read in turn, though they are more than fit at once', async () => {
    await open({ readingHeapBytes: 0 });
    const senders = await Promise.all(Array.from({ length: 12 }, () => send('192.0.2.1', LARGE)));
    expect(await Promise.all(senders.map(statusOf))).to.deep.equal(Array(12).fill(200));
    expect(bench.handled).to.have.length(12);
  });

  it('of one source give way to another’s, where they do not go on', async () => {
    await open({ readingHeapBytes: 0 });
    const stalled: RawClient[] = [];
    for (let index = 1; index <= 4; index += 1) stalled.push(await send(`2001:db8:0:1::${index}`, LARGE, 10));
    await untilHeld(MB);
    expect(await statusOf(await send('192.0.2.1', SMALL)), 'a small one').to.equal(200);
    expect(await statusOf(await send('192.0.2.1', LARGE)), 'a large one').to.equal(200);
    const ended = await Promise.race(stalled.map((client) => client.answer()));
    expect(ended?.status).to.equal(503);
    expect(ended?.headers).to.include({ 'retry-after': '30', connection: 'close' });
  });

  it('count for what they inflate to, and fit all the same in turn', async () => {
    await open({ readingHeapBytes: 0 });
    const body = gzipSync(LARGE);
    expect(body.length).to.be.lessThan(5000);
    const senders = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const client = await connect();
        client.write(head('192.0.2.1', `Content-Encoding: gzip\r\nContent-Length: ${body.length}`), body);
        return client;
      }),
    );
    expect(await Promise.all(senders.map(statusOf))).to.deep.equal(Array(12).fill(200));
  });

  for (const size of [1, 7, 100, 5000]) {
    it(`are read in chunks of ${size} bytes, and so is what follows on the connection`, async () => {
      await open();
      const body = Buffer.from(JSON.stringify(callbackWith({ message: 'あ'.repeat(20_000) })));
      const client = await connect();
      const chunked = head('192.0.2.1', 'Transfer-Encoding: chunked');
      for (let round = 0; round < 2; round += 1) {
        client.write(chunked, inChunks(body, size));
        expect(await statusOf(client)).to.equal(200);
      }
      client.write(head('192.0.2.1', `Content-Length: ${SMALL.length}`), SMALL);
      expect(await statusOf(client)).to.equal(200);
      expect(bench.handled.map(({ message }) => message?.length)).to.deep.equal([20_000, 20_000, undefined]);
    });
  }

  it('in chunks or compressed are answered 413 past max_body, however little they inflate to', async () => {
    await open();
    const chunked = await connect();
    chunked.write(
      head('192.0.2.1', 'Transfer-Encoding: chunked'),
      inChunks(Buffer.alloc(2 * MB, ' '), 60_000),
    );
    expect(await statusOf(chunked)).to.equal(413);
    const nothing = gzipSync('');
    const members = Buffer.concat(Array<Buffer>(Math.ceil((2 * MB) / nothing.length)).fill(nothing));
    const compressed = await connect();
    compressed.write(
      head('192.0.2.1', 'Content-Encoding: gzip\r\nTransfer-Encoding: chunked'),
      inChunks(members, 60_000),
    );
    expect(await statusOf(compressed)).to.equal(413);
  });

  for (const [what, body] of [
    ['small', SMALL],
    ['large', LARGE],
  ] as const) {
    it(`and come too slowly are answered 408, said in the log, and held no longer (${what})`, async () => {
      await open({ limits: { speedWindowMs: 60 } });
      const client = await send('192.0.2.1', body, 10);
      const answer = await client.answer();
      expect(answer?.status).to.equal(408);
      expect(answer?.headers['connection']).to.equal('close');
      await bench.reported();
      expect(bench.reports.map(({ status, from }) => [status, from])).to.deep.equal([[408, '192.0.2.1']]);
      await expectNothingHeld();
    });
  }

  it('are answered 503 at the end, where the server closes', async () => {
    await open();
    const client = await send('192.0.2.1', LARGE, 10);
    await untilHeld(500_000);
    const closed = bench.close();
    expect(await statusOf(client)).to.equal(503);
    client.destroy();
    await closed;
    await open();
  });
});
