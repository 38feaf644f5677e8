/** Brings a ledger up to date when the service starts: in one transaction, by one process, all of it or nothing. */
import sql, { raw } from 'sql-template-tag';
import { isSqlite, type Tx } from './database.ts';
import { FIRST_VERSION, type Migration, MIGRATIONS, typed, VERSION_TABLE } from './schema.ts';

const DRAIN_IT =
  'drain it first (run that version until nothing is undelivered), then start this one with a new file or database in store.url';

/** `none`: there is no ledger, and one can be made. `older`: the service brings it up to date when it starts. */
export type LedgerState = 'none' | 'older' | 'ready';

/**
 * Changes nothing. A ledger of a later version is ready, too, if programs of this version may run on it.
 * @throws {Error} the store cannot be used: why, and what to do
 */
export async function ledgerState(tx: Tx, migrations = MIGRATIONS): Promise<LedgerState> {
  const version = await versionIn(tx, latestOf(migrations));
  if (version === undefined) return 'none';
  return version < latestOf(migrations) ? 'older' : 'ready';
}

/** Makes the tables, or takes the steps that the ledger lacks. @throws {Error} as `ledgerState` does */
export async function migrate(tx: Tx, migrations = MIGRATIONS): Promise<void> {
  if ((await ledgerState(tx, migrations)) === 'ready') return;
  await waitForOthers(tx);
  // Another replica may have done it meanwhile.
  const version = (await versionIn(tx, latestOf(migrations))) ?? FIRST_VERSION - 1;
  const missing = migrations.slice(version - FIRST_VERSION + 1);
  for (const statement of missing.flatMap(({ statements }) => statements))
    await tx.all(raw(typed(statement, isSqlite(tx))));
  const { oldest } = missing.at(-1) ?? {};
  if (oldest === undefined) return;
  const row = sql`${latestOf(migrations)}, ${oldest}`;
  await tx.all(sql`DELETE FROM ${raw(VERSION_TABLE)}`);
  await tx.all(sql`INSERT INTO ${raw(VERSION_TABLE)} (version, oldest) VALUES (${row})`);
}

function latestOf(migrations: readonly Migration[]): number {
  return FIRST_VERSION + migrations.length - 1;
}

/** @returns undefined: there is no ledger. @throws {Error} it is none that programs of this version can work on */
async function versionIn(tx: Tx, known: number): Promise<number | undefined> {
  // On PostgreSQL, only tables that the search path finds.
  const named = isSqlite(tx)
    ? sql`SELECT name FROM sqlite_master WHERE type = 'table' AND name`
    : sql`SELECT relname AS name FROM pg_class WHERE pg_table_is_visible(oid) AND relname`;
  const tables = await tx.all<{ name: string }>(sql`${named} IN (${VERSION_TABLE}, 'callbacks')`);
  if (tables.length === 0) return undefined;
  if (tables.every(({ name }) => name !== VERSION_TABLE))
    throw new Error(
      `it has a table callbacks that is not of this Botbell: if it is an older one's, ${DRAIN_IT}; else give Botbell a store of its own`,
    );
  const { version = 0 } =
    (await tx.first<{ version: number }>(sql`SELECT version FROM ${raw(VERSION_TABLE)}`)) ?? {};
  if (version < FIRST_VERSION) throw new Error(`the ledger was written by a Botbell before 1.0: ${DRAIN_IT}`);
  const { oldest = 0 } =
    (await tx.first<{ oldest: number }>(sql`SELECT oldest FROM ${raw(VERSION_TABLE)}`)) ?? {};
  if (oldest <= known) return version;
  throw new Error(
    `the ledger is of a newer Botbell: its schema is version ${version}, and this program, which knows version ${known}, cannot work on it (at least ${oldest} is needed): start that Botbell, or restore the copy from before its upgrade`,
  );
}

/** Key of the advisory lock that lets only one of several starting replicas change the schema; any number would do. */
const SCHEMA_LOCK = 3853314791;

/** SQLite's writer has the file to itself. */
async function waitForOthers(tx: Tx): Promise<void> {
  if (isSqlite(tx)) return;
  await tx.all(raw('SET LOCAL lock_timeout = 0'));
  await tx.all(sql`SELECT pg_advisory_xact_lock(${SCHEMA_LOCK})`);
}
