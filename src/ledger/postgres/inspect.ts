/** Whether a PostgreSQL database holds, or could hold, a ledger. */
import { type Kysely, sql } from 'kysely';
import { type Clock, Deadline } from '../../time/clock.ts';
import { openPostgres } from './store.ts';
import type { Tables } from '../tables.ts';
import { LEDGER_TABLES, MIGRATIONS_TABLE, stateOf, type StoreState } from '../migrations/migrate.ts';

const TIMEOUT_MS = 5000;

/** `hashtextextended`, which the locks of jobs need, came with PostgreSQL 11. */
const OLDEST_VERSION = 110_000;

/** @throws {Error} why it cannot be used */
export async function inspectPostgres(url: string, clock: Clock): Promise<StoreState> {
  const { db, traits, close } = openPostgres(url, () => undefined);
  try {
    return await traits.read(db, new Deadline(clock, TIMEOUT_MS), look);
  } finally {
    await close();
  }
}

async function look(db: Kysely<Tables>): Promise<StoreState> {
  await sql`set transaction read only`.execute(db);
  checkServer(await serverOf(db));
  const tables = await tablesOf(db);
  const names = tables.map(({ name }) => name);
  const migrations = names.includes(MIGRATIONS_TABLE) ? await migrationsIn(db) : [];
  const unwritable = tables.find(({ isWritable }) => !isWritable);
  if (unwritable !== undefined) throw new Error(`this user may not write to the table ${unwritable.name}`);
  return stateOf({ tables: names, migrations });
}

interface Server {
  readonly version: number;
  readonly isReadOnly: boolean;
  readonly mayCreate: boolean | null;
}

async function serverOf(db: Kysely<Tables>): Promise<Server> {
  const { rows } = await sql<Server>`select
    current_setting('server_version_num')::int as version,
    pg_is_in_recovery() or current_setting('default_transaction_read_only')::bool as "isReadOnly",
    has_schema_privilege(current_schema(), 'create') as "mayCreate"`.execute(db);
  return rows[0] as Server;
}

function checkServer({ version, isReadOnly, mayCreate }: Server): void {
  if (version < OLDEST_VERSION) throw new Error('PostgreSQL 11 or newer is needed');
  if (isReadOnly)
    throw new Error('the server takes no writes: it is a standby, or read-only by its settings');
  if (mayCreate !== true) throw new Error('this user may not create tables in the schema');
}

interface TableFound {
  readonly name: string;
  readonly isWritable: boolean;
}

/** Those that a ledger has; as the search path finds them. */
async function tablesOf(db: Kysely<Tables>): Promise<readonly TableFound[]> {
  const { rows } = await sql<TableFound>`select name,
      has_table_privilege(to_regclass(name), 'select') and has_table_privilege(to_regclass(name), 'insert')
      and has_table_privilege(to_regclass(name), 'update') and has_table_privilege(to_regclass(name), 'delete')
      as "isWritable"
    from unnest(${[...LEDGER_TABLES, MIGRATIONS_TABLE]}::text[]) as name
    where to_regclass(name) is not null`.execute(db);
  return rows;
}

async function migrationsIn(db: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(MIGRATIONS_TABLE)}`.execute(db);
  return rows.map(({ name }) => name);
}
