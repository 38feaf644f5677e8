/** What callbacks hold together is bounded from the moment their bodies are there, over real HTTP. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { request } from 'undici';
import { callbackWith } from '../support/callbacks.ts';
import { moment } from '../support/moment.ts';
import { until } from '../support/proof-wait.ts';
import { DELIVERED, openReceiver, type ReceiverBench } from '../support/receiver-bench.ts';

const MOST = { bytes: 1024 * 1024, values: 80_000 };

interface Answer {
  readonly status: number;
  readonly retryAfter: unknown;
  readonly detail: unknown;
}

function bodyWith(values: number): string {
  return JSON.stringify({ ...callbackWith(), output: { list: Array.from({ length: values }, () => ({})) } });
}

describe('the memory for callbacks', () => {
  let bench: ReceiverBench;

  afterEach(() => bench.close());

  const open = async (...settings: Parameters<typeof openReceiver>) => {
    bench = await openReceiver({ maxBodyBytes: MOST.bytes, ...settings[0] }, {}, settings[2] ?? MOST);
  };

  async function post(body: string): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    const answer = await request(`http://127.0.0.1:${bench.port}/callbacks`, {
      method: 'POST',
      headers,
      body,
    });
    const { detail } = (await answer.body.json()) as { readonly detail?: unknown };
    return { status: answer.statusCode, retryAfter: answer.headers['retry-after'], detail };
  }

  it('is taken while a callback is handled, and given back with its answer', async () => {
    await open();
    const finished = moment();
    bench.handle = () => finished.promise.then(() => DELIVERED);
    const body = bodyWith(5000);
    const answer = post(body);
    await bench.begun();
    expect(bench.budget.held.bytes).to.equal(Buffer.byteLength(body));
    expect(bench.budget.held.values).to.be.within(5000, 5030);
    finished.happen();
    expect((await answer).status).to.equal(200);
    await bench.reported();
    expect(bench.budget.held).to.deep.equal({ bytes: 0, values: 0 });
  });

  it('is held on to as long as anything of the callback is still being delivered', async () => {
    await open();
    const late = moment();
    bench.keepUntil = late.promise;
    expect((await post(bodyWith(5000))).status).to.equal(200);
    await bench.reported();
    expect(bench.budget.held.values).to.be.at.least(5000);
    late.happen();
    await nextTurn();
    expect(bench.budget.held).to.deep.equal({ bytes: 0, values: 0 });
  });

  it('is waited for where others hold it, and a small callback need not wait', async () => {
    await open();
    const finished = moment();
    bench.handle = () => finished.promise.then(() => DELIVERED);
    const large = [post(bodyWith(40_000)), post(bodyWith(40_000))];
    await bench.begun();
    const small = post(bodyWith(1));
    while (bench.handled.length < 2 || bench.budget.waiting < 1) await nextTurn();
    expect(bench.handled).to.have.lengthOf(2);
    finished.happen();
    expect((await Promise.all([...large, small])).map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    expect(bench.handled).to.have.lengthOf(3);
  });

  it('is counted to the value where there is little left of it, so that ordinary callbacks pass', async () => {
    await open();
    const message = 'x'.repeat(3000);
    const release = bench.budget.takeNow({ bytes: 1, values: MOST.values * 0.75 });
    const others = Array.from({ length: 80 }, () => bench.budget.takeNow({ bytes: 1, values: 245 }));
    expect(others).not.to.include(undefined);
    expect((await post(JSON.stringify({ ...callbackWith(), message }))).status).to.equal(200);
    for (const giveBack of [release, ...others]) giveBack?.();
  });

  it('that does not come free within answer_within is a 503 with Retry-After, and the store is not asked', async () => {
    await open({ answerWithinMs: 100 });
    const finished = moment();
    bench.handle = () => finished.promise.then(() => DELIVERED);
    const first = post(bodyWith(40_000));
    await bench.begun();
    const second = await post(bodyWith(40_000));
    expect(second.status).to.equal(503);
    expect(second.retryAfter).to.equal('30');
    expect(second.detail).to.match(/all the memory/);
    expect(bench.handled).to.have.lengthOf(1);
    expect(bench.refused).to.deep.equal([]);
    finished.happen();
    expect((await first).status).to.equal(200);
  });

  it('is not filled by bodies that nobody has looked at yet', async () => {
    await open({ maxBodyBytes: 400_000 });
    const body = JSON.stringify({ ...callbackWith(), message: 'x'.repeat(390_000) });
    const finished = moment();
    bench.handle = () => finished.promise.then(() => DELIVERED);
    const answers = Array.from({ length: 8 }, () => post(body));
    await until('as many wait as may', () => bench.reports.length > 0);
    expect(bench.budget.held.bytes).to.be.within(1, MOST.bytes);
    expect(bench.budget.waiting * body.length).to.be.within(1, MOST.bytes);
    finished.happen();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect([...new Set(statuses)].toSorted()).to.deep.equal([200, 503]);
    expect((await post(body)).status).to.equal(200);
  });

  describe('for one callback', () => {
    it('ends with max_nodes: more JSON values are a 413, kept for the operator', async () => {
      await open({ maxNodes: 5000 });
      const answer = await post(bodyWith(5000));
      expect(answer.status).to.equal(413);
      expect(answer.detail).to.equal('The body holds more than 5000 JSON values, the most that is taken.');
      expect(bench.refused.map(({ status, detail }) => [status, detail])).to.deep.equal([
        [413, answer.detail],
      ]);
      await bench.reported();
      expect(bench.reports[0]?.problem).to.equal(answer.detail);
      expect((await post(bodyWith(4900))).status).to.equal(200);
    });

    it('ends with what the heap can carry, however much the config allows', async () => {
      await open({ maxNodes: 500_000 });
      expect((await post(bodyWith(60_100))).detail).to.match(/more than 60000 JSON values/);
      const large = JSON.stringify({ ...callbackWith(), message: 'x'.repeat(800_000) });
      expect((await post(large)).detail).to.match(/larger than 786432 bytes/);
    });

    it('does not count what stands in its texts', async () => {
      await open({ maxNodes: 5000 });
      const message = '[{},"\\",'.repeat(5000);
      expect((await post(JSON.stringify({ ...callbackWith(), message }))).status).to.equal(200);
    });
  });

  it('of a refused body is given back, and no more than 64 KiB of it are kept', async () => {
    await open();
    for (const body of [`[${'"あ",'.repeat(60_000)}`, bodyWith(30_000).replace('"status"', '"state"')]) {
      expect((await post(body)).status).to.be.within(400, 422);
    }
    for (const { bytes } of bench.refused) {
      expect(bytes.byteLength).to.equal(64 * 1024);
    }
    await nextTurn();
    expect(bench.budget.held).to.deep.equal({ bytes: 0, values: 0 });
  });
});
