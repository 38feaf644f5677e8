/** Ends deliveries whose destination the config no longer names, and revives those that it names again. */
import sql, { join, type Sql } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import type { Telling } from '../../signal/decide.ts';
import { writeHistory } from '../callbacks/history.ts';
import {
  channelOf,
  type DecidedTarget,
  type DeliveryTarget,
  type DeliveryUpdate,
  NO_LONGER_ROUTED,
  type PlannedDelivery,
} from '../ledger.ts';
import { keyOf } from '../callbacks/keys.ts';
import { deliveriesWhere, deliveriesById, type DeliveryRow, IS_IDLE, lockDeliveries } from './rows.ts';
import { decideHolds, type HoldQuestion } from '../timers/admission.ts';
import { toldSince } from '../timers/facts.ts';
import { addRows, findNamed, makePending, updateRows } from './deliveries.ts';
import { isDecider } from '../shared/processes.ts';
import { settle } from './settle.ts';

/** A claimed delivery whose destination the config no longer names. */
export interface Rerouting {
  /** How the delivery ends. A recovery or a late result that another destination is told instead is held, whatever this says. */
  readonly update: DeliveryUpdate;
  /** The destinations that the config names for its callback; `mute`, snoozes and bursts may hold those that are new. */
  readonly wanted: HoldQuestion;
  /** Further destinations, whose routes tell it only as a recovery or a late result. */
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
  const [row] = findNamed(await deliveriesById(tx, [update.id]), [update]);
  // The claim may have been lost by now.
  if (row?.state !== 'pending' || row.owner !== tx.owner) return [];
  const { callbackId, receivedAt } = row;
  await writeHistory(tx, [{ callbackId, what: 'routed', entry: { by: 'config', explanations: routing } }]);
  const moved = await occasionFor(tx, row, wanted, perhaps);
  const { lastError } = row;
  const held = { state: 'held', reason: NO_LONGER_ROUTED, lastError, alert: undefined } as const;
  const ended = moved.size === 0 ? update : { ...update, ...held };
  await settle(tx, { callbackId, receivedAt, attempts: [], update: ended, isDurable: false });
  const siblings = await siblingsOf(tx, sql`${callbackId}`);
  const also = perhaps.filter(({ destination }) => moved.has(destination));
  const { lacking, revived } = splitTargets([...wanted.planned, ...also], siblings, channels, isUnrouted);
  const targets = await decideHolds(tx, { ...wanted, planned: lacking });
  const toldHow = targets.map((each) => {
    const as = moved.get(each.destination);
    return as === undefined ? each : { ...each, ...as, telling: { ...each.telling, ...as.telling } };
  });
  await addRows(tx, callbackId, toldHow);
  await reviveRows(tx, revived, wanted);
  return [...lacking, ...revived].map(({ destination }) => destination);
}

type Moved = Pick<DecidedTarget, 'telling' | 'recoveryOf'>;

