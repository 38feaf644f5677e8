/** A PostgreSQL ledger that replicas may share. Works behind a pooler such as PgBouncer: no session state outlives a transaction. */
import pg from 'pg';
import { raw } from 'sql-template-tag';
import {
  type CallOptions,
  DEFAULT_WITHIN_MS,
  MOST_WAITING,
  type Statement,
  type Transactions,
  type Tx,
} from '../database.ts';
import { operationFailed, ledgerUnavailable } from '../failures.ts';
import { LedgerUnavailable } from '../ledger.ts';
import { upToDate } from '../shared/migrate.ts';
import { connect, type PostgresSettings } from './pool.ts';
import { CallQueue, type QueuedCall } from './queue.ts';
import { type Beginning, codeOf, LOCK_TIMEOUT_MS, OpenTransaction, query } from './open-transaction.ts';
import { Turns } from './turns.ts';
import { systemRandom } from '../../text/random.ts';
import { Deadline, systemClock, BatchWindow } from '../../time/clock.ts';

const CLOCK_ASKED_EVERY_MS = 10_000;

interface Waiting extends QueuedCall {
  readonly work: (tx: Tx) => Promise<unknown>;
  readonly isDurable: boolean;
  readonly deadline: Deadline;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

class PostgresTransactions implements Transactions {
  readonly #settings: PostgresSettings;
  readonly #queue = new CallQueue<Waiting>();
  #pool: pg.Pool;
  /** Connections that run nothing. */
  #free: number;
  readonly #batch: BatchWindow;
  #isScheduled = false;
  /** Called when nothing runs or waits. */
  #onIdle = () => {};
  /** How far the server's clock is ahead of this machine's monotonic one; undefined: not measured. */
  #aheadMs: number | undefined;
  /** When that was measured, by the clock that goes on during sleep. */
  #measuredAt = -Infinity;

  /** False behind a pooler that gives each transaction any of its sessions, without knowing what these have prepared. */
  #mayPrepare = true;

  constructor(settings: PostgresSettings) {
    this.#settings = settings;
    this.#batch = new BatchWindow(settings.clock);
    this.#pool = connect(settings);
    this.#free = this.#pool.options.max;
  }

