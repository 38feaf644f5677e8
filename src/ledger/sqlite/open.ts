/** From a path to a SQLite ledger of this version. */
import sql, { join, raw } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { reasonOf } from '../failures.ts';
import { LedgerUnavailable } from '../ledger.ts';
import { isLedger, schemaIn, SQLITE_DIALECT, TELLING_TABLES } from '../schema.ts';
import type { Clock } from '../../time/clock.ts';
import { SqliteConnection } from './connection.ts';
import { Space, type SpaceOptions } from './space.ts';
import { type SqliteSettings, SqliteTransactions } from './transactions.ts';

export interface SqliteOptions extends Omit<SqliteSettings, 'connection' | 'makeRoom'> {
  readonly path: string;
  readonly onEvent?: SpaceOptions['onEvent'] | undefined;
  /** Undefined: no limit. */
  readonly maxBytes?: number | undefined;
}

/** @throws {Error} a file that cannot be opened or created, or that another version or program has written: what to do */
export async function openSqlite(options: SqliteOptions): Promise<SqliteTransactions> {
  const { path, isReader = false } = options;
  try {
    const connection = new SqliteConnection(path, isReader ? 'reader' : 'writer');
    const transactions = new SqliteTransactions({ ...options, connection, ...spaceOf(connection, options) });
    if (isReader) return transactions;
    await transactions.run(prepareSchema, { isDurable: true }).catch(async (error: unknown) => {
      await transactions.close();
      throw error;
    });
    return transactions;
  } catch (error) {
    throw new LedgerUnavailable(`store.url: the SQLite file ${path} cannot be used: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

/** For whoever only looks: of any version, and nothing is created. @throws {Error} a file that cannot be opened */
export function openOnlooker(path: string, clock: Pick<Clock, 'now' | 'monotonic'>): SqliteTransactions {
  return new SqliteTransactions({
    connection: new SqliteConnection(path, 'onlooker'),
    owner: '',
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    isReader: true,
  });
}

function spaceOf(
  connection: SqliteConnection,
  { maxBytes, now, isReader, onEvent = () => undefined }: SqliteOptions,
): Pick<SqliteSettings, 'makeRoom'> {
  if (isReader === true || maxBytes === undefined) return {};
  const space = new Space({ maxBytes, now, onEvent, connection });
  return { makeRoom: (inTransaction) => space.makeRoom(inTransaction) };
}

async function prepareSchema(tx: Tx): Promise<void> {
  if (await isSqliteLedger(tx)) return;
  for (const statement of schemaIn(SQLITE_DIALECT)) await tx.all(raw(statement));
}

/** @throws {Error} it cannot be used: why, and what to do */
export async function isSqliteLedger(tx: Tx): Promise<boolean> {
  const rows = await tx.all<{ name: string }>(
    sql`SELECT name FROM sqlite_master WHERE type = 'table' AND name IN (${join(TELLING_TABLES)})`,
  );
  return isLedger(tx, rows);
}
