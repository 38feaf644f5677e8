import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { callbackWith } from '../support/callbacks.ts';
import { moment } from '../support/moment.ts';
import { noise } from '../support/noise.ts';
import { until } from '../support/proof-wait.ts';
import { type RawAnswer, RawClient } from '../support/raw-client.ts';
import { DELIVERED, expectProblem, head, openReceiver, post, type ReceiverBench } from './receiver-bench.ts';

const MAX_BYTES = 64 * 1024;
const MB = 1024 * 1024;
const GOOD = Buffer.from(JSON.stringify(callbackWith()));

function callbackOf(bytes: number): Buffer {
  const empty = Buffer.byteLength(JSON.stringify(callbackWith({ message: '' })));
  return Buffer.from(JSON.stringify(callbackWith({ message: 'x'.repeat(bytes - empty) })));
}

describe('a body', () => {
  let bench: ReceiverBench;
  let client: RawClient;

  beforeEach(async () => {
    bench = await openReceiver({ maxBodyBytes: MAX_BYTES, maxInFlight: 1 });
    client = await RawClient.open(bench.port);
  });

  afterEach(async () => {
    client.destroy();
    const next = await RawClient.open(bench.port);
    next.write(post(GOOD));
    expect((await next.answer())?.status, 'the next good callback').to.equal(200);
    next.destroy();
    expect(bench.unforeseen).to.deep.equal([]);
    await bench.close();
  });

  const answerTo = (...parts: (string | Uint8Array)[]) => {
    client.write(...parts);
    return client.answer();
  };
  const expectClosed = async (answer: RawAnswer | undefined) => {
    expect(answer?.headers['connection']).to.equal('close');
    await client.closed();
  };
  /** What the operators are told of: status, bytes kept, address. */
  const refused = () =>
    bench.refused.map(({ status, bytes, from }) => [status, Buffer.from(bytes).toString('utf8'), from]);

  describe('that is compressed', () => {
    it('is read with gzip, deflate, br or identity', async () => {
      for (const [coding, compress] of [
        ['gzip', gzipSync],
        ['GZIP', gzipSync],
        ['x-gzip', gzipSync],
        ['deflate', deflateSync],
        ['br', brotliCompressSync],
        ['identity', (body: Uint8Array) => body],
      ] as const) {
        const answer = await answerTo(post(compress(GOOD), { 'Content-Encoding': coding }));
        expect(answer?.status, coding).to.equal(200);
        expect(bench.handled.at(-1), coding).to.deep.equal(callbackWith());
      }
    });

    for (const coding of ['zstd', 'gzip, br'])
      it(`with ${coding} is answered 415, which names what is read`, async () => {
        const answer = await answerTo(post(GOOD, { 'Content-Encoding': coding }));
        expectProblem(answer, 415, /gzip, deflate, br or identity/);
        expect(answer?.headers['accept-encoding']).to.equal('gzip, deflate, br');
        await expectClosed(answer);
      });

    for (const [what, coding, body] of [
      ['is not compressed at all', 'gzip', GOOD],
      ['is deflated without the header', 'deflate', deflateRawSync(GOOD)],
      ['ends too early', 'gzip', gzipSync(GOOD).subarray(0, -12)],
    ] as const)
      it(`with ${coding} but ${what} is answered 400`, async () => {
        expectProblem(await answerTo(post(body, { 'Content-Encoding': coding })), 400, /Content-Encoding/);
      });

    it('to a bomb is answered 413 before it has burst, and told of, though nothing of it is kept', async () => {
      const bomb = gzipSync(Buffer.alloc(8 * MB, ' '));
      expect(bomb.length).to.be.lessThan(MAX_BYTES);
      const answer = await answerTo(post(bomb, { 'Content-Encoding': 'gzip' }));
      expectProblem(answer, 413, /larger than 65536 bytes/);
      await expectClosed(answer);
      expect(refused()).to.deep.equal([[413, '', '127.0.0.1']]);
    });
  });

  describe('that is large', () => {
    it('is taken up to max_body, to the byte', async () => {
      expect((await answerTo(post(callbackOf(MAX_BYTES))))?.status).to.equal(200);
      expectProblem(await answerTo(post(callbackOf(MAX_BYTES + 1))), 413, /larger than 65536 bytes/);
    });

    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    for (const [how, parts] of [
      ['at its head, where that says so', [head({ 'Content-Length': 1024 * MB }), 'x'.repeat(100)]],
      ['where its head does not say so', [head({ 'Transfer-Encoding': 'chunked' }), chunk, chunk]],
    ] as const)
      it(`is answered 413 ${how}, and the rest of it is not waited for`, async () => {
        const answer = await answerTo(...parts);
        expectProblem(answer, 413, /larger/);
        await expectClosed(answer);
      });

    it('is answered so that a sender which reads only after it has sent everything can read it', async () => {
      client.write(head({ 'Content-Length': 20 * MB }));
      await client.flush(Buffer.alloc(20 * MB, 'x'));
      expect(client.error, 'nothing has cut the sender off').to.equal(undefined);
      expectProblem(await client.answer(), 413, /larger/);
    });

    for (const [what, coding, compress] of [
      ['as it is', 'identity', (body: Uint8Array) => body],
      ['compressed', 'gzip', (body: Uint8Array) => gzipSync(body)],
    ] as const)
      it(`is answered 503 where there is no memory left for it (${what}), and the next one is read`, async () => {
        await bench.close();
        bench = await openReceiver({ maxBodyBytes: 2 * MB });
        const taken = bench.loads.reserve();
        taken?.add(15.5 * MB);
        const large = post(compress(callbackOf(MB)), { 'Content-Encoding': coding });
        client = await RawClient.open(bench.port);
        const answer = await answerTo(large);
        expectProblem(answer, 503, /take all the memory/);
        expect(answer?.headers['retry-after']).to.equal('30');
        client.destroy();
        taken?.free();
        client = await RawClient.open(bench.port);
        expect((await answerTo(large))?.status).to.equal(200);
        expect(bench.refused).to.deep.equal([]);
      });
  });

  describe('that does not come whole', () => {
    const zipped = gzipSync(noise(20_000));
    const plainHead = head({ 'Content-Length': 1000 });
    const zippedHead = head({ 'Content-Encoding': 'gzip', 'Content-Length': zipped.length });
    for (const [what, ending, header, part] of [
      ['hangs up', 'destroy', plainHead, GOOD],
      ['breaks the connection off', 'reset', plainHead, GOOD],
      ['hangs up within what is compressed', 'destroy', zippedHead, zipped.subarray(0, 10_000)],
    ] as const)
      it(`because the sender ${what} is no callback, and not told of: it may come whole the next time`, async () => {
        client.write(header);
        await client.flush(part);
        client[ending]();
        await bench.reported();
        expect([bench.handled, refused()]).to.deep.equal([[], []]);
        expect(bench.reports.map((each) => each.status)).to.deep.equal([400]);
      });
  });

  it('in many small chunks is read, beside any number of others whose length nobody says', async () => {
    const open = await Promise.all(Array.from({ length: 40 }, () => RawClient.open(bench.port)));
    const chunked = head({ 'Transfer-Encoding': 'chunked' });
    for (const each of open) await each.flush(Buffer.from(`${chunked}1\r\n{\r\n`));
    client.write(chunked);
    for (const byte of GOOD)
      await client.flush(Buffer.from(`1\r\n${String.fromCharCode(byte)}\r\n`, 'latin1'));
    expect((await answerTo('0\r\n\r\n'))?.status).to.equal(200);
    expect(bench.handled).to.deep.equal([callbackWith()]);
    for (const each of open) each.destroy();
  });

  for (const url of ['http://[::/callbacks', 'http://%@x/callbacks', '//%@x/callbacks#'])
    it(`to a target that is no URL is answered 400: ${url}`, async () => {
      expectProblem(await answerTo(post(GOOD).toString().replace('/callbacks', url)), 400, /request target/);
    });
});

