/** Tells a ledger from an empty store and from what another program keeps there, which is left as it is. */
import sql, { raw } from 'sql-template-tag';
import { isSqlite, only, type Tx } from '../database.ts';
import { TABLE_NAMES, VERSION_TABLE } from './schema.ts';

/** What to do about a store that another program uses. */
export const OTHER_STORE = 'give Botbell a store of its own';

export const DRAIN_IT =
  'drain it first (run that version until nothing is undelivered), then start this one with a new file or database in store.url';

/** How many names of another program's tables an error quotes. */
const MOST_NAMES = 5;

export interface LedgerContents {
  readonly version: number;
  /** The oldest version of the schema whose programs may run on it; 0: from before 1.0. */
  readonly oldest: number;
  /** Tables of every version since 1.0 that it lacks. */
  readonly missing: readonly string[];
}

/** Changes nothing. @returns undefined: the store is empty. @throws {Error} another program keeps something there; says what to do */
export async function contentsOf(tx: Tx): Promise<LedgerContents | undefined> {
  const names = await (isSqlite(tx) ? namesInFile(tx) : namesInSchema(tx));
  if (names.length === 0) return undefined;
  const version = await versionRow(tx, names);
  if (version === undefined) {
    const some = [...names.slice(0, MOST_NAMES), ...(names.length > MOST_NAMES ? ['…'] : [])].join(', ');
    const asOlder = names.includes('callbacks') ? `if an older Botbell does, ${DRAIN_IT}; else ` : '';
    throw new Error(`another program uses it (it has ${some}): ${asOlder}${OTHER_STORE}`);
  }
  return { oldest: 0, ...version, missing: TABLE_NAMES.filter((name) => !names.includes(name)) };
}

/** @returns undefined: what there is, is no ledger of any version */
async function versionRow(tx: Tx, names: readonly string[]) {
  if (!names.includes(VERSION_TABLE)) return undefined;
  const columns = await columnsOf(tx);
  const isOurs =
    columns.includes('version') && columns.every((name) => name === 'version' || name === 'oldest');
  // Others call a table so, too; from before 1.0 it has no `oldest`, so the ledger's first table has to be there.
  if (!isOurs || !(columns.includes('oldest') || names.includes('callbacks'))) return undefined;
  return tx.first<{ version: number; oldest?: number }>(sql`SELECT * FROM ${raw(VERSION_TABLE)}`);
}

/** A file that is marked as a program's, by the numbers that SQLite has for it, is not empty, even without a table. */
async function namesInFile(tx: Tx): Promise<readonly string[]> {
  const rows = await tx.all<{ name: string }>(
    sql`SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND type IN ('table', 'view') ORDER BY name`,
  );
  if (rows.length > 0) return rows.map(({ name }) => name);
  const marks = await Promise.all(
    ['application_id', 'user_version'].map(async (name) => {
      const [mark] = Object.values(only(await tx.all<Record<string, number>>(raw(`PRAGMA ${name}`))));
      return mark === 0 ? [] : [`${name} ${mark}`];
    }),
  );
  return marks.flat();
}

/** Of the schema with the ledger that the search path finds; without one, of the schema in which tables would be made. Extensions' own do not count. */
async function namesInSchema(tx: Tx): Promise<readonly string[]> {
  const rows = await tx.all<{ name: string }>(sql`
    SELECT relname AS name FROM pg_class
    WHERE relkind IN ('r', 'p', 'v', 'm', 'f')
      AND relnamespace = coalesce(
        (SELECT relnamespace FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'oldest'
          WHERE relname = ${VERSION_TABLE} AND relkind = 'r' AND pg_table_is_visible(pg_class.oid)),
        (SELECT oid FROM pg_namespace WHERE nspname = current_schema()))
      AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')
    ORDER BY relname`);
  return rows.map(({ name }) => name);
}

async function columnsOf(tx: Tx): Promise<readonly string[]> {
  const rows = await tx.all<{ name: string }>(
    isSqlite(tx)
      ? sql`SELECT name FROM pragma_table_info(${VERSION_TABLE})`
      : sql`SELECT attname AS name FROM pg_attribute
          WHERE attrelid = to_regclass(${VERSION_TABLE}) AND attnum > 0 AND NOT attisdropped`,
  );
  return rows.map(({ name }) => name);
}
