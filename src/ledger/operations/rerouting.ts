/** What becomes of deliveries that the config no longer sends where they were to go, and of those that it sends there again. */
import sql, { join, type Sql } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { type NewHistoryRow, writeHistory } from '../history.ts';
import { NO_LONGER_ROUTED } from '../hold.ts';
import type { DeliveryTarget, Rerouted, Rerouting, UnroutedRow } from '../ledger.ts';
import { isIdle } from '../rows.ts';
import { insertRows, makePending } from './deliveries.ts';
import { lockDeliveries, lockJobsOf } from './locks.ts';
import { decide, lockedRows, writeDecision } from './outcome-rows.ts';
import { isDecider } from './processes.ts';
import { dueAfter } from './settle.ts';

/** Today's channels: the type of each, by its name. */
interface WithChannels {
  readonly channels: ReadonlyMap<string, string>;
}

/** @returns undefined, nothing done: this process may not */
export async function routeAnew(
  tx: Tx,
  { callbackId, update, targets, routing, channels }: Rerouting & WithChannels,
): Promise<Rerouted | undefined> {
  if (!(await isDecider(tx))) return undefined;
  await lockJobsOf(tx, [update.id]);
  const rows = await lockedRows(tx, [update.id]);
  const decision = decide(rows.get(update.id), update, tx);
  if (decision === undefined) return { added: [], due: [] };
  const siblings = await siblingsOf(tx, [callbackId]);
  const { lacking, named } = gained(targets, siblings, update.id, channels);
  const own = siblings.find(({ id }) => id === update.id);
  await insertRows(tx, { callbackId, jobKey: own?.job_key ?? null, targets: lacking });
  await writeDecision(tx, decision);
  await reviveRows(tx, named);
  await writeHistory(tx, [
    { callbackId, what: 'routed', entry: { by: 'config', explanations: routing } },
    ...decision.entries,
  ]);
  const added = [...lacking, ...named].map(({ destination }) => destination);
  return { added, due: [...new Set(await dueAfter(tx, [], [decision]))] };
}

interface Sibling extends DeliveryTarget {
  readonly id: number;
  readonly callback_id: number;
  readonly job_key: string | null;
  readonly state: string;
  readonly hold_code: string | null;
  /** Of its channel, as the last config had it that named one so. */
  readonly type: string | null;
}

async function siblingsOf(tx: Tx, callbackIds: readonly number[]): Promise<readonly Sibling[]> {
  if (callbackIds.length === 0) return [];
  return tx.all<Sibling>(sql`
    SELECT id, callback_id, job_key, destination, channel, address, state, hold_code, type
    FROM deliveries LEFT JOIN channel_types ON channel_types.name = deliveries.channel
    WHERE callback_id IN (${join(callbackIds)}) ORDER BY id`);
}

/**
 * Whom a callback gains: `lacking` have no delivery, `named` have one that ended because no route named it. An address that is
 * told, or still to be told, under the name of a channel that is gone has it under today's name, too: what is pending there
 * follows the config before its next attempt.
 */
function gained(
  targets: readonly DeliveryTarget[],
  siblings: readonly Sibling[],
  endedId: number,
  channels: ReadonlyMap<string, string>,
): { readonly lacking: readonly DeliveryTarget[]; readonly named: readonly Sibling[] } {
  const others = siblings.filter(({ id }) => id !== endedId);
  const known = new Map(siblings.map((each) => [each.destination, each]));
  const wanted = targets.filter((target) => !hasUnderAnotherName(target, others, channels));
  return {
    lacking: wanted.filter(({ destination }) => !known.has(destination)),
    named: wanted.flatMap(({ destination }) => known.get(destination) ?? []).filter(isUnrouted),
  };
}

function hasUnderAnotherName(
  { channel, address }: Pick<DeliveryTarget, 'channel' | 'address'>,
  siblings: readonly Sibling[],
  channels: ReadonlyMap<string, string>,
): boolean {
  return siblings.some(
    (each) =>
      (each.state === 'delivered' || each.state === 'pending') &&
      !channels.has(each.channel) &&
      each.address === address &&
      each.type === channels.get(channel),
  );
}

function isUnrouted({ state, hold_code }: Sibling): boolean {
  return hold_code === NO_LONGER_ROUTED && (state === 'held' || state === 'dead');
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
  const rows = await tx.all<UnroutedColumns>(unroutedQuery(id, AT_ONCE));
  return rows.map(({ counts_from, waited_ms, ...row }) => ({
    ...row,
    ageMs: tx.now - counts_from - waited_ms,
  }));
}

export function unroutedQuery(id: number, most: number): Sql {
  return sql`
    SELECT deliveries.id, destination, callback_id AS "callbackId", kind, bot_id AS "botId", status, state, counts_from, waited_ms
    FROM deliveries JOIN callbacks ON callbacks.id = deliveries.callback_id
    WHERE hold_code = 'no longer routed' AND deliveries.id > ${id} ORDER BY deliveries.id LIMIT ${most}`;
}

export interface ReviveArgs extends WithChannels {
  readonly routed: readonly { readonly id: number; readonly routing: unknown }[];
}

/** Makes those Botbell's own again that nobody has been told of under another name of their channel. @returns their ids */
export async function revive(tx: Tx, { routed, channels }: ReviveArgs): Promise<readonly number[]> {
  if (routed.length === 0 || !(await isDecider(tx))) return [];
  const ids = routed.map(({ id }) => id);
  await lockDeliveries(tx, ids);
  const callbacks = await tx.all<{ callback_id: number }>(
    sql`SELECT DISTINCT callback_id FROM deliveries WHERE id IN (${join(ids)})`,
  );
  const siblings = await siblingsOf(
    tx,
    callbacks.map(({ callback_id }) => callback_id),
  );
  const revived = siblings.filter((row) => {
    const others = siblings.filter(({ callback_id }) => callback_id === row.callback_id);
    return ids.includes(row.id) && isUnrouted(row) && !hasUnderAnotherName(row, others, channels);
  });
  await writeHistory(tx, routingEntries(revived, new Map(routed.map(({ id, routing }) => [id, routing]))));
  await reviveRows(tx, revived);
  return revived.map(({ id }) => id);
}

/** One of each callback. */
function routingEntries(
  rows: readonly Sibling[],
  routings: ReadonlyMap<number, unknown>,
): readonly NewHistoryRow[] {
  const entries = rows.map(({ id, callback_id: callbackId }): [number, NewHistoryRow] => [
    callbackId,
    { callbackId, what: 'routed', entry: { by: 'config', explanations: routings.get(id) } },
  ]);
  return [...new Map(entries).values()];
}

async function reviveRows(tx: Tx, rows: readonly Sibling[]): Promise<void> {
  await makePending(
    tx,
    rows.map(({ id }) => id),
    { countsAnew: true },
  );
  await writeHistory(
    tx,
    rows.map(({ id, callback_id }) => ({
      callbackId: callback_id,
      what: 'revived' as const,
      deliveryId: id,
    })),
  );
}
