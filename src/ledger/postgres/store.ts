/** A ledger in PostgreSQL, which any number of replicas may share, also through a pooler such as PgBouncer. */
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  PostgresDriver,
  type PostgresDialectConfig,
  sql,
} from 'kysely';
import pg from 'pg';
import type { DialectTraits, OpenStore, StoreReader } from '../dialect.ts';
import { nothingIsOpen } from '../retention/prune.ts';
import { kyselyStatements } from './statements.ts';
import { PostgresTransactions } from './transactions.ts';
import type { Tables } from '../tables.ts';

/** Group commits need few connections; the rest serve reads and the claims of the worker. */
const CONNECTIONS = 8;
/** For people, who look at one page at a time. */
const READING_CONNECTIONS = 2;
const CONNECT_TIMEOUT_MS = 3000;

/** A migration that waits for a table makes everybody else who wants it wait, too. */
const MIGRATION_LOCK_TIMEOUT_MS = 5000;

/** The one that Kysely takes, so that versions of Botbell that leave it to Kysely wait for it as well. */
const MIGRATION_LOCK = '3853314791062309107';

/** PostgreSQL, "Appendix A. Error Codes": serialization_failure, deadlock_detected, lock_not_available. */
const BUSY_CODES = new Set(['40001', '40P01', '55P03']);

/**
 * Classes of the same: connection, transaction state, rollback, resources, object state, operator intervention, system.
 * They say that the server, not what it was given, is the trouble.
 */
const SERVER_TROUBLE = new Set(['08', '25', '40', '53', '55', '57', '58']);

/** PostgreSQL's `int8` and `numeric`, which pg hands over as text; the ledger's numbers are all safe integers. */
const WIDE_NUMBERS = new Set<number>([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);

const types: pg.CustomTypesConfig = {
  getTypeParser: (id, format) =>
    WIDE_NUMBERS.has(id) ? Number : (pg.types.getTypeParser(id, format) as (value: string) => unknown),
};

/** Complete by the type checker. */
const TABLES = Object.keys({
  callbacks: 0,
  deliveries: 0,
  history: 0,
  refused: 0,
  paces: 0,
  alert_causes: 0,
  processes: 0,
  channel_types: 0,
  sweeps: 0,
  bot_days: 0,
  attempt_days: 0,
  destinations: 0,
  loaded_configs: 0,
  actions: 0,
  bulks: 0,
} satisfies Record<keyof Tables, 0>);

/** Connects only when first asked. */
export function openPostgres(url: string, onIdleError: (error: Error) => void): OpenStore {
  const pool = openPool(url, CONNECTIONS, onIdleError);
  return {
    db: new Kysely<Tables>({ dialect: new LedgerDialect({ pool }) }),
    traits: traitsOver(new PostgresTransactions(pool)),
    statements: kyselyStatements,
    openReader: () => openPostgresReader(url, onIdleError),
    // Kysely closes no pool that it has not used itself.
    close: () => pool.end(),
  };
}

/** Connects only when first asked. */
export function openPostgresReader(url: string, onIdleError: (error: Error) => void): StoreReader {
  const pool = openPool(url, READING_CONNECTIONS, onIdleError);
  const transactions = new PostgresTransactions(pool);
  return {
    read: (deadline, work) =>
      transactions.run({ isDurable: false, deadline }, async (trx) => {
        await sql`set transaction read only`.execute(trx);
        return work(trx);
      }),
    close: () => pool.end(),
  };
}

function openPool(url: string, max: number, onIdleError: (error: Error) => void): pg.Pool {
  // No settings beside the name: a pooler refuses what it cannot keep for each of its clients.
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    // What one transaction asks at once.
    pipeline: true,
    application_name: 'botbell',
    types,
  });
  // A server that goes away ends connections, idle ones and those in use; unheard, that would end the process.
  pool.on('error', onIdleError);
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

class LedgerDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig;

  constructor(config: PostgresDialectConfig) {
    super(config);
    this.#config = config;
  }

  override createDriver() {
    return new MigratingDriver(this.#config);
  }

  override createAdapter() {
    return new UnlockedAdapter();
  }
}

