/** A PostgreSQL ledger that replicas may share. Works behind a pooler such as PgBouncer: no session state outlives a transaction. */
import pg from 'pg';
import { raw } from 'sql-template-tag';
import {
  type CallOptions,
  DEFAULT_WITHIN_MS,
  MOST_WAITING,
  rowIn,
  type Statement,
  storedValue,
  type Transactions,
  type Tx,
} from './database.ts';
import { failed, unavailable } from './failures.ts';
import { LedgerUnavailable } from './ledger.ts';
import { migrate } from './migrate.ts';
import type { Migration } from './schema.ts';
import { type Random, systemRandom } from '../text/random.ts';
import { type Clock, Deadline, systemClock } from '../time/clock.ts';

interface PostgresSettings {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly owner: string;
  readonly random?: Random | undefined;
  readonly isReader?: boolean | undefined;
}

type OpenOptions = Omit<PostgresSettings, 'pool'> & {
  readonly url: string;
  readonly migrations?: readonly Migration[] | undefined;
};

/** Share of the remaining time after which the server cancels a statement: before the deadline, so that the connection stays usable. */
const SERVER_SHARE = 0.9;

/** The longest wait for a lock: a frozen replica may hold one, and must not occupy other replicas' connections. */
const LOCK_TIMEOUT_MS = 1000;

/** Added to a transaction's time: after that the server ends an idle one, whose client may have died, and releases its locks. */
const IDLE_TIMEOUT_MS = 10_000;

const CLOCK_ASKED_EVERY_MS = 10_000;

/** Classes of error codes that mean trouble with the server, not with the statement (PostgreSQL, "Appendix A. Error Codes"). */
const SERVER_TROUBLE = new Set(['08', '25', '40', '53', '55', '57', '58']);

/**
 * Waits for no answer on which nothing depends: BEGIN goes out with the first statements, COMMIT with the last ones. Were BEGIN to fail,
 * the first statements would be committed singly, so an operation begins with some that may be.
 */
class OpenTransaction {
  readonly #client: pg.PoolClient;
  readonly #begun: Promise<unknown>;
  #committed: Promise<unknown> | undefined;

  constructor(client: pg.PoolClient, beginning: string) {
    this.#client = client;
    this.#begun = query(client, beginning);
    this.#begun.catch(() => undefined);
  }

