/** Transactions over a pool of connections, also through a pooler such as PgBouncer: nothing of one outlives it on its connection. */
import pg from 'pg';
import { raw, type Sql } from 'sql-template-tag';
import {
  type CallOptions,
  DEFAULT_WITHIN_MS,
  MOST_WAITING,
  rowIn,
  storedValue,
  type Transactions,
  type Tx,
} from '../database.ts';
import { failed, unavailable } from '../failures.ts';
import { LedgerUnavailable } from '../ledger.ts';
import { type Clock, Deadline, systemClock } from '../../time/clock.ts';

export interface PostgresSettings {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly owner: string;
  readonly isReader?: boolean | undefined;
}

/** The server gives up first, so that the connection is still of use. */
const SERVER_SHARE = 0.9;

/** A replica that froze holds the lock of its job: nobody else's connection is kept for longer. */
const LOCK_TIMEOUT_MS = 1000;

/** Of a client that died without a word, the server keeps the locks no longer. */
const IDLE_TIMEOUT_MS = 10_000;

const CLOCK_ASKED_EVERY_MS = 10_000;

/**
 * PostgreSQL, "Appendix A. Error Codes": connection, transaction state, rollback, resources, object state, operator
 * intervention, system. These classes say that the server, not what it was given, is the trouble.
 */
const SERVER_TROUBLE = new Set(['08', '25', '40', '53', '55', '57', '58']);

export class PostgresTransactions implements Transactions {
  readonly #settings: PostgresSettings;
  /** What the server's clock is ahead of this machine's, and when that is asked again, by the monotonic clock. */
  #aheadMs = 0;
  #askedAgainAt = -Infinity;

  constructor(settings: PostgresSettings) {
    this.#settings = settings;
  }

  run<Result>(
    work: (tx: Tx) => Promise<Result>,
    { withinMs = DEFAULT_WITHIN_MS, isDurable = false }: CallOptions = {},
  ): Promise<Result> {
    const deadline = new Deadline(this.#settings.clock, withinMs);
    return deadline.bound(this.#run(work, deadline, isDurable)).catch((error: unknown) => {
      throw unavailable(error);
    });
  }

  close(): Promise<void> {
    return this.#settings.pool.end();
  }

  async #run<Result>(
    work: (tx: Tx) => Promise<Result>,
    deadline: Deadline,
    isDurable: boolean,
  ): Promise<Result> {
    const client = await this.#connect(deadline);
    try {
      await this.#measureClock(client);
      await query(client, this.#beginning(deadline, isDurable));
      const result = await work(this.#transactionOn(client));
      await query(client, 'COMMIT');
      client.release();
      return result;
    } catch (error) {
      await rollBack(client);
      throw failed(error);
    }
  }

  async #connect(deadline: Deadline): Promise<pg.PoolClient> {
    const { pool } = this.#settings;
    if (pool.waitingCount >= MOST_WAITING) throw new LedgerUnavailable('the ledger is not keeping up');
    const client = await pool.connect().catch((error: unknown) => {
      throw unavailable(error);
    });
    if (deadline.remainingMs > 0) return client;
    client.release();
    throw new LedgerUnavailable('the ledger did not come to it in time');
  }

  /** Replicas' clocks may differ by minutes, so `now` is the server's; one that a test moves by hand is left alone. */
  async #measureClock(client: pg.PoolClient): Promise<void> {
    const { clock } = this.#settings;
    if (clock.monotonic !== systemClock.monotonic || clock.monotonic() < this.#askedAgainAt) return;
    this.#askedAgainAt = clock.monotonic() + CLOCK_ASKED_EVERY_MS;
    const before = clock.now();
    const { rows } = await query(client, 'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS at');
    const [{ at }] = rows as [{ at: number }];
    this.#aheadMs = Math.round(at - (before + clock.now()) / 2);
  }

  #transactionOn(client: pg.PoolClient): Tx {
    const { clock, owner } = this.#settings;
    const all = async <Row>({ text, values }: Sql) => {
      const { rows } = await query(client, { text, values: values.map(storedValue) });
      return (rows as Record<string, unknown>[]).map(rowIn) as Row[];
    };
    return {
      all,
      first: async <Row>(statement: Sql) => (await all<Row>(statement))[0],
      now: clock.now() + this.#aheadMs,
      owner,
      forUpdate: raw('FOR NO KEY UPDATE'),
      skipLocked: raw('FOR NO KEY UPDATE SKIP LOCKED'),
      isFull: false,
    };
  }

  /** In one statement; behind a pooler the next transaction may get another session. */
  #beginning(deadline: Deadline, isDurable: boolean): string {
    const serverMs = Math.max(1, Math.floor(deadline.remainingMs * SERVER_SHARE));
    // Whoever has waited for a lock must see what its holder has written; a reader sees one moment.
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

/** @throws {LedgerUnavailable} the server refuses it, or cannot be used */
async function query(client: pg.PoolClient, statement: string | pg.QueryConfig): Promise<pg.QueryResult> {
  try {
    return await client.query(statement);
  } catch (error) {
    throw isRefusal(error) ? failed(error) : unavailable(error);
  }
}

/** Gives the connection back; one that cannot be used again is closed. Never rejects. */
async function rollBack(client: pg.PoolClient): Promise<void> {
  const broken = await client.query('ROLLBACK').then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
  client.release(broken);
}

function isRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !SERVER_TROUBLE.has(error.code?.slice(0, 2) ?? '');
}
