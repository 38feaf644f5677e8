/** Deliveries as the archive gives them. */
import sql, { join } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { deliveryRecord, type DeliveryRow, EARLIER_IN_JOB } from '../rows.ts';
import type { ArchivedDelivery } from './archive.ts';

type ArchivedRow = DeliveryRow & { readonly waits: number };

/** Of each callback, in the order in which they were planned. */
export async function deliveriesOf(
  tx: Tx,
  callbackIds: readonly number[],
): Promise<ReadonlyMap<number, readonly ArchivedDelivery[]>> {
  const grouped = new Map(callbackIds.map((id): [number, ArchivedDelivery[]] => [id, []]));
  if (callbackIds.length === 0) return grouped;
  const rows = await tx.all<ArchivedRow>(sql`
    SELECT deliveries.*, CASE WHEN state = 'pending' AND EXISTS (${EARLIER_IN_JOB}) THEN 1 ELSE 0 END AS waits
    FROM deliveries WHERE callback_id IN (${join(callbackIds)}) ORDER BY id`);
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
