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
import type { Verdict } from '../../src/deliver/outcome.ts';
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
/** Of a body that is no callback. */
const UNREAD = { callback: undefined, verdict: undefined };
const ERRAND: AddressedNotice = {
  notice: noticeAbout(CALLBACK, 1),
  destination: 'slack:#ops',
  channel: 'slack',
  address: '#ops',
  perJob: 'message',
  options: {},
};

const TOLD = { receipt: { ts: '1' }, startedAt: 0, durationMs: 7 };
const SAID_OF = { destination: 'slack:#ops', job_id: 'job-1' };
const COUNTED = 'botbell_callbacks_total';
const ATTEMPTED = 'botbell_deliveries_total{channel="slack"';

function answered(
  status: 200 | 502,
  result: Verdict['result'],
  deliveries: Verdict['deliveries'],
): ReceiverReport {
  return { ...REPORT, status, verdict: { status, result, deliveries } };
}

describe('reports', () => {
  let lines: Record<string, unknown>[];
  let metrics: Metrics;
  let clock: ManualClock;
  let reports: Reports;

  const textOf = () =>
    metrics.text(() => Promise.resolve({ open: undefined, storeBytes: undefined, paused: 0 }));
  const messages = () => lines.map(({ level, msg }) => [level, msg]);

  beforeEach(() => {
    lines = [];
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        const { time: _time, ...line } = JSON.parse(chunk.toString()) as Record<string, unknown>;
        lines.push(line);
        done();
      },
    });
    clock = new ManualClock();
    metrics = createMetrics('1');
    reports = new Reports(pino({ level: 'info', base: undefined }, stream), metrics, clock);
  });

  const lastError = { class: 'config', code: 'not_in_channel', message: 'invite the app' } as const;
  const milestone = (name: Milestone['name'], fields: Partial<Milestone> = {}): Milestone => ({
    name,
    notice: noticeAbout(CALLBACK, 1),
    record: { destination: 'slack:#ops' } as DueDelivery['record'],
    attempts: 3,
    lastError: undefined,
    reason: undefined,
    firstReceivedAt: clock.now() - 125_000,
    ...fields,
  });
  const ofCallback = { status: 'succeeded', bot_id: 'get_items', job_id: 'job-1' };
  const late = { destination: 'slack:#ops', ...ofCallback, attempts: 3, ms_since_received: 125_000 };
  const failed = { class: 'config', code: 'not_in_channel', reason: 'invite the app' };

  type Row = [what: string, act: () => void, lines: object[], counted?: string];
  const rows: Row[] = [
    [
      'a callback: ids, outcome and durations',
      () => reports.onCallback(REPORT),
      [
        {
          level: 30,
          http: 200,
          result: 'delivered',
          ms: 42,
          ...ofCallback,
          deliveries: ['slack:#ops delivered'],
          msg: 'callback',
        },
      ],
      `${COUNTED}{status="succeeded",result="delivered"} 1`,
    ],
    [
      'a callback that was not delivered: the reason of each',
      () => {
        const pending = { destination: 'slack:#ops', state: 'pending', error: 'channel_not_found' } as const;
        const told = { destination: 'email:a@example.com', state: 'delivered' } as const;
        reports.onCallback({
          ...answered(502, 'failed', [pending, told]),
          problem: 'Some deliveries failed.',
        });
      },
      [
        {
          level: 40,
          http: 502,
          result: 'failed',
          ms: 42,
          ...ofCallback,
          deliveries: ['slack:#ops pending: channel_not_found', 'email:a@example.com delivered'],
          reason: 'Some deliveries failed.',
          msg: 'callback',
        },
      ],
    ],
    [
      'a message that a rule holds: which one, and until when',
      () => {
        const until = '2026-11-24T22:00:00.000Z';
        const muted = { destination: 'slack:#ops', state: 'held', rule: 'mute', until } as const;
        const told = { destination: 'slack:#log', state: 'held', rule: 'repeat' } as const;
        reports.onCallback(answered(200, 'held', [muted, told]));
      },
      [
        {
          level: 30,
          http: 200,
          result: 'held',
          ms: 42,
          ...ofCallback,
          deliveries: ['slack:#ops held by mute until 2026-11-24T22:00:00.000Z', 'slack:#log held by repeat'],
          msg: 'callback',
        },
      ],
    ],
    [
      'a delivery that was made late: how late',
      () => reports.onMilestone(milestone('delivered_late')),
      [{ level: 30, ...late, msg: 'delivered after the answer' }],
    ],
    [
      'a delivery that was taken over: why',
      () => reports.onMilestone(milestone('taken_over', { lastError })),
      [{ level: 30, ...late, ...failed, msg: 'taken over: Botbell delivers it from here' }],
    ],
    [
      'a delivery that was given up, as an error',
      () => reports.onMilestone(milestone('given_up', { lastError })),
      [{ level: 50, ...late, ...failed, msg: 'could not be delivered; no further attempts' }],
    ],
    [
      'a delivery that was held back, as a warning',
      () => reports.onMilestone(milestone('held', { reason: 'no longer routed' })),
      [{ level: 40, ...late, reason: 'no longer routed', msg: 'held back' }],
    ],
    [
      'what Botbell would have told by itself, and a rule holds',
      () => reports.onHeld('mute', { kind: 'missed', botId: 'nightly', destination: 'slack:#ops' }),
      [{ level: 30, destination: 'slack:#ops', bot_id: 'nightly', rule: 'mute', msg: 'missed held' }],
      'botbell_held_total{rule="mute"} 1',
    ],
    [
      'a callback that a rule holds nothing more',
      () => reports.onHeld('mute'),
      [],
      'botbell_held_total{rule="mute"} 1',
    ],
    [
      'an attempt that failed: why',
      () => {
        const failure = new DeliveryFailure(lastError);
        reports.onAttempt(ERRAND, { startedAt: 0, durationMs: 7, failure });
      },
      [{ level: 40, ...SAID_OF, ms: 7, ...failed, msg: 'delivery failed' }],
      `${ATTEMPTED},outcome="config"} 1`,
    ],
    [
      'a message whose blocks were refused: the reason',
      () => {
        const receipt = { ts: '1', card_refused: 'invalid_blocks', card_refused_reason: 'at /blocks/0' };
        reports.onAttempt(ERRAND, { ...TOLD, receipt });
      },
      [
        {
          level: 40,
          ...SAID_OF,
          code: 'invalid_blocks',
          reason: 'at /blocks/0',
          msg: 'blocks refused, sent as plain text',
        },
      ],
      `${ATTEMPTED},outcome="delivered"} 1`,
    ],
    [
      'an attempt that succeeded nothing',
      () => reports.onAttempt(ERRAND, TOLD),
      [],
      `${ATTEMPTED},outcome="delivered"} 1`,
    ],
  ];
  for (const [what, act, expected, counted = ''] of rows)
    it(`say of ${what}, and no word of the message`, async () => {
      act();
      expect(lines).to.deep.equal(expected);
      expect(JSON.stringify(lines)).not.to.contain(CONTENT);
      expect(await textOf()).to.contain(counted);
    });

  it('call unavailable what could not be handled', () => {
    reports.onCallback({ ...REPORT, status: 503, verdict: undefined, problem: 'x' });
    expect(lines[0]).to.include({ result: 'unavailable', status: 'succeeded' });
  });

  it('show hostile ids clean, on one line and short', () => {
    const callback = callbackWith({ job_id: 'a\n{"level":60}\u202e', bot_id: 'x'.repeat(1_000_000) });
    reports.onCallback({ ...REPORT, callback });
    expect(lines[0]).to.include({ job_id: 'a {"level":60}' });
    expect(String(lines[0]?.['bot_id']).length).to.be.at.most(200);
  });

  it('name what Botbell tells by itself', () => {
    const bots = { since: 0, bots: [], moreBots: 0, errors: 0, missed: 0 };
    const own = [
      { template: 'digest', group: 'ops', ...bots },
      { template: 'summary', destination: 'slack:#ops', reason: 'mute', count: 2, lastAt: 0, ...bots },
      { template: 'refused', httpStatus: 400, detail: 'not JSON', errors: [], from: '192.0.2.7' },
    ] as const;
    for (const subject of own) {
      const notice = noticeOfAlert({ id: '', raisedAt: 0, suppressed: 0, subject });
      reports.onMilestone(milestone('delivered_late', { notice }));
    }
    const occasion = { template: 'overdue', runningForMs: 1000 } as const;
    const notice = noticeOf({ callback: CALLBACK, startedAt: 0 }, 1, occasion);
    reports.onMilestone(milestone('given_up', { notice }));
    expect(lines.map((line) => [line['notice'], line['msg']])).to.deep.equal([
      ['digest', 'digest delivered'],
      ['summary', 'summary delivered'],
      ['refused', 'alert delivered'],
      ['overdue', 'overdue could not be delivered; no further attempts'],
    ]);
  });

  it('count no attempt of a test, which tells nobody of anything', async () => {
    const subject = { template: 'test', destination: 'slack:#ops', channel: 'slack', askedBy: '' } as const;
    const notice = noticeOfAlert({ id: '', raisedAt: 0, suppressed: 0, subject });
    reports.onAttempt({ ...ERRAND, notice }, TOLD);
    expect(await textOf()).not.to.contain(ATTEMPTED);
  });

  describe('of who is turned away', () => {
    const away = { status: 404, from: '192.0.2.7\n', problem: 'wrong token' };
    const line = { level: 40, http: 404, reason: 'wrong token', from: '192.0.2.7', msg: 'turned away' };

    it('say where from and why, once a second for each reason, and count all', async () => {
      for (let time = 0; time < 3; time += 1) reports.onTurnedAway(away);
      const pointers = ['/status', ...Array.from({ length: 1000 }, () => '/x'.repeat(10_000))];
      const problem = 'JSON, but not a callback';
      reports.onCallback({ ...REPORT, ...UNREAD, status: 422, from: '192.0.2.8', problem, pointers });
      expect(lines).to.have.length(2);
      expect(lines[0]).to.deep.equal({ ...line, result: 'refused' });
      expect(lines[1]).to.deep.include({ http: 422, status: 'none', from: '192.0.2.8' });
      expect(lines[1]?.['pointers']).to.include('/status');
      expect(JSON.stringify(lines[1]).length).to.be.lessThan(3000);
      await clock.advance(1000);
      reports.onTurnedAway(away);
      expect(lines).to.have.length(3);
      const text = await textOf();
      expect(text).to.contain(`${COUNTED}{status="none",result="refused"} 5`);
      expect(text, 'no BOT waits for who is turned away at the door').to.contain(
        'botbell_bot_seconds_total{cause="retry"} 30',
      );
    });

    it('say so of the admin listener, too, once a second, and count no callback', async () => {
      for (let time = 0; time < 3; time += 1) reports.onAdminTurnedAway(away);
      await clock.advance(1000);
      reports.onAdminTurnedAway(away);
      const ofAdmin = { ...line, listener: 'admin' };
      expect(lines).to.deep.equal([ofAdmin, ofAdmin]);
      expect(await textOf()).not.to.include('result="refused"');
    });
  });

  it('say of a deluge that is answered 503 one line a second, and of each failed callback its own', () => {
    const busy = { ...REPORT, status: 503, verdict: undefined, problem: 'busy', from: '192.0.2.7' };
    for (let time = 0; time < 100; time += 1) reports.onCallback(busy);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include({ result: 'unavailable', from: '192.0.2.7', reason: 'busy' });
    for (let time = 0; time < 100; time += 1) reports.onCallback(answered(502, 'failed', []));
    expect(lines).to.have.length(101);
  });

  it('say once a second of outcomes that could not be written that they are kept', () => {
    for (let outcome = 0; outcome < 3; outcome += 1)
      reports.onUnwritten(new LedgerUnavailable('the ledger cannot be used: locked'));
    const kept = 'deliveries made are kept in memory, and written once the store can be used';
    expect(messages()).to.deep.equal([[50, `an outcome could not be written down: ${kept}`]]);
  });

  it('say once a minute that the store nears its limit, and, as an error, that it is full and what to do', async () => {
    for (let minute = 0; minute < 2; minute += 1) {
      for (let time = 0; time < 3; time += 1) {
        reports.onStoreEvent({ what: 'forgotten_early', count: 7 });
        reports.onStoreEvent({ what: 'full' });
      }
      await clock.advance(60_000);
    }
    expect(lines.map(({ level }) => level)).to.deep.equal([40, 50, 40, 50]);
    expect(lines[1]?.['msg']).to.contain('503').and.contain('dismissed').and.contain('store.max_size');
  });
});
