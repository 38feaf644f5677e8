/** The rows of table `history`: each transition of a callback or of one of its deliveries, in the order in which they were written. */
import { shared, type Tx } from '../database.ts';
import type { DeliveryError } from '../ledger.ts';

/** The person who took an action, as the story names them. */
export interface Actor {
  readonly via: 'page' | 'api' | 'command line';
  /** The user of Basic authentication or of a trusted proxy's header; on the command line, the system's user. Undefined: not known. */
  readonly user: string | undefined;
  /** The client's address; on the command line, the host's name. */
  readonly from: string;
}

/** A callback's receipts past this many get no rows: more of them would not help a reader of its story. */
export const MOST_TIMES = 1000;

export interface ActionEntry {
  readonly actor: Actor;
  readonly bulkId?: number | undefined;
}

/** The type of a row's `entry` for each `what`; kept as JSON. Times are milliseconds since 1970. */
export interface HistoryEntries {
  /** How often the callback has been received by now; the first time has no row. */
  readonly received: { readonly times: number };
  /** A routing after the first one (that is in `callbacks.routing`). `explanations`: the router's. */
  readonly routed: { readonly by: 'config' | 'hand'; readonly explanations: unknown };
  /** `result`: `delivered`, or the failure's class. */
  readonly attempt: { readonly durationMs: number; readonly error?: DeliveryError | undefined };
  /** `result`: what was answered; `at`: when; `status`: the HTTP status. */
  readonly answered: { readonly receivedAt: number; readonly status: number };
  readonly taken_over: undefined;
  /** `result`: the reason of the hold. */
  readonly held: { readonly endsAt?: number | undefined } | undefined;
  readonly released: undefined;
  readonly summarised: { readonly summaryId: number };
  readonly told_in_summary: { readonly summaryId: number };
  /** `result`: the class of the last failure, or `no longer routed`. */
  readonly dead: { readonly error: DeliveryError | undefined } | undefined;
  /** It was no longer routed, and the config names its destination again. */
  readonly revived: undefined;
  readonly redelivered: ActionEntry;
  readonly dismissed: ActionEntry;
  readonly routed_anew: ActionEntry & {
    readonly told: readonly string[];
    readonly untouched: readonly string[];
  };
  /** A step of the route's `then`: further destinations are told. */
  readonly escalated: { readonly route: string; readonly who: readonly string[] };
  readonly alerted: { readonly alertId: number; readonly who: readonly string[] };
}

export type HistoryWhat = keyof HistoryEntries;

/** A row as it is read; its `what` decides the type of its `entry`. */
export type HistoryRow<What extends HistoryWhat = HistoryWhat> = {
  [Each in What]: {
    readonly at: number;
    readonly what: Each;
    readonly deliveryId: number | undefined;
    readonly result: string | undefined;
    readonly entry: HistoryEntries[Each];
  };
}[What];

/** A row to be written. `at`: now by default, by the store's clock. */
export type NewHistoryRow = {
  [What in HistoryWhat]: Partial<HistoryRow<What>> & { readonly callbackId: number; readonly what: What };
}[HistoryWhat];

const newRow = shared('bigint bigint text bigint text text');

export async function writeHistory(tx: Tx, rows: readonly NewHistoryRow[]): Promise<void> {
  await Promise.all(
    rows.map(({ callbackId, at = tx.now, what, deliveryId, result, entry }) =>
      tx.all(newRow`
        INSERT INTO history (callback_id, at, what, delivery_id, result, entry)
        VALUES (${callbackId}, ${at}, ${what}, ${deliveryId}, ${result}, ${entry})`),
    ),
  );
}

export function writeHistoryOf<What extends HistoryWhat>(
  tx: Tx,
  rows: readonly { readonly id: number; readonly callbackId: number }[],
  what: What,
  more: { readonly result?: string | undefined; readonly entry?: HistoryEntries[What] } = {},
): Promise<void> {
  const each = rows.map(({ id: deliveryId, callbackId }) => ({ callbackId, what, deliveryId, ...more }));
  return writeHistory(tx, each as readonly NewHistoryRow[]);
}
