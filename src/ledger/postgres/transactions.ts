/** One transaction on one connection of the pool, by a deadline whatever the server does. */
import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import { type Deadline, DeadlinePassed } from '../../time/clock.ts';
import type { TransactionSettings } from '../dialect.ts';
import { inOneTrip } from '../timed-store.ts';
import type { Tables } from '../tables.ts';

/** The server gives up first, so that the connection is still of use. */
const SERVER_SHARE = 0.9;

/** Of a client that died without a word, the server keeps the locks no longer. */
const IDLE_MS = 10_000;

export class PostgresTransactions {
  readonly #pool: pg.Pool;
  /** To make one takes longer than a statement. */
  readonly #kyselyOver = new WeakMap<pg.PoolClient, Kysely<Tables>>();

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** @throws {DeadlinePassed} with the connection closed: what the server has got of it, it may still do */
  async run<T>(settings: TransactionSettings, work: (trx: Kysely<Tables>) => Promise<T>): Promise<T> {
    const { deadline } = settings;
    const client = await deadline.bound(this.#pool.connect(), (late) => late.release());
    const loan = new Loan(client, deadline);
    try {
      const begun = client.query(beginning(settings));
      const [result] = await inOneTrip([work(this.#over(client)), begun]);
      await client.query('commit');
      loan.end();
      return result;
    } catch (error) {
      await loan.rollBack();
      throw loan.isCut ? new DeadlinePassed('PostgreSQL did not answer in time', { cause: error }) : error;
    }
  }

  #over(client: pg.PoolClient): Kysely<Tables> {
    const known = this.#kyselyOver.get(client);
    if (known !== undefined) return known;
    const lent = {
      query: client.query.bind(client),
      release: () => undefined,
    };
    const pool = { connect: () => Promise.resolve(lent), end: () => Promise.resolve() };
    const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
    this.#kyselyOver.set(client, kysely);
    return kysely;
  }
}

/** A connection that goes back to the pool once, at the deadline at the latest, and then not to be used again. */
class Loan {
  readonly #client: pg.PoolClient;
  readonly #stopTimer: () => void;
  #isOver = false;
  isCut = false;

  constructor(client: pg.PoolClient, deadline: Deadline) {
    this.#client = client;
    this.#stopTimer = deadline.whenPassed(() => {
      this.isCut = true;
      this.end(new DeadlinePassed('PostgreSQL did not answer in time'));
    });
  }

  /** @param error why the connection cannot be used again; the pool closes it, and what was asked on it fails */
  end(error?: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopTimer();
    this.#client.release(error);
  }

  /** Never rejects; the deadline holds for this, too. */
  async rollBack(): Promise<void> {
    if (this.#isOver) return;
    try {
      await this.#client.query('rollback');
      this.end();
    } catch (error) {
      this.end(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

/**
 * In one round trip, and nothing of it outlives the transaction: behind a pooler the next one may get another session.
 * Whoever has waited for a job's lock must see what its holder has written; an operator may have set another default.
 */
function beginning({ isDurable, deadline }: TransactionSettings): string {
  const serverMs = Math.max(1, Math.floor(deadline.remainingMs * SERVER_SHARE));
  return [
    'begin isolation level read committed',
    `set local synchronous_commit = ${isDurable ? 'on' : 'off'}`,
    `set local statement_timeout = ${serverMs}`,
    `set local idle_in_transaction_session_timeout = ${serverMs + IDLE_MS}`,
  ].join('; ');
}