/** By destination to which a recovery or a late result moves, how it is told as such: a recovery only where an error that it answers was told. */
async function occasionFor(
  tx: Tx,
  { callbackId: before, telling }: Pick<DeliveryRow, 'callbackId' | 'telling'>,
  { botId, planned }: HoldQuestion,
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

/** isAny: something may be due because of it. */
interface Reviewed<Position> {
  readonly next: Position | undefined;
  readonly isAny: boolean;
}

/** Deliveries that a change of the config may affect. */
function reviewed(tx: Tx, which: Sql): Promise<readonly DeliveryRow[]> {
  return deliveriesWhere(tx, sql`${which} LIMIT ${AT_ONCE}`);
}

/** The place of a delivery in the index `deliveries_due`. */
export type WaitingPosition = Pick<DeliveryRow, 'destination' | 'isBulk' | 'callbackId'>;

export const BEFORE_ALL: WaitingPosition = { destination: '', isBulk: false, callbackId: 0 };

/** An alert is attempted so long after the deliveries that it is about: once these have been made, it is no longer true. */
const ALERT_AFTER_MS = 10_000;

/**
 * Of the next pending deliveries, makes those due now that the config affects and nobody has claimed, whatever failed before. Skips rows that
 * another transaction has locked.
 * @param after where the last step has ended @returns `next`: where this one has; undefined: none comes after
 */
export async function hasten(
  tx: Tx,
  { destination, isBulk, callbackId }: WaitingPosition,
  isAffected: (row: DeliveryRow) => boolean,
): Promise<Reviewed<WaitingPosition>> {
  const rows = await reviewed(
    tx,
    sql`state = 'pending' AND ${IS_IDLE} AND is_taken_over = 1
      AND (destination, is_bulk, callback_id) > (${destination}, ${isBulk}, ${callbackId})
    ORDER BY destination, is_bulk, callback_id`,
  );
  const ids = rows.filter(isAffected).map(({ id }) => id);
  await tx.all(sql`
    UPDATE deliveries SET error_class = NULL, error_code = NULL, last_error = NULL, due_at = CASE WHEN EXISTS (
      SELECT 1 FROM callbacks WHERE callbacks.id = callback_id AND kind = 'alert')
      THEN CAST(${tx.now + ALERT_AFTER_MS} AS BIGINT) ELSE CAST(${tx.now} AS BIGINT) END
    WHERE id IN (
      SELECT id FROM deliveries
      WHERE id IN (${join([-1, ...ids])}) AND state = 'pending' AND due_at > ${tx.now} AND ${IS_IDLE}
      ORDER BY id ${tx.skipLocked})`);
  return { next: rows.at(-1), isAny: ids.length > 0 };
}

/** A plan that names a delivery's destination again. */
export interface RoutedAgain {
  readonly explanations: unknown;
  readonly wanted: HoldQuestion;
}

/**
 * Revives those of the next deliveries that a route names again, and whose address was not told under a former name of its channel.
 * @param after the id of the last one that was looked at @param routingOf undefined: no route names it
 * @returns `next`: the id of the last one; undefined: none comes after, or this process may not route anew
 */
export async function revive(
  tx: Tx,
  after: number,
  channels: Channels,
  routingOf: (row: DeliveryRow) => RoutedAgain | undefined,
): Promise<Reviewed<number>> {
  if (!(await isDecider(tx))) return { next: undefined, isAny: false };
  const rows = await reviewed(
    tx,
    sql`reason = 'no longer routed' AND deliveries.id > ${after} ORDER BY deliveries.id`,
  );
  const routed = rows.flatMap((row) => {
    const again = routingOf(row);
    return again === undefined ? [] : { ...row, ...again };
  });
  await lockDeliveries(
    tx,
    routed.map(({ id }) => id),
  );
  for (const { explanations, wanted, ...row } of routed) {
    const { callbackId } = row;
    const { revived } = splitTargets([row], await siblingsOf(tx, sql`${callbackId}`), channels, isUnrouted);
    if (revived.length === 0) continue;
    await writeHistory(tx, [{ callbackId, what: 'routed', entry: { by: 'config', explanations } }]);
    await reviveRows(tx, revived, wanted);
  }
  return { next: rows.at(-1)?.id, isAny: routed.length > 0 };
}

/** `mute`, snoozes and bursts may hold them, as what is new. */
async function reviveRows(tx: Tx, rows: readonly Sibling[], wanted: HoldQuestion): Promise<void> {
  await makePending(tx, rows, { countsAnew: true }, 'revived');
  const planned = wanted.planned.filter((each) => rows.some((row) => row.destination === each.destination));
  for (const { destination, reason, heldUntil, snoozeId } of await decideHolds(tx, { ...wanted, planned })) {
    if (reason === undefined || heldUntil === undefined) continue;
    const held = rows.filter((row) => row.destination === destination);
    const hold = sql`state = 'held', owner = NULL, reason = ${reason}, held_until = ${heldUntil}, snooze_id = ${snoozeId}`;
    await updateRows(tx, held, hold, 'held', { result: reason, entry: { endsAt: heldUntil } });
  }
}

/** Today's channels: the type of each, by its name. */
export type Channels = ReadonlyMap<string, string>;

interface Sibling extends DeliveryTarget, Pick<DeliveryRow, 'id' | 'callbackId' | 'state' | 'reason'> {
  /** Its channel's type in the last config that had a channel of this name. */
  readonly type: string | undefined;
}

export function siblingsOf(tx: Tx, callbackIds: Sql): Promise<readonly Sibling[]> {
  return tx.all<Sibling>(sql`
    SELECT id, callback_id, destination, state, reason, type
    FROM deliveries LEFT JOIN channel_types ON name || ':' = substr(destination, 1, length(name) + 1)
    WHERE callback_id IN (${callbackIds}) ORDER BY id`);
}

/**
 * Splits targets into new ones and ended deliveries to revive. A target whose address was told, or is pending, under a former name
 * of its channel is neither: a pending delivery follows the config before its next attempt.
 * @param mayRevive whether a delivery that has ended is attempted again
 * @returns `lacking`: targets without a delivery
 */
export function splitTargets<Target extends DeliveryTarget>(
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
  { destination }: DeliveryTarget,
  siblings: readonly Sibling[],
  channels: Channels,
): boolean {
  return siblings.some(
    (each) =>
      (each.state === 'delivered' || each.state === 'pending') &&
      !channels.has(channelOf(each.destination)) &&
      addressOf(each.destination) === addressOf(destination) &&
      each.type === channels.get(channelOf(destination)),
  );
}

function addressOf(destination: string): string {
  return destination.slice(channelOf(destination).length);
}

export function isUnrouted({ reason }: Pick<DeliveryRow, 'reason'>): boolean {
  return reason === NO_LONGER_ROUTED;
}
