/** Whatever people have done, and the worker then looks for, no table is read from end to end for it, nor all that is dead. */
import { expect } from 'chai';
import { CompiledQuery, type Kysely } from 'kysely';
import type { Actions } from '../../src/ledger/actions/actions.ts';
import type { OpenStore } from '../../src/ledger/dialect.ts';
import { dueQuery } from '../../src/ledger/due/due.ts';
import { migrate } from '../../src/ledger/migrations/migrate.ts';
import { openPostgres } from '../../src/ledger/postgres/store.ts';
import { SqlLedger } from '../../src/ledger/sql-ledger.ts';
import { openSqlite } from '../../src/ledger/sqlite/store.ts';
import type { Tables } from '../../src/ledger/tables.ts';
import { AskedStatements } from '../support/asked-statements.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';

const REQUEST = { actor: { via: 'page', user: 'hanako', from: '192.0.2.7' }, nonce: 'n' } as const;
const TARGET = { destination: 'slack:#new', channel: 'slack', address: '#new' };

async function actOnEverything(actions: Actions, dead: readonly [number, number, number]): Promise<void> {
  const [one, other, callbackId] = dead;
  expect(await actions.redeliver(one, REQUEST, false)).to.equal('accepted');
  expect(await actions.dismiss(other, REQUEST)).to.equal('dismissed');
  const plan = { targets: [TARGET], routing: [], channels: new Map([['slack', 'slack']]) };
  expect(await actions.routeAnew(callbackId, plan, REQUEST)).to.deep.include({ told: ['slack:#new'] });
  expect(await actions.lookAt([one, other])).to.have.length(2);
  for (const filter of [
    {},
    { state: 'dead', botId: 'bot 3' },
    { state: 'held' },
    { result: 'failed' },
  ] as const) {
    await actions.tally(filter);
  }
  const bulk = await actions.startBulk({ destination: 'slack:#1', errorClass: '' }, REQUEST);
  await actions.continueBulk();
  await actions.bulks();
  await actions.stopBulk(bulk.id, REQUEST);
  await actions.continueBulk();
}

/** A hundred thousand callbacks, each with a delivery; one in a hundred is dead, one is unrouted, and many are superseded. */
const FILL = (numbers: string) => [
  `insert into callbacks (kind, identity, job_id, bot_id, bot_name, status, started_at, received_at, last_received_at,
      times_received, body, routing, about)
    select 'callback', cast(n as text), 'job ' || n, 'bot ' || (n % 20), '', n % 3, n, n, n, 1, '{}', '[]', null
    from ${numbers}`,
  `insert into deliveries (callback_id, destination, channel, address, state, attempts, refusals, due_at, is_ours, updated_at,
      job_key, held_because, is_bulk)
    select id, 'slack:#' || (id % 7), '', '',
      case when id % 100 = 0 then 'dead' when id % 100 in (1, 2) then 'pending' when id % 10 = 3 then 'held' else 'delivered' end,
      0, 0, 0, 1, 0, job_id,
      case when id % 100 = 13 then 'no longer routed' when id % 10 = 3 then 'superseded' end,
      case when id % 100 = 2 then 1 else 0 end
    from callbacks`,
  `insert into history (callback_id, entry) select id, '{}' from callbacks`,
  'analyze',
];

/** @returns all that is asked of the store, as it is asked */
async function askedOf(store: OpenStore): Promise<readonly CompiledQuery[]> {
  const asked = new AskedStatements();
  const traits: OpenStore['traits'] = {
    ...store.traits,
    transact: (db, settings, work) =>
      store.traits.transact(db, settings, (trx) => work(asked.listening(trx))),
    read: (db, deadline, work) =>
      store.traits.read(db, deadline, (reading) => work(asked.listening(reading))),
  };
  const openReader = () => ({
    read: <T>(_deadline: unknown, work: (db: Kysely<Tables>) => Promise<T>) =>
      work(asked.listening(store.db)),
    close: () => Promise.resolve(),
  });
  const options = { clock: new ManualClock(), owner: 'one', leaseMs: 1000, takeOverAfterMs: 1000 };
  const ledger = new SqlLedger({ ...store, traits, openReader }, options);
  const rows = await store.db
    .selectFrom('deliveries')
    .select(['id', 'callback_id'])
    .where('state', '=', 'dead')
    .orderBy('id')
    .limit(3)
    .execute();
  const [one, other, third] = rows;
  await actOnEverything(ledger.actions, [one?.id ?? 0, other?.id ?? 0, third?.callback_id ?? 0]);
  const time = { now: store.traits.now(1000), in: () => 0 };
  const due = dueQuery(asked.listening(store.db), time, 'slack:#1');
  await due.limit(8).execute();
  await due.where('is_bulk', '=', 1).limit(2).execute();
  await ledger.dueDestinations();
  return asked.compiledBy(store.db);
}

const OF_IDS = /^select "?(?:id|deliveries"\."id)"?.* from "deliveries" where/;

describe('What people do', () => {
  it('is done by indexes in SQLite', async () => {
    const store = openSqlite(':memory:');
    await migrate(store, new ManualClock());
    const numbers =
      '(with recursive n(n) as (select 1 union all select n + 1 from n where n < 2000) select n from n)';
    for (const statement of FILL(numbers).slice(0, -1)) {
      await store.db.executeQuery(CompiledQuery.raw(statement));
    }
    const asked = await askedOf(store);
    expect(asked).to.have.length.above(30);
    for (const { sql, parameters } of asked) {
      const plan = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
      const { rows } = await store.db.executeQuery<{ detail: string }>(plan);
      const details = rows.map(({ detail }) => detail);
      const whole = /^SCAN (?:callbacks|deliveries|history|actions|results|earlier|own)(?! USING)/;
      expect(
        details.filter((detail) => whole.test(detail)),
        sql,
      ).to.deep.equal([]);
      const isSorting = details.some((detail) => detail.includes('TEMP B-TREE FOR ORDER BY'));
      expect(OF_IDS.test(sql) && isSorting, `${sql} ${details.join()}`).to.equal(false);
    }
    await store.close();
  });

  describe('is done by indexes', () => {
    let server: PostgresServer;

    before(async () => {
      server = await startPostgres();
    });

    after(() => server.close());

    it('in PostgreSQL', async () => {
      const store = openPostgres(await server.createDatabase(), () => undefined);
      await migrate(store, new ManualClock());
      for (const statement of FILL('generate_series(1, 100000) as n')) {
        await store.db.executeQuery(CompiledQuery.raw(statement));
      }
      for (const { sql, parameters } of await askedOf(store)) {
        const { rows } = await store.db.executeQuery<{ 'QUERY PLAN': string }>(
          CompiledQuery.raw(`explain ${sql}`, [...parameters]),
        );
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        expect(plan, `${sql}\n${plan}`).not.to.match(/Seq Scan on (?:callbacks|deliveries|history)/);
      }
      await store.close();
    });
  });
});
