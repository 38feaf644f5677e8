/** From a URL to a PostgreSQL ledger of this version, which any number of replicas may share. */
import pg from 'pg';
import { reasonOf } from '../failures.ts';
import { LedgerUnavailable } from '../ledger.ts';
import { prepareSchema } from '../schema.ts';
import { type PostgresSettings, PostgresTransactions } from './transactions.ts';

export interface PostgresOptions extends Omit<PostgresSettings, 'pool'> {
  readonly url: string;
}

const CONNECTIONS = 10;
/** For people, who look at one page at a time. */
const READING_CONNECTIONS = 3;
const CONNECT_TIMEOUT_MS = 3000;
/** Of a server that went away without a word; one that works ends what takes too long itself. */
const QUERY_TIMEOUT_MS = 10_000;

/** PostgreSQL's `int8` and `numeric`, which pg hands over as text; the ledger's numbers are all safe integers. */
const WIDE_NUMBERS = new Set<number>([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);

const types: pg.CustomTypesConfig = {
  getTypeParser: (id, format) =>
    WIDE_NUMBERS.has(id) ? Number : (pg.types.getTypeParser(id, format) as (value: string) => unknown),
};

function connect(url: string, max: number): pg.Pool {
  // No settings beside the name: a pooler refuses what it cannot keep for each of its clients.
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    pipeline: true,
    application_name: 'botbell',
    types,
  });
  // A server that goes away ends connections, idle ones and those in use; unheard, that would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

/**
 * A reader creates nothing, takes a database of any version, and connects only when first asked.
 * @throws {LedgerUnavailable} a server that cannot be used, or a database that another version or program has written: what to do
 */
export async function openPostgres({ url, ...settings }: PostgresOptions): Promise<PostgresTransactions> {
  const { isReader = false } = settings;
  const pool = connect(url, isReader ? READING_CONNECTIONS : CONNECTIONS);
  const transactions = new PostgresTransactions({ ...settings, pool });
  if (isReader) return transactions;
  try {
    await transactions.run(prepareSchema, { isDurable: true, withinMs: QUERY_TIMEOUT_MS });
    return transactions;
  } catch (error) {
    await transactions.close();
    throw new LedgerUnavailable(`store.url: the PostgreSQL database cannot be used: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}
