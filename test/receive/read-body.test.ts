/** Bodies in every condition that a network can deliver them in: each gets a clear answer, and so does the next one. */
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { callbackWith } from '../support/callbacks.ts';
import { DELIVERED, openReceiver, type ReceiverBench } from '../support/receiver-bench.ts';
import { moment } from '../support/moment.ts';
import { type RawAnswer, RawClient } from '../support/raw-client.ts';

const MAX_BYTES = 64 * 1024;
const MB = 1024 * 1024;
const GOOD = Buffer.from(JSON.stringify(callbackWith()));

function head(headers: Record<string, string | number>): string {
  const lines = Object.entries({ Host: 'x', 'Content-Type': 'application/json', ...headers });
  return `POST /callbacks HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

function post(body: Uint8Array, headers: Record<string, string> = {}): Buffer {
  return Buffer.concat([Buffer.from(head({ ...headers, 'Content-Length': body.length })), body]);
}

/** A callback of exactly so many bytes. */
function callbackOf(bytes: number): Buffer {
  const empty = Buffer.byteLength(JSON.stringify(callbackWith({ message: '' })));
  return Buffer.from(JSON.stringify(callbackWith({ message: 'x'.repeat(bytes - empty) })));
}

/** Bytes that compress to nothing. */
function noise(bytes: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(bytes / 64) }, (_, index) =>
    createHash('sha512').update(String(index)).digest(),
  );
  return Buffer.concat(blocks).subarray(0, bytes);
}

function expectProblem(answer: RawAnswer | undefined, status: number, detail: RegExp): void {
  expect(answer?.status).to.equal(status);
  expect(answer?.headers['content-type']).to.equal('application/problem+json');
  const body = JSON.parse(answer?.body ?? '') as { status: number; detail: string };
  expect(body.status).to.equal(status);
  expect(body.detail).to.match(detail);
}

describe('a body', () => {
  let bench: ReceiverBench;
  let client: RawClient;

  beforeEach(async () => {
    bench = await openReceiver({ maxBodyBytes: MAX_BYTES });
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

  describe('that is compressed', () => {
    const codings: [string, (body: Uint8Array) => Uint8Array][] = [
      ['gzip', gzipSync],
      ['GZIP', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
      ['identity', (body) => body],
    ];
    for (const [coding, compress] of codings) {
      it(`with ${coding} is read`, async () => {
        const answer = await answerTo(post(compress(GOOD), { 'Content-Encoding': coding }));
        expect(answer?.status).to.equal(200);
        expect(bench.handled).to.deep.equal([callbackWith()]);
      });
    }

    for (const coding of ['zstd', 'compress', 'gzip, gzip', 'gzip, br', 'nonsense']) {
      it(`with ${coding} is answered 415, which names what is read`, async () => {
        const answer = await answerTo(post(GOOD, { 'Content-Encoding': coding }));
        expectProblem(answer, 415, /gzip, deflate, br or identity/);
        expect(answer?.headers['accept-encoding']).to.equal('gzip, deflate, br');
        await expectClosed(answer);
      });
    }

    const corrupt: [string, string, Uint8Array][] = [
      ['is not compressed at all', 'gzip', GOOD],
      ['is deflated without the header', 'deflate', deflateRawSync(GOOD)],
      ['ends too early', 'gzip', gzipSync(GOOD).subarray(0, -12)],
    ];
    for (const [what, coding, body] of corrupt) {
      it(`with ${coding} but ${what} is answered 400`, async () => {
        const answer = await answerTo(post(body, { 'Content-Encoding': coding }));
        expectProblem(answer, 400, /Content-Encoding/);
      });
    }

    it('to a bomb is answered 413 before it has burst', async () => {
      const bomb = gzipSync(Buffer.alloc(8 * MB, ' '));
      expect(bomb.length).to.be.lessThan(MAX_BYTES);
      const answer = await answerTo(post(bomb, { 'Content-Encoding': 'gzip' }));
      expectProblem(answer, 413, /larger than 65536 bytes/);
      await expectClosed(answer);
    });

    it('and cut off by the sender holds nothing up', async () => {
      const body = gzipSync(noise(20_000));
      client.write(head({ 'Content-Encoding': 'gzip', 'Content-Length': body.length }));
      await client.flush(body.subarray(0, 10_000));
      client.destroy();
      await bench.reported();
      expect(bench.reports.map((each) => each.status)).to.deep.equal([400]);
    });
  });

  describe('that is refused before it is read', () => {
    const refused = () =>
      bench.refused.map(({ status, bytes, from }) => [status, Buffer.from(bytes).toString('utf8'), from]);

    it('is told of where it is of another type, or says that it is too large', async () => {
      const answer = await answerTo(post(Buffer.from('code=200'), { 'Content-Type': 'text/plain' }));
      expectProblem(answer, 415, /Content-Type/);
      await expectClosed(answer);
      expect(refused()).to.deep.equal([[415, '', '127.0.0.1']]);
    });

    it('is told of, though nothing of it is kept, where reading it shows what is wrong', async () => {
      const bomb = gzipSync(Buffer.alloc(8 * MB, ' '));
      expectProblem(await answerTo(post(bomb, { 'Content-Encoding': 'gzip' })), 413, /larger/);
      expect(refused()).to.deep.equal([[413, '', '127.0.0.1']]);
    });

    it('is not told of where the sender has broken off: it may send it whole the next time', async () => {
      client.write(head({ 'Content-Length': GOOD.length }));
      await client.flush(GOOD.subarray(0, 10));
      client.destroy();
      await bench.reported();
      expect(refused()).to.deep.equal([]);
    });
  });

  describe('that is large', () => {
    it('is taken up to max_body, to the byte', async () => {
      expect((await answerTo(post(callbackOf(MAX_BYTES))))?.status).to.equal(200);
      expectProblem(await answerTo(post(callbackOf(MAX_BYTES + 1))), 413, /larger than 65536 bytes/);
    });

    it('is answered 413 at its head when it says so, and the rest of it is not waited for', async () => {
      const answer = await answerTo(head({ 'Content-Length': 1024 * MB }), 'x'.repeat(100));
      expectProblem(answer, 413, /larger/);
      await expectClosed(answer);
    });

    it('is answered 413 when it does not say so', async () => {
      const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
      const answer = await answerTo(head({ 'Transfer-Encoding': 'chunked' }), chunk, chunk);
      expectProblem(answer, 413, /larger/);
      await expectClosed(answer);
    });

    it('is answered so that a sender which reads only after it has sent everything can read it', async () => {
      client.write(head({ 'Content-Length': 20 * MB }));
      await client.flush(Buffer.alloc(20 * MB, 'x'));
      expect(client.error, 'nothing has cut the sender off').to.equal(undefined);
      expectProblem(await client.answer(), 413, /larger/);
    });
  });

  describe('whose length nobody says', () => {
    it('is taken beside any number of others', async () => {
      const open = await Promise.all(Array.from({ length: 40 }, () => RawClient.open(bench.port)));
      for (const each of open)
        await each.flush(Buffer.from(`${head({ 'Transfer-Encoding': 'chunked' })}1\r\n{\r\n`));
      expect(
        (
          await answerTo(
            head({ 'Transfer-Encoding': 'chunked' }),
            `${GOOD.length.toString(16)}\r\n`,
            GOOD,
            '\r\n0\r\n\r\n',
          )
        )?.status,
      ).to.equal(200);
      for (const each of open) each.destroy();
    });

    for (const [what, coding, compress] of [
      ['as it is', 'identity', (body: Uint8Array) => body],
      ['compressed', 'gzip', (body: Uint8Array) => gzipSync(body)],
    ] as const)
      it(`is answered 503 where there is no memory left for it (${what}), and the next one is read`, async () => {
        await bench.close();
        bench = await openReceiver({ maxBodyBytes: 2 * MB });
        client = await RawClient.open(bench.port);
        const taken = bench.loads.read();
        taken.add(15.5 * MB);
        const answer = await answerTo(post(compress(callbackOf(MB)), { 'Content-Encoding': coding }));
        expectProblem(answer, 503, /take all the memory/);
        expect(answer?.headers['retry-after']).to.equal('30');
        client.destroy();
        taken.free();
        client = await RawClient.open(bench.port);
        const next = await answerTo(post(compress(callbackOf(MB)), { 'Content-Encoding': coding }));
        expect(next?.status).to.equal(200);
        expect(bench.refused).to.deep.equal([]);
      });
  });

  describe('that does not come whole', () => {
    for (const ending of ['destroy', 'reset'] as const) {
      it(`because the sender hangs up (${ending}) is no callback, and frees its place`, async () => {
        client.write(head({ 'Content-Length': 1000 }));
        await client.flush(GOOD);
        client[ending]();
        await bench.reported();
        expect(bench.handled).to.deep.equal([]);
        expect(bench.reports.map((each) => each.status)).to.deep.equal([400]);
        expect(bench.unforeseen).to.deep.equal([]);
      });
    }

    it('in chunks that are broken is answered 400', async () => {
      const answer = await answerTo(head({ 'Transfer-Encoding': 'chunked' }), 'zz\r\n');
      expect(answer?.status).to.equal(400);
      await client.closed();
    });
  });

  it('in many small chunks is read', async () => {
    client.write(head({ 'Transfer-Encoding': 'chunked' }));
    for (const byte of GOOD)
      await client.flush(Buffer.from(`1\r\n${String.fromCharCode(byte)}\r\n`, 'latin1'));
    expect((await answerTo('0\r\n\r\n'))?.status).to.equal(200);
    expect(bench.handled).to.deep.equal([callbackWith()]);
  });

  for (const url of ['http://[::/callbacks', 'http://%@x/callbacks', '//%@x/callbacks#']) {
    it(`to a target that is no URL is answered 400: ${url}`, async () => {
      client.write(post(GOOD).toString().replace('/callbacks', url));
      expectProblem(await client.answer(), 400, /request target/);
    });
  }

  describe('on a connection that is kept', () => {
    it('is answered in its turn when several come at once', async () => {
      bench.handle = ({ job_id }) =>
        Promise.resolve({ ...DELIVERED, deliveries: [], result: 'duplicate', job_id });
      const jobs = ['a', 'b', 'c'];
      client.write(...jobs.map((job_id) => post(Buffer.from(JSON.stringify(callbackWith({ job_id }))))));
      const answers = [await client.answer(), await client.answer(), await client.answer()];
      expect(
        answers.map((each) => (JSON.parse(each?.body ?? '{}') as { job_id: string }).job_id),
      ).to.deep.equal(jobs);
    });
  });

  it('of a sender who does not wait for the answer is handled all the same', async () => {
    const finished = moment();
    bench.handle = () => finished.promise.then(() => DELIVERED);
    client.write(post(GOOD));
    await bench.begun();
    client.destroy();
    await nextTurn();
    finished.happen();
    await bench.reported();
    expect(bench.reports.map((each) => each.status)).to.deep.equal([200]);
    bench.handle = () => Promise.resolve(DELIVERED);
  });
});

describe('a slow sender', () => {
  let bench: ReceiverBench;
  let client: RawClient;

  beforeEach(async () => {
    bench = await openReceiver(
      {},
      { headersTimeout: 60, requestTimeout: 120, connectionsCheckingInterval: 20 },
    );
    client = await RawClient.open(bench.port);
  });

  afterEach(async () => {
    client.destroy();
    await bench.close();
  });

  const expectTimeout = async () => {
    expect((await client.answer())?.status).to.equal(408);
    await client.closed();
  };

  it('of headers is answered 408 and loses the connection', async () => {
    client.write('POST /callbacks HTTP/1.1\r\nHost: x\r\n');
    await expectTimeout();
  });

  it('who says nothing loses the connection', async () => {
    await expectTimeout();
  });

  it('of a body is answered 408 and gives its place back', async () => {
    client.write(head({ 'Content-Length': 1000 }), '{');
    await expectTimeout();
    client.destroy();
    await bench.reported();
    expect(bench.handled).to.deep.equal([]);
    expect(bench.unforeseen).to.deep.equal([]);
  });

  it('of a compressed body is answered 408 and gives its place back', async () => {
    const body = gzipSync(noise(1000));
    client.write(head({ 'Content-Length': body.length, 'Content-Encoding': 'gzip' }), body.subarray(0, 500));
    await expectTimeout();
    client.destroy();
    await bench.reported();
    expect(bench.unforeseen).to.deep.equal([]);
  });

  it('who is slower than that to read a long answer is not cut off', async () => {
    bench.handle = () => new Promise((resolve) => void setTimeout(() => resolve(DELIVERED), 200));
    client.write(post(GOOD));
    expect((await client.answer())?.status, 'the limits are on the request alone').to.equal(200);
  });
});
