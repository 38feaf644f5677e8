/** What differs between the databases that can hold a ledger. */
import type { ColumnDefinitionBuilder, Kysely, SelectQueryBuilder } from 'kysely';
import type { HotStatements } from './hot-statements.ts';
import type { Moment } from './rows.ts';
import type { Tables } from './tables.ts';

export interface DialectTraits {
  readonly idType: 'integer' | 'bigint';
  asGeneratedId(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
  /** Runs `work` in one transaction; a durable one is on disk once `flush` has resolved after it. */
  transact<T>(db: Kysely<Tables>, isDurable: boolean, work: (trx: Kysely<Tables>) => Promise<T>): Promise<T>;
  /** Resolves when all durable transactions that have been committed are on disk. */
  flush(): Promise<void>;
  /**
   * The store's own time in milliseconds since the epoch, for what processes with different clocks compare. The same
   * throughout a statement, so that an index can answer to it.
   */
  now(localNow: number): Moment;
  /** Keeps two who claim at once from waiting for each other, or getting the same rows. */
  lockRows<Row>(
    query: SelectQueryBuilder<Tables, 'deliveries', Row>,
  ): SelectQueryBuilder<Tables, 'deliveries', Row>;
  /** Until the transaction ends, nobody else admits callbacks of these jobs: their order must be one for all. */
  lockJobs(trx: Kysely<Tables>, jobIds: readonly string[]): Promise<void>;
  /** Somebody else holds the store for a moment: worth a short wait. */
  readonly isBusy: (error: unknown) => boolean;
}

export interface OpenStore {
  readonly db: Kysely<Tables>;
  readonly traits: DialectTraits;
  readonly statements: HotStatements;
}
