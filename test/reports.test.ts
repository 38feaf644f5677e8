/** What logs and metrics say of each callback and each attempt, and what they keep to themselves. */
import { Writable } from 'node:stream';
import { expect } from 'chai';
import { pino } from 'pino';
import { DeliveryFailure } from '../src/channels/failure.ts';
import type { Errand } from '../src/deliver/messenger.ts';
import { noticeOf } from '../src/notice/notice.ts';
import { createMetrics, type Metrics } from '../src/observe/metrics.ts';
import type { ReceiverReport } from '../src/receive/receiver.ts';
import { reportAttempt, reportCallback, reportLateResult } from '../src/reports.ts';
import { callbackWith } from './support/callbacks.ts';
import { DELIVERED } from './support/receiver-bench.ts';

const CONTENT = 'the customer’s secret order';
const CALLBACK = callbackWith({ message: CONTENT, output: { 注文: CONTENT }, bot_name: CONTENT });
const REPORT: ReceiverReport = {
  status: 200,
  durationMs: 42,
  callback: CALLBACK,
  verdict: DELIVERED,
  problem: undefined,
};
const ERRAND: Errand = {
  notice: noticeOf(CALLBACK, 1),
  destination: 'slack:#ops',
  channel: 'slack',
  address: '#ops',
  templateSet: undefined,
  options: {},
};

describe('reports', () => {
  let lines: Record<string, unknown>[];
  let metrics: Metrics;

  const loggerAt = (level: string) => {
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        const { time: _time, ...line } = JSON.parse(chunk.toString()) as Record<string, unknown>;
        lines.push(line);
        done();
      },
    });
    return pino({ level, base: undefined }, stream);
  };

  const callbackLine = (report: Partial<ReceiverReport>) => {
    reportCallback(loggerAt('info'), metrics, { ...REPORT, ...report });
    expect(lines).to.have.length(1);
    return lines[0];
  };

  beforeEach(() => {
    lines = [];
    metrics = createMetrics({ version: '1', countOpen: () => Promise.resolve(undefined) });
  });

  it('give one line a callback: ids, outcome and durations, and nothing of what the message says', async () => {
    expect(callbackLine({})).to.deep.equal({
      level: 30,
      http: 200,
      result: 'delivered',
      status: 'succeeded',
      ms: 42,
      job_id: 'job-1',
      bot_id: 'get_items',
      deliveries: ['slack:#ops delivered'],
      msg: 'callback',
    });
    expect(JSON.stringify(lines)).not.to.contain(CONTENT);
    expect(await metrics.text()).to.contain(
      'botbell_callbacks_total{status="succeeded",result="delivered"} 1',
    );
  });

  it('warn of a callback that was not delivered, with the reason of each', () => {
    const deliveries = [
      { destination: 'slack:#ops', state: 'pending', error: 'channel_not_found' },
      { destination: 'email:a@example.com', state: 'delivered' },
    ] as const;
    const verdict = { ...DELIVERED, status: 502, result: 'failed', deliveries } as const;
    expect(callbackLine({ status: 502, verdict, problem: 'Not everybody could be told.' })).to.deep.include({
      level: 40,
      http: 502,
      result: 'failed',
      reason: 'Not everybody could be told.',
      deliveries: ['slack:#ops pending: channel_not_found', 'email:a@example.com delivered'],
    });
  });

  it('count a body that was refused as none, refused', async () => {
    const line = callbackLine({
      status: 422,
      callback: undefined,
      verdict: undefined,
      problem: 'no callback',
    });
    expect(line).to.include({ level: 40, status: 'none', result: 'refused', reason: 'no callback' });
    expect(await metrics.text()).to.contain('botbell_callbacks_total{status="none",result="refused"} 1');
  });

  it('call unavailable what could not be handled', () => {
    expect(callbackLine({ status: 503, verdict: undefined, problem: 'x' })).to.include({
      result: 'unavailable',
      status: 'succeeded',
    });
  });

  it('show hostile ids clean, on one line and short', () => {
    const callback = callbackWith({ job_id: 'a\n{"level":60}\u202e', bot_id: 'x'.repeat(1_000_000) });
    const line = callbackLine({ callback });
    expect(line).to.include({ job_id: 'a {"level":60}' });
    expect(String(line?.['bot_id']).length).to.be.at.most(200);
  });

  it('give a line to a failed attempt and count it by its class', async () => {
    const failure = new DeliveryFailure({
      class: 'config',
      code: 'not_in_channel',
      message: 'invite the app',
    });
    reportAttempt(loggerAt('info'), metrics, ERRAND, { startedAt: 0, durationMs: 7, outcome: { failure } });
    expect(lines).to.deep.equal([
      {
        level: 40,
        destination: 'slack:#ops',
        job_id: 'job-1',
        ms: 7,
        class: 'config',
        code: 'not_in_channel',
        reason: 'invite the app',
        msg: 'delivery failed',
      },
    ]);
    expect(await metrics.text()).to.contain('botbell_deliveries_total{channel="slack",outcome="config"} 1');
  });

  it('warn of a message whose blocks were refused, with the reason, and count it', async () => {
    const receipt = { ts: '1', blocks_refused: 'invalid_blocks', blocks_refused_reason: 'at /blocks/0' };
    reportAttempt(loggerAt('info'), metrics, ERRAND, { startedAt: 0, durationMs: 7, outcome: { receipt } });
    expect(lines).to.deep.equal([
      {
        level: 40,
        destination: 'slack:#ops',
        job_id: 'job-1',
        code: 'invalid_blocks',
        reason: 'at /blocks/0',
        msg: 'blocks refused, sent as plain text',
      },
    ]);
    const text = await metrics.text();
    expect(text).to.contain('botbell_blocks_refused_total{channel="slack"} 1');
    expect(text).to.contain('botbell_deliveries_total{channel="slack",outcome="delivered"} 1');
  });

  it('give no line to an attempt that succeeded, but count it', async () => {
    const result = { startedAt: 0, durationMs: 7, outcome: { receipt: { ts: '1' } } };
    reportAttempt(loggerAt('info'), metrics, ERRAND, result);
    expect(lines).to.deep.equal([]);
    expect(await metrics.text()).to.contain(
      'botbell_deliveries_total{channel="slack",outcome="delivered"} 1',
    );
    reportAttempt(loggerAt('debug'), metrics, ERRAND, result);
    expect(lines).to.have.length(1);
  });

  it('warn of a delivery that came after its time limit, and not of a failure that did', () => {
    const failure = new DeliveryFailure({ class: 'transient', code: 'x', message: 'x' });
    reportLateResult(loggerAt('info'), ERRAND, { startedAt: 0, durationMs: 9000, outcome: { failure } });
    expect(lines).to.deep.equal([]);
    const outcome = { receipt: { ts: '1' } };
    reportLateResult(loggerAt('info'), ERRAND, { startedAt: 0, durationMs: 9000, outcome });
    expect(lines).to.have.length(1);
    expect(lines[0]).to.deep.include({ level: 40, destination: 'slack:#ops', job_id: 'job-1', ms: 9000 });
    expect(lines[0]?.['msg']).to.contain('after its time limit').and.contain('twice');
  });
});
