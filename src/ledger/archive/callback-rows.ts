/** Callbacks with their deliveries, as the archive gives them. */
import sql, { join, type Sql } from 'sql-template-tag';
import type { StatusCode } from '../../callback/callback.ts';
import type { Tx } from '../database.ts';
import type { CallbackResult } from '../ledger.ts';
import type { ArchivedCallback, ArchivedDelivery } from './archive.ts';
import { deliveriesOf } from './delivery-rows.ts';

/** By the names that `ArchivedCallback` has. */
export const CALLBACK_COLUMNS: Sql = sql`id, job_id AS "jobId", bot_id AS "botId", bot_name AS "botName", status,
  started_at AS "startedAt", received_at AS "receivedAt", last_received_at AS "lastReceivedAt",
  times_received AS "timesReceived", elapsed AS "elapsedSeconds", result`;

export interface CallbackColumns {
  readonly id: number;
  readonly jobId: string;
  readonly botId: string;
  readonly botName: string;
  readonly status: number;
  readonly startedAt: number;
  readonly receivedAt: number;
  readonly lastReceivedAt: number;
  readonly timesReceived: number;
  readonly elapsedSeconds: number | null;
  readonly result: string | null;
}

/** @returns the newest first */
export async function callbacksWith(tx: Tx, ids: readonly number[]): Promise<readonly ArchivedCallback[]> {
  if (ids.length === 0) return [];
  const rows = await tx.all<CallbackColumns>(
    sql`SELECT ${CALLBACK_COLUMNS} FROM callbacks WHERE id IN (${join(ids)}) ORDER BY id DESC`,
  );
  const deliveries = await deliveriesOf(tx, ids);
  return rows.map((row) => archivedCallback(row, deliveries.get(row.id) ?? []));
}

export function archivedCallback(
  { status, elapsedSeconds, result, ...row }: CallbackColumns,
  deliveries: readonly ArchivedDelivery[],
): ArchivedCallback {
  return {
    ...row,
    status: status as StatusCode,
    elapsedSeconds: elapsedSeconds ?? undefined,
    result: (result ?? undefined) as CallbackResult | undefined,
    deliveries,
  };
}