describe('a slow sender', () => {
  it('is answered 408 and loses connection and place, and who only waits long for an answer does not', async () => {
    const timeouts = { headersTimeout: 2000, requestTimeout: 2000, connectionsCheckingInterval: 50 };
    const bench = await openReceiver({}, timeouts);
    const othersAreCutOff = moment();
    bench.handle = () => othersAreCutOff.promise.then(() => DELIVERED);
    const zipped = gzipSync(noise(1000));
    const zippedHead = head({ 'Content-Length': zipped.length, 'Content-Encoding': 'gzip' });
    const parts: (string | Uint8Array)[][] = [
      [post(GOOD)],
      [],
      ['POST /callbacks HTTP/1.1\r\nHost: x\r\n'],
      [head({ 'Content-Length': 1000 }), '{'],
      [zippedHead, zipped.subarray(0, 500)],
    ];
    const clients = await Promise.all(parts.map(() => RawClient.open(bench.port)));
    for (const [index, client] of clients.entries()) client.write(...(parts[index] ?? []));
    const [patient, ...slow] = clients;
    for (const client of slow) {
      expect((await client.answer())?.status).to.equal(408);
      await client.closed();
      client.destroy();
    }
    await until('both bodies given up', () => bench.reports.length === 2);
    expect(
      bench.turnedAway.map(({ status }) => status),
      'each told of once',
    ).to.deep.equal([408]);
    othersAreCutOff.happen();
    expect((await patient?.answer())?.status).to.equal(200);
    expect([bench.handled, bench.unforeseen]).to.deep.equal([[callbackWith()], []]);
    patient?.destroy();
    await bench.close();
  });
});
