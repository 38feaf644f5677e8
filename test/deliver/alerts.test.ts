/** Which outcome raises which alert, and what counts as one cause. */
import { expect } from 'chai';
import type { FailureClass } from '../../src/channels/failure.ts';
import { type AlertSettings, refusalAlert, reloadAlert, withAlert } from '../../src/deliver/alerts.ts';
import type { Alert, DeliveryRecord, DeliveryUpdate } from '../../src/ledger/ledger.ts';
import { callbackWith, noticeAbout } from '../support/callbacks.ts';
import { deliveryRecord } from './delivery-record.ts';
import { plannedTo } from './delivery-bench.ts';

const SETTINGS: AlertSettings = {
  alerts: [plannedTo('slack:#alerts')],
  giveUpAfterMs: 86_400_000,
};
const CONCERNED = {
  notice: noticeAbout(callbackWith({ output: { 金額: 1 } })),
  firstReceivedAt: 1000,
};

function failedWith(
  failureClass: FailureClass,
  code: string,
  fields: Partial<DeliveryUpdate>,
): DeliveryUpdate {
  return { ...PENDING, lastError: { class: failureClass, code, message: 'It failed.' }, ...fields };
}

function alertAfter(update: DeliveryUpdate, record: Partial<DeliveryRecord> = {}): Alert | undefined {
  return withAlert(update, { record: deliveryRecord({ callbackId: 7, ...record }), ...CONCERNED }, SETTINGS)
    .alert;
}

const PENDING: DeliveryUpdate = {
  id: 1,
  state: 'pending',
  attempts: 1,
  lastError: { class: 'transient', code: 'x', message: 'It failed.' },
  receipt: undefined,
  isTakenOver: false,
  dueInMs: 0,
};
const DELIVERED: DeliveryUpdate = { ...PENDING, state: 'delivered', lastError: undefined, receipt: {} };

const DEAD = { state: 'dead' } as const;
const OURS = { isTakenOver: true } as const;

describe('an outcome', () => {
  it('that is a dead letter raises an alert, which names the message and nothing of what it says', () => {
    const update = failedWith('permanent', '550', { ...DEAD, attempts: 4 });
    expect(alertAfter(update)).to.deep.include({
      targets: SETTINGS.alerts,
      subject: {
        template: 'dead_letter',
        destination: 'slack:#ops',
        channel: 'slack',
        error: { class: 'permanent', code: '550', message: 'It failed.' },
        attempts: 4,
        callback: { job_id: 'job-1', bot_id: 'get_items', bot_name: '商品取得', status: 0 },
        callbackId: 7,
        since: 1000,
      },
    });
  });

  it('that is a config failure raises one once Botbell itself makes the next attempt', () => {
    expect(alertAfter(failedWith('config', 'invalid_auth', { isTakenOver: false }))).to.equal(undefined);
    const alert = alertAfter(failedWith('config', 'invalid_auth', OURS));
    expect(alert?.subject).to.include({ template: 'config_failure', givesUpAt: 86_401_000 });
  });

  it('that is a rate limit raises one where it pauses the channel for an hour', () => {
    const update = failedWith('rate_limited', 'daily', OURS);
    const templateAfter = (pauseMs: number) =>
      withAlert(update, { record: deliveryRecord(), ...CONCERNED }, SETTINGS, pauseMs).alert?.subject
        .template;
    expect([3_599_999, 3_600_000].map(templateAfter)).to.deep.equal([undefined, 'config_failure']);
  });

  it('of any other kind raises none', () => {
    for (const failureClass of ['transient', 'rate_limited', 'permanent'] as const) {
      expect(alertAfter(failedWith(failureClass, 'x', OURS)), failureClass).to.equal(undefined);
    }
    expect(alertAfter(DELIVERED)).to.equal(undefined);
    expect(alertAfter({ ...PENDING, state: 'held', lastError: undefined })).to.equal(undefined);
  });

  it('of a callback whose names are as long as a body raises one of common size', () => {
    const endless = 'x'.repeat(1_000_000);
    const callback = callbackWith({ job_id: endless, bot_id: endless, bot_name: endless });
    const update = failedWith('permanent', '550', DEAD);
    const { alert } = withAlert(
      update,
      { record: deliveryRecord(), notice: noticeAbout(callback), firstReceivedAt: 0 },
      SETTINGS,
    );
    expect(JSON.stringify(alert).length).to.be.below(5000);
  });
});

describe('the cause of an alert', () => {
  const causeOf = (update: DeliveryUpdate, destination = 'slack:#ops') => {
    const [channel = ''] = destination.split(':');
    return alertAfter(update, { destination, channel })?.cause;
  };

  it('is one for what is mended together, as a token or a server, and another for each channel', () => {
    for (const update of [
      failedWith('config', 'token_revoked', OURS),
      failedWith('config', 'EAUTH', OURS),
      failedWith('transient', 'ECONNREFUSED', DEAD),
    ]) {
      expect(causeOf(update)).to.equal(causeOf(update, 'slack:#other'));
      expect(causeOf(update)).not.to.equal(causeOf(update, 'second:#ops'));
    }
  });

  it('is another for each address where that is to mend, each code, and what becomes a dead letter', () => {
    const ofAddress = { class: 'config', code: 'is_archived', message: '', concerns: 'address' } as const;
    const causes = [
      causeOf({ ...PENDING, ...OURS, lastError: ofAddress }),
      causeOf({ ...PENDING, ...OURS, lastError: ofAddress }, 'slack:#other'),
      causeOf({ ...PENDING, ...DEAD, lastError: ofAddress }),
      causeOf({ ...PENDING, ...OURS, lastError: { ...ofAddress, code: 'not_in_channel' } }),
    ];
    expect(new Set(causes).size).to.equal(causes.length);
  });

  it('is one for each kind of refusal, whatever is wrong and whoever sent it', () => {
    const refusal = { status: 422, detail: 'a', errors: [], from: '192.0.2.1' } as const;
    const { cause, subject } = refusalAlert(refusal, SETTINGS);
    expect(refusalAlert({ ...refusal, detail: 'b', from: '192.0.2.2' }, SETTINGS).cause).to.equal(cause);
    expect(refusalAlert({ ...refusal, status: 413 }, SETTINGS).cause).not.to.equal(cause);
    expect(subject).to.include({ template: 'refused', httpStatus: 422, from: '192.0.2.1' });
  });

  it('is one for every reload that is refused, and its alert names the first five errors', () => {
    const problem = (line: number, severity: 'error' | 'warning') => ({
      place: { file: 'routes.yaml', line, column: 2 },
      message: 'is wrong',
      severity,
    });
    const problems = [problem(1, 'warning'), ...[2, 3, 4, 5, 6, 7].map((line) => problem(line, 'error'))];
    const { cause, subject } = reloadAlert('botbell.yaml', problems, SETTINGS);
    expect(reloadAlert('botbell.yaml', [problem(1, 'error')], SETTINGS).cause).to.equal(cause);
    expect(subject).to.deep.equal({
      template: 'reload_refused',
      file: 'botbell.yaml',
      problems: [2, 3, 4, 5, 6].map((line) => `routes.yaml:${line}:2: is wrong`),
      moreProblems: 1,
    });
  });
});
