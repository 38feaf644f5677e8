/** Deliveries whose hold has ended: Botbell's own again, but for the start of a job whose result has come. */
import sql, { join, type Sql } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { writeHistory } from '../history.ts';
import { SUPERSEDED } from '../hold.ts';
import { EXECUTING } from '../rows.ts';
import { holdBack, makePending } from './deliveries.ts';
import { lockDeliveries } from './locks.ts';

const AT_ONCE = 100;

interface EndedHold {
  readonly id: number;
  readonly callback_id: number;
  readonly is_late_start: number;
}

/** @returns how many were looked at; as many as one call takes: there may be more */
export async function releaseHeld(tx: Tx): Promise<number> {
  const found = await tx.all<{ id: number }>(endedHoldsQuery(tx.now, AT_ONCE));
  const ids = found.map(({ id }) => id);
  await lockDeliveries(tx, ids);
  // Of two processes that release at the same moment, the second one finds nothing left.
  const ended = await endedAmong(tx, ids);
  const late = ended.filter(({ is_late_start }) => is_late_start === 1);
  const others = ended.filter((row) => !late.includes(row));
  await holdBack(tx, late, SUPERSEDED);
  await makePending(
    tx,
    others.map(({ id }) => id),
    { countsAnew: false },
  );
  await writeHistory(
    tx,
    others.map(({ id, callback_id }) => ({
      callbackId: callback_id,
      what: 'released' as const,
      deliveryId: id,
    })),
  );
  return ended.length;
}

async function endedAmong(tx: Tx, ids: readonly number[]): Promise<readonly EndedHold[]> {
  if (ids.length === 0) return [];
  return tx.all<EndedHold>(sql`
    SELECT deliveries.id, deliveries.callback_id,
      CASE WHEN callbacks.status = ${EXECUTING} AND jobs.result IS NOT NULL THEN 1 ELSE 0 END AS is_late_start
    FROM deliveries JOIN callbacks ON callbacks.id = deliveries.callback_id LEFT JOIN jobs ON jobs.key = deliveries.job_key
    WHERE deliveries.id IN (${join(ids)}) AND hold_until <= ${tx.now}`);
}

/** By the index of holds that end. */
export function endedHoldsQuery(now: number, most: number): Sql {
  return sql`SELECT id FROM deliveries WHERE hold_until <= ${now} ORDER BY hold_until LIMIT ${most}`;
}
