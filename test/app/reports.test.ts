/** What logs and metrics say of each callback and each attempt, and what they keep to themselves. */
import { join } from 'node:path';
import { expect } from 'chai';
import { DeliveryFailure } from '../../src/channels/failure.ts';
import type { AddressedNotice } from '../../src/deliver/settings.ts';
import type { Milestone } from '../../src/deliver/alerts.ts';
import { type DueDelivery, LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { OperationFailed } from '../../src/ledger/failures.ts';
import { noticeOf, noticeOfAlert, type OwnSubject } from '../../src/notice/notice.ts';
import { createMetrics } from '../../src/observe/metrics.ts';
import type { Verdict } from '../../src/deliver/outcome.ts';
import type { ReceiverReport } from '../../src/receive/receiver.ts';
import { Reports } from '../../src/app/reports.ts';
import { callbackWith, noticeAbout } from '../support/callbacks.ts';
import { expectText } from '../support/expected-messages.ts';
import { loggedBy } from '../support/logged-by.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { DELIVERED } from '../receive/receiver-bench.ts';
import { plannedTo } from '../deliver/delivery-record.ts';

const CONTENT = 'the customer’s secret order';
const CALLBACK = callbackWith({ message: CONTENT, output: { 注文: CONTENT }, bot_name: CONTENT });
const NO_TROUBLE = { problem: undefined, from: undefined, pointers: undefined };
const HANDLED = { callback: CALLBACK, verdict: DELIVERED };
const REPORT: ReceiverReport = { status: 200, durationMs: 42, ...HANDLED, ...NO_TROUBLE };
/** Of a body that is no callback. */
const UNREAD = { callback: undefined, verdict: undefined };
const ERRAND: AddressedNotice = { notice: noticeAbout(CALLBACK, 1), ...plannedTo('slack:#ops') };

const AWAY = { status: 404, from: '192.0.2.7\n', problem: 'wrong token' };
const FROM = '192.0.2.7';
const BUSY = { ...REPORT, durationMs: 0, status: 503, verdict: undefined, problem: 'busy', from: FROM };
const LAST_ERROR = { class: 'config', code: 'not_in_channel', message: 'invite the app' } as const;
const TOLD = { receipt: { ts: '1' }, durationMs: 7, endedAt: 7 };

function answered(verdict: Verdict): ReceiverReport {
  return { ...REPORT, status: verdict.status, verdict };
}

function milestone(name: Milestone['name'], fields: Partial<Milestone> = {}): Milestone {
  const record = { destination: 'slack:#ops', receivedAt: new ManualClock().now() - 125_000 };
  const had = { attempts: 3, lastError: undefined, reason: undefined };
  const notice = noticeAbout(CALLBACK, 1);
  return { name, notice, record: record as DueDelivery['record'], ...had, ...fields };
}

function own(subject: OwnSubject) {
  return noticeOfAlert({ id: '', raisedAt: 0, suppressed: 0, subject });
}

const NO_BOTS = { since: 0, bots: [], moreBots: 0, errors: 0, missed: 0, overdue: 0, open: 0 };
const SUMMARY = { template: 'summary', destination: 'slack:#ops', reason: 'mute', count: 2 } as const;
const REFUSED = { template: 'refused', httpStatus: 400, detail: 'not JSON', errors: [], from: '' } as const;

type Act = (reports: Reports, clock: ManualClock) => unknown;

async function thriceAndOnceLater(clock: ManualClock, ms: number, act: () => void): Promise<void> {
  for (let time = 0; time < 3; time += 1) act();
  await clock.advance(ms);
  act();
}

const ACTS: Readonly<Record<string, Act>> = {
  'a callback': ({ onCallback }) => onCallback(REPORT),
  'a callback that was not delivered': ({ onCallback }) => {
    const pending = { destination: 'slack:#ops', state: 'pending', error: 'channel_not_found' } as const;
    const told = { destination: 'email:a@example.com', state: 'delivered' } as const;
    onCallback({
      ...answered({ status: 502, result: 'failed', deliveries: [pending, told] }),
      problem: 'Some deliveries failed.',
    });
  },
  'a message that a rule holds': ({ onCallback }) => {
    const until = '2026-11-24T22:00:00.000Z';
    const muted = { destination: 'slack:#ops', state: 'held', rule: 'mute', until } as const;
    const told = { destination: 'slack:#log', state: 'held', rule: 'repeat' } as const;
    onCallback(answered({ status: 200, result: 'held', deliveries: [muted, told] }));
  },
  'a callback that could not be handled': ({ onCallback }) =>
    onCallback({ ...REPORT, status: 503, verdict: undefined, problem: 'x' }),
  'hostile ids, clean, on one line and short': ({ onCallback }) => {
    const callback = callbackWith({ job_id: 'a\n{"level":60}\u202e', bot_id: 'x'.repeat(1_000_000) });
    onCallback({ ...REPORT, callback });
  },
  'a delivery that was made late': ({ onMilestone }) => onMilestone(milestone('delivered_late')),
  'a delivery that was taken over': ({ onMilestone }) =>
    onMilestone(milestone('taken_over', { lastError: LAST_ERROR })),
  'a delivery that was given up': ({ onMilestone }) =>
    onMilestone(milestone('given_up', { lastError: LAST_ERROR })),
  'a delivery that was held back': ({ onMilestone }) =>
    onMilestone(milestone('held', { reason: 'no longer routed' })),
  'what Botbell tells by itself': ({ onMilestone }) => {
    const subjects = [
      { template: 'digest', group: 'ops', doubts: [], ...NO_BOTS },
      { ...SUMMARY, ...NO_BOTS, lastAt: 0 },
      REFUSED,
    ] as const;
    for (const subject of subjects) onMilestone(milestone('delivered_late', { notice: own(subject) }));
    const overdue = { template: 'overdue', runningForMs: 1000 } as const;
    const notice = noticeOf({ callback: CALLBACK, startedAt: 0 }, 1, overdue);
    onMilestone(milestone('given_up', { notice }));
  },
  'what Botbell would have told by itself, and a rule holds': ({ onHeld }) =>
    onHeld('mute', { kind: 'missed', botId: 'nightly', destination: 'slack:#ops' }),
  'a callback that a rule holds': ({ onHeld }) => onHeld('mute'),
  'a template, a condition and a hook’s body that failed, and what was done in place of them': ({
    onTemplateError,
  }) => {
    for (const format of ['slack', 'when', 'body'])
      onTemplateError({ format, template: 'error', message: 'botbell.yaml:7:3: memory limit exceeded' });
  },
  'an attempt that succeeded': ({ onAttempt }) => onAttempt(ERRAND, TOLD),
  'an attempt that failed': ({ onAttempt }) => {
    const failure = new DeliveryFailure(LAST_ERROR);
    onAttempt(ERRAND, { durationMs: 7, endedAt: 7, failure });
  },
  'a message whose blocks were refused': ({ onAttempt }) => {
    const receipt = { ts: '1', card_refused: 'invalid_blocks', card_refused_reason: 'at /blocks/0' };
    onAttempt(ERRAND, { ...TOLD, receipt });
  },
  'an attempt of a test, which tells nobody of anything': ({ onAttempt }) => {
    const subject = { template: 'test', destination: 'slack:#ops', channel: 'slack', askedBy: '' } as const;
    onAttempt({ ...ERRAND, notice: own(subject) }, TOLD);
  },
  'who is turned away, once a second for each reason': async ({ onTurnedAway, onCallback }, clock) => {
    const pointers = ['/status', '/x'.repeat(10_000), ...Array.from({ length: 1000 }, () => '/y')];
    const problem = 'JSON, but not a callback';
    onCallback({ ...REPORT, ...UNREAD, status: 422, from: '192.0.2.8', problem, pointers });
    await thriceAndOnceLater(clock, 1000, () => onTurnedAway(AWAY));
  },
  'who sends the admin listener a wrong password': ({ onAdminTurnedAway }) =>
    onAdminTurnedAway({ ...AWAY, status: 401, problem: 'a wrong password' }),
  'who is turned away by the admin listener': ({ onAdminTurnedAway }, clock) =>
    thriceAndOnceLater(clock, 1000, () => onAdminTurnedAway(AWAY)),
  'a deluge that is answered 503, once a second, but each failed callback': ({ onCallback }) => {
    for (let time = 0; time < 100; time += 1) onCallback(BUSY);
    const failed = answered({ status: 502, result: 'failed', deliveries: [] });
    for (let time = 0; time < 3; time += 1) onCallback(failed);
  },
  'outcomes that could not be written, once a second': ({ onUnwritten }) => {
    for (let outcome = 0; outcome < 3; outcome += 1) onUnwritten(new LedgerUnavailable('locked'));
  },
  'a store that fails where it is met by chance, and an operation that fails in a store that works': ({
    onUnforeseen,
  }) => {
    onUnforeseen(new LedgerUnavailable('it is locked'));
    onUnforeseen(new OperationFailed('no such column'));
  },
  'a store that nears its limit, or is full, once a minute': ({ onStoreEvent }, clock) =>
    thriceAndOnceLater(clock, 60_000, () => {
      onStoreEvent({ what: 'forgotten_early', count: 7 });
      onStoreEvent({ what: 'full' });
    }),
};

/** What it has the log say, a line each, and what the counters count. */
async function reportOf(act: Act): Promise<readonly string[]> {
  const clock = new ManualClock();
  const { lines, logger } = loggedBy();
  const metrics = createMetrics('1');
  await act(new Reports(logger, metrics, clock), clock);
  const text = await metrics.text(() => Promise.resolve({}));
  const counted = text.split('\n').filter((line) => /^botbell_\w+_total\S* (?!0$)/.test(line));
  return [...lines.map(({ err: _err, ...line }) => JSON.stringify(line)), ...counted];
}

describe('reports', () => {
  it('say of each thing that happens what the file has, and no word of a message', async () => {
    let said = '';
    for (const [what, act] of Object.entries(ACTS))
      said += [what, ...(await reportOf(act)), '\n'].join('\n  ').trimEnd() + '\n';
    expect(said).not.to.contain(CONTENT);
    expectText(join(import.meta.dirname, 'reports.txt'), said);
  });
});
