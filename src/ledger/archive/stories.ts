/** Callbacks with their deliveries, and all that the ledger knows of one. */
import sql, { join, type Sql } from 'sql-template-tag';
import type { StatusCode } from '../../callback/callback.ts';
import type { Tx } from '../database.ts';
import type { HistoryRow } from '../history.ts';
import type { CallbackResult } from '../ledger.ts';
import { deliveryRecord, type DeliveryRow, EARLIER_IN_JOB, type NoticeRow } from '../rows.ts';
import type {
  ArchivedCallback,
  ArchivedDelivery,
  ArchivedPause,
  CallbackKind,
  CallbackStory,
  DeliveryOfCallback,
} from './archive.ts';

interface CallbackRow extends Omit<ArchivedCallback, 'status' | 'elapsedSeconds' | 'result' | 'deliveries'> {
  readonly status: number;
  readonly elapsedSeconds: number | null;
  readonly result: string | null;
  readonly kind: string;
  readonly routing: string;
}

/** The newest first. */
async function callbackRows(tx: Tx, which: Sql): Promise<readonly CallbackRow[]> {
  return tx.all<CallbackRow>(sql`
    SELECT id, job_id AS "jobId", bot_id AS "botId", bot_name AS "botName", status, started_at AS "startedAt",
      received_at AS "receivedAt", last_received_at AS "lastReceivedAt", times_received AS "timesReceived",
      elapsed AS "elapsedSeconds", result, kind, routing
    FROM callbacks WHERE ${which} ORDER BY id DESC`);
}

function archivedCallback(
  { status, elapsedSeconds, result, kind: _kind, routing: _routing, ...row }: CallbackRow,
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

/** The newest first. */
export async function callbacksWith(tx: Tx, ids: readonly number[]): Promise<readonly ArchivedCallback[]> {
  if (ids.length === 0) return [];
  const deliveries = await deliveriesOf(tx, ids);
  const rows = await callbackRows(tx, sql`id IN (${join(ids)})`);
  return rows.map((row) => archivedCallback(row, deliveries.get(row.id) ?? []));
}

type ArchivedRow = DeliveryRow & { readonly waits: number };

/** Of each callback, in the order in which they were planned. */
async function deliveriesOf(
  tx: Tx,
  callbackIds: readonly number[],
): Promise<ReadonlyMap<number, readonly ArchivedDelivery[]>> {
  const rows = await tx.all<ArchivedRow>(sql`
    SELECT deliveries.*, CASE WHEN state = 'pending' AND EXISTS (${EARLIER_IN_JOB}) THEN 1 ELSE 0 END AS waits
    FROM deliveries WHERE callback_id IN (${join(callbackIds)}) ORDER BY id`);
  const grouped = new Map(callbackIds.map((id): [number, ArchivedDelivery[]] => [id, []]));
  for (const row of rows) grouped.get(row.callback_id)?.push(archivedDelivery(row, tx.now));
  return grouped;
}

function archivedDelivery(row: ArchivedRow, now: number): ArchivedDelivery {
  const isPending = row.state === 'pending';
  return {
    ...deliveryRecord(row, now, { claim: undefined, behind: undefined }),
    isClaimed: isPending && (row.claimed_until ?? 0) > now,
    updatedAt: row.updated_at,
    dueInMs: isPending && row.waits === 0 ? row.due_at - now : undefined,
  };
}

const MOST_ALERTS = 20;

/** Of what comes again and again, the newest. */
const MOST_HISTORY = 1000;

/** Also of an alert. */
export async function readStory(tx: Tx, id: number): Promise<CallbackStory | undefined> {
  const [found] = await callbackRows(tx, sql`id = ${id}`);
  if (found === undefined) return undefined;
  const deliveries = (await deliveriesOf(tx, [id])).get(id) ?? [];
  const history = await historyOf(tx, id);
  const alertIds = history.flatMap((each) => (each.what === 'alerted' ? [each.entry.alertId] : []));
  return {
    ...archivedCallback(found, deliveries),
    kind: found.kind as CallbackKind,
    routing: JSON.parse(found.routing) as unknown,
    pauses: await pausesOf(tx, deliveries),
    history,
    alerts: (await callbacksWith(tx, alertIds.slice(-MOST_ALERTS))).toReversed(),
  };
}

async function historyOf(tx: Tx, callbackId: number): Promise<HistoryRow[]> {
  const rows = await tx.all<{
    readonly at: number;
    readonly what: string;
    readonly deliveryId: number | null;
    readonly result: string | null;
    readonly entry: string | null;
  }>(sql`
    SELECT at, what, delivery_id AS "deliveryId", result, entry FROM history
    WHERE callback_id = ${callbackId} ORDER BY id DESC LIMIT ${MOST_HISTORY}`);
  return rows.toReversed().map(({ deliveryId, result, entry, ...row }) => {
    const read = entry === null ? undefined : (JSON.parse(entry) as unknown);
    return {
      ...row,
      deliveryId: deliveryId ?? undefined,
      result: result ?? undefined,
      entry: read,
    } as HistoryRow;
  });
}

async function pausesOf(tx: Tx, deliveries: readonly ArchivedDelivery[]): Promise<readonly ArchivedPause[]> {
  const places = [...new Set(deliveries.flatMap(({ destination, channel }) => [destination, channel]))];
  if (places.length === 0) return [];
  return tx.all<ArchivedPause>(sql`
    SELECT key AS destination, next_at - ${tx.now} AS "nextInMs" FROM paces
    WHERE key IN (${join(places)}) AND next_at > ${tx.now} ORDER BY key`);
}

export async function readDelivery(tx: Tx, id: number): Promise<DeliveryOfCallback | undefined> {
  const found = await tx.first<{ readonly callbackId: number; readonly kind: string }>(sql`
    SELECT callback_id AS "callbackId", kind FROM deliveries JOIN callbacks ON callbacks.id = deliveries.callback_id
    WHERE deliveries.id = ${id}`);
  if (found === undefined) return undefined;
  const { callbackId, kind } = found;
  const delivery = (await deliveriesOf(tx, [callbackId])).get(callbackId)?.find((each) => each.id === id);
  if (delivery === undefined) return undefined;
  const config = await tx.first<{ readonly hash: string }>(
    sql`SELECT hash FROM loaded_configs WHERE loaded_at <= ${delivery.updatedAt} ORDER BY id DESC LIMIT 1`,
  );
  return { delivery, callbackId, kind: kind as CallbackKind, configHash: config?.hash };
}

/** As its body stands: what it says is read by whoever asks. */
export function readCallback(tx: Tx, id: number): Promise<NoticeRow | undefined> {
  return tx.first<NoticeRow>(
    sql`SELECT kind, started_at, times_received, body FROM callbacks JOIN bodies ON callback_id = id WHERE id = ${id}`,
  );
}
