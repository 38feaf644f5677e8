/** Corrects stored times after the store's clock was set back, so that nothing waits longer than its kind ever does. */
import sql, { raw, type Sql } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import type { BurstWindow } from '../../signal/decide.ts';
import { LONGEST_PAUSE_MS } from '../../channels/failure.ts';
import { LONGEST_BACKOFF_MS } from '../deliveries/failing.ts';
import { HAS_DELIVERED } from '../incidents/telling.ts';
import { destinationOf, type OpenRunTimer, putTimers, type Timer } from '../timers/timers.ts';

/** Times so little ahead of the store's clock come from replicas' clocks and rounding. */
const SLACK_MS = 1000;

/** No slot is further away. */
const LONGEST_PACE_MS = LONGEST_PAUSE_MS + 60_000;

/** What has an impossible time is over, or begins anew now. @param takeOverAfterMs how long the service retries a delivery before Botbell takes it over */
export async function correctTimes(tx: Tx, takeOverAfterMs: number): Promise<void> {
  const { now } = tx;
  const update = (what: Sql, which: Sql) =>
    tx.all(sql`UPDATE deliveries SET ${what} WHERE id IN (
      SELECT id FROM deliveries WHERE ${which} ORDER BY +id ${tx.forUpdate})`);
  const isPending = sql`state = 'pending' AND destination >= ''`;
  await update(
    sql`due_at = ${byOwner(now, now + takeOverAfterMs)}`,
    sql`${isPending} AND due_at > ${byOwner(now + LONGEST_BACKOFF_MS + SLACK_MS, now + takeOverAfterMs + SLACK_MS)}`,
  );
  // Their age begins anew: they are given up `give_up_after` from now.
  await update(
    sql`counts_from = ${now}, waited_ms = 0`,
    sql`${isPending} AND counts_from + waited_ms > ${now + SLACK_MS}`,
  );
  // Deliveries that were held while the clock was ahead would age by as much as it was, and be given up at the end of their hold.
  await update(
    sql`updated_at = ${now}, counts_from = ${now}, waited_ms = 0`,
    sql`held_until IS NOT NULL AND updated_at > ${now + SLACK_MS}`,
  );
  // A snooze that began while the clock was ahead lasts its full length, from now on.
  await tx.all(sql`
    UPDATE snoozes SET until_at = ${now} + until_at - created_at, created_at = ${now}
    WHERE created_at > ${now + SLACK_MS} AND until_at > created_at`);
  // A process whose heartbeat lies ahead was alive until now, as far as anybody knows.
  await tx.all(sql`UPDATE processes SET seen_at = ${now} WHERE seen_at > ${now}`);
  await tx.all(sql`UPDATE processes SET loaded_at = ${now} WHERE loaded_at > ${now}`);
  await tx.all(sql`DELETE FROM paces WHERE next_at > ${now + LONGEST_PACE_MS}`);
  await tx.all(sql`
    UPDATE destinations SET failing_since = NULL, failing_at = NULL WHERE failing_at > ${now + SLACK_MS}`);
  await correctTimers(tx);
  await correctIncidents(tx);
}

/** @param own of deliveries that are taken over @param others of those that the service retries */
function byOwner(own: number, others: number): Sql {
  return sql`CASE WHEN is_taken_over = 1 THEN CAST(${own} AS BIGINT) ELSE CAST(${others} AS BIGINT) END`;
}

/** The next success, or enough time since the last sign, ends an incident again; a delivery that came after its last sign still does. */
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

/** A burst's window that begins in the future is over, and so are its holds; ended holds are due; a run is overdue no later than if it had begun now. */
async function correctTimers(tx: Tx): Promise<void> {
  const timers = await tx.all<Timer<Partial<BurstWindow & OpenRunTimer> | undefined>>(
    sql`SELECT key, kind, due_at, data FROM timers WHERE kind IN ('burst', 'overdue', 'hold') ORDER BY key`,
  );
  for (const { key, kind, dueAt, data } of timers) {
    const { startedAt = 0, overdueMs = kind === 'hold' ? 0 : Infinity } = data ?? {};
    const latest = tx.now + overdueMs;
    if (dueAt > latest + SLACK_MS) await putTimers(tx, [{ key, dueAt: latest, data: { ...data } }]);
    if (startedAt <= tx.now + SLACK_MS) continue;
    await tx.all(sql`
      UPDATE deliveries SET held_until = ${tx.now}
      WHERE held_until IS NOT NULL AND reason = 'burst' AND destination = ${destinationOf({ key })}`);
  }
}
