/** From a path to a SQLite ledger of this version. */
import { reasonOf } from '../failures.ts';
import { LedgerUnavailable } from '../ledger.ts';
import { prepareSchema } from '../schema.ts';
import { SqliteConnection } from './connection.ts';
import { Space, type SpaceOptions } from './space.ts';
import { type SqliteSettings, SqliteTransactions } from './transactions.ts';

export interface SqliteOptions extends Omit<SqliteSettings, 'connection' | 'space'> {
  readonly path: string;
  readonly onEvent?: SpaceOptions['onEvent'] | undefined;
  /** Undefined: no limit. */
  readonly maxBytes?: number | undefined;
}

/**
 * A reader creates nothing, and takes a file of any version.
 * @throws {LedgerUnavailable} a file that cannot be opened or created, or that another version or program has written: what to do
 */
export async function openSqlite(options: SqliteOptions): Promise<SqliteTransactions> {
  const { path, isReader = false, maxBytes, clock, onEvent = () => undefined } = options;
  try {
    const connection = new SqliteConnection(path, isReader);
    const hasLimit = !isReader && maxBytes !== undefined;
    const space = hasLimit ? new Space({ maxBytes, connection, clock, onEvent }) : undefined;
    const transactions = new SqliteTransactions({ ...options, connection, space });
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
