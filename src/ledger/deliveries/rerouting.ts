/** Ends deliveries whose destination the config no longer names, and revives those that it names again. */
import sql, { join, type Sql } from 'sql-template-tag';
import type { ArchivedCallback } from '../archive/archive.ts';
import type { Tx } from '../database.ts';
import type { Telling } from '../../signal/decide.ts';
import { writeEach, writeHistory } from '../callbacks/history.ts';
import {
  type DecidedTarget,
  type DeliveryRecord,
  type DeliveryTarget,
  type DeliveryUpdate,
  NO_LONGER_ROUTED,
  type PlannedDelivery,
} from '../ledger.ts';
import { keyOf } from '../callbacks/keys.ts';
import { IS_IDLE, lockDeliveries, type RowWithCallback, withCallbacks } from './rows.ts';
import { holdWanted, type Wanted } from '../timers/admission.ts';
import { toldSince } from '../timers/facts.ts';
import { addRows, findNamed, makePending } from './deliveries.ts';
import { isDecider } from '../shared/processes.ts';
import { settle } from './settle.ts';

/** A claimed delivery whose destination the config no longer names. */
export interface Rerouting {
  /** Of a recovery or a late result that goes elsewhere: held in any case. */
  readonly update: DeliveryUpdate;
  /** The destinations that the config names for its callback; `mute`, snoozes and bursts may hold those that are new. */
  readonly wanted: Wanted;
  /** Others, whose routes tell it only on occasion: a recovery, a late result. */
  readonly perhaps: readonly PlannedDelivery[];
  readonly routing: unknown;
  readonly channels: Channels;
}

/**
 * @returns destinations that the callback has gained; undefined: nothing was done, since this process may not route anew
 * @throws {Error} the store has lost the delivery
 */
export async function reroute(
  tx: Tx,
  { update, wanted, perhaps, routing, channels }: Rerouting,
): Promise<readonly string[] | undefined> {
  if (!(await isDecider(tx))) return undefined;
  await lockDeliveries(tx, [update.id]);
  const [row] = findNamed(await withCallbacks(tx, [update.id]), [update]);
  // The claim may have been lost by now.
  if (row?.state !== 'pending' || row.owner !== tx.owner) return [];
  const { callbackId, receivedAt } = row;
  await writeHistory(tx, [{ callbackId, what: 'routed', entry: { by: 'config', explanations: routing } }]);
  const moved = await occasionFor(tx, row, wanted, perhaps);
  const { lastError } = row;
  const held = { state: 'held', reason: NO_LONGER_ROUTED, lastError, alert: undefined } as const;
  const ended = moved.size === 0 ? update : { ...update, ...held };
  await settle(tx, { callbackId, receivedAt, attempts: [], deliveries: [ended], isDurable: false });
  const siblings = await siblingsOf(tx, sql`${callbackId}`);
  const also = perhaps.filter(({ destination }) => moved.has(destination));
  const { lacking, revived } = gained([...wanted.planned, ...also], siblings, channels, isUnrouted);
  const targets = await holdWanted(tx, { ...wanted, planned: lacking });
  const toldHow = targets.map((each) => {
    const as = moved.get(each.destination);
    return as === undefined ? each : { ...each, ...as, telling: { ...each.telling, ...as.telling } };
  });
  await addRows(tx, callbackId, toldHow);
  await reviveRows(tx, revived);
  return [...lacking, ...revived].map(({ destination }) => destination);
}

type Moved = Pick<DecidedTarget, 'telling' | 'recoveryOf'>;

/** What a recovery or a late result still is where it goes, by destination: a recovery, where an error was told that it answers. */
async function occasionFor(
  tx: Tx,
  { callbackId: before, telling }: Pick<RowWithCallback, 'callbackId' | 'telling'>,
  { botId, planned }: Wanted,
  perhaps: Rerouting['perhaps'],
): Promise<ReadonlyMap<string, Moved>> {
  const occasion = telling?.occasion;
  if (occasion === undefined) return new Map();
  const of = keyOf(botId);
  const isLate = occasion.template === 'late';
  const told = isLate ? [] : await toldSince(tx, { botKey: of, since: occasion.failingSince, before });
  const isAsked = ({ destination, asked = [] }: PlannedDelivery) =>
    isLate
      ? asked.some(({ rules }) => rules.expect !== undefined)
      : told.includes(destination) && asked.some(({ on }) => on.includes('recovered'));
  const moved = (isOnlyRecovery: Telling['isOnlyRecovery']) => (each: PlannedDelivery) =>
    [
      each.destination,
      isLate ? { telling: { occasion } } : { telling: { occasion, isOnlyRecovery }, recoveryOf: of },
    ] as const;
  const among = [planned.filter(isAsked).map(moved(undefined)), perhaps.filter(isAsked).map(moved(true))];
  return new Map(among.flat());
}

