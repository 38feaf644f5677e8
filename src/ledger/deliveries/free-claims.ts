/** Ends claims on which nobody works any more: those of processes that are dead, and those of which this process knows nothing. */
import sql, { join, type Sql } from 'sql-template-tag';
import { inChunks, type Tx } from '../database.ts';
import { writeEach } from '../callbacks/history.ts';
import type { DeliveryName } from '../ledger.ts';
import { type DeliveryRow, RECEIVED_AT } from './rows.ts';

/** A process that has been silent for so long counts as dead. */
export const DEAD_AFTER_MS = 30_000;

const FORGOTTEN_AFTER_MS = 24 * 3_600_000;

/** What this process has claimed, as the store has it. `updatedAt`: another time means another claim. */
export interface OwnClaims {
  readonly deliveries: readonly (DeliveryName & { readonly updatedAt: number })[];
  /** Keys. */
  readonly timers: readonly string[];
}

/** What a process knows that looks for claims on which nobody works. */
interface Looking {
  /** Whether the owner was a process of this machine and is none any more. */
  readonly isGone: (owner: string) => boolean;
  /** Whether who is silent is dead; else only who is gone is, or has never been heard of. */
  readonly isSilenceJudged: boolean;
  /** Whether to look at all claims. @param dead the owners that are */
  readonly isDue: (dead: string) => boolean;
  /** Those of this process's claims that it does not work on. */
  readonly leftOf: (own: OwnClaims) => OwnClaims;
}

/** Frees whatever belongs to nobody who lives, or is left. @returns whether that was anything, and what is this process's own, if it looked */
export async function freeClaims(tx: Tx, { isGone, isSilenceJudged, isDue, leftOf }: Looking) {
  const { now, owner } = tx;
  const others = await tx.all<{ owner: string; isSilent: boolean }>(sql`
    SELECT owner, CAST(seen_at <= ${now - DEAD_AFTER_MS} AS INTEGER) AS is_silent FROM processes
    WHERE owner <> ${owner} ORDER BY owner`);
  const gone = others.map((each) => each.owner).filter(isGone);
  const silent = others.filter(({ isSilent }) => isSilenceJudged && isSilent).map((each) => each.owner);
  const dead = [...new Set([...gone, ...silent])].join(' ');
  if (!isDue(dead)) return { dead, isAny: false };
  const living = sql`SELECT owner FROM processes WHERE owner = ${owner} OR (owner NOT IN (${join(['', ...gone])})
    AND seen_at > ${isSilenceJudged ? now - DEAD_AFTER_MS : 0})`;
  const isDead = sql`(owner <> ${owner} AND owner NOT IN (${living}))`;
  const isAnyDead = await endClaims(tx, sql`destination >= '' AND ${isDead}`, isDead);
  await tx.all(sql`
    DELETE FROM processes WHERE owner <> ${owner} AND (owner IN (${join(['', ...gone])}) OR seen_at < ${now - FORGOTTEN_AFTER_MS})`);
  const own = await ownClaims(tx);
  const left = leftOf(own);
  const isOwn = sql`owner = ${owner}`;
  const isAnyLeft = await endClaims(
    tx,
    sql`${isOwn} AND id IN (${join([-1, ...left.deliveries.map(({ id }) => id)])})`,
    sql`${isOwn} AND key IN (${join(['', ...left.timers])})`,
  );
  return { dead, isAny: isAnyDead || isAnyLeft, own };
}

/** Names a claim: of a timer its key does. */
export function claimOf({ id, updatedAt }: OwnClaims['deliveries'][number]): string {
  return `${id} ${updatedAt}`;
}

async function ownClaims(tx: Tx): Promise<OwnClaims> {
  const deliveries = await tx.all<OwnClaims['deliveries'][number]>(sql`
    SELECT id, destination, (${RECEIVED_AT}) AS received_at, updated_at FROM deliveries
    WHERE state = 'pending' AND destination >= '' AND owner = ${tx.owner}`);
  const timers = await tx.all<{ key: string }>(sql`SELECT key FROM timers WHERE owner = ${tx.owner}`);
  return { deliveries, timers: timers.map(({ key }) => key) };
}

/** Signs off, and gives back what it could not finish. */
export async function leave(tx: Tx): Promise<void> {
  const isOwn = sql`owner = ${tx.owner}`;
  await endClaims(tx, sql`destination >= '' AND ${isOwn}`, isOwn);
  await tx.all(sql`DELETE FROM processes WHERE ${isOwn}`);
}

const FREED_AT_ONCE = 1000;

/** What nobody has in hand any more is Botbell's own, and due now. @returns whether it was any */
async function endClaims(tx: Tx, deliveries: Sql, timers: Sql): Promise<boolean> {
  // By an index of what is pending: an index of owners would be written twice for each delivery.
  const held = await tx.all<Pick<DeliveryRow, 'id' | 'callbackId' | 'isTakenOver'>>(sql`
    SELECT id, callback_id, is_taken_over FROM deliveries
    WHERE state = 'pending' AND ${deliveries} ORDER BY +id ${tx.forUpdate}`);
  for (const rows of inChunks(held, FREED_AT_ONCE))
    await tx.all(sql`
      UPDATE deliveries SET owner = NULL, is_taken_over = 1,
        due_at = CASE WHEN due_at > ${tx.now} THEN ${tx.now} ELSE due_at END
      WHERE id IN (${join(rows.map(({ id }) => id))})`);
  await writeEach(
    tx,
    held.filter(({ isTakenOver }) => !isTakenOver),
    'taken_over',
  );
  const ended = await tx.all(
    sql`UPDATE timers SET owner = NULL, due_at = ${tx.now} WHERE key IN (
      SELECT key FROM timers WHERE owner IS NOT NULL AND ${timers} ORDER BY key ${tx.forUpdate}) RETURNING key`,
  );
  return held.length > 0 || ended.length > 0;
}
