/** A ledger in PostgreSQL, which any number of replicas may share. */
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { DialectTraits, OpenStore } from './dialect.ts';
import { kyselyStatements } from './kysely-statements.ts';
import type { Tables } from './tables.ts';

/** Group commits need few connections; the rest serve reads and the claims of the worker. */
const CONNECTIONS = 8;
const CONNECT_TIMEOUT_MS = 3000;

/** A statement that takes longer is stuck: better a 503 than a callback that waits for ever. */
const STATEMENT_TIMEOUT_MS = 5000;

/** The same for a server that is silent: no answer at all, not even that the statement was cancelled. */
const SILENCE_TIMEOUT_MS = 6000;

/** PostgreSQL, "Appendix A. Error Codes": serialization_failure, deadlock_detected, lock_not_available. */
const BUSY_CODES = new Set(['40001', '40P01', '55P03']);

/** PostgreSQL's `int8` and `numeric`, which pg hands over as text; the ledger's numbers are all safe integers. */
const WIDE_NUMBERS = new Set<number>([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);

const types: pg.CustomTypesConfig = {
  getTypeParser: (id, format) =>
    WIDE_NUMBERS.has(id) ? Number : (pg.types.getTypeParser(id, format) as (value: string) => unknown),
};

/** Connects only when first asked. */
export function openPostgres(url: string, onIdleError: (error: Error) => void): OpenStore {
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: SILENCE_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'botbell',
    // Flushed only where a transaction asks for it.
    options: '-c synchronous_commit=off',
    types,
  });
  // A server that goes away ends connections, idle ones and those in use; unheard, that would end the process.
  pool.on('error', onIdleError);
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return {
    db: new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }),
    traits: postgresTraits,
    statements: kyselyStatements,
  };
}

const postgresTraits: DialectTraits = {
  idType: 'bigint',
  asGeneratedId: (column) => column.generatedAlwaysAsIdentity(),
  transact: (db, isDurable, work) =>
    // Whoever has waited for a job's lock must see what its holder has written; an operator may have set another default.
    db
      .transaction()
      .setIsolationLevel('read committed')
      .execute(async (trx) => {
        if (isDurable) await sql`set local synchronous_commit to on`.execute(trx);
        return work(trx);
      }),
  // The server flushes a durable transaction within its commit.
  flush: () => Promise.resolve(),
  isBusy: (error) => BUSY_CODES.has(String((error as { code?: unknown }).code)),
  // The clocks of replicas may differ by minutes; the database has one for all.
  now: () => sql<number>`(extract(epoch from statement_timestamp()) * 1000)::bigint`,
  lockRows: (query) => query.forUpdate().skipLocked(),
  // Always in the same order, so that two batches never wait for each other.
  lockJobs: async (trx, jobIds) => {
    await sql`
      select pg_advisory_xact_lock(key) from (
        select distinct hashtextextended(job_id, 0) as key from unnest(${jobIds}::text[]) as job_id order by key
      ) as keys`.execute(trx);
  },
};