  /** As `Tx.all` promises. */
  async all({ text, values }: Statement): Promise<unknown[]> {
    // It would commit singly.
    if (this.#committed !== undefined) throw new Error('a statement comes after the last ones');
    const asked = query(this.#client, { text, values: values.map(storedValue) });
    const [{ rows }] = await Promise.all([asked, this.#begun]);
    return (rows as Record<string, unknown>[]).map(rowIn);
  }

  /** As `Tx.last` promises. PostgreSQL makes a rollback of the commit if a statement before it fails. */
  async last<Result>(work: () => Promise<Result>): Promise<Result> {
    const [result] = await Promise.all([work(), this.commit()]);
    return result;
  }

  async commit(): Promise<void> {
    await (this.#committed ??= query(this.#client, 'COMMIT'));
  }

  /** Returns the connection to the pool. Closes it if it is `spent`, no transaction has begun, or the rollback fails. Never rejects. */
  async undo(isSpent: boolean): Promise<void> {
    await this.#begun
      .then(() => query(this.#client, 'ROLLBACK'))
      .then(
        () => this.#client.release(isSpent),
        () => this.#client.release(true),
      );
  }
}

class PostgresTransactions implements Transactions {
  readonly #settings: PostgresSettings;
  /** How far the server's clock is ahead of this machine's monotonic one; undefined: not measured. */
  #aheadMs: number | undefined;
  /** When that was measured, by the clock that goes on during sleep. */
  #measuredAt = -Infinity;

  /** By connection: how many were made before it. */
  readonly #numbers = new WeakMap<pg.PoolClient, number>();
  #connected = 0;
  /** Connections before this one are closed unused: they lead to a server, or a time, at which nothing could be written. */
  #writableFrom = 0;

  constructor(settings: PostgresSettings) {
    this.#settings = settings;
    settings.pool.on('connect', (client) => this.#numbers.set(client, this.#connected++));
  }

  run<Result>(
    work: (tx: Tx) => Promise<Result>,
    { withinMs = DEFAULT_WITHIN_MS, isDurable = true }: CallOptions = {},
  ): Promise<Result> {
    const deadline = new Deadline(this.#settings.clock, withinMs);
    const once = () => this.#run(work, deadline, isDurable);
    // Nothing was written: over a connection of today it may be.
    const run = once().catch((error: unknown) => {
      if (codeOf(error) !== READ_ONLY) throw error;
      return once();
    });
    return deadline.bound(run).catch((error: unknown) => {
      throw unavailable(error);
    });
  }

  close(): Promise<void> {
    return this.#settings.pool.end();
  }

  async #run<Result>(work: (tx: Tx) => Promise<Result>, deadline: Deadline, isDurable: boolean) {
    const client = await this.#connect(deadline);
    await this.#measureClock(client).catch((error: unknown) => {
      client.release(true);
      throw error;
    });
    const open = new OpenTransaction(client, this.#beginning(deadline, isDurable));
    try {
      const result = await work(this.#txOf(open));
      await open.commit();
      client.release();
      return result;
    } catch (error) {
      const mayOnlyRead = codeOf(error) === READ_ONLY;
      if (mayOnlyRead) this.#writableFrom = this.#connected;
      await open.undo(mayOnlyRead);
      throw failed(error);
    }
  }

  async #connect(deadline: Deadline): Promise<pg.PoolClient> {
    const { pool } = this.#settings;
    if (pool.waitingCount >= MOST_WAITING) throw new LedgerUnavailable('the ledger is not keeping up');
    const client = await pool.connect().catch((error: unknown) => {
      throw unavailable(error);
    });
    const isSpent = (this.#numbers.get(client) ?? 0) < this.#writableFrom;
    if (isSpent || deadline.remainingMs <= 0) client.release(isSpent);
    if (isSpent) return this.#connect(deadline);
    if (deadline.remainingMs > 0) return client;
    throw new LedgerUnavailable('the ledger did not come to it in time');
  }

  /** Replicas' clocks may differ by minutes, so `now` is the server's time; a test's clock stays as it is. */
  async #measureClock(client: pg.PoolClient): Promise<void> {
    const { clock } = this.#settings;
    if (clock.monotonic !== systemClock.monotonic) return;
    const at = clock.now();
    if (Math.abs(at - this.#measuredAt) < CLOCK_ASKED_EVERY_MS) return;
    const before = clock.monotonic();
    const { rows } = await query(client, 'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS at');
    const [{ at: serverAt }] = rows as [{ at: number }];
    this.#aheadMs = serverAt - (before + clock.monotonic()) / 2;
    this.#measuredAt = at;
  }

  #txOf(open: OpenTransaction): Tx {
    const { clock, owner, random = systemRandom } = this.#settings;
    return {
      all: <Row>(statement: Statement) => open.all(statement) as Promise<Row[]>,
      first: async <Row>(statement: Statement) => (await open.all(statement))[0] as Row | undefined,
      last: (work) => open.last(work),
      now: this.#aheadMs === undefined ? clock.now() : Math.round(clock.monotonic() + this.#aheadMs),
      owner,
      random,
      forUpdate: raw('FOR NO KEY UPDATE'),
      skipLocked: raw('FOR NO KEY UPDATE SKIP LOCKED'),
      isFull: false,
    };
  }

  /** One statement begins and sets all: behind a pooler each transaction may get another session. */
  #beginning(deadline: Deadline, isDurable: boolean): string {
    const serverMs = Math.max(1, Math.floor(deadline.remainingMs * SERVER_SHARE));
    // After waiting for a lock, a writer has to see what its holder wrote; a reader sees one snapshot.
    const level = this.#settings.isReader === true ? 'REPEATABLE READ READ ONLY' : 'READ COMMITTED';
    return [
      `BEGIN ISOLATION LEVEL ${level}`,
      `SET LOCAL synchronous_commit = ${isDurable ? 'on' : 'off'}`,
      `SET LOCAL statement_timeout = ${serverMs}`,
      `SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`,
      `SET LOCAL idle_in_transaction_session_timeout = ${serverMs + IDLE_TIMEOUT_MS}`,
    ].join('; ');
  }
}

/** `read_only_sql_transaction`: of a standby, or where the database, the role or the whole server has been made read-only. */
const READ_ONLY = '25006';

function codeOf(error: unknown): string | undefined {
  const { cause } = error as { readonly cause?: unknown };
  return cause instanceof pg.DatabaseError ? cause.code : undefined;
}

/** @throws {LedgerUnavailable} the server refuses the statement, or cannot be used */
async function query(client: pg.PoolClient, statement: string | pg.QueryConfig): Promise<pg.QueryResult> {
  try {
    return await client.query(statement);
  } catch (error) {
    const isRefusal = error instanceof pg.DatabaseError && !SERVER_TROUBLE.has(error.code?.slice(0, 2) ?? '');
    throw isRefusal ? failed(error) : unavailable(error);
  }
}

/** With those that read: ten replicas fit into a server that takes 100, its default. */
const CONNECTIONS = 4;
/** Fewer: they serve only people, who look at one page at a time. */
const READING_CONNECTIONS = 2;
const CONNECT_TIMEOUT_MS = 3000;
/** For a server that has gone silently; a working one cancels slow statements itself. */
const QUERY_TIMEOUT_MS = 10_000;

const types = new pg.TypeOverrides();
// pg returns these as text; all numbers of the ledger are safe integers.
types.setTypeParser(pg.types.builtins.INT8, Number);
types.setTypeParser(pg.types.builtins.NUMERIC, Number);

function connect(url: string, max: number): pg.Pool {
  // No startup parameters beside the name: a pooler refuses those that it cannot track per client.
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
  // A server that goes away ends idle and busy connections; without listeners these errors would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

/** A reader creates nothing, and connects with its first call. @throws {LedgerUnavailable} the database cannot be used; says why */
export async function openPostgres({
  url,
  migrations,
  ...settings
}: OpenOptions): Promise<PostgresTransactions> {
  const { isReader = false } = settings;
  const pool = connect(url, isReader ? READING_CONNECTIONS : CONNECTIONS);
  const transactions = new PostgresTransactions({ ...settings, pool });
  if (isReader) return transactions;
  try {
    await transactions.run((tx) => migrate(tx, migrations), { isDurable: true, withinMs: QUERY_TIMEOUT_MS });
    return transactions;
  } catch (error) {
    await transactions.close();
    throw error;
  }
}
