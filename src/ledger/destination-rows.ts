/** How each destination did last: written every few seconds by whoever sends, since a write for each message would cost more than it tells. */
import { type Kysely, sql } from 'kysely';
import type { AttemptRecord, DeliveryError } from './ledger.ts';
import type { DestinationRow, Tables } from './tables.ts';

/** What a process has seen of a destination since it last wrote. Times are milliseconds since the epoch, 0 for never. */
export interface DestinationFigures {
  readonly destination: string;
  readonly lastDeliveredAt: number;
  readonly lastFailedAt: number;
  /** Of the last failure. */
  readonly lastError: DeliveryError | undefined;
  /** How long the last sends took; undefined: too few to say. */
  readonly medianMs: number | undefined;
  /** Of twenty, nineteen took less. */
  readonly slowMs: number | undefined;
}

/** `delivered`, or the class of a failure. */
export type AttemptOutcome = AttemptRecord['outcome'];

/** How many attempts came to what since a process last wrote. */
export type AttemptCounts = ReadonlyMap<AttemptOutcome, number>;

export interface DestinationStore {
  /** @throws {LedgerUnavailable} */
  record(figures: readonly DestinationFigures[], attempts: AttemptCounts): Promise<void>;
}

/** Written by one statement. */
const ROWS_AT_ONCE = 100;

export async function recordDestinations(
  trx: Kysely<Tables>,
  figures: readonly DestinationFigures[],
): Promise<void> {
  // In the order in which all lock them.
  const rows = figures.map(rowOf).toSorted((a, b) => (a.destination < b.destination ? -1 : 1));
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
    await upsert(trx, rows.slice(from, from + ROWS_AT_ONCE));
}

/** @param day `2026-01-31`, on which they were made */
export async function countAttempts(trx: Kysely<Tables>, day: string, counts: AttemptCounts): Promise<void> {
  // In the order in which all lock them.
  const rows = [...counts].map(([outcome, attempts]) => ({ day, outcome, attempts })).toSorted(byOutcome);
  if (rows.length === 0) return;
  await trx
    .insertInto('attempt_days')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['day', 'outcome'])
        .doUpdateSet({ attempts: sql<number>`attempt_days.attempts + excluded.attempts` }),
    )
    .execute();
}

function byOutcome(a: { readonly outcome: string }, b: { readonly outcome: string }): number {
  return a.outcome < b.outcome ? -1 : 1;
}

function rowOf({ lastError, ...figures }: DestinationFigures): DestinationRow {
  return {
    destination: figures.destination,
    last_delivered_at: figures.lastDeliveredAt,
    last_failed_at: figures.lastFailedAt,
    error_class: lastError?.class ?? null,
    error_code: lastError?.code ?? null,
    error_message: lastError?.message ?? null,
    median_ms: figures.medianMs ?? null,
    slow_ms: figures.slowMs ?? null,
  };
}

async function upsert(trx: Kysely<Tables>, rows: readonly DestinationRow[]): Promise<void> {
  const later = (column: keyof DestinationRow) =>
    sql<number>`case when excluded.${sql.ref(column)} > destinations.${sql.ref(column)} then excluded.${sql.ref(column)} else destinations.${sql.ref(column)} end`;
  const ofLater = (column: keyof DestinationRow) =>
    sql<string>`case when excluded.last_failed_at > destinations.last_failed_at then excluded.${sql.ref(column)} else destinations.${sql.ref(column)} end`;
  const ifKnown = (column: keyof DestinationRow) =>
    sql<number>`coalesce(excluded.${sql.ref(column)}, destinations.${sql.ref(column)})`;
  await trx
    .insertInto('destinations')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('destination').doUpdateSet({
        last_delivered_at: later('last_delivered_at'),
        last_failed_at: later('last_failed_at'),
        error_class: ofLater('error_class'),
        error_code: ofLater('error_code'),
        error_message: ofLater('error_message'),
        median_ms: ifKnown('median_ms'),
        slow_ms: ifKnown('slow_ms'),
      }),
    )
    .execute();
}
