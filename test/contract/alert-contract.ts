/** What every ledger promises of alerts: written with what they tell of, once per cause and hour, by whichever process. */
import { expect } from 'chai';
import type { Callback } from '../../src/callback/callback.ts';
import type { Alert, DeliveryTarget, DeliveryUpdate, DueDelivery, Ledger } from '../../src/ledger/ledger.ts';
import { isAlert, jobIdOf, type OwnSubject, type RaisedAlert } from '../../src/notice/notice.ts';
import { CONFIG_FAILURE, DEAD_LETTER, REFUSED } from '../support/alerts.ts';
import { callbackWith } from '../support/callbacks.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { rejectionOf } from '../support/rejection-of.ts';
import {
  arrivalOf,
  delivered,
  EXECUTING,
  failed,
  idsOf,
  LEASE_MS,
  MARGIN_MS,
  settlementOf,
  type StoreUnderTest,
  TAKE_OVER_AFTER_MS,
  target,
  claimAllDue,
} from './ledger-contract.ts';

const OPS = target('slack:#ops');
const OPERATORS = [target('slack:#alerts'), target('email:operators@example.com')];
const HOUR_MS = 3_600_000;

function alertOf(cause: string, fields: Partial<Alert> = {}): Alert {
  return { cause, subject: DEAD_LETTER, targets: OPERATORS, language: 'en', ...fields };
}

const REFUSAL = {
  receivedAt: 7,
  status: 413,
  detail: 'too large',
  errors: [],
  from: '192.0.2.7',
  body: '{',
} as const;

