/** A transaction on a connection of PostgreSQL, in as few round trips as its statements need. */
import pg from 'pg';
import { rowIn, type Statement } from '../database.ts';
import { operationFailed, ledgerUnavailable } from '../failures.ts';
import { SharedStatements } from './shared-statements.ts';

/** Classes of error codes that mean trouble with the server, not with the statement (PostgreSQL, "Appendix A. Error Codes"). */
const SERVER_TROUBLE = new Set(['08', '25', '40', '53', '55', '57', '58']);

/**
 * `insufficient_privilege`: the role has lost its rights. `undefined_table`, and `invalid_column_reference` of an ON CONFLICT whose constraint is
 * missing: as while a backup is restored.
 */
const STORE_TROUBLE = new Set(['42501', '42P01', '42P10']);

/** pg knows the time-out of one query, its types do not. */
type TimedQuery = pg.QueryConfig & { readonly query_timeout: number };

/** Share of the remaining time after which the server cancels a statement: before the deadline, so that the connection stays usable. */
const SERVER_SHARE = 0.9;

/** The longest wait for a lock at once: a frozen replica may hold one, and must not occupy other replicas' connections. */
export const LOCK_TIMEOUT_MS = 1000;

/** Added to a transaction's time: after that the server ends an idle one, whose client may have died, and releases its locks. */
const IDLE_TIMEOUT_MS = 10_000;

/** For a server that has gone silently; a working one cancels slow statements itself. */
export const QUERY_TIMEOUT_MS = 10_000;

/**
 * Has the server use indexes for each statement, as SQLite does, whatever its statistics say: it has none before the first ANALYZE, as after
 * a restore, and a plan that is kept prepared goes by those of the time when it was made.
 */
const BY_INDEXES = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin', 'jit'].map(
  (way) => `SET LOCAL ${way} = off`,
);

/** How the server reads backslashes and an array's NULL, and writes fractions, whatever a database of old has set. */
const AS_STANDARD = ['standard_conforming_strings', 'array_nulls', 'extra_float_digits'].map(
  (name) => `SET LOCAL ${name} = 1`,
);

/** The error of a statement that is asked after COMMIT or ROLLBACK, or is sent after it with others: it would commit by itself. */
const COMES_LATE = 'a statement comes after the last ones';

export interface Beginning {
  readonly withinMs: number;
  readonly isDurable: boolean;
  readonly isReader: boolean;
  /** The server keeps statements of fixed text prepared. */
  readonly isPrepared: boolean;
}

/** One message that begins a transaction with all its settings: behind a pooler each transaction may get another session. */
function begin({ withinMs, isDurable, isReader, isPrepared }: Beginning): string {
  const serverMs = Math.max(1, Math.floor(withinMs * SERVER_SHARE));
  // After waiting for a lock, a writer has to see what its holder wrote; a reader sees one snapshot.
  const level = isReader ? 'REPEATABLE READ READ ONLY' : 'READ COMMITTED';
  return [
    `BEGIN ISOLATION LEVEL ${level}`,
    `SET LOCAL synchronous_commit = ${isDurable ? 'on' : 'off'}`,
    `SET LOCAL statement_timeout = ${serverMs}`,
    `SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${serverMs + IDLE_TIMEOUT_MS}`,
    ...BY_INDEXES,
    ...AS_STANDARD,
    ...(isPrepared ? ['SET LOCAL plan_cache_mode = force_generic_plan'] : []),
  ].join('; ');
}

/**
 * Waits for no answer on which nothing depends: BEGIN goes out with the first statements, COMMIT with the last ones. Were BEGIN to fail, each
 * of the first statements would commit by itself, so an operation begins with statements that may.
 */
export class OpenTransaction {
  /** As `Tx.timersPut`. */
  readonly timersPut = new Map<string, unknown>();
  readonly #client: pg.PoolClient;
  readonly #begun: Promise<unknown>;
  readonly #timeoutMs: number;
  readonly #statements: SharedStatements;
  #committed: Promise<unknown> | undefined;
  #isUndone = false;
  #failure: Error | undefined;

  constructor(client: pg.PoolClient, beginning: Beginning) {
    const { isPrepared, withinMs } = beginning;
    this.#client = client;
    this.#timeoutMs = Math.max(QUERY_TIMEOUT_MS, withinMs);
    this.#statements = new SharedStatements(async ({ text, values, name }) => {
      if (this.#isUndone) throw new Error(COMES_LATE);
      const { rows } = await this.#query({ text, values: [...values], name: isPrepared ? name : undefined });
      return rows as Record<string, unknown>[];
    });
    this.#begun = this.#query({ text: begin(beginning) });
    this.#begun.catch(() => undefined);
  }

  /** @returns as `Tx.all` promises, for one call */
  asker(): (statement: Statement) => Promise<unknown[]> {
    const ask = this.#statements.asker();
    return async (statement) => {
      if (this.#committed !== undefined || this.#isUndone) throw new Error(COMES_LATE);
      const rows = await ask(statement);
      // BEGIN's answer has come before the statement's: this throws if BEGIN has failed.
      await this.#begun;
      return rows.map(rowIn);
    };
  }

  /** Sends COMMIT behind what has been asked. PostgreSQL makes a rollback of it if a statement before it fails. */
  commitNow(): void {
    this.#statements.send();
    this.commit().catch(() => undefined);
  }

  /** @throws the transaction's first failure, even if nobody has awaited that statement */
  async commit(): Promise<void> {
    await (this.#committed ??= this.#query({ text: 'COMMIT' }));
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Returns the connection to the pool. Closes it if it is `spent`, no transaction has begun, or the rollback fails. Never rejects. */
  async undo(isSpent: boolean): Promise<void> {
    this.#isUndone = true;
    await this.#begun
      .then(() => this.#query({ text: 'ROLLBACK' }))
      .then(
        () => this.#client.release(isSpent),
        () => this.#client.release(true),
      );
  }

  async #query(asked: pg.QueryConfig): Promise<pg.QueryResult> {
    try {
      return await query(this.#client, { ...asked, query_timeout: this.#timeoutMs });
    } catch (error) {
      // The server refuses all that follows the first failure, without saying what that was.
      this.#failure ??= error as Error;
      throw this.#failure;
    }
  }
}

/** The server's code of the error (PostgreSQL, "Appendix A. Error Codes"); undefined: the server did not answer with one. */
export function codeOf(error: unknown): string | undefined {
  const { cause } = error as { readonly cause?: unknown };
  return cause instanceof pg.DatabaseError ? cause.code : undefined;
}

/** @throws {LedgerUnavailable} the server refuses the statement, or cannot be used */
export async function query(client: pg.PoolClient, statement: string | TimedQuery): Promise<pg.QueryResult> {
  try {
    return await client.query(statement);
  } catch (error) {
    const { code = '' } = error instanceof pg.DatabaseError ? error : {};
    const isRefusal = code !== '' && !STORE_TROUBLE.has(code) && !SERVER_TROUBLE.has(code.slice(0, 2));
    throw isRefusal ? operationFailed(error) : ledgerUnavailable(error);
  }
}
