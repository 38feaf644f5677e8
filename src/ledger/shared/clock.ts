/** After the store's clock was set back: nothing that it made waits for longer than its own kind can ask for. */
import sql, { raw, type Sql } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import type { BurstWindow } from '../../signal/decide.ts';
import { LONGEST_PAUSE_MS } from '../../channels/failure.ts';
import { LONGEST_BACKOFF_MS } from '../deliveries/failing.ts';
import { HAS_DELIVERED } from '../incidents/signs.ts';
import { destinationOfBurst } from '../timers/admission.ts';
import { type OpenRunTimer, putTimers, type KnownTimer } from '../timers/timers.ts';

export interface LongestWaits {
  /** For the service, before a delivery becomes Botbell's own. */
  readonly takeOverAfterMs: number;
}

/** Times that lie a little ahead are replicas' clocks and rounding. */
const SLACK_MS = 1000;

/** No slot is further away. */
const LONGEST_PACE_MS = LONGEST_PAUSE_MS + 60_000;

/** What cannot be is over, or begins anew now. */
export async function correctTimes(tx: Tx, { takeOverAfterMs }: LongestWaits): Promise<void> {
  const { now } = tx;
  const update = (what: Sql, which: Sql) =>
    tx.all(sql`UPDATE deliveries SET ${what} WHERE id IN (
      SELECT id FROM deliveries WHERE ${which} ORDER BY +id ${tx.forUpdate})`);
  const isPending = sql`state = 'pending' AND destination >= ''`;
  await update(
    sql`due_at = ${byOwner(now, now + takeOverAfterMs)}`,
    sql`${isPending} AND due_at > ${byOwner(now + LONGEST_BACKOFF_MS + SLACK_MS, now + takeOverAfterMs + SLACK_MS)}`,
  );
  // It is given up when `give_up_after` is over from now on.
  await update(
    sql`counts_from = ${now}, waited_ms = 0`,
    sql`${isPending} AND counts_from + waited_ms > ${now + SLACK_MS}`,
  );
  // What was held then had waited for as long as it was set ahead, and would be given up with the end of its hold.
  await update(
    sql`updated_at = ${now}, counts_from = ${now}, waited_ms = 0`,
    sql`held_until IS NOT NULL AND updated_at > ${now + SLACK_MS}`,
  );
  // A snooze that was begun ahead of time lasts as long as it was to, from now on.
  await tx.all(sql`
    UPDATE snoozes SET until_at = ${now} + until_at - created_at, created_at = ${now}
    WHERE created_at > ${now + SLACK_MS} AND until_at > created_at`);
  // Who is said to have been seen later was alive until now, as far as anybody knows.
  await tx.all(sql`UPDATE processes SET seen_at = ${now} WHERE seen_at > ${now}`);
  await tx.all(sql`UPDATE processes SET loaded_at = ${now} WHERE loaded_at > ${now}`);
  await tx.all(sql`DELETE FROM paces WHERE next_at > ${now + LONGEST_PACE_MS}`);
  await tx.all(sql`
    UPDATE destinations SET failing_since = NULL, failing_at = NULL WHERE failing_at > ${now + SLACK_MS}`);
  await correctTimers(tx);
  await correctIncidents(tx);
}

/** @param own where the delivery is Botbell's own to try again, `others` where it is the service's */
function byOwner(own: number, others: number): Sql {
  return sql`CASE WHEN is_taken_over = 1 THEN CAST(${own} AS BIGINT) ELSE CAST(${others} AS BIGINT) END`;
}

/** What is over with its next success, or so long after its last sign, is so again; what had delivered after that has still. */
async function correctIncidents(tx: Tx): Promise<void> {
  const { now } = tx;
  const latest = now + SLACK_MS;
  const atMost = (column: string, most: Sql) =>
    sql`${raw(column)} = CASE WHEN ${raw(column)} > ${latest} THEN CAST(${most} AS BIGINT) ELSE ${raw(column)} END`;
  const lastAt = sql`CASE WHEN ${HAS_DELIVERED} THEN ${now - 1} ELSE ${now} END`;
  await tx.all(sql`
    UPDATE incidents SET ${atMost('since', sql`${now}`)}, ${atMost('over_at', sql`${now}`)}, ${atMost('last_at', lastAt)}
    WHERE id IN (
      SELECT id FROM incidents WHERE last_at > ${latest} OR over_at > ${latest} ORDER BY kind, subject_key ${tx.forUpdate})`);
  await tx.all(sql`UPDATE destinations SET last_delivered_at = ${now} WHERE last_delivered_at > ${latest}`);
}

/** A window that was to begin later is over, and so is what it holds; a run is overdue no later than if it had begun now. */
async function correctTimers(tx: Tx): Promise<void> {
  const timers = await tx.all<KnownTimer<Partial<BurstWindow & OpenRunTimer> | undefined>>(
    sql`SELECT key, due_at, data FROM timers WHERE kind IN ('burst', 'overdue') ORDER BY key`,
  );
  for (const { key, dueAt, data } of timers) {
    const { startedAt = 0, overdueMs = Infinity } = data ?? {};
    const latest = tx.now + overdueMs;
    if (dueAt > latest + SLACK_MS) await putTimers(tx, [{ key, dueAt: latest, data: { ...data } }]);
    if (startedAt <= tx.now + SLACK_MS) continue;
    await tx.all(sql`
      UPDATE deliveries SET held_until = ${tx.now}
      WHERE held_until IS NOT NULL AND reason = 'burst' AND destination = ${destinationOfBurst(key)}`);
  }
}