/** Each migrates in a transaction that nobody else's overlaps, however long it takes: an index may take minutes. */
class MigratingDriver extends PostgresDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    const statements = [
      'begin isolation level read committed',
      'set local statement_timeout = 0',
      `select pg_advisory_xact_lock(${MIGRATION_LOCK})`,
      `set local lock_timeout = ${MIGRATION_LOCK_TIMEOUT_MS}`,
    ];
    await connection.executeQuery(CompiledQuery.raw(statements.join('; ')));
  }
}

/** A lock of a session, which Kysely takes, could be given back to another session by a pooler. */
class UnlockedAdapter extends PostgresAdapter {
  override acquireMigrationLock(): Promise<void> {
    return Promise.resolve();
  }

  override releaseMigrationLock(): Promise<void> {
    return Promise.resolve();
  }
}

export function postgresNow() {
  return sql<number>`(extract(epoch from statement_timestamp()) * 1000)::bigint`;
}

function traitsOver(transactions: PostgresTransactions): DialectTraits {
  return {
    isShared: true,
    idType: 'bigint',
    // TOAST does: its documentation, 65.2.
    isCompressing: true,
    asGeneratedId: (column) => column.generatedAlwaysAsIdentity(),
    transact: (_db, settings, work) => transactions.run(settings, work),
    // The server flushes a durable transaction within its commit.
    flush: () => Promise.resolve(),
    // A transaction, too, so that the server ends what takes too long.
    read: (_db, deadline, work) => transactions.run({ isDurable: false, deadline }, work),
    isBusy: (error) => BUSY_CODES.has(codeOf(error)),
    isRefusal: (error) => codeOf(error).length === 5 && !SERVER_TROUBLE.has(codeOf(error).slice(0, 2)),
    // The clocks of replicas may differ by minutes; the database has one for all.
    now: postgresNow,
    lockRows: (query) => query.forUpdate().skipLocked(),
    // Always in the same order, so that two batches never wait for each other.
    lockJobs: async (trx, jobIds) => {
      await sql`
        select pg_advisory_xact_lock(key) from (
          select distinct hashtextextended(job_id, 0) as key from unnest(${jobIds}::text[]) as job_id order by key
        ) as keys`.execute(trx);
    },
    lockCallbacks: (trx, ids) => lockById(trx, 'callbacks', ids),
    lockDeliveries: (trx, ids) => lockById(trx, 'deliveries', ids),
    lockForgotten,
    bytesUsed,
    // Its identity columns take no other ids otherwise.
    withGivenIds: sql`overriding system value`,
    giveIdsAbove: async (trx, table) => {
      await sql`
        select setval(pg_get_serial_sequence(${table}, 'id'), max(id)) from ${sql.table(table)} having max(id) > 0`.execute(
        trx,
      );
    },
    lockTables: async (trx) => {
      await sql`lock table callbacks, deliveries, history in row exclusive mode`.execute(trx);
    },
  };
}

/** Tables, indexes and what is TOASTed. */
async function bytesUsed(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(pg_total_relation_size(to_regclass(name))), 0)::bigint as bytes
    from unnest(${TABLES}::text[]) as name`.execute(db);
  return rows[0]?.bytes ?? 0;
}

async function lockById(
  trx: Kysely<Tables>,
  table: 'callbacks' | 'deliveries',
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  await trx.selectFrom(table).select('id').where('id', 'in', ids).orderBy('id').forNoKeyUpdate().execute();
}

/** Callbacks before deliveries, each by their ids, as everybody does. */
async function lockForgotten(trx: Kysely<Tables>, callbackIds: readonly number[]): Promise<number[]> {
  const callbacks = await trx
    .selectFrom('callbacks')
    .select('id')
    .where('id', 'in', callbackIds)
    .where(nothingIsOpen)
    .orderBy('id')
    .forUpdate()
    .skipLocked()
    .execute();
  const ids = callbacks.map(({ id }) => id);
  if (ids.length === 0) return [];
  await trx
    .selectFrom('deliveries')
    .select('id')
    .where('callback_id', 'in', ids)
    .orderBy('id')
    .forUpdate()
    .execute();
  return ids;
}

/** SQLSTATE; system errors, say of a connection, have codes of other lengths. */
function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : '';
}
