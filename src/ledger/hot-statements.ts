/** The statements that every callback needs, each database's own; the rows that they write say which columns there are. */
import type { Kysely } from 'kysely';
import type { DeliveryUpdate, HistoryRecord } from './ledger.ts';
import type { NewCallback } from './callback-columns.ts';
import type { NewDelivery, StoreTime } from './rows.ts';
import type { BotDayRow, Tables } from './tables.ts';

/** One transaction, at one moment of the store's time. */
export interface StatementContext {
  readonly trx: Kysely<Tables>;
  readonly time: StoreTime;
}

/** Where a delivery stands in its job: after every pending one to the same destination whose callback came earlier. */
export interface PlaceInJob {
  readonly jobId: string;
  readonly destination: string;
  readonly callbackId: number;
}

/** A result of a job whose callback came before another one. */
export interface ResultBefore {
  readonly jobId: string;
  /** Id of that other one; `Number.MAX_SAFE_INTEGER`: whenever it came. */
  readonly before: number;
}

/** The pending delivery right before a place. */
export interface Predecessor {
  readonly id: number;
  readonly isClaimed: boolean;
}

export interface JobBegun {
  readonly jobId: string;
  /** Has a callback that a version before has written without an identity. */
  readonly hasUnidentified: boolean;
}

/** SQLite answers at once, a server later. */
export type Eventually<Value> = Value | Promise<Value>;

export interface Updated {
  /** Ids of the deliveries that failed, or were held back, while the claim still stood. */
  readonly counted: readonly number[];
  readonly hasReleased: boolean;
}

/** Who settles deliveries. */
export interface Settler {
  readonly owner: string;
  /** How long the service may retry the next one of a job before Botbell does. */
  readonly takeOverAfterMs: number;
}

export interface HotStatements {
  /** The jobs among these that have a callback already. */
  jobsBegun(context: StatementContext, jobIds: readonly string[]): Eventually<readonly JobBegun[]>;
  /** Writes those that the ledger does not know yet. @returns their ids, in order; undefined: known */
  insertCallbacks(
    context: StatementContext,
    rows: readonly NewCallback[],
  ): Eventually<readonly (number | undefined)[]>;
  /** @returns the ids, in order */
  insertDeliveries(context: StatementContext, planned: readonly NewDelivery[]): Eventually<readonly number[]>;
  /** Whether each of these jobs has a result before, in order; of a job's results one at most is looked at. */
  haveResults(context: StatementContext, jobs: readonly ResultBefore[]): Eventually<readonly boolean[]>;
  /** In order; undefined: nothing is before it. */
  predecessors(
    context: StatementContext,
    places: readonly PlaceInJob[],
  ): Eventually<readonly (Predecessor | undefined)[]>;
  /** Adds to what is known of these BOTs and days; locks their rows until the transaction ends. */
  countCallbacks(context: StatementContext, days: readonly BotDayRow[]): Eventually<void>;
  insertHistory(context: StatementContext, records: readonly HistoryRecord[]): Eventually<void>;
  /**
   * A failure counts only while `owner` still holds the claim; that somebody was told is true whoever holds it. What is
   * finished makes the next one of its job due.
   * @returns which failures counted, and whether there was a next one
   */
  updateDeliveries(
    context: StatementContext,
    updates: readonly DeliveryUpdate[],
    settler: Settler,
  ): Eventually<Updated>;
}
