/** The store with a time limit on whatever is asked of it, and a moment's wait for whoever else holds it. */
import type { Insertable, Kysely } from 'kysely';
import { type Clock, Deadline, DeadlinePassed } from '../time/clock.ts';
import type { DialectTraits, OpenStore, TransactionSettings } from './dialect.ts';
import type { HotStatements } from './hot-statements.ts';
import { LedgerUnavailable, LedgerUnflushed } from './ledger.ts';
import { type StoreTime, storeTime } from './rows.ts';
import type { RefusedRow, Tables } from './tables.ts';

/** Where nobody's answer depends on it. */
const TIMEOUT_MS = 5000;

export class TimedStore {
  readonly #store: OpenStore;
  readonly #clock: Clock;
  /** When this process's monotonic clock began: what it tells then runs on, whoever sets the clock. */
  readonly #epoch: number;

  constructor(store: OpenStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#epoch = clock.now() - clock.monotonic();
  }

  get traits(): DialectTraits {
    return this.#store.traits;
  }

  get statements(): HotStatements {
    return this.#store.statements;
  }

  get measure(): OpenStore['measure'] {
    return this.#store.measure;
  }

  deadline(withinMs = TIMEOUT_MS): Deadline {
    return new Deadline(this.#clock, withinMs);
  }

  /** Claims and due times are told by the store's clock: those of its processes may differ by minutes. */
  time(): StoreTime {
    return storeTime(this.traits.now(this.#epoch + this.#clock.monotonic()));
  }

  /** @param onLate it was committed after this had thrown. @throws {LedgerUnavailable} */
  transact<T>(
    settings: TransactionSettings,
    work: (trx: Kysely<Tables>) => Promise<T>,
    onLate?: () => void,
  ): Promise<T> {
    const { db, traits } = this.#store;
    return this.#available(settings.deadline, () => traits.transact(db, settings, work), onLate);
  }

  /**
   * What has been committed to be flushed is on disk when it resolves.
   * @throws {LedgerUnflushed} not by the deadline
   * @throws {LedgerUnavailable}
   */
  async flush(deadline: Deadline): Promise<void> {
    try {
      await this.#available(deadline, () => this.traits.flush());
    } catch (error) {
      const isLate = error instanceof LedgerUnavailable && error.cause instanceof DeadlinePassed;
      throw isLate ? new LedgerUnflushed('the disk did not flush it in time', { cause: error }) : error;
    }
  }

  /** @throws {LedgerUnavailable} */
  read<T>(deadline: Deadline, work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    const { db, traits } = this.#store;
    return this.#available(deadline, () => traits.read(db, deadline, work));
  }

  /** The store works, and refused what it was given: the time is not to blame. */
  isRefusal(error: unknown): boolean {
    const cause = error instanceof LedgerUnavailable ? error.cause : error;
    return !(cause instanceof DeadlinePassed) && this.traits.isRefusal(cause);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #available<T>(deadline: Deadline, work: () => Promise<T>, onLate?: () => void): Promise<T> {
    const { isBusy } = this.traits;
    try {
      return await deadline.bound(retryWhileBusy(this.#clock, isBusy, work, deadline.remainingMs), onLate);
    } catch (error) {
      throw unavailable(error);
    }
  }
}

export function unavailable(error: unknown): LedgerUnavailable {
  if (error instanceof LedgerUnavailable) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new LedgerUnavailable(`the ledger cannot be used: ${reason}`, { cause: error });
}

/** How long the store is waited for, and how often it is asked. */
const PATIENCE_MS = 2000;
const INTERVAL_MS = 50;

/**
 * @param withinMs where there is less time than patience
 * @throws what `work` throws: at once, or, where the store is only busy, when patience is at an end
 */
export async function retryWhileBusy<T>(
  clock: Clock,
  isBusy: (error: unknown) => boolean,
  work: () => T | Promise<T>,
  withinMs: number = PATIENCE_MS,
): Promise<T> {
  const until = clock.monotonic() + Math.min(PATIENCE_MS, withinMs);
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || clock.monotonic() >= until) throw error;
      await clock.sleep(INTERVAL_MS);
    }
  }
}

/** Whoever asks wants to know soon. */
const PROBE_TIMEOUT_MS = 2000;

/** Takes more pages than a callback of common size, so that a disk that has no room for one shows. */
const PROBE: Insertable<RefusedRow> = {
  received_at: 0,
  status: 0,
  detail: 'probe',
  errors: '[]',
  remote_address: '',
  body: '.'.repeat(32 * 1024),
};

/**
 * Waits for every table that a callback is written to, and writes to one that nobody reads meanwhile.
 * @param prepare is done first, in the same time
 * @throws {LedgerUnavailable}
 */
export async function probeStore(
  store: TimedStore,
  prepare: (deadline: Deadline) => Promise<void>,
): Promise<void> {
  const settings = { isDurable: false, deadline: store.deadline(PROBE_TIMEOUT_MS) };
  await prepare(settings.deadline);
  // SQLite never writes what is gone again within the transaction.
  await store.transact(settings, async (trx) => {
    await store.traits.lockTables(trx);
    await trx.insertInto('refused').values(PROBE).execute();
  });
  await store.transact(settings, (trx) =>
    trx.deleteFrom('refused').where('status', '=', PROBE.status).execute(),
  );
}

/**
 * Of what is asked at once, a server answers all in one round trip. Ends when all of it has ended, so that nobody goes on
 * asking within a transaction that is over.
 * @throws what the first of them throws
 */
export async function inOneTrip<Asked extends readonly unknown[]>(
  asked: Asked,
): Promise<{ -readonly [Index in keyof Asked]: Awaited<Asked[Index]> }> {
  await Promise.allSettled(asked);
  return Promise.all(asked);
}
