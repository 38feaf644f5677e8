/** A ledger holds months of callbacks: nothing that a running service asks of it may read them all. */
import { expect } from 'chai';
import { CompiledQuery, type Kysely, type KyselyPlugin, type PluginTransformQueryArgs } from 'kysely';
import type { PendingRow } from '../../src/ledger/configs/config-store.ts';
import type { DialectTraits } from '../../src/ledger/dialect.ts';
import { earlyStep } from '../../src/ledger/retention/prune.ts';
import type { DeliveryUpdate } from '../../src/ledger/ledger.ts';
import { NO_LONGER_ROUTED } from '../../src/ledger/hold.ts';
import { endedHoldsQuery } from '../../src/ledger/due/due.ts';
import { followedBefore } from '../../src/ledger/due/turn-rows.ts';
import { migrate } from '../../src/ledger/migrations/migrate.ts';
import { identified } from '../../src/ledger/callback-columns.ts';
import { isKnown } from '../../src/ledger/admit/readmission.ts';
import { SqlLedger } from '../../src/ledger/sql-ledger.ts';
import { openSqlite } from '../../src/ledger/sqlite/store.ts';
import type { Tables } from '../../src/ledger/tables.ts';
import { arrivalOf } from '../contract/ledger-contract.ts';
import { callbackWith } from '../support/callbacks.ts';
import { ManualClock } from '../support/manual-clock.ts';

const TARGET = { destination: 'slack:#ops', channel: 'slack', address: '#ops' };
const WHOLE_TABLE = /^SCAN (?:\w+ AS )?(?:callbacks|deliveries|waiting|history|alert_causes)(?! USING)/;

/** As the bridge and the worker do: a callback, its retry, its job's result, what is due, what is old. */
async function work(ledger: SqlLedger, clock: ManualClock): Promise<void> {
  const arrive = (status: 0 | 2) => {
    const callback = callbackWith({ status });
    const body = Buffer.from(JSON.stringify(callback));
    const at = { startedAt: clock.now(), receivedAt: clock.now() };
    return ledger.admit({ callback, body, ...at, planned: [TARGET], routing: [], isAccepted: false });
  };
  const { callbackId } = await arrive(2);
  await arrive(2);
  await arrive(0);
  await ledger.deliveriesOf(callbackId);
  await ledger.turns.predecessorOf(callbackId);
  await clock.advance(2000);
  expect(await ledger.dueDestinations()).to.deep.equal([{ destination: TARGET.destination, hasBulk: false }]);
  expect(await ledger.claimDue([{ destination: TARGET.destination, limit: 9 }])).to.have.length(1);
  await ledger.countOpen();
  expect(await ledger.releaseHeld()).to.equal(0);
  await workOnConfigs(ledger);
  await ledger.prune({ sweep: 'reached_nobody', before: clock.now() + 1 });
  await ledger.prune({ sweep: 'done', before: clock.now() + 1 });
  await ledger.tidy();
}

/** As where the store has reached its limit. */
async function whenFull(db: Kysely<Tables>, traits: DialectTraits, now: number): Promise<void> {
  const arrival = arrivalOf(callbackWith({ status: 0 }), [], now);
  expect(await isKnown(db, identified(arrival, arrival.body))).to.equal(true);
  const inHand = new Set<number>();
  await earlyStep(db, traits, inHand, { candidates: [], before: now, now, after: 0 });
  await earlyStep(db, traits, inHand, { candidates: [1, 2], before: now, now, after: 0 });
}

/** As at a start with a config that has changed. */
async function workOnConfigs({ configs }: SqlLedger): Promise<void> {
  await configs.heartbeat({ hash: 'a', channels: new Map([['slack', 'slack']]) });
  const [row] = await configs.pendingAfter({ destination: '', isBulk: false, callbackId: 0 }, 9);
  expect(row).to.include({ destination: TARGET.destination });
  const { id, callbackId } = row as PendingRow;
  const update: DeliveryUpdate = {
    id,
    state: 'held',
    attempts: 0,
    failedAnswers: 0,
    lastError: undefined,
    receipt: undefined,
    hold: { code: NO_LONGER_ROUTED },
    isTakenOver: true,
    dueInMs: 0,
  };
  const other = { ...TARGET, destination: 'slack:#log', address: '#log' };
  await configs.routeAnew({ callbackId, update, targets: [other], routing: [] });
  expect(await configs.unroutedAfter(0, 9)).to.have.length(1);
  await configs.revive([{ id, routing: [] }]);
  await configs.hasten([id]);
}

describe('a SQLite ledger', () => {
  it('finds what is held until now by the index of holds that end', async () => {
    const store = openSqlite(':memory:');
    await migrate(store, new ManualClock());
    const { sql, parameters } = endedHoldsQuery(store.db, { now: 1, in: (ms) => ms }).compile();
    const plan = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
    const { rows } = await store.db.executeQuery<{ detail: string }>(plan);
    expect(rows.map(({ detail }) => detail)).to.deep.equal([
      'SEARCH deliveries USING INDEX deliveries_held (held_until<?)',
    ]);
    await store.db.destroy();
  });

  it('finds what a job’s later messages refer to by the index of these', async () => {
    const store = openSqlite(':memory:');
    await migrate(store, new ManualClock());
    const place = { jobId: 'job', destination: TARGET.destination, callbackId: 9 };
    for (const order of ['asc', 'desc'] as const) {
      const { sql, parameters } = followedBefore(store.db, place, order).compile();
      const plan = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
      const { rows } = await store.db.executeQuery<{ detail: string }>(plan);
      expect(rows.map(({ detail }) => detail)).to.deep.equal([
        'SEARCH deliveries USING INDEX deliveries_followed (job_key=? AND destination=? AND callback_id<?)',
      ]);
    }
    await store.db.destroy();
  });

  it('reads no table from end to end for what a running service asks', async () => {
    const clock = new ManualClock();
    const store = openSqlite(':memory:');
    await migrate(store, clock);
    const asked: PluginTransformQueryArgs[] = [];
    const listener: KyselyPlugin = {
      transformQuery: (query) => {
        asked.push(query);
        return query.node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    };
    const options = { clock, owner: 'one', leaseMs: 1000, takeOverAfterMs: 1000 };
    const db = store.db.withPlugin(listener);
    await work(new SqlLedger({ ...store, db }, options), clock);
    await whenFull(db, store.traits, clock.now());

    expect(asked).to.have.length.above(8);
    const executor = store.db.getExecutor();
    for (const { node, queryId } of asked) {
      if (node.kind === 'RawNode') continue;
      const { sql, parameters } = executor.compileQuery(node, queryId);
      const plan = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
      const { rows } = await store.db.executeQuery<{ detail: string }>(plan);
      expect(
        rows.filter(({ detail }) => WHOLE_TABLE.test(detail)),
        sql,
      ).to.deep.equal([]);
    }
    await store.db.destroy();
  });
});