  run<Result>(
    work: (tx: Tx) => Promise<Result>,
    { withinMs = DEFAULT_WITHIN_MS, isDurable = true, keys, order, isPlain }: CallOptions = {},
  ): Promise<Result> {
    const deadline = new Deadline(this.#settings.clock, withinMs);
    const done = new Promise<unknown>((resolve, reject) => {
      if (this.#pool.ending) throw new LedgerUnavailable('the ledger is closed');
      if (this.#queue.length >= MOST_WAITING) throw new LedgerUnavailable('the ledger is not keeping up');
      this.#queue.add({ work, isDurable, deadline, keys, order, isPlain, isAlone: false, resolve, reject });
      if (!this.#isScheduled) void this.#batch.end(() => this.#queue.length).then(() => this.#begin());
      this.#isScheduled = true;
    }) as Promise<Result>;
    return deadline.bound(done).catch((error: unknown) => {
      throw ledgerUnavailable(error);
    });
  }

  /** Runs the calls that wait first: a message whose outcome is not written is sent again. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
      this.#begin();
    });
    await this.#pool.end();
  }

  /** Runs a batch on each free connection. Calls that come meanwhile are the next batch. */
  #begin(): void {
    this.#isScheduled = false;
    for (let batch = this.#next(); batch.length > 0; batch = this.#next()) {
      this.#free -= 1;
      void this.#runOn(batch);
    }
    if (this.#queue.length === 0 && this.#free === this.#pool.options.max) this.#onIdle();
  }

  #next(): readonly Waiting[] {
    // A reader has no plain calls, so it keeps no connection for them.
    return this.#free === 0 ? [] : this.#queue.next(this.#settings.isReader === true || this.#free > 1);
  }

  async #runOn(batch: readonly Waiting[]): Promise<void> {
    const again = await this.#run(batch);
    this.#free += 1;
    this.#queue.end(batch, again);
    this.#begin();
  }

  /** Never rejects. @returns those that are to be run again, each alone, since one of them has failed */
  async #run(batch: readonly Waiting[]): Promise<readonly Waiting[]> {
    const calls = batch.filter(({ deadline }) => deadline.remainingMs > 0);
    if (calls.length === 0) return [];
    const reject = (error: unknown): readonly Waiting[] => {
      for (const call of calls) call.reject(error);
      return [];
    };
    const pool = this.#pool;
    let client: pg.PoolClient;
    try {
      client = await this.#connect();
    } catch (error) {
      return reject(ledgerUnavailable(error));
    }
    try {
      const results = await this.#inTransaction(client, calls, pool);
      for (const [index, { resolve }] of calls.entries()) resolve(results[index]);
      return [];
    } catch (error) {
      const isUnprepared = UNPREPARED.has(codeOf(error));
      if (isUnprepared) this.#mayPrepare = false;
      return isUnprepared || isToRunAgain(calls, error) ? calls : reject(operationFailed(error));
    }
  }

  async #inTransaction(
    client: pg.PoolClient,
    calls: readonly Waiting[],
    pool: pg.Pool,
  ): Promise<readonly unknown[]> {
    const open = new OpenTransaction(client, this.#beginning(calls));
    const turns = new Turns(calls);
    try {
      const ended = await Promise.allSettled(calls.map((call) => this.#work(call, open, turns)));
      const results = ended.map((each) => {
        if (each.status === 'rejected') throw each.reason;
        return each.value;
      });
      await open.commit();
      client.release();
      return results;
    } catch (error) {
      const mayOnlyRead = codeOf(error) === READ_ONLY;
      // If it is another pool by now, another transaction has met the same.
      if (mayOnlyRead && pool === this.#pool) this.#connectAnew();
      await open.undo(mayOnlyRead);
      throw error;
    }
  }

  /** Replaces the pool: its connections lead to a standby, or have begun while server, database or role was read-only. */
  #connectAnew(): void {
    void this.#pool.end();
    this.#pool = connect(this.#settings);
  }

  async #connect(): Promise<pg.PoolClient> {
    const client = await this.#pool.connect();
    await this.#measureClock(client).catch((error: unknown) => {
      client.release(true);
      throw error;
    });
    return client;
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

  async #work(call: Waiting, open: OpenTransaction, turns: Turns<Waiting>): Promise<unknown> {
    // COMMIT has to follow the last statements of all calls in the transaction.
    const end = () => {
      if (turns.end(call)) open.commitNow();
    };
    try {
      const result = await call.work(this.#txOf(open, end, () => turns.wait(call)));
      end();
      return result;
    } catch (error) {
      turns.fail(call);
      throw error;
    }
  }

  /** @param end the call's last statements have been asked */
  #txOf(open: OpenTransaction, end: () => void, inTurn: () => Promise<void>): Tx {
    const { clock, owner, random = systemRandom } = this.#settings;
    const ask = open.asker();
    const monotonic = clock.monotonic();
    return {
      all: <Row>(statement: Statement) => ask(statement) as Promise<Row[]>,
      first: async <Row>(statement: Statement) => (await ask(statement))[0] as Row | undefined,
      commitWith: (work) => {
        const begun = work();
        end();
        return begun;
      },
      inTurn,
      now: this.#aheadMs === undefined ? clock.now() : Math.round(monotonic + this.#aheadMs),
      monotonic,
      owner,
      random,
      forUpdate: raw('FOR NO KEY UPDATE'),
      skipLocked: raw('FOR NO KEY UPDATE SKIP LOCKED'),
      isFull: false,
      timersPut: open.timersPut,
    };
  }

  #beginning(calls: readonly Waiting[]): Beginning {
    return {
      withinMs: Math.max(...calls.map(({ deadline }) => deadline.remainingMs)),
      isDurable: calls.some(({ isDurable }) => isDurable),
      isReader: this.#settings.isReader === true,
      isPrepared: this.#mayPrepare && calls.every(({ isPlain, isAlone }) => isPlain === true && !isAlone),
    };
  }
}

/** Errors of a prepared statement that a pooler's next session does not have, or has already. */
const UNPREPARED: ReadonlySet<string | undefined> = new Set(['26000', '42P05']);

/** Of two transactions that wait for each other the server ends one. */
const DEADLOCK = '40P01';

/** `read_only_sql_transaction`: of a standby, or where the database, the role or the whole server has been made read-only. */
const READ_ONLY = '25006';

/** `lock_not_available`: another program, or a frozen replica, holds what it needs. */
const LOCKED = '55P03';

/**
 * Whether failed calls, which have written nothing, may succeed if run again: several, each alone; a single one after a deadlock, after a lock
 * if it has time for another wait, and once over a new connection after it found the server read-only.
 */
function isToRunAgain([first, ...others]: readonly Waiting[], error: unknown): boolean {
  if (others.length > 0) return true;
  const code = codeOf(error);
  const hasTime = (first?.deadline.remainingMs ?? 0) > LOCK_TIMEOUT_MS;
  return (
    code === DEADLOCK || (code === LOCKED && hasTime) || (code === READ_ONLY && first?.isAlone === false)
  );
}

/** A reader connects with its first call. @throws {Error} the database cannot be used; says why */
export function openPostgres(settings: PostgresSettings): Promise<PostgresTransactions> {
  return upToDate(new PostgresTransactions(settings), settings);
}
