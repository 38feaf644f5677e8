/** What logs and metrics say of each callback and each attempt, and what they keep to themselves. */
import { Writable } from 'node:stream';
import { expect } from 'chai';
import { pino } from 'pino';
import { DeliveryFailure } from '../../src/channels/failure.ts';
import type { AddressedNotice } from '../../src/deliver/settings.ts';
import type { Milestone } from '../../src/deliver/alerts.ts';
import type { DueDelivery } from '../../src/ledger/ledger.ts';
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { noticeOf, noticeOfAlert } from '../../src/notice/notice.ts';
import { createMetrics, type Metrics } from '../../src/observe/metrics.ts';
import type { ReceiverReport } from '../../src/receive/receiver.ts';
import { Reports } from '../../src/app/reports.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { callbackWith, noticeAbout } from '../support/callbacks.ts';
import { DELIVERED } from '../receive/receiver-bench.ts';

const CONTENT = 'the customer’s secret order';
const CALLBACK = callbackWith({ message: CONTENT, output: { 注文: CONTENT }, bot_name: CONTENT });
const REPORT: ReceiverReport = {
  status: 200,
  durationMs: 42,
  callback: CALLBACK,
  verdict: DELIVERED,
  problem: undefined,
  from: undefined,
  pointers: undefined,
};
const ERRAND: AddressedNotice = {
  notice: noticeAbout(CALLBACK, 1),
  destination: 'slack:#ops',
  channel: 'slack',
  address: '#ops',
  perJob: 'message',
  options: {},
};

