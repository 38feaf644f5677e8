/** A transaction on a connection of PostgreSQL, in as few round trips as its statements need. */
import pg from 'pg';
import { rowIn, type Statement } from '../database.ts';
import { failed, unavailable } from '../failures.ts';
import { SharedStatements } from './shared-statements.ts';

/** Classes of error codes that mean trouble with the server, not with the statement (PostgreSQL, "Appendix A. Error Codes"). */
const SERVER_TROUBLE = new Set(['08', '25', '40', '53', '55', '57', '58']);

/** pg knows the time-out of one query, its types do not. */
type TimedQuery = pg.QueryConfig & { readonly query_timeout: number };

export interface Beginning {
  /** The statements that begin it. */
  readonly beginning: string;
  /** After so long a statement is given up whose server has gone silently. */
  readonly timeoutMs: number;
  /** The server keeps statements of fixed text prepared. */
  readonly isPrepared: boolean;
}

/**
 * Waits for no answer on which nothing depends: BEGIN goes out with the first statements, COMMIT with the last ones. Were BEGIN to fail,
 * the first statements would be committed singly, so an operation begins with some that may be.
 */
export class OpenTransaction {
  readonly #client: pg.PoolClient;
  readonly #begun: Promise<unknown>;
  readonly #timeoutMs: number;
  readonly #statements: SharedStatements;
  #committed: Promise<unknown> | undefined;
  #isUndone = false;
  #failure: unknown;

  constructor(client: pg.PoolClient, { beginning, timeoutMs, isPrepared }: Beginning) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
    this.#statements = new SharedStatements(async ({ text, values, name }) => {
      const { rows } = await this.#query({ text, values: [...values], name: isPrepared ? name : undefined });
      return rows as Record<string, unknown>[];
    });
    this.#begun = this.#query({ text: beginning });
    this.#begun.catch(() => undefined);
  }

  /** @returns as `Tx.all` promises, for one call */
  asker(): (statement: Statement) => Promise<unknown[]> {
    const ask = this.#statements.asker();
    return async (statement) => {
      // It would commit singly.
      if (this.#committed !== undefined || this.#isUndone)
        throw new Error('a statement comes after the last ones');
      const [rows] = await Promise.all([ask(statement), this.#begun]);
      return rows.map(rowIn);
    };
  }

  /** Sends COMMIT behind what has been asked. PostgreSQL makes a rollback of it if a statement before it fails. */
  commitNow(): void {
    this.#statements.send();
    this.commit().catch(() => undefined);
  }

  /** @throws what failed first, also where nobody has waited for that */
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
      this.#failure ??= error;
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
    const isRefusal = error instanceof pg.DatabaseError && !SERVER_TROUBLE.has(error.code?.slice(0, 2) ?? '');
    throw isRefusal ? failed(error) : unavailable(error);
  }
}
