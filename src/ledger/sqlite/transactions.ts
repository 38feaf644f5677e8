/**
 * Runs all waiting calls in one transaction. If one fails, each gets a transaction of its own: it harms no other. A durable call resolves
 * after a flush, which delays no other call; while another program writes, calls are tried again, each until its deadline.
 */
import { empty } from 'sql-template-tag';
import {
  type CallOptions,
  type DatabaseSettings,
  DEFAULT_WITHIN_MS,
  MOST_WAITING,
  type Statement,
  type Transactions,
  type Tx,
} from '../database.ts';
import { operationFailed, ledgerUnavailable } from '../failures.ts';
import { LedgerUnavailable } from '../ledger.ts';
import { systemRandom } from '../../text/random.ts';
import { Deadline, BatchWindow } from '../../time/clock.ts';
import { upToDate } from '../shared/migrate.ts';
import { type ConnectionOptions, isLocked, isTrouble, SqliteConnection } from './connection.ts';
import { explainedByFile, Space, type StoreEvent } from './file.ts';

/** The most calls in one transaction; the rest waits for the next one. */
const CALLS_PER_BATCH = 100;

/** How soon a transaction that could not begin is tried again. */
const AGAIN_MS = 10;

/** After this a transaction with many statements lets the event loop turn. */
const TURN_MS = 20;

/** The longest time in which nothing is begun, so that the log can be emptied. */
const LONGEST_REST_MS = 5000;

interface SqliteSettings extends DatabaseSettings {
  readonly connection: SqliteConnection;
  readonly space?: Pick<Space, 'makeRoom'> | undefined;
}

interface Waiting {
  readonly work: (tx: Tx) => Promise<unknown>;
  readonly isDurable: boolean;
  /** The deadline, by `monotonic`. */
  readonly until: number;
  /** It, or one beside it, has failed: it gets a transaction of its own. */
  isAlone: boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class SqliteTransactions implements Transactions {
  readonly #settings: SqliteSettings;
  readonly #batch: BatchWindow;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  /** Until then nothing is begun, by `monotonic`. */
  #restsUntil = -Infinity;
  /** When the open transaction lets the event loop turn, by `monotonic`; and the number of that transaction, or of the last one. */
  #turnEndsAt = 0;
  #transaction = 0;

  constructor(settings: SqliteSettings) {
    this.#settings = settings;
    this.#batch = new BatchWindow(settings.clock);
  }

  run<Result>(
    work: (tx: Tx) => Promise<Result>,
    { withinMs = DEFAULT_WITHIN_MS, isDurable = false }: CallOptions = {},
  ): Promise<Result> {
    return new Promise<unknown>((resolve, reject) => {
      if (this.#waiting.length >= MOST_WAITING) throw new LedgerUnavailable('the ledger is not keeping up');
      const until = this.#settings.clock.monotonic() + withinMs;
      this.#waiting.push({ work, isDurable, until, isAlone: false, resolve, reject });
      this.#running ??= this.#runAll();
    }) as Promise<Result>;
  }

  /** Begins nothing until `goOn`, or for five seconds: meanwhile another connection has the file to itself. */
  rest(): void {
    this.#restsUntil = this.#settings.clock.monotonic() + LONGEST_REST_MS;
  }

  goOn(): void {
    this.#restsUntil = -Infinity;
  }

  async close(): Promise<void> {
    await this.#running;
    this.#settings.connection.close();
  }

  async #runAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#batch.end(() => this.#waiting.length);
      if (this.#settings.clock.monotonic() < this.#restsUntil) await this.#waitFor('the log was not emptied');
      else await this.#runNext();
    }
    // Not in `finally`: a call that comes before the promise settles would not start another run.
    this.#running = undefined;
  }

  async #runNext(): Promise<void> {
    const isAlone = this.#settings.isReader === true || this.#waiting[0]?.isAlone === true;
    const taken = this.#waiting.splice(0, isAlone ? 1 : CALLS_PER_BATCH);
    const batch = taken.filter((call) => this.#isInTime(call));
    if (batch.length === 0) return;
    try {
      const isFull = await this.#prepare();
      this.#resolve(batch, await this.#inTransaction(() => this.#runEach(batch, isFull)));
    } catch (error) {
      await this.#recover(batch, error);
    }
  }

  /** Nothing of the batch is written. What is tried again comes before what has come meanwhile. */
  async #recover(batch: readonly Waiting[], error: unknown): Promise<void> {
    if (isLocked(error)) {
      this.#waiting.unshift(...batch);
      await this.#waitFor('the SQLite file was not unlocked by another program');
    } else if (batch.length > 1 && error instanceof LedgerUnavailable) {
      for (const call of batch) call.isAlone = true;
      this.#waiting.unshift(...batch);
    } else {
      const reason = ledgerUnavailable(this.#settings.connection.explained(error));
      for (const { reject } of batch) reject(reason);
    }
  }

  /** Waits a little, and rejects the calls whose time is over then. */
  async #waitFor(why: string): Promise<void> {
    await this.#settings.clock.sleep(AGAIN_MS);
    this.#waiting = this.#waiting.filter((call) => this.#isInTime(call, why));
  }

