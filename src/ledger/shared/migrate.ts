/** Brings a ledger up to date when the service starts: in one transaction, by one process, all of it or nothing. */
import sql, { raw } from 'sql-template-tag';
import { isSqlite, type Tx } from '../database.ts';
import { contentsOf, DRAIN_IT, OTHER_STORE } from './foreign.ts';
import { FIRST_VERSION, type Migration, MIGRATIONS, typed, VERSION_TABLE } from './schema.ts';

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

/** A start takes as long as that takes; a day is what a timer can wait for. */
export const UPGRADE_WITHIN_MS = 86_400_000;

/** Told before a ledger of an earlier version is changed. */
export type OnUpgrade = (versions: { readonly from: number; readonly to: number }) => void;

/** Makes the tables, or takes the steps that the ledger lacks. @throws {Error} as `ledgerState` does */
export async function migrate(tx: Tx, migrations = MIGRATIONS, onUpgrade?: OnUpgrade): Promise<void> {
  if ((await ledgerState(tx, migrations)) === 'ready') return;
  await waitForOthers(tx);
  // Another replica may have done it meanwhile.
  const found = await versionIn(tx, latestOf(migrations));
  if (found !== undefined && found < latestOf(migrations))
    onUpgrade?.({ from: found, to: latestOf(migrations) });
  const version = found ?? FIRST_VERSION - 1;
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

/** @returns undefined: the store is empty. @throws {Error} it has something that programs of this version cannot work on */
async function versionIn(tx: Tx, known: number): Promise<number | undefined> {
  const contents = await contentsOf(tx);
  if (contents === undefined) return undefined;
  const { version, oldest, missing } = contents;
  if (version < FIRST_VERSION) throw new Error(`the ledger was written by a Botbell before 1.0: ${DRAIN_IT}`);
  if (oldest > known)
    throw new Error(
      `the ledger is of a newer Botbell: its schema is version ${version}, and this program, which knows version ${known}, cannot work on it (at least ${oldest} is needed): start that Botbell, or restore the copy from before its upgrade`,
    );
  if (missing.length === 0) return version;
  throw new Error(
    `it is a ledger without its tables ${missing.join(', ')}: restore a copy of it, or ${OTHER_STORE}`,
  );
}

/** Key of the advisory lock that lets only one of several starting replicas change the schema; any number would do. */
const SCHEMA_LOCK = 3853314791;

/** A start that is killed must not leave its step at work, for which the next start would wait; servers on some systems cannot look. */
const ENDED_WITH_CLIENT = `DO $$ BEGIN SET LOCAL client_connection_check_interval = 1000;
  EXCEPTION WHEN OTHERS THEN NULL; END $$`;

/** SQLite's writer has the file to itself. */
async function waitForOthers(tx: Tx): Promise<void> {
  if (isSqlite(tx)) return;
  await tx.all(raw('SET LOCAL lock_timeout = 0'));
  await tx.all(raw(ENDED_WITH_CLIENT));
  await tx.all(sql`SELECT pg_advisory_xact_lock(${SCHEMA_LOCK})`);
}
