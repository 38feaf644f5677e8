/** What differs between the databases that can hold a ledger. */
import type { ColumnDefinitionBuilder, Kysely, RawBuilder, SelectQueryBuilder } from 'kysely';
import type { Deadline } from '../time/clock.ts';
import type { HotStatements } from './hot-statements.ts';
import type { Moment } from './rows.ts';
import type { Tables } from './tables.ts';

export interface TransactionSettings {
  /** To be flushed to disk. */
  readonly isDurable: boolean;
  /** A server is not waited for any longer; what it was doing may still be committed. */
  readonly deadline: Deadline;
}

export interface DialectTraits {
  /** Processes on several machines may write the store. */
  readonly isShared: boolean;
  readonly idType: 'integer' | 'bigint';
  /** The database compresses what is large by itself. */
  readonly isCompressing: boolean;
  asGeneratedId(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
  /**
   * Runs `work` in one transaction; a durable one is on disk once `flush` has resolved after it. Where it rejects although
   * `work` resolved, nobody knows whether it was committed.
   */
  transact<T>(
    db: Kysely<Tables>,
    settings: TransactionSettings,
    work: (trx: Kysely<Tables>) => Promise<T>,
  ): Promise<T>;
  /** Resolves when all durable transactions that have been committed are on disk. */
  flush(): Promise<void>;
  /** Runs `work`, which only reads. */
  read<T>(db: Kysely<Tables>, deadline: Deadline, work: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  /**
   * The store's own time in milliseconds since the epoch, for what processes with different clocks compare. The same
   * throughout a statement, so that an index can answer to it.
   */
  now(localNow: number): Moment;
  /** Of the rows, those that no other transaction is writing: two who claim at once neither wait nor get the same. */
  lockRows<Table extends keyof Tables, Row>(
    query: SelectQueryBuilder<Tables, Table, Row>,
  ): SelectQueryBuilder<Tables, Table, Row>;
  /** Until the transaction ends, nobody else admits callbacks of these jobs: their order must be one for all. */
  lockJobs(trx: Kysely<Tables>, jobIds: readonly string[]): Promise<void>;
  /** Waits for each in turn: nobody else changes them, or forgets them, until the transaction ends. */
  lockCallbacks(trx: Kysely<Tables>, ids: readonly number[]): Promise<void>;
  /** Waits for each in turn, in the order in which everybody locks deliveries, so that nobody waits in a circle. */
  lockDeliveries(trx: Kysely<Tables>, ids: readonly number[]): Promise<void>;
  /**
   * Of the callbacks to be forgotten, those that no other transaction is writing and of which nothing is undelivered,
   * locked with all that belongs to them.
   */
  lockForgotten(trx: Kysely<Tables>, callbackIds: readonly number[]): Promise<readonly number[]>;
  /** What the ledger takes, in bytes. */
  bytesUsed(db: Kysely<Tables>): Promise<number>;
  /** Stands in front of `values` where rows bring the ids that the database would give. */
  readonly withGivenIds: RawBuilder<unknown>;
  /** After such rows: what the database gives next is above their ids. */
  giveIdsAbove(trx: Kysely<Tables>, table: keyof Tables): Promise<void>;
  /** Waits until the tables may be written that a callback is written to. */
  lockTables(trx: Kysely<Tables>): Promise<void>;
  /** Somebody else holds the store for a moment: worth a short wait. */
  readonly isBusy: (error: unknown) => boolean;
  /** The store works, and refuses what it was given: of several things, the others may pass. */
  readonly isRefusal: (error: unknown) => boolean;
}

/** Bytes that a store takes. */
export interface StoreSize {
  readonly used: number;
  /** Written, and not yet in its place. */
  readonly log: number;
}

/** A store that is only read: what it is asked holds nobody up who writes. */
export interface StoreReader {
  /** @throws {Error} what the database says */
  read<T>(deadline: Deadline, work: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface OpenStore {
  /** For the migrations, and for what `traits` runs on it. */
  readonly db: Kysely<Tables>;
  readonly traits: DialectTraits;
  readonly statements: HotStatements;
  /** Another connection, opened when it is first asked, for whoever reads at length. */
  readonly openReader: () => StoreReader;
  /** Of a store whose size nobody else bounds. @throws {Error} cannot be told */
  readonly measure?: () => StoreSize;
  readonly close: () => Promise<void>;
}
