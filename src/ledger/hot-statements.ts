/** The statements that every callback needs: what they cost is what a callback costs, so each database runs them its own way. */
import type { Insertable, Kysely } from 'kysely';
import type { DeliveryTarget, DeliveryUpdate, HistoryRecord } from './ledger.ts';
import type { Plan, StoreTime } from './rows.ts';
import type { CallbackRow, Tables } from './tables.ts';

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

/** A callback that has just been written, and whose it is. */
export interface WrittenCallback {
  readonly callbackId: number;
  readonly jobId: string;
}

/** SQLite answers at once, a server later. */
type Eventually<Value> = Value | Promise<Value>;

export interface HotStatements {
  /** Writes those that the ledger does not know yet. @returns their ids by identity */
  insertCallbacks(
    context: StatementContext,
    rows: readonly Insertable<CallbackRow>[],
  ): Eventually<Map<string, number>>;
  /** The jobs among those of `written` that had a callback before. */
  jobsBegunBefore(
    context: StatementContext,
    written: readonly WrittenCallback[],
  ): Eventually<readonly string[]>;
  /** @returns the ids, in order */
  insertDeliveries(context: StatementContext, planned: readonly PlannedRow[]): Eventually<readonly number[]>;
  insertHistory(context: StatementContext, records: readonly HistoryRecord[]): Eventually<void>;
  /**
   * A failure counts only while `owner` still holds the claim; that somebody was told is true whoever holds it.
   */
  updateDeliveries(
    context: StatementContext,
    updates: readonly DeliveryUpdate[],
    owner: string,
  ): Eventually<void>;
}
