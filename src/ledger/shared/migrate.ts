/**
 * Brings a ledger up to date when the service starts: in one transaction, by one process, all of it or nothing. Tells a ledger from an
 * empty store and from what another program keeps there, which is left as it is.
 */
import sql, { raw } from 'sql-template-tag';
import { type Fault, FaultError, faultsOf } from '../../text/fault.ts';
import { type DatabaseSettings, isSqlite, onlyRow, type Transactions, type Tx } from '../database.ts';
import { FIRST_VERSION, type Migration, MIGRATIONS, TABLE_NAMES, typed, VERSION_TABLE } from './schema.ts';

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

/** A start waits for the upgrade however long that takes; a day stands for no limit, since a deadline needs one. */
const UPGRADE_WITHIN_MS = 86_400_000;

/** Brings the store's ledger to this version, unless the store is only read; closes the store if that fails. */
export async function upToDate<Store extends Transactions>(
  store: Store,
  { isReader = false, migrations, onUpgrade }: DatabaseSettings,
): Promise<Store> {
  if (isReader) return store;
  try {
    const options = { isDurable: true, withinMs: UPGRADE_WITHIN_MS };
    await store.run((tx) => migrate(tx, migrations, onUpgrade), options);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Makes the tables, or takes the steps that the ledger lacks. @throws {Error} as `ledgerState` does */
async function migrate(
  tx: Tx,
  migrations = MIGRATIONS,
  onUpgrade?: DatabaseSettings['onUpgrade'],
): Promise<void> {
  if ((await ledgerState(tx, migrations)) === 'ready') return;
  await waitForOthers(tx);
  // Another replica may have done it meanwhile.
  const found = await versionIn(tx, latestOf(migrations));
  const version = found ?? FIRST_VERSION - 1;
  const missing = migrations.slice(version - FIRST_VERSION + 1);
  const { oldest } = missing.at(-1) ?? {};
  if (oldest === undefined) return;
  if (found !== undefined) onUpgrade?.({ from: found, to: latestOf(migrations) });
  for (const statement of missing.flatMap(({ statements }) => statements))
    await tx.all(raw(typed(statement, isSqlite(tx))));
  const row = sql`${latestOf(migrations)}, ${oldest}`;
  await tx.all(sql`DELETE FROM ${raw(VERSION_TABLE)}`);
  await tx.all(sql`INSERT INTO ${raw(VERSION_TABLE)} (version, oldest) VALUES (${row})`);
}

function latestOf(migrations: readonly Migration[]): number {
  return FIRST_VERSION + migrations.length - 1;
}

/** Changes nothing. @returns undefined: the store is empty. @throws {Error} it has something that programs of this version cannot work on; says what to do */
async function versionIn(tx: Tx, known: number): Promise<number | undefined> {
  const names = await (isSqlite(tx) ? namesInFile(tx) : namesInSchema(tx));
  if (names.length === 0) return undefined;
  const found = names.includes(VERSION_TABLE)
    ? await tx.first<{ version: number; oldest: number }>(
        sql`SELECT version, oldest FROM ${raw(VERSION_TABLE)}`,
      )
    : undefined;
  const { version, oldest } = found ?? { version: 0, oldest: 0 };
  if (version < FIRST_VERSION) throw new FaultError(isOfAnother(names));
  if (oldest > known)
    throw new FaultError(fault('newer', { version: `${version}`, known: `${known}`, oldest: `${oldest}` }));
  const missing = TABLE_NAMES.filter((name) => !names.includes(name)).join(', ');
  if (missing === '') return version;
  throw new FaultError(fault('torn', { missing }));
}

/** Key of the advisory lock that lets only one of several starting replicas change the schema; any number would do. */
const SCHEMA_LOCK = 3853314791;

/** Has the server end a step whose client was killed, so that the next start need not wait for it; servers on some systems cannot notice that. */
const ENDED_WITH_CLIENT = `DO $$ BEGIN SET LOCAL client_connection_check_interval = 1000;
  EXCEPTION WHEN OTHERS THEN NULL; END $$`;

/** SQLite's writer has the file to itself. */
async function waitForOthers(tx: Tx): Promise<void> {
  if (isSqlite(tx)) return;
  await tx.all(raw('SET LOCAL lock_timeout = 0'));
  await tx.all(raw(ENDED_WITH_CLIENT));
  await tx.all(sql`SELECT pg_advisory_xact_lock(${SCHEMA_LOCK})`);
}

// prettier-ignore
const fault = faultsOf({
  newer: ['the ledger is of a newer Botbell: its schema is version {version}, and this program, which knows version {known}, cannot work on it (at least {oldest} is needed): start that Botbell, or restore the copy from before its upgrade', '新しいバージョンのBotbellの記録です（スキーマ {version}）。このBotbellが扱えるのは {known} までで、{oldest} 以降が必要です。新しいほうのBotbellを起動するか、更新前の控えを復元してください'],
  torn: ['it is a ledger without its tables {missing}: restore a copy of it, or give Botbell a store of its own', '記録の表 {missing} がありません。控えを復元するか、Botbell専用の場所を指定してください'],
  before: ['a Botbell from before 1.0 wrote it: drain it first (run that version until nothing is undelivered), then start this one with a new file or database in store.url', '1.0より前のBotbellの記録です。未配信がなくなるまでそのバージョンを動かしてから、store.url に新しいファイルかデータベースを指定してください'],
  another: ['another program uses it (it has {names}): give Botbell a store of its own', '別のプログラムが使っています（{names} があります）。Botbell専用の場所を指定してください'],
});

const MOST_NAMES = 5;

/** Tables that every version before 1.0 made. */
const OF_OLD = ['callbacks', 'deliveries'];

function isOfAnother(names: readonly string[]): Fault {
  if (OF_OLD.every((name) => names.includes(name))) return fault('before');
  const some = [...names.slice(0, MOST_NAMES), ...(names.length > MOST_NAMES ? ['…'] : [])].join(', ');
  return fault('another', { names: some });
}

/** A file with an `application_id` or a `user_version` belongs to a program, so it is not empty, even without a table. */
async function namesInFile(tx: Tx): Promise<readonly string[]> {
  const rows = await tx.all<{ name: string }>(
    sql`SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND type IN ('table', 'view') ORDER BY name`,
  );
  if (rows.length > 0) return rows.map(({ name }) => name);
  const marks = await Promise.all(
    ['application_id', 'user_version'].map(async (name) => {
      const [mark] = Object.values(onlyRow(await tx.all<Record<string, number>>(raw(`PRAGMA ${name}`))));
      return mark === 0 ? [] : [`${name} ${mark}`];
    }),
  );
  return marks.flat();
}

/** Names in the schema whose ledger the search path finds; if it finds none, in the schema where tables would be made. Extensions' own do not count. */
async function namesInSchema(tx: Tx): Promise<readonly string[]> {
  const rows = await tx.all<{ name: string }>(sql`
    SELECT relname AS name FROM pg_class
    WHERE relkind IN ('r', 'p', 'v', 'm', 'f')
      AND relnamespace = coalesce(
        (SELECT relnamespace FROM pg_class WHERE relname = ${VERSION_TABLE} AND relkind = 'r' AND pg_table_is_visible(oid)),
        (SELECT oid FROM pg_namespace WHERE nspname = current_schema()))
      AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')
    ORDER BY relname`);
  return rows.map(({ name }) => name);
}
