/** What every ledger promises of alerts: written with what they tell of, when it begins, and hourly while it grows, by whichever process. */
import { expect } from 'chai';
import type { Alert, DeliveryError, DeliveryRecord, DeliveryUpdate } from '../../src/ledger/ledger.ts';
import { isAlert, jobIdOf, type RaisedAlert } from '../../src/notice/notice.ts';
import { anew } from '../support/anew.ts';
import { CONFIG_FAILURE, DEAD_LETTER, REFUSED } from '../support/alerts.ts';
import { rejectionOf } from '../support/rejection-of.ts';
import { destinationsOf, EXECUTING, LOG, OPS, target } from './arrivals.ts';
import { Bench, type CreateStore, only } from './ledger-bench.ts';
import { settlementOf } from './settlements.ts';
import { dead, delivered, failed, namesOf, putOff } from './updates.ts';

const OPERATORS = [target('slack:#alerts'), target('email:operators@example.com')];
const AT_OPERATORS = OPERATORS.map(({ destination }) => destination);
const HOUR_MS = 3_600_000;

function alertOf(cause: string, fields: Partial<Alert> = {}): Alert {
  return { cause, subject: DEAD_LETTER, targets: OPERATORS, ...fields };
}

const FROM = { receivedAt: 7, from: '192.0.2.7' };
const REFUSAL = { ...FROM, status: 413, detail: 'too large', errors: [], body: '{' } as const;

