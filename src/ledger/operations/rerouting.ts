/** What becomes of deliveries that the config no longer sends where they were to go, and of those that it sends there again. */
import sql, { type Sql } from 'sql-template-tag';
import type { StatusCode } from '../../callback/callback.ts';
import type { Tx } from '../database.ts';
import { writeEach, writeHistory } from '../history.ts';
import { type CallbackKind, type DeliveryTarget, type DeliveryUpdate, NO_LONGER_ROUTED } from '../ledger.ts';
import { isIdle, withCallbacks } from '../rows.ts';
import { holdWanted, type Wanted } from '../signal/admission.ts';
import { insertRows, makePending } from './deliveries.ts';
import { lockDeliveries } from './locks.ts';
import { isDecider } from './processes.ts';
import { settle } from './settle.ts';

/** A claimed delivery that the config no longer sends where it was to go. */
export interface Rerouting {
  /** How it ends: held, or dead. */
  readonly update: DeliveryUpdate;
  /** Whom the config names for its callback; who of them is told it only now, `mute`, snoozes and bursts may hold. */
  readonly wanted: Wanted;
  readonly routing: unknown;
  readonly channels: Channels;
}

/** @returns destinations that the callback has gained; undefined, nothing done: this process may not */
export async function reroute(
  tx: Tx,
  { update, wanted, routing, channels }: Rerouting,
): Promise<readonly string[] | undefined> {
  if (!(await isDecider(tx))) return undefined;
  await lockDeliveries(tx, [update.id]);
  const [row] = await withCallbacks(tx, [update.id]);
  // The claim may be lost by now.
  if (row?.state !== 'pending' || row.owner !== tx.owner) return [];
  const { callbackId, jobKey } = row;
  await writeHistory(tx, [{ callbackId, what: 'routed', entry: { by: 'config', explanations: routing } }]);
  await settle(tx, { callbackId, attempts: [], deliveries: [update], isDurable: false });
  const siblings = await siblingsOf(tx, sql`${callbackId}`);
  const { lacking, revived } = gained(wanted.planned, siblings, channels, isUnrouted);
  const targets = await holdWanted(tx, { ...wanted, planned: lacking });
  await insertRows(tx, { callbackId, jobKey, targets });
  await reviveRows(tx, revived);
  return [...lacking, ...revived].map(({ destination }) => destination);
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
      SELECT id FROM deliveries WHERE state = 'pending' AND is_taken_over = 1 AND due_at > ${tx.now} AND ${isIdle(tx.now)}
      ORDER BY id LIMIT ${AT_ONCE} ${tx.skipLocked})
    RETURNING id`);
  return rows.length === AT_ONCE;
}

/** A delivery that ended because no route named it. */
export interface UnroutedRow {
  readonly id: number;
  readonly destination: string;
  readonly callbackId: number;
  readonly kind: CallbackKind;
  /** Cleaned. */
  readonly botId: string;
  readonly status: StatusCode;
  readonly ageMs: number;
}

/** The next of them. */
export function unroutedAfter(tx: Tx, id: number): Promise<readonly UnroutedRow[]> {
  return tx.all<UnroutedRow>(sql`
    SELECT deliveries.id, destination, callback_id, kind, bot_id, status, ${tx.now} - counts_from - waited_ms AS age_ms
    FROM deliveries JOIN callbacks ON callbacks.id = deliveries.callback_id
    WHERE reason = 'no longer routed' AND deliveries.id > ${id} ORDER BY deliveries.id LIMIT ${AT_ONCE}`);
}

/** Makes those Botbell's own again that nobody has been told of under another name of their channel. @returns their ids */
export async function revive(
  tx: Tx,
  routed: readonly { readonly id: number; readonly routing: unknown }[],
  channels: Channels,
): Promise<readonly number[]> {
  if (routed.length === 0 || !(await isDecider(tx))) return [];
  await lockDeliveries(
    tx,
    routed.map(({ id }) => id),
  );
  const revived: Sibling[] = [];
  for (const { id, routing } of routed) {
    const siblings = await siblingsOf(tx, sql`SELECT callback_id FROM deliveries WHERE id = ${id}`);
    const row = siblings.find((each) => each.id === id);
    if (row === undefined || !isUnrouted(row) || hasUnderAnotherName(row, siblings, channels)) continue;
    const { callbackId } = row;
    const entry = { by: 'config', explanations: routing } as const;
    await writeHistory(tx, [{ callbackId, what: 'routed', entry }]);
    await reviveRows(tx, [row]);
    revived.push(row);
  }
  return revived.map(({ id }) => id);
}

async function reviveRows(tx: Tx, rows: readonly Sibling[]): Promise<void> {
  await makePending(tx, rows, { countsAnew: true });
  await writeEach(tx, rows, 'revived');
}

/** Today's channels: the type of each, by its name. */
export type Channels = ReadonlyMap<string, string>;

interface Sibling extends DeliveryTarget {
  readonly id: number;
  readonly callbackId: number;
  readonly state: string;
  readonly reason: string | undefined;
  /** Of its channel, as the last config had it that named one so. */
  readonly type: string | undefined;
}

/** All deliveries of these callbacks. */
export function siblingsOf(tx: Tx, callbackIds: Sql): Promise<readonly Sibling[]> {
  return tx.all<Sibling>(sql`
    SELECT id, callback_id, destination, channel, address, state, reason, type
    FROM deliveries LEFT JOIN channel_types ON channel_types.name = deliveries.channel
    WHERE callback_id IN (${callbackIds}) ORDER BY id`);
}

interface Gained<Target> {
  /** Which have no delivery. */
  readonly lacking: readonly Target[];
  /** Deliveries that have ended without anybody's being told. */
  readonly revived: readonly Sibling[];
}

/**
 * An address that is told, or still to be told, under the name of a channel that is gone has it under today's name, too: what is
 * pending there follows the config before its next attempt.
 * @param mayRevive whether a delivery that has ended is attempted again
 */
export function gained<Target extends DeliveryTarget>(
  targets: readonly Target[],
  siblings: readonly Sibling[],
  channels: Channels,
  mayRevive: (sibling: Sibling) => boolean,
): Gained<Target> {
  const known = new Map(siblings.map((each) => [each.destination, each]));
  const wanted = targets.filter((target) => !hasUnderAnotherName(target, siblings, channels));
  return {
    lacking: wanted.filter(({ destination }) => !known.has(destination)),
    revived: wanted.flatMap(({ destination }) => known.get(destination) ?? []).filter(mayRevive),
  };
}

function hasUnderAnotherName(
  { channel, address }: Pick<DeliveryTarget, 'channel' | 'address'>,
  siblings: readonly Sibling[],
  channels: Channels,
): boolean {
  return siblings.some(
    (each) =>
      (each.state === 'delivered' || each.state === 'pending') &&
      !channels.has(each.channel) &&
      each.address === address &&
      each.type === channels.get(channel),
  );
}

/** It has ended because no route named it. */
export function isUnrouted({ reason }: Sibling): boolean {
  return reason === NO_LONGER_ROUTED;
}