  #resolve(batch: readonly Waiting[], results: readonly unknown[]): void {
    const { connection, clock } = this.#settings;
    const flushed = batch.some(({ isDurable }) => isDurable) ? connection.flushed() : undefined;
    for (const [index, { isDurable, until, resolve, reject }] of batch.entries()) {
      const result = results[index];
      if (!isDurable || flushed === undefined) resolve(result);
      else
        new Deadline(clock, until - clock.monotonic()).bound(flushed).then(
          () => resolve(result),
          (error: unknown) => reject(ledgerUnavailable(error)),
        );
    }
  }

  /** @throws {LedgerUnavailable} at the first call that fails in a store that works */
  async #runEach(batch: readonly Waiting[], isFull: boolean): Promise<readonly unknown[]> {
    const { connection } = this.#settings;
    const tx = this.#transactionAt(isFull);
    const results: unknown[] = [];
    for (const { work } of batch)
      try {
        results.push(await work(tx));
      } catch (error) {
        throw !connection.isInTransaction || isTrouble(error) ? error : operationFailed(error);
      }
    return results;
  }

  async #prepare(): Promise<boolean> {
    const { connection, space, isReader } = this.#settings;
    const mostBytes = connection.look();
    if (isReader === true) return false;
    const inTransaction = <Result>(work: (tx: Tx) => Promise<Result>) =>
      this.#inTransaction(() => work(this.#transactionAt(false)));
    return (await space?.makeRoom(inTransaction, mostBytes)) ?? false;
  }

  async #inTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
    const { connection, clock, isReader } = this.#settings;
    // With the lock from the start, a writer's snapshot cannot turn out to be stale (SQLITE_BUSY_SNAPSHOT).
    connection.exec(isReader === true ? 'begin' : 'begin immediate');
    this.#turnEndsAt = clock.monotonic() + TURN_MS;
    try {
      const result = await work();
      connection.exec('commit');
      return result;
    } catch (error) {
      // After some errors, e.g. a full disk, SQLite has rolled back by itself (sqlite.org/lang_transaction.html).
      if (connection.isInTransaction) connection.exec('rollback');
      throw error;
    } finally {
      this.#transaction += 1;
    }
  }

  #transactionAt(isFull: boolean): Tx {
    const { connection, owner, clock, random = systemRandom } = this.#settings;
    const transaction = this.#transaction;
    const read = async (statement: Statement, isFirst: boolean) => {
      if (clock.monotonic() > this.#turnEndsAt) await this.#letTurn();
      // A statement after the end would commit by itself.
      if (transaction !== this.#transaction) throw new Error('the transaction has ended');
      const rows = connection.all(statement);
      return isFirst ? rows[0] : rows;
    };
    return {
      all: <Row>(statement: Statement) => read(statement, false) as Promise<Row[]>,
      first: <Row>(statement: Statement) => read(statement, true) as Promise<Row | undefined>,
      commitWith: (work) => work(),
      now: clock.now(),
      monotonic: clock.monotonic(),
      owner,
      random,
      forUpdate: empty,
      skipLocked: empty,
      isFull,
    };
  }

  async #letTurn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#turnEndsAt = this.#settings.clock.monotonic() + TURN_MS;
  }

  #isInTime({ until, reject }: Waiting, why = 'the ledger did not come to it'): boolean {
    const isInTime = this.#settings.clock.monotonic() < until;
    if (!isInTime) reject(new LedgerUnavailable(`${why} in time`));
    return isInTime;
  }
}

export interface SqliteOptions extends DatabaseSettings, Omit<ConnectionOptions, 'isReader'> {
  readonly path: string;
  readonly onStoreEvent?: ((event: StoreEvent) => void) | undefined;
}

/** @throws {LedgerUnavailable} the file cannot be used; says why */
export async function openSqlite(options: SqliteOptions): Promise<SqliteTransactions> {
  const { path, isReader = false, maxBytes, clock, onStoreEvent: onEvent = () => undefined } = options;
  try {
    const connection = new SqliteConnection(path, options);
    const hasLimit = !isReader && maxBytes !== undefined;
    const space = hasLimit ? new Space({ maxBytes, connection, clock, onEvent }) : undefined;
    return await upToDate(new SqliteTransactions({ ...options, connection, space }), options);
  } catch (error) {
    throw ledgerUnavailable(explainedByFile(error));
  }
}
