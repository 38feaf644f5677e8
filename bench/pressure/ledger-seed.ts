/**
 * Large ledgers without posting for hours: rows written by plain SQL into a ledger of the first version's tables, which
 * the measured program then migrates as it would an operator's.
 */
import { Migrator, sql } from 'kysely';
import type { OpenStore } from '../../src/ledger/dialect.ts';
import { FIRST_MIGRATION, migrationsFor } from '../../src/ledger/migrations/migrate.ts';
import { openPostgres } from '../../src/ledger/postgres/store.ts';
import { openSqlite } from '../../src/ledger/sqlite/store.ts';
import { keyedCallback } from '../../test/support/proof-tally.ts';

/** Stands for a callback's number; the fast stand-ins count by `job-` and seven digits. */
const NUMBER = '0000000';
const FIRST_NUMBER = 10 ** NUMBER.length;

/** What a statement may write within the time-out of the ledger's connections. */
const ROWS_AT_ONCE = 5000;

export interface Seed {
  readonly count: number;
  readonly botId: string;
  /** Of Slack; the callbacks take turns. */
  readonly addresses: readonly string[];
  /** `pending` ones are Botbell's own, and due. */
  readonly state: 'pending' | 'delivered' | 'dead';
  readonly ageMs: number;
}

/** @param url of an empty store */
export async function seedLedger(url: string, seeds: readonly Seed[]): Promise<void> {
  const store = url.startsWith('sqlite:')
    ? openSqlite(url.slice('sqlite:'.length))
    : openPostgres(url, () => undefined);
  try {
    await createFirstTables(store);
    let from = 1;
    for (const seed of seeds) {
      for (let left = seed.count; left > 0; left -= ROWS_AT_ONCE) {
        const part = { ...seed, count: Math.min(left, ROWS_AT_ONCE) };
        await insertCallbacks(store, part, from);
        await insertDeliveries(store, part);
        from += part.count;
      }
    }
    // As PostgreSQL does by itself, a minute later.
    if (!url.startsWith('sqlite:')) await sql`analyze`.execute(store.db);
  } finally {
    await store.close();
  }
}

async function createFirstTables({ db, traits }: OpenStore): Promise<void> {
  const provider = { getMigrations: () => Promise.resolve(migrationsFor(traits)) };
  const { error } = await new Migrator({ db, provider }).migrateTo(FIRST_MIGRATION);
  if (error !== undefined) throw error as Error;
}

async function insertCallbacks(
  { db }: OpenStore,
  { count, botId, ageMs }: Seed,
  from: number,
): Promise<void> {
  const body = JSON.stringify(keyedCallback(`job-${NUMBER}`, { bot_id: botId }));
  const number = sql`substr(cast(${sql.lit(FIRST_NUMBER)} + i as text), 2)`;
  const receivedAt = sql`${sql.lit(Date.now() - ageMs)} + i`;
  await sql`
    insert into callbacks (kind, job_id, bot_id, bot_name, status, started_at, received_at, last_received_at,
      times_received, body, routing)
    with recursive numbers(i) as (
      select ${sql.lit(from)} union all select i + 1 from numbers where i < ${sql.lit(from + count - 1)}
    )
    select 'callback', 'job-' || ${number}, ${sql.lit(botId)}, 'BOT job-' || ${number}, 1, ${receivedAt}, ${receivedAt},
      ${receivedAt}, 1, replace(${sql.lit(body)}, ${sql.lit(NUMBER)}, ${number}), '[]'
    from numbers`.execute(db);
}

async function insertDeliveries({ db }: OpenStore, { addresses, state }: Seed): Promise<void> {
  const cases = addresses.map((address, index) => sql`when ${sql.lit(index)} then ${sql.lit(address)}`);
  const address = sql`case id % ${sql.lit(addresses.length)} ${sql.join(cases, sql` `)} end`;
  const attempts = sql.lit(state === 'pending' ? 0 : 1);
  await sql`
    insert into deliveries (callback_id, destination, channel, address, state, attempts, refusals, due_at, is_ours,
      updated_at)
    select id, 'slack:' || ${address}, 'slack', ${address}, ${sql.lit(state)}, ${attempts}, 0, received_at, 1, received_at
    from callbacks where id > coalesce((select max(callback_id) from deliveries), 0)
    order by id`.execute(db);
}
