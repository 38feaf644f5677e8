/** What becomes of deliveries that the config no longer sends where they were to go, and of those that it sends there again. */
import sql, { join } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { writeEach, writeHistory } from '../history.ts';
import type { Rerouted, Rerouting, UnroutedRow } from '../ledger.ts';
import { isIdle, withCallbacks } from '../rows.ts';
import { insertRows, makePending } from './deliveries.ts';
import {
  type Channels,
  gained,
  hasUnderAnotherName,
  isUnrouted,
  type Sibling,
  siblingsOf,
} from './gained.ts';
import { lockDeliveries } from './locks.ts';
import { isDecider } from './processes.ts';
import { decide, dueAfter, entriesOf, writeDecision } from './settle.ts';

/** @returns undefined, nothing done: this process may not */
export async function reroute(
  tx: Tx,
  { callbackId, update, targets, routing }: Rerouting,
  channels: Channels,
): Promise<Rerouted | undefined> {
  if (!(await isDecider(tx))) return undefined;
  await lockDeliveries(tx, [update.id]);
  const [row] = await withCallbacks(tx, [update.id]);
  const decision = decide(row, update, tx);
  if (row === undefined || decision === undefined) return { added: [], due: [] };
  await writeDecision(tx, decision);
  const { lacking, revived } = gained(
    targets,
    await siblingsOf(tx, sql`${callbackId}`),
    channels,
    isUnrouted,
  );
  await insertRows(tx, { callbackId, jobKey: row.job_key, targets: lacking });
  await reviveRows(tx, revived);
  await writeHistory(tx, [
    { callbackId, what: 'routed', entry: { by: 'config', explanations: routing } },
    ...entriesOf(decision),
  ]);
  const added = [...lacking, ...revived].map(({ destination }) => destination);
  return { added, due: [...new Set(await dueAfter(tx, [], [decision]))] };
}

const AT_ONCE = 100;

/**
 * Makes due what Botbell has put off, and nobody has in hand. What another transaction is writing at this moment is in its hands.
 * @returns whether there is more
 */
export async function hasten(tx: Tx): Promise<boolean> {
  const rows = await tx.all(sql`
    UPDATE deliveries SET due_at = ${tx.now}
    WHERE id IN (
      SELECT id FROM deliveries WHERE state = 'pending' AND is_ours = 1 AND due_at > ${tx.now} AND ${isIdle(tx.now)}
      ORDER BY id LIMIT ${AT_ONCE} ${tx.skipLocked})
    RETURNING id`);
  return rows.length === AT_ONCE;
}

interface UnroutedColumns extends Omit<UnroutedRow, 'ageMs'> {
  readonly counts_from: number;
  readonly waited_ms: number;
}

/** The next of what ended because no route named it. */
export async function unroutedAfter(tx: Tx, id: number): Promise<readonly UnroutedRow[]> {
  const rows = await tx.all<UnroutedColumns>(sql`
    SELECT deliveries.id, destination, callback_id AS "callbackId", kind, bot_id AS "botId", status, state, counts_from, waited_ms
    FROM deliveries JOIN callbacks ON callbacks.id = deliveries.callback_id
    WHERE hold_code = 'no longer routed' AND deliveries.id > ${id} ORDER BY deliveries.id LIMIT ${AT_ONCE}`);
  return rows.map(({ counts_from, waited_ms, ...row }) => ({
    ...row,
    ageMs: tx.now - counts_from - waited_ms,
  }));
}

/** Makes those Botbell's own again that nobody has been told of under another name of their channel. @returns their ids */
export async function revive(
  tx: Tx,
  routed: readonly { readonly id: number; readonly routing: unknown }[],
  channels: Channels,
): Promise<readonly number[]> {
  if (routed.length === 0 || !(await isDecider(tx))) return [];
  const ids = routed.map(({ id }) => id);
  await lockDeliveries(tx, ids);
  const siblings = await siblingsOf(tx, sql`SELECT callback_id FROM deliveries WHERE id IN (${join(ids)})`);
  const revived = siblings.filter((row) => {
    const others = siblings.filter(({ callback_id }) => callback_id === row.callback_id);
    return ids.includes(row.id) && isUnrouted(row) && !hasUnderAnotherName(row, others, channels);
  });
  const routings = new Map(routed.map(({ id, routing }) => [id, routing]));
  // One of each callback.
  const firsts = revived.filter(
    (row, index) => revived.findIndex(({ callback_id }) => callback_id === row.callback_id) === index,
  );
  await writeHistory(
    tx,
    firsts.map(({ id, callback_id: callbackId }) => ({
      callbackId,
      what: 'routed',
      entry: { by: 'config', explanations: routings.get(id) },
    })),
  );
  await reviveRows(tx, revived);
  return revived.map(({ id }) => id);
}

async function reviveRows(tx: Tx, rows: readonly Sibling[]): Promise<void> {
  await makePending(tx, rows, { countsAnew: true });
  await writeEach(tx, rows, 'revived');
}