export function describeAlerts(
  name: string,
  createStore: (clock: ManualClock) => Promise<StoreUnderTest>,
): void {
  describe(`${name} as the ledger of alerts`, () => {
    let store: StoreUnderTest;
    let clock: ManualClock;
    let ledger: Ledger;

    const openAs = (owner: string) =>
      store.open({ clock, owner, leaseMs: LEASE_MS, takeOverAfterMs: TAKE_OVER_AFTER_MS });
    const arrive = (fields: Partial<Callback>, planned: readonly DeliveryTarget[], by = ledger) =>
      by.admit(arrivalOf(callbackWith(fields), planned, clock.now()));
    const dead = (id: number | undefined, alert: Alert): DeliveryUpdate => ({
      ...failed(id ?? -1),
      state: 'dead',
      alert,
    });
    let jobs = 0;
    /** A callback of a job of its own whose one delivery dies. */
    const die = async (alert: Alert, by = ledger) => {
      jobs += 1;
      const [id] = idsOf(await arrive({ job_id: `job-${jobs}` }, [OPS], by));
      await by.settle(settlementOf([dead(id, alert)]));
    };
    /** What the worker is given, the alerts among it told and the first operator's of them kept. */
    const claim = async (): Promise<DueDelivery[]> => {
      const due = await claimAllDue(ledger, 64);
      const alerts = due.filter(({ notice }) => isAlert(notice));
      await ledger.settle(settlementOf(alerts.map(({ record }) => delivered(record.id))));
      for (const { notice, record } of alerts) {
        if (isAlert(notice) && record.destination === 'slack:#alerts') told.push(notice.alert);
      }
      return due.filter(({ notice }) => !isAlert(notice));
    };
    /** The alerts that are told now. */
    const alertsDue = async (): Promise<RaisedAlert<OwnSubject>[]> => {
      const others = await claim();
      await ledger.settle(settlementOf(others.map(({ record }) => ({ ...record, dueInMs: 0 }))));
      return told.splice(0);
    };
    let told: RaisedAlert<OwnSubject>[];

    beforeEach(async () => {
      clock = new ManualClock();
      told = [];
      store = await createStore(clock);
      ledger = await openAs('first');
    });

    afterEach(() => store.close());

    it('writes one with the dead letter that it tells of, due at once, for everybody it names', async () => {
      await die(alertOf('slack down'));
      const due = await claimAllDue(ledger, 64);
      expect(due.map(({ record }) => record.destination).toSorted()).to.deep.equal([
        'email:operators@example.com',
        'slack:#alerts',
      ]);
      for (const { notice, record } of due) {
        expect(notice.template).to.equal('dead_letter');
        expect(jobIdOf(notice)).to.equal('job-1');
        expect(isAlert(notice) && notice.alert.subject).to.deep.equal(DEAD_LETTER);
        expect(record.isTakenOver).to.equal(true);
      }
    });

    it('writes neither the outcome nor its alert where one of them cannot be written', async () => {
      const [id] = idsOf(await arrive({}, [OPS]));
      await store.run('alter table alert_causes rename to alert_causes_elsewhere');
      const settlement = settlementOf([dead(id, alertOf('slack down'))]);
      expect(await rejectionOf(ledger.settle(settlement))).to.have.property('name', 'LedgerUnavailable');
      expect((await store.rows('deliveries')).map(({ state }) => state)).to.deep.equal(['pending']);
      await store.run('alter table alert_causes_elsewhere rename to alert_causes');
      await ledger.settle(settlement);
      expect((await store.rows('deliveries'))[0]).to.include({ state: 'dead' });
      expect(await alertsDue()).to.have.length(1);
    });

    it('raises none of a failure that no longer counts', async () => {
      const [id] = idsOf(await arrive({}, [OPS]));
      await store.passTime(TAKE_OVER_AFTER_MS + MARGIN_MS);
      const other = await openAs('other');
      expect(await claimAllDue(other, 64)).to.have.length(1);
      await ledger.settle(settlementOf([dead(id, alertOf('slack down'))]));
      expect((await store.rows('callbacks')).map(({ kind }) => kind)).to.deep.equal(['callback']);
    });

    it('raises one of each cause within an hour, by whichever process, and then says how many more there were', async () => {
      const other = await openAs('other');
      await die(alertOf('slack down'));
      await die(alertOf('slack down'), other);
      await die(alertOf('mail down'), other);
      await store.passTime(HOUR_MS - MARGIN_MS);
      await die(alertOf('slack down'));
      expect((await alertsDue()).map(({ suppressed }) => suppressed)).to.deep.equal([0, 0]);
      await store.passTime(2 * MARGIN_MS);
      await die(alertOf('slack down'), other);
      await die(alertOf('slack down'));
      expect((await alertsDue()).map(({ suppressed }) => suppressed)).to.deep.equal([2]);
      await store.passTime(HOUR_MS);
      await die(alertOf('slack down'));
      expect((await alertsDue()).map(({ suppressed }) => suppressed)).to.deep.equal([1]);
    });

    it('raises one of many that come at once', async () => {
      const other = await openAs('other');
      const dying = Array.from({ length: 20 }, (_, number) =>
        die(alertOf('slack down'), number % 2 === 0 ? ledger : other),
      );
      await clock.runAlong(Promise.all(dying));
      expect(await alertsDue()).to.have.length(1);
      await store.passTime(HOUR_MS + MARGIN_MS);
      await die(alertOf('slack down'));
      expect((await alertsDue()).map(({ suppressed }) => suppressed)).to.deep.equal([19]);
    });

    it('is not silenced by a clock that is set back', async () => {
      await die(alertOf('slack down'));
      await alertsDue();
      await store.run(`update alert_causes set told_at = told_at + ${24 * HOUR_MS}`);
      await die(alertOf('slack down'));
      expect(await alertsDue()).to.have.length(1);
    });

    it('is not raised twice by who looked at the clock before another told it', async () => {
      await die(alertOf('slack down'));
      await alertsDue();
      await store.run('update alert_causes set told_at = told_at + 1000');
      await die(alertOf('slack down'));
      expect(await alertsDue()).to.deep.equal([]);
    });

    it('raises none where nobody is named', async () => {
      await die(alertOf('slack down', { targets: [] }));
      expect(await claimAllDue(ledger, 64)).to.deep.equal([]);
      expect(await store.rows('callbacks')).to.have.length(1);
    });

    it('takes a cause of any length and of any characters', async () => {
      const long = '\u0000\ud800請'.repeat(5000);
      await die(alertOf(`${long} 1`));
      await die(alertOf(`${long} 2`));
      await die(alertOf(`${long} 1`));
      expect(await alertsDue()).to.have.length(2);
    });

    describe('of what waits for somebody to mend it', () => {
      const failing = (id: number, cause: string): DeliveryUpdate => ({
        ...failed(id),
        isTakenOver: true,
        dueInMs: 0,
        alert: alertOf(cause, { subject: CONFIG_FAILURE }),
      });
      const fail = async (cause: string) => {
        const due = await claim();
        expect(due).to.have.length(1);
        await ledger.settle(settlementOf(due.map(({ record }) => failing(record.id, cause))));
        await store.passTime(2 * HOUR_MS);
      };

      it('raises one at the first failure, and no more while it fails in the same way', async () => {
        await ledger.admit({ ...arrivalOf(callbackWith(), [OPS], clock.now()), isAccepted: true });
        for (const cause of ['archived', 'archived', 'archived']) await fail(cause);
        expect(await alertsDue()).to.have.length(1);
        for (const cause of ['revoked', 'revoked']) await fail(cause);
        expect((await alertsDue()).map(({ suppressed }) => suppressed)).to.deep.equal([0]);
      });

      it('raises one of it all the same when it dies', async () => {
        await ledger.admit({ ...arrivalOf(callbackWith(), [OPS], clock.now()), isAccepted: true });
        await fail('archived');
        await alertsDue();
        const [due] = await claim();
        await ledger.settle(settlementOf([dead(due?.record.id, alertOf('archived, dead'))]));
        expect((await alertsDue()).map(({ subject }) => subject.template)).to.include('dead_letter');
      });
    });

    it('writes one with the refused body that it tells of, of which there may be nothing to keep', async () => {
      await ledger.refuse(REFUSAL, alertOf('refused 413', { subject: REFUSED }));
      await ledger.refuse({ ...REFUSAL, body: '' }, alertOf('refused 413', { subject: REFUSED }));
      expect((await store.rows('refused')).map(({ body }) => body)).to.deep.equal(['{', '']);
      const [alert, ...others] = await alertsDue();
      expect(alert?.subject).to.deep.equal(REFUSED);
      expect(others).to.deep.equal([]);
    });

    it('keeps no refused body whose alert cannot be written', async () => {
      await store.run('alter table alert_causes rename to alert_causes_elsewhere');
      const refusing = ledger.refuse(REFUSAL, alertOf('refused 413'));
      expect(await rejectionOf(refusing)).to.have.property('name', 'LedgerUnavailable');
      await store.run('alter table alert_causes_elsewhere rename to alert_causes');
      expect(await store.rows('refused')).to.deep.equal([]);
    });

    it('writes those that an arrival brings with it', async () => {
      const arrival = arrivalOf(callbackWith(), [OPS], clock.now());
      await ledger.admit({ ...arrival, alerts: [alertOf('no longer routed')] });
      expect(await alertsDue()).to.have.length(1);
    });

    it('lets them wait for no other alert, and keeps no callback waiting for them', async () => {
      await die(alertOf('one'));
      await die(alertOf('two'));
      const callback = await arrive({ job_id: '', status: EXECUTING }, [OPS]);
      expect(callback).to.include({ isSuperseded: false });
      expect(callback.blocked.length).to.equal(0);
      expect(await claimAllDue(ledger, 64)).to.have.length(4);
    });

    it('gives out what the version before has left undelivered', async () => {
      const message =
        'The message for slack:#ops was given up and will not be sent any more: it was archived.';
      const body = JSON.stringify({ ...callbackWith({ status: 1, message }), code: 0 }).replaceAll("'", "''");
      await store.run(`
        insert into callbacks (kind, identity, job_id, bot_id, bot_name, status, started_at, received_at,
          last_received_at, times_received, body, routing)
        values ('alert', 'old', '', 'get_items', 'x', 1, 0, 0, 0, 1, '${body}', '[]')`);
      const [row] = await store.rows('callbacks');
      await store.run(`
        insert into deliveries (callback_id, destination, channel, address, state, attempts, refusals, due_at,
          is_ours, updated_at)
        values (${String(row?.['id'])}, 'slack:#alerts', 'slack', '#alerts', 'pending', 0, 0, 0, 1, 0)`);
      const [due] = await claimAllDue(ledger, 64);
      expect(due?.notice.template).to.equal('dead_letter');
      expect(due && isAlert(due.notice) && due.notice.alert.subject).to.include({
        destination: 'slack:#ops',
      });
    });
  });
}
