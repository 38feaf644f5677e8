/** Deliveries whose hold has ended: Botbell's own again, but for the start of a job whose result has come. */
import sql from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { writeEach } from '../history.ts';
import { SUPERSEDED } from '../hold.ts';
import { withCallbacks } from '../rows.ts';
import { holdBack, makePending } from './deliveries.ts';
import { lockDeliveries } from './locks.ts';

const AT_ONCE = 100;

/** @returns how many were looked at; as many as one call takes: there may be more */
export async function releaseHeld(tx: Tx): Promise<number> {
  const found = await tx.all<{ id: number }>(
    sql`SELECT id FROM deliveries WHERE hold_until <= ${tx.now} ORDER BY hold_until LIMIT ${AT_ONCE}`,
  );
  const ids = found.map(({ id }) => id);
  await lockDeliveries(tx, ids);
  // Of two processes that release at the same moment, the second one finds nothing left.
  const ended = (await withCallbacks(tx, ids)).filter((row) => (row.hold_until ?? Infinity) <= tx.now);
  const late = ended.filter(({ is_late_start }) => is_late_start === 1);
  const others = ended.filter((row) => !late.includes(row));
  await holdBack(tx, late, SUPERSEDED);
  await makePending(
    tx,
    others.map(({ id }) => id),
    { countsAnew: false },
  );
  await writeEach(tx, others, 'released');
  return ended.length;
}
