/** The statements that every callback needs: what they cost is what a callback costs, so each database runs them its own way. */
import type { Kysely } from 'kysely';
import type { DeliveryTarget, DeliveryUpdate, HistoryRecord } from './ledger.ts';
import type { NewCallback, Plan, StoreTime } from './rows.ts';
import type { Tables } from './tables.ts';

/** One transaction, at one moment of the store's time. */
export interface StatementContext {
  readonly trx: Kysely<Tables>;
  readonly time: StoreTime;
}

export interface PlannedRow {
  readonly callbackId: number;
  readonly target: DeliveryTarget;
  readonly plan: Plan;
}

/** SQLite answers at once, a server later. */
type Eventually<Value> = Value | Promise<Value>;

export interface HotStatements {
  /** The jobs among these that have a callback already. */
  jobsBegun(context: StatementContext, jobIds: readonly string[]): Eventually<readonly string[]>;
  /** Gives the callbacks of these jobs their identity where they have none yet. */
  identifyCallbacks(context: StatementContext, jobIds: readonly string[]): Eventually<void>;
  /** Writes those that the ledger does not know yet. @returns their ids, in order; undefined: known */
  insertCallbacks(
    context: StatementContext,
    rows: readonly NewCallback[],
  ): Eventually<readonly (number | undefined)[]>;
  /** @returns the ids, in order */
  insertDeliveries(context: StatementContext, planned: readonly PlannedRow[]): Eventually<readonly number[]>;
  insertHistory(context: StatementContext, records: readonly HistoryRecord[]): Eventually<void>;
  /**
   * A failure counts only while `owner` still holds the claim; that somebody was told is true whoever holds it.
   * @returns the ids of the failures that counted
   */
  updateDeliveries(
    context: StatementContext,
    updates: readonly DeliveryUpdate[],
    owner: string,
  ): Eventually<readonly number[]>;
}
