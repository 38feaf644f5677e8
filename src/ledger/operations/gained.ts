/** Whom a callback gains by being routed anew, and who has it already. */
import sql, { type Sql } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { NO_LONGER_ROUTED } from '../ledger.ts';
import type { DeliveryTarget } from '../ledger.ts';

/** Today's channels: the type of each, by its name. */
export type Channels = ReadonlyMap<string, string>;

export interface Sibling extends DeliveryTarget {
  readonly id: number;
  readonly callback_id: number;
  readonly job_key: string | null;
  readonly state: string;
  readonly hold_code: string | null;
  /** Of its channel, as the last config had it that named one so. */
  readonly type: string | null;
}

/** All deliveries of these callbacks. */
export function siblingsOf(tx: Tx, callbackIds: Sql): Promise<readonly Sibling[]> {
  return tx.all<Sibling>(sql`
    SELECT id, callback_id, job_key, destination, channel, address, state, hold_code, type
    FROM deliveries LEFT JOIN channel_types ON channel_types.name = deliveries.channel
    WHERE callback_id IN (${callbackIds}) ORDER BY id`);
}

export interface Gained {
  /** Which have no delivery. */
  readonly lacking: readonly DeliveryTarget[];
  /** Deliveries that have ended without anybody's being told. */
  readonly revived: readonly Sibling[];
}

/**
 * An address that is told, or still to be told, under the name of a channel that is gone has it under today's name, too: what is
 * pending there follows the config before its next attempt.
 * @param mayRevive whether a delivery that has ended is attempted again
 */
export function gained(
  targets: readonly DeliveryTarget[],
  siblings: readonly Sibling[],
  channels: Channels,
  mayRevive: (sibling: Sibling) => boolean,
): Gained {
  const known = new Map(siblings.map((each) => [each.destination, each]));
  const wanted = targets.filter((target) => !hasUnderAnotherName(target, siblings, channels));
  return {
    lacking: wanted.filter(({ destination }) => !known.has(destination)),
    revived: wanted.flatMap(({ destination }) => known.get(destination) ?? []).filter(mayRevive),
  };
}

export function hasUnderAnotherName(
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
export function isUnrouted({ state, hold_code }: Sibling): boolean {
  return hold_code === NO_LONGER_ROUTED && (state === 'held' || state === 'dead');
}
