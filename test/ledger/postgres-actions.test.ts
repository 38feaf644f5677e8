/** People act on PostgreSQL while replicas work: nobody waits in a circle, and what they asked for is done once or not at all. */
import { expect } from 'chai';
import type { ActionRequest } from '../../src/ledger/actions/actions.ts';
import type { OpenLedger } from '../../src/ledger/configs/config-store.ts';
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { systemClock } from '../../src/time/clock.ts';
import {
  answered,
  arrivalOf,
  claimAllDue,
  delivered,
  failed,
  settlementOf,
  target,
} from '../contract/ledger-contract.ts';
import { callbackWith } from '../support/callbacks.ts';
import { lockTable } from '../support/lock-table.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { createPostgresStore, type PostgresStore } from '../support/postgres-store.ts';
import { rejectionOf } from '../support/rejection-of.ts';

const OPS = target('slack:#ops');
const LOG = target('slack:#log');
const REQUEST: ActionRequest = { actor: { via: 'page', user: 'hanako', from: '192.0.2.7' } };
const PLAN = {
  targets: [OPS, LOG, target('slack:#new')],
  routing: [],
  channels: new Map([['slack', 'slack']]),
};

describe('People’s actions on PostgreSQL', () => {
  let server: PostgresServer;
  let store: PostgresStore;
  let clock: ManualClock;

  before(async () => {
    server = await startPostgres();
  });

  after(() => server.close());

  beforeEach(async () => {
    clock = new ManualClock();
    store = await createPostgresStore(server, clock);
  });

  afterEach(() => store.close());

  const openAs = (owner: string, itsClock: ManualClock | typeof systemClock = clock) =>
    store.open({ clock: itsClock, owner, leaseMs: 18_000, takeOverAfterMs: 120_000 });
  /** One callback for each job, with two dead letters each. @returns ids of callbacks and deliveries */
  const deadLetters = async (ledger: OpenLedger, jobs: readonly string[]) => {
    const admissions = await Promise.all(
      jobs.map(async (job_id) => {
        const arrival = arrivalOf(callbackWith({ job_id }), [OPS, LOG], clock.now());
        return answered(ledger, await ledger.admit({ ...arrival, isAccepted: true }));
      }),
    );
    await claimAllDue(ledger, 1000);
    const ids = admissions.flatMap(({ deliveries }) => deliveries.map(({ id }) => id));
    await ledger.settle(settlementOf(ids.map((id) => ({ ...failed(id), state: 'dead' as const }))));
    return { ids, callbackIds: admissions.map(({ callbackId }) => callbackId) };
  };
  const countOf = async (table: string, condition: string) => {
    const [row] = await store.query(`select count(*)::int as count from ${table} where ${condition}`);
    return Number(row?.['count']);
  };
  const untilThrough = async (ledger: OpenLedger) => {
    while ((await ledger.actions.continueBulk()).isMore);
  };

  it('are gone on with in bulk by two replicas at once, each delivery by one of them', async () => {
    const [one, other] = [await openAs('one'), await openAs('other')];
    const { ids } = await deadLetters(
      one,
      Array.from({ length: 200 }, (_, number) => `job-${number}`),
    );
    const { id } = await one.actions.startBulk({}, REQUEST);
    await Promise.all([untilThrough(one), untilThrough(other)]);
    await untilThrough(one);
    expect(await one.actions.bulk(id)).to.include({ state: 'done', given: ids.length, pending: ids.length });
    expect(await countOf('actions', `bulk_id = ${id}`)).to.equal(200);
  });

  it('are two bulks of two people at once, by one replica each', async () => {
    const [one, other] = [await openAs('one'), await openAs('other')];
    await deadLetters(
      one,
      Array.from({ length: 120 }, (_, number) => `job-${number}`),
    );
    const ops = await one.actions.startBulk({ destination: OPS.destination }, REQUEST);
    const log = await other.actions.startBulk({ destination: LOG.destination }, REQUEST, 'dismissed');
    await Promise.all([untilThrough(one), untilThrough(other)]);
    await untilThrough(one);
    expect(await one.actions.bulk(ops.id)).to.include({ state: 'done', given: 120 });
    expect(await one.actions.bulk(log.id)).to.include({ state: 'done', given: 120 });
    expect(await one.countOpen()).to.deep.equal({ pending: 120, dead: 0, held: 0 });
  });

  /** Whoever a deadlock throws out waits for a clock that stands still, so the test would never end. */
  it('never wait in a circle with arrivals, outcomes, claims, the retention and each other', async () => {
    const [one, other] = [await openAs('one'), await openAs('other')];
    for (let round = 0; round < 6; round += 1) {
      const jobs = Array.from({ length: 8 }, (_, number) => `job-${round}-${number}`);
      const { ids, callbackIds } = await deadLetters(one, jobs);
      await clock.advance(1000);
      const arrive = (job_id: string, by: OpenLedger) =>
        by.admit(arrivalOf(callbackWith({ job_id, message: 'another' }), [OPS, LOG], clock.now()));
      await one.actions.startBulk({}, REQUEST);
      const stopped = await other.actions.startBulk({}, REQUEST);
      await Promise.all([
        ...ids.map((id) => one.actions.redeliver(id, REQUEST, true)),
        ...ids.toReversed().map((id) => other.actions.dismiss(id, REQUEST)),
        ...callbackIds.map((id) => one.actions.routeAnew(id, PLAN, REQUEST)),
        ...callbackIds.toReversed().map((id) => other.actions.routeAnew(id, PLAN, REQUEST)),
        ...jobs.map((job) => arrive(job, other)),
        one.actions.continueBulk(),
        other.actions.continueBulk(),
        other.actions.stopBulk(stopped.id, REQUEST),
        one.actions.stopBulk(stopped.id - 1, REQUEST),
        claimAllDue(other, 64),
        one.settle(settlementOf(ids.map(delivered))),
        other.prune({ sweep: 'done', before: clock.now(), after: 0 }),
      ]);
      await untilThrough(one);
    }
    const doubled = await store.query(
      'select callback_id, destination from deliveries group by 1, 2 having count(*) > 1',
    );
    expect(doubled).to.deep.equal([]);
  });

  it('are refused in time by a store that hangs, and done whole or not at all', async () => {
    const ledger = await openAs('one', systemClock);
    const { ids, callbackIds } = await deadLetters(ledger, ['a']);
    const [id = 0] = ids;
    const lock = await lockTable(store.url, 'deliveries');
    const request = { ...REQUEST, nonce: 'n' };
    const began = performance.now();
    const errors = await Promise.all([
      rejectionOf(ledger.actions.redeliver(id, request, false)),
      rejectionOf(ledger.actions.routeAnew(callbackIds[0] ?? 0, PLAN, request)),
    ]);
    expect(performance.now() - began).to.be.below(12_000);
    for (const error of errors) expect(error).to.be.instanceOf(LedgerUnavailable);
    await lock();
    expect(await ledger.actions.redeliver(id, request, false)).to.equal('accepted');
    await ledger.actions.routeAnew(callbackIds[0] ?? 0, PLAN, request);
    expect(await countOf('actions', `what = 'redelivered'`)).to.equal(1);
    expect(await countOf('actions', `what = 'routed anew'`)).to.equal(1);
    expect(await countOf('deliveries', `state = 'pending'`)).to.equal(3);
  });
});
