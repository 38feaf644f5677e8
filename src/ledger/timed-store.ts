/** The store with a time limit on whatever is asked of it. */
import { type Kysely, sql } from 'kysely';
import { type Clock, Deadline, DeadlinePassed } from '../time/clock.ts';
import type { DialectTraits, OpenStore, TransactionSettings } from './dialect.ts';
import type { HotStatements } from './hot-statements.ts';
import { LedgerUnavailable, LedgerUnflushed } from './ledger.ts';
import { retryWhileBusy } from './retry-while-busy.ts';
import type { StoreTime } from './rows.ts';
import type { Tables } from './tables.ts';

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
    const now = this.traits.now(this.#epoch + this.#clock.monotonic());
    return { now, in: (ms) => (typeof now === 'number' ? now + ms : sql<number>`${now} + ${ms}`) };
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
