/**
 * Runs whatever waits as one transaction, a savepoint each: one flush for all of them, and one that fails harms no other. In
 * the thread that asks, so that the service has a thread of its own for it (`sqlite-thread.ts`).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { empty, type Sql } from 'sql-template-tag';
import { type CallOptions, DEFAULT_WITHIN_MS, type Transactions, type Tx } from '../database.ts';
import { failed, unavailable } from '../failures.ts';
import { LedgerUnavailable } from '../ledger.ts';
import { isBusy, isTrouble, type SqliteConnection } from './connection.ts';

/** Called one after the other in one transaction; the rest comes in the next one. */
const CALLS_PER_BATCH = 100;

/** Waiting at once; past it the store is not keeping up, and whoever comes is told at once. */
const MOST_WAITING = 5000;

/** Until another process that writes is asked again. */
const BUSY_PAUSE_MS = 20;

export interface SqliteSettings {
  readonly connection: SqliteConnection;
  readonly owner: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds on the scale of the calls' deadlines. */
  readonly monotonic: () => number;
  readonly isReader?: boolean;
  /** Before a batch, outside of any transaction. @returns whether there is no room for what is new */
  readonly makeRoom?: (inTransaction: InTransaction) => Promise<boolean>;
}

export type InTransaction = <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;

interface Waiting {
  readonly work: (tx: Tx) => Promise<unknown>;
  readonly isDurable: boolean;
  /** On the scale of `monotonic`. */
  readonly until: number;
  readonly settle: (outcome: Outcome) => void;
}

type Outcome = { readonly result: unknown } | { readonly error: unknown };

export class SqliteTransactions implements Transactions {
  readonly #settings: SqliteSettings;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  constructor(settings: SqliteSettings) {
    this.#settings = settings;
  }

  run<Result>(work: (tx: Tx) => Promise<Result>, options: CallOptions<Result> = {}): Promise<Result> {
    const until = this.#settings.monotonic() + (options.withinMs ?? DEFAULT_WITHIN_MS);
    return this.runUntil(until, work, options.isDurable ?? false);
  }

  /** @param until on the scale of `monotonic`: past it, nothing of it is begun */
  async runUntil<Result>(
    until: number,
    work: (tx: Tx) => Promise<Result>,
    isDurable: boolean,
  ): Promise<Result> {
    if (this.#waiting.length >= MOST_WAITING) throw new LedgerUnavailable('the ledger is not keeping up');
    const outcome = await new Promise<Outcome>((settle) => {
      this.#waiting.push({ work, isDurable, until, settle });
      this.#running ??= this.#runAll();
    });
    if ('error' in outcome) throw outcome.error;
    return outcome.result as Result;
  }

  /** After what waits has been run. */
  async close(): Promise<void> {
    await this.#running;
    this.#settings.connection.close();
  }

  async #runAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      // What has arrived meanwhile comes along.
      await new Promise((resolve) => setImmediate(resolve));
      const batch = this.#waiting.splice(0, this.#settings.isReader === true ? 1 : CALLS_PER_BATCH);
      await this.#runBatch(this.#inTime(batch));
    }
    // At once, not when the promise settles: whoever comes in between would wait for nobody.
    this.#running = undefined;
  }

  async #runBatch(batch: readonly Waiting[]): Promise<void> {
    if (batch.length === 0) return;
    const outcomes: Outcome[] = [];
    try {
      const isFull = await this.#prepare(batch);
      await this.#inTransaction(async () => {
        for (const call of batch) outcomes.push(await this.#runOne(call, isFull));
      });
      batch.forEach(({ settle }, index) => settle(outcomes[index] as Outcome));
    } catch (error) {
      if (isBusy(error)) await this.#putBack(batch);
      else for (const { settle } of batch) settle({ error: unavailable(error) });
    }
  }

  async #prepare(batch: readonly Waiting[]): Promise<boolean> {
    const { connection, makeRoom, isReader } = this.#settings;
    connection.look();
    if (isReader !== true) connection.emptyLargeLog();
    const isFull =
      (await makeRoom?.((work) => this.#inTransaction(() => work(this.#transactionAt(false))))) ?? false;
    if (isReader !== true) connection.flushCommits(batch.some(({ isDurable }) => isDurable));
    return isFull;
  }

  async #inTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
    const { connection, isReader } = this.#settings;
    // Taking the lock at once, a writer cannot find later that its snapshot is too old.
    connection.exec(isReader === true ? 'begin' : 'begin immediate');
    try {
      const result = await work();
      connection.exec('commit');
      return result;
    } catch (error) {
      // After some errors, a full disk for one, SQLite has done so by itself (sqlite.org/lang_transaction.html).
      if (connection.isInTransaction) connection.exec('rollback');
      throw error;
    }
  }

  async #runOne({ work, until }: Waiting, isFull: boolean): Promise<Outcome> {
    const { connection, monotonic } = this.#settings;
    if (monotonic() >= until) return TOO_LATE;
    connection.exec('savepoint call');
    try {
      const result = await work(this.#transactionAt(isFull));
      connection.exec('release call');
      return { result };
    } catch (error) {
      if (!connection.isInTransaction || isTrouble(error)) throw error;
      connection.exec('rollback to call');
      connection.exec('release call');
      return { error: failed(error) };
    }
  }

  #transactionAt(isFull: boolean): Tx {
    const { connection, owner, now } = this.#settings;
    const all = <Row>(statement: Sql) => Promise.resolve(connection.all(statement) as Row[]);
    return {
      all,
      first: async <Row>(statement: Sql) => (await all<Row>(statement))[0],
      now: now(),
      owner,
      forUpdate: empty,
      skipLocked: empty,
      isFull,
    };
  }

  /** Another process writes: to be tried again until the deadline. */
  async #putBack(batch: readonly Waiting[]): Promise<void> {
    this.#waiting = [...batch, ...this.#waiting];
    await sleep(BUSY_PAUSE_MS);
  }

  /** Those past their deadlines have their answer. */
  #inTime(batch: readonly Waiting[]): readonly Waiting[] {
    const now = this.#settings.monotonic();
    for (const { until, settle } of batch) if (now >= until) settle(TOO_LATE);
    return batch.filter(({ until }) => now < until);
  }
}

const TOO_LATE: Outcome = {
  error: new LedgerUnavailable('the ledger did not come to it in time'),
};
