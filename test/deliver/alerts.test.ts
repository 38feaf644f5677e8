import { expect } from 'chai';
import { fault } from '../../src/config/words.ts';
import { faultSaid } from '../../src/text/fault.ts';
import { type AlertSettings, refusalAlert, reloadAlert, withAlert } from '../../src/deliver/alerts.ts';
import type { Alert, DeliveryError, DeliveryUpdate } from '../../src/ledger/ledger.ts';
import { failed, named } from '../contract/updates.ts';
import { callbackWith, noticeAbout } from '../support/callbacks.ts';
import { deliveryRecord, plannedTo } from './delivery-record.ts';

const SETTINGS: AlertSettings = { alerts: [plannedTo('slack:#alerts')], giveUpAfterMs: 86_400_000 };
const CONCERNED = { notice: noticeAbout(callbackWith({ output: { 金額: 1 } })) };

const PENDING = failed(named(1));

type Failed = Partial<DeliveryUpdate> & Partial<Pick<DeliveryError, 'class' | 'code' | 'concerns'>>;

const DEAD = { state: 'dead' } as const;
const OURS = { isTakenOver: true } as const;

function alertAfter(
  { class: failureClass = 'config', code = 'x', concerns, ...fields }: Failed,
  destination = 'slack:#ops',
  pauseMs?: number,
): Alert | undefined {
  const lastError: DeliveryError = { class: failureClass, code, message: 'It failed.', concerns };
  const record = deliveryRecord({ callbackId: 7, destination });
  return withAlert({ ...PENDING, lastError, ...fields }, { record, ...CONCERNED }, SETTINGS, { pauseMs })
    .alert;
}

describe('an outcome', () => {
  it('that is a dead letter raises an alert, which names the message and nothing of what it says', () => {
    const alert = alertAfter({ class: 'permanent', code: '550', ...DEAD, attempts: 4 });
    const told = { template: 'dead_letter', destination: 'slack:#ops', channel: 'slack' };
    const error = { class: 'permanent', code: '550', message: 'It failed.', concerns: undefined };
    const callback = { job_id: 'job-1', bot_id: 'get_items', bot_name: '商品取得', status: 0 };
    const subject = { ...told, error, attempts: 4, callback, callbackId: 7, since: 0 };
    expect(alert).to.deep.include({ targets: SETTINGS.alerts, subject });
  });

  it('that somebody has to mend raises one once Botbell itself makes the next attempt, and no other does', () => {
    const givesUpAt = 86_400_000;
    expect(alertAfter(OURS)?.subject).to.include({ template: 'config_failure', givesUpAt });
    const paused = (pauseMs: number) => alertAfter({ class: 'rate_limited', ...OURS }, undefined, pauseMs);
    expect(paused(3_600_000)?.subject, 'a limit of an hour').to.include({ template: 'config_failure' });
    expect(paused(3_599_999)).to.equal(undefined);
    for (const failureClass of ['transient', 'rate_limited', 'permanent'] as const)
      expect(alertAfter({ class: failureClass, ...OURS }), failureClass).to.equal(undefined);
    const none = { lastError: undefined };
    for (const fields of [{}, { state: 'delivered', ...none }, { state: 'held', ...none }] as const)
      expect(alertAfter(fields), JSON.stringify(fields)).to.equal(undefined);
  });

  it('of a callback whose names are as long as a body raises one of common size', () => {
    const endless = 'x'.repeat(1_000_000);
    const notice = noticeAbout(callbackWith({ job_id: endless, bot_id: endless, bot_name: endless }));
    const of = { record: deliveryRecord(), notice };
    const { alert } = withAlert({ ...PENDING, ...DEAD }, of, SETTINGS);
    expect(alert?.subject.template).to.equal('dead_letter');
    expect(JSON.stringify(alert).length).to.be.below(5000);
  });
});

describe('the cause of an alert', () => {
  const causeOf = (failed: Failed, destination?: string) => alertAfter(failed, destination)?.cause;

  it('is one for what is mended together, as a token or a server, and another for each channel', () => {
    const server = { class: 'transient', code: 'ECONNREFUSED', ...DEAD } as const;
    for (const failed of [{ code: 'EAUTH', ...OURS }, server]) {
      expect(causeOf(failed)).to.equal(causeOf(failed, 'slack:#other'));
      expect(causeOf(failed)).not.to.equal(causeOf(failed, 'second:#ops'));
    }
  });

  it('is another for each address where that is to mend, each code, and what becomes a dead letter', () => {
    const ofAddress = { code: 'is_archived', concerns: 'address', ...OURS } as const;
    const causes = [
      causeOf(ofAddress),
      causeOf(ofAddress, 'slack:#other'),
      causeOf({ ...ofAddress, ...DEAD }),
      causeOf({ ...ofAddress, code: 'not_in_channel' }),
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
      fault: faultSaid('is wrong'),
      severity,
    });
    const problems = [problem(1, 'warning'), ...[2, 3, 4, 5, 6, 7].map((line) => problem(line, 'error'))];
    const { cause, subject } = reloadAlert('botbell.yaml', problems, SETTINGS, 'en');
    expect(reloadAlert('botbell.yaml', [problem(1, 'error')], SETTINGS, 'en').cause).to.equal(cause);
    const first = [2, 3, 4, 5, 6].map((line) => `routes.yaml:${line}:2: is wrong`);
    const said = { template: 'reload_refused', file: 'botbell.yaml', problems: first, moreProblems: 1 };
    expect(subject).to.deep.equal(said);
    const wrong = { ...problem(1, 'error'), path: 'routes', fault: fault('type.map') };
    expect(reloadAlert('botbell.yaml', [wrong], SETTINGS, 'ja').subject).to.deep.include({
      problems: ['routes.yaml:1:2: routes：「キー: 値」の形で書いてください'],
    });
  });
});