const AT_ONCE = 100;

/** A delivery that a change of the config may affect. */
export interface ReviewedRow
  extends
    Pick<DeliveryRecord, 'id' | 'destination' | 'channel' | 'callbackId' | 'ageMs'>,
    Pick<ArchivedCallback, 'kind' | 'botId' | 'status'> {
  readonly lastError: DeliveryRecord['lastError'];
  readonly isBulk: boolean;
}

function reviewed(tx: Tx, which: Sql): Promise<readonly ReviewedRow[]> {
  return tx.all<ReviewedRow>(sql`
    SELECT deliveries.id, destination, channel, callback_id, kind, bot_id, status, last_error, is_bulk,
      ${tx.now} - counts_from - waited_ms AS age_ms
    FROM deliveries JOIN callbacks ON callbacks.id = deliveries.callback_id WHERE ${which} LIMIT ${AT_ONCE}`);
}

/** The place of a pending delivery in the index of those. */
export type WaitingPosition = Pick<ReviewedRow, 'destination' | 'isBulk' | 'callbackId'>;

export const BEFORE_ALL: WaitingPosition = { destination: '', isBulk: false, callbackId: 0 };

/** The next deliveries after this one that are Botbell's own. */
export function waitingAfter(tx: Tx, { destination, isBulk, callbackId }: WaitingPosition) {
  return reviewed(
    tx,
    sql`state = 'pending' AND is_taken_over = 1
      AND (destination, is_bulk, callback_id) > (${destination}, ${isBulk}, ${callbackId})
    ORDER BY destination, is_bulk, callback_id`,
  );
}

/** What an alert tells of is attempted before it: once that is told, the alert is no longer true. */
const ALERT_AFTER_MS = 10_000;

/** Makes them due unless they are claimed, whatever failed before. Skips rows that another transaction has locked. */
export async function hasten(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.all(sql`
    UPDATE deliveries SET error_class = NULL, error_code = NULL, last_error = NULL, due_at = CASE WHEN EXISTS (
      SELECT 1 FROM callbacks WHERE callbacks.id = callback_id AND kind = 'alert')
      THEN CAST(${tx.now + ALERT_AFTER_MS} AS BIGINT) ELSE CAST(${tx.now} AS BIGINT) END
    WHERE id IN (
      SELECT id FROM deliveries
      WHERE id IN (${join(ids)}) AND state = 'pending' AND due_at > ${tx.now} AND ${IS_IDLE}
      ORDER BY id ${tx.skipLocked})`);
}

/** The next deliveries after this id that ended because no route names their destination. */
export function unroutedAfter(tx: Tx, id: number) {
  return reviewed(tx, sql`reason = 'no longer routed' AND deliveries.id > ${id} ORDER BY deliveries.id`);
}

/** Revives those whose address was not told under a former name of its channel. @returns their ids */
export async function revive(
  tx: Tx,
  routed: readonly { readonly id: number; readonly routing: unknown }[],
  channels: Channels,
): Promise<readonly number[]> {
  if (routed.length === 0 || !(await isDecider(tx))) return [];
  const ids = routed.map(({ id }) => id);
  await lockDeliveries(tx, ids);
  const revived: number[] = [];
  for (const { id, routing } of routed) {
    const siblings = await siblingsOf(tx, sql`SELECT callback_id FROM deliveries WHERE id = ${id}`);
    const row = siblings.find((each) => each.id === id);
    if (row === undefined || !isUnrouted(row) || hasUnderAnotherName(row, siblings, channels)) continue;
    const entry = { by: 'config', explanations: routing } as const;
    await writeHistory(tx, [{ callbackId: row.callbackId, what: 'routed', entry }]);
    await reviveRows(tx, [row]);
    revived.push(id);
  }
  return revived;
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
  /** Its channel's type in the last config that had a channel of this name. */
  readonly type: string | undefined;
}

export function siblingsOf(tx: Tx, callbackIds: Sql): Promise<readonly Sibling[]> {
  return tx.all<Sibling>(sql`
    SELECT id, callback_id, destination, channel, address, state, reason, type
    FROM deliveries LEFT JOIN channel_types ON channel_types.name = deliveries.channel
    WHERE callback_id IN (${callbackIds}) ORDER BY id`);
}

/**
 * Splits targets into new ones and ended deliveries to revive. A target whose address was told, or is pending, under a former name
 * of its channel is neither: a pending delivery follows the config before its next attempt.
 * @param mayRevive whether a delivery that has ended is attempted again
 * @returns `lacking`: targets without a delivery
 */
export function gained<Target extends DeliveryTarget>(
  targets: readonly Target[],
  siblings: readonly Sibling[],
  channels: Channels,
  mayRevive: (sibling: Sibling) => boolean,
) {
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

export function isUnrouted({ reason }: Sibling): boolean {
  return reason === NO_LONGER_ROUTED;
}
