/** Fires each timer once, in whichever process is first, and writes its notice in the same transaction. */
import sql from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { keyOf } from '../keys.ts';
import type { DeliveryRecord, PlannedDelivery } from '../ledger.ts';
import { insertRows } from '../operations/deliveries.ts';
import { holdWanted } from './admission.ts';
import { type OwnNotice, writeOwnNotice } from './own-notices.ts';
import { endedHolds, type EndedHolds, type HoldPosition } from './holds.ts';
import { dueTimers, type Timer } from './timers.ts';

/** Holds that have ended, and timers that are due. @param anewAfter as for `endedHolds` */
export async function dueSignals(
  tx: Tx,
  anewAfter?: HoldPosition,
): Promise<{ readonly ended: EndedHolds; readonly timers: readonly Timer[] }> {
  return { ended: await endedHolds(tx, anewAfter), timers: await dueTimers(tx) };
}

/** What firing a timer does. */
export interface Fired {
  readonly timer: Timer;
  /** The timer's next due time and data; undefined: it ends. */
  readonly next?: Pick<Timer<object>, 'dueAt' | 'data'> | undefined;
  readonly notice?: FiredNotice | undefined;
}

/** A notice of Botbell's own, which `mute`, snoozes and bursts may hold. */
export interface FiredNotice extends OwnNotice {
  readonly planned: readonly PlannedDelivery[];
  /** The time zone in which times are displayed. */
  readonly timezone: string;
}

/** @returns the notice's deliveries; none if another process was first, or what it is about has changed meanwhile */
export async function fire(
  tx: Tx,
  { timer: { key, dueAt }, next, notice }: Fired,
): Promise<readonly DeliveryRecord[]> {
  const fired = await tx.all(
    next === undefined
      ? sql`DELETE FROM timers WHERE key = ${key} AND due_at = ${dueAt} RETURNING key`
      : sql`UPDATE timers SET due_at = ${next.dueAt}, data = ${next.data} WHERE key = ${key} AND due_at = ${dueAt} RETURNING key`,
  );
  return fired.length === 0 || notice === undefined || notice.planned.length === 0 ? [] : tell(tx, notice);
}

async function tell(
  tx: Tx,
  { planned, timezone, ...notice }: FiredNotice,
): Promise<readonly DeliveryRecord[]> {
  const { botId = '', jobId = '', isOfJob = false } = notice;
  const jobKey = isOfJob ? keyOf(jobId) : undefined;
  // The job's result may have come since the notice was made.
  if (jobKey !== undefined && (await hasResult(tx, jobKey))) return [];
  const targets = await holdWanted(tx, { botId, status: undefined, planned, timezone });
  const callbackId = await writeOwnNotice(tx, notice);
  return insertRows(tx, { callbackId, jobKey, targets });
}

/** Locks the job, so that a result that comes now waits for the notice. */
async function hasResult(tx: Tx, jobKey: string): Promise<boolean> {
  const job = await tx.first<{ result: number | undefined }>(
    sql`SELECT result FROM jobs WHERE key = ${jobKey} ${tx.forUpdate}`,
  );
  return job?.result !== undefined;
}