describe('reports', () => {
  let lines: Record<string, unknown>[];
  let metrics: Metrics;
  let clock: ManualClock;

  let reports: Reports;

  const logger = () => {
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        const { time: _time, ...line } = JSON.parse(chunk.toString()) as Record<string, unknown>;
        lines.push(line);
        done();
      },
    });
    return pino({ level: 'info', base: undefined }, stream);
  };

  const textOf = () =>
    metrics.text(() => Promise.resolve({ open: undefined, storeBytes: undefined, paused: 0 }));

  const callbackLine = (report: Partial<ReceiverReport>) => {
    reports.onCallback({ ...REPORT, ...report });
    expect(lines).to.have.length(1);
    return lines[0];
  };

  beforeEach(() => {
    lines = [];
    clock = new ManualClock();
    metrics = createMetrics('1');
    reports = new Reports(logger(), metrics, clock);
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
    expect(await textOf()).to.contain('botbell_callbacks_total{status="succeeded",result="delivered"} 1');
  });

  it('warn of a callback that was not delivered, with the reason of each', () => {
    const deliveries = [
      { destination: 'slack:#ops', state: 'pending', error: 'channel_not_found' },
      { destination: 'email:a@example.com', state: 'delivered' },
    ] as const;
    const verdict = { ...DELIVERED, status: 502, result: 'failed', deliveries } as const;
    expect(callbackLine({ status: 502, verdict, problem: 'Some deliveries failed.' })).to.deep.include({
      level: 40,
      http: 502,
      result: 'failed',
      reason: 'Some deliveries failed.',
      deliveries: ['slack:#ops pending: channel_not_found', 'email:a@example.com delivered'],
    });
  });

  it('say which rule holds a message, and until when', () => {
    const until = '2026-11-24T22:00:00.000Z';
    const deliveries = [
      { destination: 'slack:#ops', state: 'held', rule: 'mute', until },
      { destination: 'slack:#log', state: 'held', rule: 'repeat' },
    ] as const;
    expect(callbackLine({ verdict: { ...DELIVERED, result: 'held', deliveries } })).to.deep.include({
      deliveries: [`slack:#ops held by mute until ${until}`, 'slack:#log held by repeat'],
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
    expect(await textOf()).to.contain('botbell_callbacks_total{status="none",result="refused"} 1');
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

  it('say of who is turned away from the admin listener, once a second, and count no callback', async () => {
    const guess = { status: 401, from: '192.0.2.7\n', problem: 'a wrong password' };
    for (let time = 0; time < 3; time += 1) reports.onAdminTurnedAway(guess);
    expect(lines).to.deep.equal([
      {
        level: 40,
        http: 401,
        listener: 'admin',
        reason: 'a wrong password',
        from: '192.0.2.7',
        msg: 'turned away',
      },
    ]);
    await clock.advance(1000);
    reports.onAdminTurnedAway(guess);
    expect(lines[1]).to.include({ listener: 'admin' });
    expect(await textOf()).not.to.include('result="refused"');
  });

  it('say of who is turned away from where and why, once a second for each reason, and count all', async () => {
    const away = () =>
      reports.onTurnedAway({
        status: 404,
        from: '192.0.2.7\n',
        problem: 'wrong token',
      });
    away();
    away();
    away();
    const invalid = { status: 422, callback: undefined, verdict: undefined, from: '192.0.2.8' };
    const pointers = ['/status', ...Array.from({ length: 1000 }, () => '/x'.repeat(10_000))];
    const report = { ...REPORT, ...invalid, problem: 'JSON, but not a callback', pointers };
    reports.onCallback(report);
    expect(lines[0]).to.deep.equal({
      level: 40,
      http: 404,
      result: 'refused',
      reason: 'wrong token',
      from: '192.0.2.7',
      msg: 'turned away',
    });
    expect(lines[1]).to.deep.include({ http: 422, from: '192.0.2.8' });
    expect(lines[1]?.['pointers']).to.include('/status');
    expect(JSON.stringify(lines[1]).length).to.be.lessThan(3000);
    expect(lines).to.have.length(2);
    await clock.advance(1000);
    away();
    expect(lines).to.have.length(3);
    expect(lines[2]).to.include({ http: 404 });
    const text = await textOf();
    expect(text).to.contain('botbell_callbacks_total{status="none",result="refused"} 5');
    expect(text, 'no BOT waits for who is turned away at the door').to.contain(
      'botbell_bot_seconds_total{cause="retry"} 30',
    );
  });

  it('say of a deluge that is answered 503 one line a second, and of each failed callback its own', () => {
    for (let time = 0; time < 100; time += 1) {
      const busy = { ...REPORT, status: 503, verdict: undefined, problem: 'busy', from: '192.0.2.7' };
      reports.onCallback(busy);
    }
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include({ result: 'unavailable', from: '192.0.2.7', reason: 'busy' });
    const verdict = { ...DELIVERED, status: 502, result: 'failed' } as const;
    for (let time = 0; time < 100; time += 1) {
      reports.onCallback({ ...REPORT, status: 502, verdict, problem: 'failed' });
    }
    expect(lines).to.have.length(101);
  });

  describe('of what becomes of a delivery that no answer tells', () => {
    const lastError = { class: 'config', code: 'not_in_channel', message: 'invite the app' } as const;
    const said = async (fields: Partial<Milestone> & Pick<Milestone, 'name'>) => {
      const milestone = {
        notice: noticeAbout(CALLBACK, 1),
        record: { destination: 'slack:#ops' } as DueDelivery['record'],
        attempts: 3,
        lastError: undefined,
        reason: undefined,
        firstReceivedAt: clock.now() - 125_000,
        ...fields,
      };
      reports.onMilestone(milestone);
      await new Promise(setImmediate);
      return lines.at(-1);
    };

    it('say that it was told late, with how late', async () => {
      expect(await said({ name: 'delivered_late' })).to.deep.equal({
        level: 30,
        destination: 'slack:#ops',
        status: 'succeeded',
        bot_id: 'get_items',
        job_id: 'job-1',
        attempts: 3,
        ms_since_received: 125_000,
        msg: 'delivered after the answer',
      });
    });

    it('name what Botbell tells by itself', async () => {
      const bots = { since: 0, bots: [], moreBots: 0, errors: 0, missed: 0 };
      const own = [
        { template: 'digest', group: 'ops', ...bots },
        { template: 'summary', destination: 'slack:#ops', reason: 'mute', count: 2, lastAt: 0, ...bots },
        { template: 'refused', httpStatus: 400, detail: 'not JSON', errors: [], from: '192.0.2.7' },
      ] as const;
      for (const subject of own) {
        const notice = noticeOfAlert({ id: '', raisedAt: 0, suppressed: 0, subject });
        await said({ name: 'delivered_late', notice });
      }
      const occasion = { template: 'overdue', runningForMs: 1000 } as const;
      const notice = noticeOf({ callback: CALLBACK, startedAt: 0 }, 1, occasion);
      await said({ name: 'given_up', notice });
      expect(lines.map((line) => [line['notice'], line['msg']])).to.deep.equal([
        ['digest', 'digest delivered'],
        ['summary', 'summary delivered'],
        ['refused', 'alert delivered'],
        ['overdue', 'overdue could not be delivered; no further attempts'],
      ]);
    });

    it('say that it was taken over, and why', async () => {
      const line = await said({ name: 'taken_over', lastError });
      expect(line).to.include({ level: 30, class: 'config', code: 'not_in_channel' });
      expect(line?.['msg']).to.contain('taken over');
    });

    it('say at error that it was given up', async () => {
      const line = await said({ name: 'given_up', lastError });
      expect(line).to.include({ level: 50, reason: 'invite the app' });
      expect(line?.['msg']).to.contain('no further attempts');
    });

    it('warn that it was held back', async () => {
      expect(await said({ name: 'held', reason: 'no longer routed' })).to.include({
        level: 40,
        reason: 'no longer routed',
      });
    });

    it('keep to themselves what the message says', async () => {
      for (const name of ['delivered_late', 'taken_over', 'given_up', 'held'] as const) await said({ name });
      expect(lines).to.have.length(4);
      expect(JSON.stringify(lines)).not.to.contain(CONTENT);
    });
  });

  it('count what a rule holds, and give a line to what Botbell would have told by itself', async () => {
    reports.onHeld('mute');
    reports.onHeld('mute', { kind: 'missed', botId: 'nightly', destination: 'slack:#ops' });
    expect(lines.map(({ level: _level, ...line }) => line)).to.deep.equal([
      { destination: 'slack:#ops', bot_id: 'nightly', rule: 'mute', msg: 'missed held' },
    ]);
    expect(await textOf()).to.contain('botbell_held_total{rule="mute"} 2');
  });

  it('give a line to a failed attempt and count it by its class', async () => {
    const failure = new DeliveryFailure({
      class: 'config',
      code: 'not_in_channel',
      message: 'invite the app',
    });
    reports.onAttempt(ERRAND, { startedAt: 0, durationMs: 7, failure });
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
    expect(await textOf()).to.contain('botbell_deliveries_total{channel="slack",outcome="config"} 1');
  });

  it('warn of a message whose blocks were refused, with the reason', async () => {
    const receipt = { ts: '1', card_refused: 'invalid_blocks', card_refused_reason: 'at /blocks/0' };
    reports.onAttempt(ERRAND, { startedAt: 0, durationMs: 7, receipt });
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
    const text = await textOf();
    expect(text).to.contain('botbell_deliveries_total{channel="slack",outcome="delivered"} 1');
  });

  it('give no line to an attempt that succeeded, but count it', async () => {
    const result = { startedAt: 0, durationMs: 7, receipt: { ts: '1' } };
    reports.onAttempt(ERRAND, result);
    expect(lines).to.deep.equal([]);
    expect(await textOf()).to.contain('botbell_deliveries_total{channel="slack",outcome="delivered"} 1');
  });

  it('count no attempt of a test, which tells nobody of anything', async () => {
    const subject = { template: 'test', destination: 'slack:#ops', channel: 'slack', askedBy: '' } as const;
    const notice = noticeOfAlert({ id: '', raisedAt: 0, suppressed: 0, subject });
    reports.onAttempt({ ...ERRAND, notice }, { startedAt: 0, durationMs: 7, receipt: {} });
    expect(await textOf()).not.to.contain('botbell_deliveries_total{channel="slack"');
  });

  it('say once a second of outcomes that could not be written that they are kept', () => {
    for (let outcome = 0; outcome < 3; outcome += 1)
      reports.onUnwritten(new LedgerUnavailable('the ledger cannot be used: locked'));
    expect(lines.map(({ level, msg }) => [level, String(msg)])).to.deep.equal([
      [
        50,
        'an outcome could not be written down: deliveries made are kept in memory, and written once the store can be used',
      ],
    ]);
  });

  describe('of a store that nears its limit', () => {
    const texts = () => lines.map((line) => line['msg']);

    it('warn once a minute that callbacks were forgotten early', async () => {
      const forget = (count: number) => reports.onStoreEvent({ what: 'forgotten_early', count });
      forget(100);
      forget(50);
      await clock.advance(60_000);
      forget(7);
      expect(lines.map(({ level }) => level)).to.deep.equal([40, 40]);
    });

    it('say as an error that it is full and what to do, once a minute', async () => {
      for (let number = 0; number < 3; number += 1) reports.onStoreEvent({ what: 'full' });
      expect(lines.map(({ level }) => level)).to.deep.equal([50]);
      expect(texts()[0]).to.contain('503').and.contain('dismissed').and.contain('store.max_size');
      await clock.advance(60_000);
      reports.onStoreEvent({ what: 'full' });
      expect(lines).to.have.length(2);
    });
  });
});
