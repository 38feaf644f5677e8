/** Reads callbacks with their deliveries, one callback's story, one delivery, and bodies. */
import sql, { join } from 'sql-template-tag';
import type { Escalation, NextStep } from '../../incident/escalation.ts';
import type { Tx } from '../database.ts';
import type { HistoryRow } from '../callbacks/history.ts';
import { probesOf } from '../deliveries/failing.ts';
import { deliveriesOf, type DeliveryRow, type NoticeRow, RESULT, withCallbacks } from '../deliveries/rows.ts';
import { storedText } from '../callbacks/stored-body.ts';
import { currentPaces } from '../shared/paces.ts';
import {
  type ArchivedCallback,
  type CallbackStory,
  type DeliveryOfCallback,
  MOST_HISTORY,
} from './archive.ts';

const ARCHIVED = sql`id, kind, job_id, bot_id, bot_name, status, started_at, received_at, times_received,
  elapsed AS elapsed_seconds, ${RESULT} AS result, error AS gist`;

/** Newest first. */
export async function callbacksWith(tx: Tx, ids: readonly number[]): Promise<readonly ArchivedCallback[]> {
  if (ids.length === 0) return [];
  const deliveries = await deliveriesOf(tx, ids);
  const rows = await tx.all<Omit<ArchivedCallback, 'deliveries'>>(
    sql`SELECT ${ARCHIVED} FROM callbacks WHERE id IN (${join(ids)}) ORDER BY id DESC`,
  );
  return rows.map((row) => ({
    ...row,
    deliveries: deliveries.filter(({ callbackId }) => callbackId === row.id),
  }));
}

export async function readStory(tx: Tx, id: number): Promise<CallbackStory | undefined> {
  const row = await tx.first<Omit<CallbackStory, 'deliveries' | 'history' | 'next'> & { botKey: string }>(
    sql`SELECT ${ARCHIVED}, about, routing, bot_key FROM callbacks WHERE id = ${id}`,
  );
  if (row === undefined) return undefined;
  const { botKey, ...found } = row;
  const next = found.status === 1 ? await nextSteps(tx, botKey, found.receivedAt) : [];
  const probes = await probesOf(tx);
  const pauses = new Map((await currentPaces(tx)).map(({ key, pausedMs = 0 }) => [key, pausedMs]));
  const deliveries = (await deliveriesOf(tx, [id])).map((delivery) => {
    const { destination, channel, isTakenOver } = delivery;
    const pausedMs = isTakenOver ? Math.max(...[destination, channel].map((key) => pauses.get(key) ?? 0)) : 0;
    // Nothing is sent in a pause, whoever was asked for it.
    const dueInMs = pausedMs > 0 ? Math.max(delivery.dueInMs, pausedMs) : delivery.dueInMs;
    return { ...delivery, dueInMs, probeInMs: probes.get(destination) };
  });
  const newest = await tx.all<HistoryRow>(sql`
    SELECT at, what, delivery_id, result, entry FROM history
    WHERE callback_id = ${id} ORDER BY id DESC LIMIT ${MOST_HISTORY}`);
  const history = [...plainCourse(deliveries), ...newest.toReversed()].toSorted((a, b) => a.at - b.at);
  return { ...found, deliveries, history: history.slice(-MOST_HISTORY), next };
}

async function nextSteps(tx: Tx, botKey: string, receivedAt: number): Promise<readonly NextStep[]> {
  const timers = await tx.all<{ data: Escalation }>(sql`
    SELECT data FROM timers WHERE kind = 'escalation' AND key LIKE (
      SELECT 'escalation ' || id || ' %' FROM incidents
      WHERE kind = 'bot' AND subject_key = ${botKey} AND over_at IS NULL AND since <= ${receivedAt}
        AND (taken_up IS NULL OR timers.data LIKE '%"unlessDelivered":true%'))`);
  return timers.flatMap(({ data }) => data.next ?? []).toSorted((a, b) => a.at - b.at);
}

/** What has no rows of history, since the deliveries' own rows say it. */
function plainCourse(deliveries: readonly DeliveryRow[]): readonly HistoryRow[] {
  const attempts = deliveries.flatMap(
    ({ id: deliveryId, toldAt: at, toldMs: durationMs = 0 }): HistoryRow[] =>
      at === undefined
        ? []
        : [{ at, what: 'attempt', deliveryId, result: 'delivered', entry: { startedAt: at, durationMs } }],
  );
  const answers = deliveries.flatMap(({ postedAt, answeredAt: at }): HistoryRow[] => {
    if (at === undefined) return [];
    const result = postedAt === undefined ? 'accepted' : 'delivered';
    const entry = { receivedAt: postedAt ?? at, status: 200 };
    return [{ at, what: 'answered', deliveryId: undefined, result, entry }];
  });
  return [...attempts, ...answers];
}

export async function readDelivery(tx: Tx, id: number): Promise<DeliveryOfCallback | undefined> {
  const [delivery] = await withCallbacks(tx, [id]);
  const told = delivery && (await readTold(tx, delivery.callbackId));
  if (delivery === undefined || told === undefined) return undefined;
  const config = await tx.first<{ readonly hash: string }>(
    sql`SELECT hash FROM loaded_configs WHERE loaded_at <= ${delivery.updatedAt} ORDER BY id DESC LIMIT 1`,
  );
  return { delivery, told, configHash: config?.hash };
}

function readTold(tx: Tx, id: number): Promise<NoticeRow | undefined> {
  return tx.first<NoticeRow>(
    sql`SELECT kind, started_at, times_received, body FROM callbacks WHERE id = ${id}`,
  );
}

/** The callback as received: JSON in UTF-8. */
export async function readBody(tx: Tx, id: number): Promise<Uint8Array | undefined> {
  const row = await readTold(tx, id);
  return row && Buffer.from(storedText(row.body));
}
