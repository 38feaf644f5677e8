/** All that the ledger knows of one callback. */
import sql, { join } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import type { HistoryRow } from '../history.ts';
import type {
  ArchivedDelivery,
  ArchivedPause,
  CallbackKind,
  CallbackStory,
  DeliveryOfCallback,
} from './archive.ts';
import type { NoticeRow } from '../rows.ts';
import { archivedCallback, CALLBACK_COLUMNS, type CallbackColumns } from './callback-rows.ts';
import { deliveriesOf } from './delivery-rows.ts';

/** Of what comes again and again, the newest. */
const MOST_HISTORY = 1000;

type StoryRow = CallbackColumns & { readonly kind: string; readonly routing: string };

/** Also of an alert. */
export async function readStory(tx: Tx, id: number): Promise<CallbackStory | undefined> {
  const found = await tx.first<StoryRow>(
    sql`SELECT ${CALLBACK_COLUMNS}, kind, routing FROM callbacks WHERE id = ${id}`,
  );
  if (found === undefined) return undefined;
  const { kind, routing, ...row } = found;
  const deliveries = (await deliveriesOf(tx, [id])).get(id) ?? [];
  const history = await historyOf(tx, id);
  return {
    ...archivedCallback(row, deliveries),
    kind: kind as CallbackKind,
    routing: JSON.parse(routing) as unknown,
    pauses: await pausesOf(tx, deliveries),
    history,
    alerts: history.flatMap((each) => (each.what === 'alerted' ? [each.entry.alertId] : [])),
  };
}

async function historyOf(tx: Tx, callbackId: number): Promise<HistoryRow[]> {
  const rows = await tx.all<{
    readonly at: number;
    readonly what: string;
    readonly delivery_id: number | null;
    readonly result: string | null;
    readonly entry: string | null;
  }>(sql`
    SELECT at, what, delivery_id, result, entry FROM history
    WHERE callback_id = ${callbackId} ORDER BY id DESC LIMIT ${MOST_HISTORY}`);
  return rows.toReversed().map(
    ({ at, what, delivery_id, result, entry }) =>
      ({
        at,
        what,
        deliveryId: delivery_id ?? undefined,
        result: result ?? undefined,
        entry: entry === null ? undefined : (JSON.parse(entry) as unknown),
      }) as HistoryRow,
  );
}

async function pausesOf(
  tx: Tx,
  deliveries: readonly Pick<ArchivedDelivery, 'destination' | 'channel'>[],
): Promise<readonly ArchivedPause[]> {
  const places = [...new Set(deliveries.flatMap(({ destination, channel }) => [destination, channel]))];
  if (places.length === 0) return [];
  const rows = await tx.all<{ readonly key: string; readonly next_at: number }>(
    sql`SELECT key, next_at FROM paces WHERE key IN (${join(places)}) AND next_at > ${tx.now} ORDER BY key`,
  );
  return rows.map(({ key, next_at }) => ({ destination: key, nextInMs: next_at - tx.now }));
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
    sql`SELECT kind, started_at, times_received, body FROM callbacks WHERE id = ${id}`,
  );
}
