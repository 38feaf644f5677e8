/** The rows of table `history`: each transition of a callback or of one of its deliveries, in the order in which they were written. */
import sql, { bulk, type RawValue } from 'sql-template-tag';
import type { Tx } from './database.ts';
import type { DeliveryError } from './ledger.ts';

/** Who asked for what was done by hand, for whoever reads the story later. */
export interface Actor {
  readonly via: 'page' | 'api' | 'command line';
  /** The Basic user, or whom a trusted proxy's header names; on the command line, the system's user. Undefined: not known. */
  readonly user: string | undefined;
  /** Address of the client; of the command line, the host's name. */
  readonly from: string;
}

/** Of a callback that comes again and again, so many times are written down: whoever reads its story has seen enough by then. */
export const MOST_TIMES = 1000;

/** What a person did about a callback. */
export interface ActionEntry {
  readonly actor: Actor;
  /** The bulk redelivery that it is part of. */
  readonly bulkId?: number | undefined;
}

/** What a row has beside its columns, by what it tells; kept as JSON. Times are milliseconds since 1970. */
export interface HistoryEntries {
  /** How often it has come by now; the first time has no row. */
  readonly received: { readonly times: number };
  /** A routing after the first one, which `callbacks.routing` has. `explanations`: the router's. */
  readonly routed: { readonly by: 'config' | 'hand'; readonly explanations: unknown };
  /** Its `result`: `delivered`, or the failure's class. */
  readonly attempt: {
    readonly startedAt: number;
    readonly durationMs: number;
    readonly error?: DeliveryError | undefined;
  };
  /** Its `result`: what was answered; its `at`: when. `status`: of HTTP. */
  readonly answered: { readonly receivedAt: number; readonly status: number };
  readonly taken_over: undefined;
  /** Its `result`: the hold's code. */
  readonly held: { readonly endsAt?: number | undefined } | undefined;
  readonly released: undefined;
  /** It is told with others that were held. */
  readonly summarised: { readonly summaryId: number };
  /** And was told so. */
  readonly told_in_summary: { readonly summaryId: number };
  /** Its `result`: the class of the last failure, or `no longer routed`. */
  readonly dead: { readonly error: DeliveryError | undefined } | undefined;
  /** The config names it again. */
  readonly revived: undefined;
  readonly redelivered: ActionEntry;
  readonly dismissed: ActionEntry;
  /** By hand. */
  readonly routed_anew: ActionEntry & {
    readonly told: readonly string[];
    readonly untouched: readonly string[];
  };
  /** `who`: destinations. */
  readonly alerted: { readonly alertId: number; readonly who: readonly string[] };
}

export type HistoryWhat = keyof HistoryEntries;

/** A row as it is read: what its `entry` has depends on `what`. */
export type HistoryRow<What extends HistoryWhat = HistoryWhat> = {
  [Each in What]: {
    readonly at: number;
    readonly what: Each;
    readonly deliveryId: number | undefined;
    readonly result: string | undefined;
    readonly entry: HistoryEntries[Each];
  };
}[What];

/** A row to be written. `at`: default: now, by the store's clock. */
export type NewHistoryRow = {
  [What in HistoryWhat]: Partial<HistoryRow<What>> & { readonly callbackId: number; readonly what: What };
}[HistoryWhat];

/** In their order. */
export async function writeHistory(tx: Tx, rows: readonly NewHistoryRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.all(sql`
    INSERT INTO history (callback_id, at, what, delivery_id, result, entry)
    VALUES ${bulk(rows.map((row) => columnsOf(row, tx.now)))}`);
}

/** The same of each of these deliveries. */
export function writeEach<What extends HistoryWhat>(
  tx: Tx,
  rows: readonly { readonly id: number; readonly callbackId: number }[],
  what: What,
  more: { readonly result?: string; readonly entry?: HistoryEntries[What] } = {},
): Promise<void> {
  const each = rows.map(({ id: deliveryId, callbackId }) => ({ callbackId, what, deliveryId, ...more }));
  return writeHistory(tx, each as readonly NewHistoryRow[]);
}

function columnsOf(row: NewHistoryRow, now: number): RawValue[] {
  const { callbackId, at = now, what, deliveryId, result, entry } = row;
  return [callbackId, at, what, deliveryId, result, entry];
}