export function describeAlerts(name: string, createStore: CreateStore): void {
  describe(`${name} as the ledger of alerts`, () => {
    const bench = anew(() => Bench.open(createStore));
    let jobs = 0;

    /** A callback of a job of its own whose one delivery dies. @returns whether something is due then */
    const die = async (alert: Alert, by = bench.ledger, to = OPS) => {
      jobs += 1;
      const [id] = namesOf(await bench.arrive({ job_id: `job-${jobs}` }, [to], by));
      return bench.settle([dead(id, alert)], by);
    };
    /** The alerts that are told now, to the first operator. */
    const alertsDue = async (): Promise<RaisedAlert[]> => {
      const due = await bench.claim(bench.ledger, { only: AT_OPERATORS });
      await bench.tell(due);
      return due.flatMap(({ notice, record }) =>
        isAlert(notice) && record.destination === 'slack:#alerts' ? notice.alert : [],
      );
    };
    /** As the loop does it, with the attempt. */
    const attempted = ({ callbackId }: Pick<DeliveryRecord, 'callbackId'>, update: DeliveryUpdate) => {
      const attempt = { durationMs: 2, endedAt: 3, outcome: 'config' } as const;
      const attempts = [{ ...attempt, error: update.lastError }];
      return bench.ledger.settle({ ...settlementOf(update, callbackId), attempts });
    };
    const suppressed = async () => (await alertsDue()).map((each) => each.suppressed);

    it('writes one with the dead letter that it tells of, due at once, for everybody it names', async () => {
      expect(await die(alertOf('slack down'))).to.equal(true);
      const due = await bench.claim();
      expect(destinationsOf(due)).to.deep.equal(['email:operators@example.com', 'slack:#alerts']);
      for (const { notice, record } of due) {
        expect(notice.template).to.equal('dead_letter');
        expect(jobIdOf(notice)).to.equal('job-1');
        expect(isAlert(notice) && notice.alert.subject).to.deep.equal(DEAD_LETTER);
        expect(record.isTakenOver).to.equal(true);
      }
      const [callback, alert] = await bench.store.rows('callbacks');
      expect(alert).to.include({ about: callback?.['id'], job_id: 'job-1' });
      expect(await bench.history()).to.include('alerted');
    });

    it('writes neither an outcome nor a refused body where its alert cannot be written', async () => {
      const [id] = namesOf(await bench.arrive({}, [OPS]));
      await bench.store.run('alter table incidents rename to incidents_elsewhere');
      expect(await rejectionOf(bench.settle([dead(id, alertOf('slack down'))]))).to.be.an('error');
      expect(await rejectionOf(bench.ledger.refuse(REFUSAL, alertOf('refused 413')))).to.be.an('error');
      await bench.store.run('alter table incidents_elsewhere rename to incidents');
      expect(await bench.states()).to.deep.equal(['slack:#ops pending']);
      expect(await bench.store.rows('refused')).to.deep.equal([]);
      await bench.settle([dead(id, alertOf('slack down'))]);
      expect((await bench.states())[0]).to.equal('slack:#ops dead');
      expect(await alertsDue()).to.have.length(1);
    });

    it('is not told once all that it tells of has been told, whatever has died elsewhere', async () => {
      await die(alertOf('elsewhere', { targets: [] }), bench.ledger, target('slack:#elsewhere'));
      const [ops, log] = namesOf(await bench.arrive({ job_id: 'told' }, [OPS, LOG]));
      await bench.settle([putOff(ops, 60_000, { alert: alertOf('slack down') }), putOff(log, 60_000)]);
      await bench.settle([delivered(ops)]);
      await bench.settle([delivered(log)]);
      expect(await alertsDue()).to.deep.equal([]);
      const alerts = (await bench.deliveries()).filter(({ id }) => id > log.id);
      const states = alerts.map(({ state, reason }) => `${state} ${String(reason)}`);
      expect(states).to.deep.equal(['held superseded', 'held superseded']);
      expect((await bench.history()).slice(-2)).to.deep.equal(states);
    });

    it('raises none of a failure that no longer counts, nor where nobody is named', async () => {
      await die(alertOf('slack down', { targets: [] }));
      const [id] = namesOf(await bench.arrive({ job_id: 'lost' }, [OPS]));
      const other = await bench.openAs('other');
      await bench.bury(other);
      expect(await bench.claim(other)).to.have.length(1);
      await bench.settle([dead(id, alertOf('slack down'))]);
      const kinds = (await bench.store.rows('callbacks')).map(({ kind }) => kind);
      expect(kinds).to.deep.equal(['callback', 'callback']);
    });

    const care = (by = bench.ledger, isConfigRefused = false) => bench.care({ isConfigRefused }, by);

    /** What is told once so much has passed and somebody has looked: of each alert, how many more there were. */
    const toldIn = async (ms: number) => {
      await bench.store.passTime(ms);
      await care();
      return suppressed();
    };

    it('tells of a trouble when it begins, and hourly while it grows, by whichever process, and how many more there were', async () => {
      const other = await bench.openAs('other');
      await die(alertOf('slack down'));
      expect(await die(alertOf('slack down'), other)).to.equal(false);
      await bench.store.passTime(HOUR_MS - 1);
      await die(alertOf('slack archived'));
      expect(await toldIn(0)).to.deep.equal([0]);
      await bench.store.passTime(1);
      await bench.store.clock.runAlong(Promise.all([care(), care(other)]));
      expect(await suppressed()).to.deep.equal([1]);
      expect(await toldIn(HOUR_MS), 'nothing more has come').to.deep.equal([]);
      await die(alertOf('slack down'));
      expect(await suppressed()).to.deep.equal([0]);
    });

    it('tells once of one cause of several troubles, and of each that has another', async () => {
      await die(alertOf('token revoked'));
      expect(await die(alertOf('token revoked'), bench.ledger, LOG)).to.equal(false);
      await die(alertOf('mail down'), bench.ledger, target('email:a@example.com'));
      const [, second = 0] = await bench.incidents();
      await bench.ledger.actions.closeIncidents([second], AT_OPERATORS);
      expect(await suppressed(), 'one is over, others are not').to.deep.equal([0, 0]);
      await bench.closeAll(AT_OPERATORS);
      expect(await die(alertOf('token revoked'), bench.ledger, target('slack:#third'))).to.equal(false);
      expect(await toldIn(HOUR_MS - 1), 'it has just been told, though that is over').to.deep.equal([]);
      expect(await toldIn(1)).to.deep.equal([0]);
    });

    it('tells of a dead letter also where what was wrong before was told of another destination alone', async () => {
      const wrong = alertOf('config_failure of a token', { subject: CONFIG_FAILURE });
      await die(wrong);
      await bench.closeAll(AT_OPERATORS);
      await die(wrong, bench.ledger, LOG);
      await suppressed();
      await die(alertOf('dead_letter of a token', { subject: DEAD_LETTER }), bench.ledger, LOG);
      expect(await suppressed()).to.have.length(1);
    });

    it('is not told once the trouble is over; what begins again within an hour is told only when it grows', async () => {
      await die(alertOf('slack down'));
      const ids = await bench.closeAll();
      expect(await alertsDue()).to.deep.equal([]);
      await bench.store.passTime(HOUR_MS - 1);
      await die(alertOf('slack down'));
      expect(await bench.incidents()).to.deep.equal(ids);
      expect(await toldIn(1)).to.deep.equal([0]);
    });

    it('is told where it still waits when the trouble begins again, and so is its end then; who has heard of an end hears no other', async () => {
      const [first = '', second = ''] = AT_OPERATORS;
      const toldAt = async (only?: readonly string[]) => {
        const due = await bench.claim(bench.ledger, { only });
        await bench.tell(due);
        return due.map(({ record, notice }) => `${notice.template} ${record.destination}`);
      };
      await die(alertOf('slack down'));
      expect(await toldAt([first])).to.deep.equal([`dead_letter ${first}`]);
      await bench.closeAll();
      expect(await toldAt([first])).to.deep.equal([`over ${first}`]);
      await die(alertOf('slack down'));
      expect(await toldAt()).to.deep.equal([`dead_letter ${second}`]);
      await bench.closeAll();
      expect(await toldAt()).to.deep.equal([`over ${second}`]);
    });

    const refuse = (by = bench.ledger) =>
      by.recordOwnSign(
        { key: 'config', sign: 'reload', gist: 'rotes' },
        alertOf('reload_refused', { afterMs: 60_000 }),
      );

    it('has a config refused until who refused it takes it, or is gone', async () => {
      const states = async () => {
        const rows = await bench.store.rows('incidents');
        return rows.map((row) => (row['over_at'] === null ? 'open' : 'over'));
      };
      const beat = (by: typeof bench.ledger) => by.upkeep.heartbeat({ hash: 'a', channels: new Map() });
      const other = await bench.openAs('other');
      await beat(other);
      await refuse(other);
      await beat(bench.ledger);
      await care();
      await care(other, true);
      expect(await states(), 'another starts').to.deep.equal(['open']);
      await refuse(bench.ledger);
      await care(bench.ledger, true);
      await care();
      expect(await states(), 'another has refused it, too, and takes it').to.deep.equal(['open']);
      await care(other);
      expect(await states(), 'it is mended').to.deep.equal(['over']);
      await bench.store.passTime(2 * HOUR_MS);
      await beat(other);
      await refuse(other);
      await bench.store.passTime(60_000);
      await care(bench.ledger, true);
      expect((await states()).at(-1), 'it is gone, and another has refused it, too').to.equal('open');
      await care();
      expect((await states()).at(-1), 'it is gone').to.equal('over');
    });

    it('tells of what may be mended in a minute after that minute, and not of what was', async () => {
      await refuse();
      await bench.store.passTime(59_000);
      await care();
      await bench.store.passTime(60_000);
      for (let time = 0; time < 2; time += 1) await refuse();
      await care(bench.ledger, true);
      expect(await alertsDue()).to.deep.equal([]);
      await bench.store.passTime(60_000);
      await care(bench.ledger, true);
      expect(await suppressed()).to.deep.equal([0]);
    });

    it('raises one of many that come at once', async () => {
      const other = await bench.openAs('other');
      const dying = Array.from({ length: 20 }, (_, number) =>
        die(alertOf('slack down'), number % 2 === 0 ? bench.ledger : other),
      );
      await bench.store.clock.runAlong(Promise.all(dying));
      expect(await alertsDue()).to.have.length(1);
      await bench.store.passTime(HOUR_MS);
      await die(alertOf('slack down'));
      expect(await suppressed()).to.deep.equal([19]);
    });

    it('is not silenced by a clock that is set back', async () => {
      await die(alertOf('slack down'));
      await alertsDue();
      await bench.store.run(`update incidents set told_at = told_at + ${24 * HOUR_MS}`);
      await die(alertOf('slack down'));
      expect(await alertsDue()).to.have.length(1);
    });

    it('takes a cause of any length and of any characters', async () => {
      const long = '\u0000\ud800請'.repeat(5000);
      await die(alertOf(`${long} 1`));
      await die(alertOf(`${long} 2`), bench.ledger, LOG);
      await die(alertOf(`${long} 1`));
      expect(await alertsDue()).to.have.length(2);
    });

    const configFailure = (code: string, more: Partial<DeliveryError> = {}) => ({
      lastError: { class: 'config', code, message: code, ...more } as const,
      alert: alertOf(code, { subject: CONFIG_FAILURE }),
    });
    /** Botbell's own next attempt at #ops. @returns what is told then of each alert: how many there were more of its cause */
    const fails = async (fields: Partial<DeliveryUpdate>, thenMs = 2 * HOUR_MS, settle = attempted) => {
      const due = await bench.claim(bench.ledger, only(OPS.destination, 1));
      for (const { record } of due) await settle(record, putOff(record, 0, fields));
      const told = await suppressed();
      await bench.store.passTime(thenMs);
      return told;
    };
    const counts = async () => (await bench.ledger.archive.openIncidents()).map(({ count }) => count);

    it('raises one of each way in which a delivery fails until somebody mends it, and one when it dies', async () => {
      const [id] = namesOf(await bench.accept({}, [OPS]));
      for (const told of [[0], [], []]) expect(await fails(configFailure('archived'))).to.deep.equal(told);
      for (const told of [[0], []]) expect(await fails(configFailure('revoked'))).to.deep.equal(told);
      expect(await fails(configFailure('config_failure by another'), 1)).to.deep.equal([0]);
      expect(await fails(configFailure('config_failure by a third'), 1)).to.deep.equal([]);
      const [due] = await bench.claim();
      await bench.settle([{ ...dead(id, alertOf('dead')), lastError: due?.record.lastError }]);
      expect((await alertsDue()).map(({ subject }) => subject.template)).to.deep.equal(['dead_letter']);
    });

    const waited: typeof attempted = (_, update) => bench.settle([update]);
    for (const [what, mayHaveArrived, settle] of [
      ['what the service has posted to no avail, though it fails as before', false, attempted],
      ['a message that waits for somebody, and none while it goes on waiting', true, waited],
    ] as const)
      it(`raises one where Botbell takes over ${what}`, async () => {
        const failure = configFailure('archived', { mayHaveArrived });
        for (const record of (await bench.arrive({}, [OPS])).deliveries)
          await attempted(record, failed(record, { lastError: failure.lastError, dueInMs: 0 }));
        expect(await suppressed()).to.deep.equal([]);
        await bench.store.passTime(HOUR_MS);
        for (const told of [[0], [], []])
          expect(await fails(failure, 2 * HOUR_MS, settle)).to.deep.equal(told);
        expect(await counts()).to.deep.equal([1]);
      });

    it('raises one of the failure by which a destination is down, though the message has failed so before, and counts it once', async () => {
      await bench.accept({ status: 1, message: 'beside' }, [OPS]);
      const alert = alertOf('slack down');
      for (const told of [[], []]) expect(await fails({})).to.deep.equal(told);
      for (const told of [[0], []]) expect(await fails({ alert })).to.deep.equal(told);
      expect(await counts()).to.deep.equal([1, 1]);
    });

    it('raises none for a further attempt at what became Botbell’s own as it failed', async () => {
      const { alert, lastError } = configFailure('archived');
      for (const isTakenOver of [false, false, true])
        for (const record of (await bench.arrive({}, [OPS])).deliveries) {
          const tried = { attempts: record.attempts + 1, isTakenOver, lastError, dueInMs: 0 };
          await attempted(record, failed(record, { ...tried, ...(isTakenOver && { alert }) }));
        }
      expect(await alertsDue()).to.have.length(1);
      await bench.store.passTime(2 * HOUR_MS);
      expect(await fails({ alert, lastError })).to.deep.equal([]);
      expect(await counts()).to.deep.equal([1]);
    });

    it('writes one with the refused body that it tells of, of which there may be nothing to keep', async () => {
      await bench.ledger.refuse(REFUSAL, alertOf('refused 413', { subject: REFUSED }));
      const errors = [{ pointer: '/status', detail: 'is missing' }];
      await bench.ledger.refuse({ ...REFUSAL, body: '', errors }, alertOf('413', { subject: REFUSED }));
      expect((await bench.store.rows('refused')).map((row) => [row['body'], row['errors']])).to.deep.equal([
        ['{', '[]'],
        ['', JSON.stringify(errors)],
      ]);
      const [incident] = await bench.ledger.archive.openIncidents();
      expect(incident).to.include({ gist: '/status is missing', sign: 'refused' });
      expect((await alertsDue()).map(({ subject }) => subject)).to.deep.equal([REFUSED]);
    });

    it('lets them wait for no other alert, and keeps no callback waiting for them', async () => {
      await die(alertOf('one'));
      await die(alertOf('two'), bench.ledger, LOG);
      const callback = await bench.arrive({ job_id: '', status: EXECUTING }, [OPS]);
      expect(callback).to.include({ isSuperseded: false });
      expect(callback.deliveries[0]?.behind).to.equal(undefined);
      expect(await bench.claim()).to.have.length(4);
    });
  });
}
