/** Fires timers: once, by whoever is first, with what is told of it in the same transaction. */
import sql from 'sql-template-tag';
import type { Tx } from '../database.ts';
import type { PlannedDelivery } from '../ledger.ts';
import { insertRows } from '../operations/deliveries.ts';
import { storedText } from '../stored-body.ts';
import { holdWanted } from './admission.ts';
import { type OwnNotice, writeOwnNotice } from './own-notices.ts';
import { endedHolds, type EndedHolds } from './holds.ts';
import { dueTimers, type Timer } from './timers.ts';

/** What is to be done by now. */
export async function dueSignals(
  tx: Tx,
): Promise<{ readonly ended: EndedHolds; readonly timers: readonly Timer[] }> {
  return { ended: await endedHolds(tx), timers: await dueTimers(tx) };
}

/** What a timer has come to. */
export interface Fired {
  readonly timer: Timer;
  /** When it is due next, and what it knows then; undefined: never. */
  readonly next?: Pick<Timer<object>, 'dueAt' | 'data'> | undefined;
  readonly notice?: FiredNotice | undefined;
}

/** A notice of Botbell's own, for those whose `mute`, snoozes and bursts let it. */
export interface FiredNotice extends OwnNotice {
  readonly planned: readonly PlannedDelivery[];
  /** The display's. */
  readonly timezone: string;
}

/** @returns false: another process was first, or it has changed meanwhile */
export async function fire(tx: Tx, { timer: { key, dueAt }, next, notice }: Fired): Promise<boolean> {
  const fired = await tx.all(
    next === undefined
      ? sql`DELETE FROM timers WHERE key = ${key} AND due_at = ${dueAt} RETURNING key`
      : sql`UPDATE timers SET due_at = ${next.dueAt}, data = ${next.data} WHERE key = ${key} AND due_at = ${dueAt} RETURNING key`,
  );
  if (fired.length === 0) return false;
  if (notice !== undefined && notice.planned.length > 0) await tell(tx, notice);
  return true;
}

async function tell(tx: Tx, { planned, timezone, ...notice }: FiredNotice): Promise<void> {
  const { botId = '', jobId } = notice;
  const targets = await holdWanted(tx, { botId, status: undefined, planned, timezone }, jobId);
  const callbackId = await writeOwnNotice(tx, notice);
  await insertRows(tx, { callbackId, jobKey: undefined, targets });
}

/** An `executing` whose job has no result yet, as it came. */
export interface OpenRun {
  readonly jobId: string;
  readonly botId: string;
  readonly botName: string;
  readonly startedAt: number;
  /** JSON. */
  readonly body: string;
}

/** Undefined: its result has come, or it was forgotten. */
export async function openRun(tx: Tx, callbackId: number): Promise<OpenRun | undefined> {
  const row = await tx.first<Omit<OpenRun, 'body'> & { readonly body: Uint8Array }>(sql`
    SELECT job_id, bot_id, bot_name, started_at, body
    FROM callbacks JOIN bodies ON callback_id = id JOIN jobs ON jobs.key = callbacks.job_key
    WHERE id = ${callbackId} AND jobs.result IS NULL`);
  return row && { ...row, body: storedText(row.body) };
}
