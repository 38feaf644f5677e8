/** Whatever people ask of a ledger of months, no table is read from end to end for it. */
import { expect } from 'chai';
import { CompiledQuery } from 'kysely';
import type { Archive } from '../../src/ledger/archive/archive.ts';
import { createArchive } from '../../src/ledger/archive/sql-archive.ts';
import type { OpenStore } from '../../src/ledger/dialect.ts';
import { migrate } from '../../src/ledger/migrations/migrate.ts';
import { openPostgres } from '../../src/ledger/postgres/store.ts';
import { openSqlite } from '../../src/ledger/sqlite/store.ts';
import { AskedStatements } from '../support/asked-statements.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';

const SINCE = '2026-01-01';

async function askEverything(archive: Archive): Promise<void> {
  for (const filter of [
    {},
    { botId: 'a' },
    { jobId: 'a' },
    { state: 'pending' },
    { state: 'pending', destination: 'slack:#ops' },
    { state: 'dead' },
    { state: 'held', botId: 'a' },
    { state: 'delivered', destination: 'slack:#ops' },
    { status: 1, result: 'delivered' },
    { from: 1, to: 2 },
  ] as const) {
    await archive.callbacks(filter);
  }
  await archive.story(1);
  await archive.body(1);
  await archive.bots(SINCE);
  await archive.bot('a', SINCE);
  await archive.everyBot();
  await archive.countsOf(['bot 1', 'bot 2'], SINCE);
  await archive.lastRuns([{ botId: 'bot 1', lastCallbackId: 1 }], 30);
  const { runs } = await archive.runsSince({ botId: 'a', lastCallbackId: 1 }, 0);
  await archive.failedRuns([
    ...runs,
    { callbackId: 1, jobId: 'a', status: 1, startedAt: 0, receivedAt: 0, elapsedSeconds: 1 },
  ]);
  await archive.days(SINCE);
  await archive.days(SINCE, 'a');
  await archive.deadLetters();
  await archive.openWork();
  await archive.attempts(SINCE);
  await archive.refusals();
  await archive.destinations(['slack:#ops', 'slack:#log']);
  await archive.configs();
  await archive.delivery(1);
  await archive.told(1);
  await archive.changeMark();
}

/** @returns all that everything asks of the store, as it is asked */
async function askedOf({ db, traits }: OpenStore): Promise<readonly CompiledQuery[]> {
  const asked = new AskedStatements();
  const listening = asked.listening(db);
  const time = { now: traits.now(1000), in: () => 0 };
  const reader = {
    read: <T>(_deadline: unknown, work: (reading: typeof db) => Promise<T>) => work(listening),
    close: () => Promise.resolve(),
  };
  await askEverything(createArchive(reader, new ManualClock(), () => time));
  return asked.compiledBy(db);
}

/** A hundred thousand callbacks of twenty BOTs, each with a delivery; one in a hundred is dead. */
const FILL = (numbers: string) => [
  `insert into callbacks (kind, identity, job_id, bot_id, bot_name, status, started_at, received_at, last_received_at,
      times_received, body, routing, about)
    select 'callback', cast(n as text), 'job ' || n, 'bot ' || n % 20, '', n % 3, n, n, n, 1, '{}', '[]',
      case when n % 100 = 0 then n - 1 end
    from ${numbers}`,
  `insert into deliveries (callback_id, destination, channel, address, state, attempts, refusals, due_at, is_ours, updated_at)
    select id, 'slack:#' || id % 7, '', '', case when id % 100 = 0 then 'dead' else 'delivered' end, 0, 0, 0, 0, 0
    from callbacks`,
  `insert into history (callback_id, entry) select id, '{}' from callbacks`,
  `insert into bot_days (bot_id, day, bot_name, last_callback_id)
    select bot_id, '2026-01-' || (id % 28 + 10), '', max(id) from callbacks group by 1, 2`,
  'analyze',
];

describe('What people ask of the archive', () => {
  it('is answered from indexes in SQLite', async () => {
    const store = openSqlite(':memory:');
    await migrate(store, new ManualClock());
    const numbers =
      '(with recursive n(n) as (select 1 union all select n + 1 from n where n < 1000) select n from n)';
    for (const statement of FILL(numbers).slice(0, -1)) {
      await store.db.executeQuery(CompiledQuery.raw(statement));
    }
    const asked = await askedOf(store);
    expect(asked).to.have.length.above(20);
    for (const { sql, parameters } of asked) {
      const plan = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
      const { rows } = await store.db.executeQuery<{ detail: string }>(plan);
      const details = rows.map(({ detail }) => detail);
      const whole = /^SCAN (?:callbacks|deliveries|history|refused|bot_days|newest)(?! USING)/;
      expect(
        details.filter((detail) => whole.test(detail)),
        sql,
      ).to.deep.equal([]);
      // Ids come in their order: to sort all of one BOT takes as long as there are many.
      const isSorting = details.some((detail) => detail.includes('TEMP B-TREE FOR ORDER BY'));
      const isOfIds =
        /^select (?:distinct )?(?:callback_)?id (?:as id )?from (?:callbacks|deliveries) where/.test(sql);
      expect(isOfIds && isSorting, sql).to.equal(false);
    }
    await store.close();
  });

  describe('is answered from indexes', () => {
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
