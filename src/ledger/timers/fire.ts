/** Writes the notice of a claimed timer together with its end, so that each is told once; and begins the timers of a config. */
import { hash } from 'node:crypto';
import sql, { join } from 'sql-template-tag';
import { inChunks, type Tx } from '../database.ts';
import { beginEscalations, tellingSteps } from '../incidents/escalations.ts';
import { recordSign } from '../incidents/signs.ts';
import { jobKeyOf, keyOf, nameIn } from '../callbacks/keys.ts';
import type { DeliveryRecord, PlannedDelivery } from '../ledger.ts';
import { ofIncident } from '../deliveries/deliveries.ts';
import { lockJob } from '../deliveries/rows.ts';
import { decideHolds } from './admission.ts';
import { type OwnNotice, writeOwnNotice } from '../callbacks/own-notices.ts';
import { AT_ONCE, beginHolds, beginTimers, endTimer, openRuns, putTimers, type Timer } from './timers.ts';

export interface Fired {
  readonly timer: Timer;
  readonly next?: Pick<Timer<object>, 'dueAt' | 'data'> | undefined;
  readonly notice?: FiredNotice | undefined;
}

/** A notice of Botbell's own, which `mute`, snoozes and bursts may hold. */
export interface FiredNotice extends OwnNotice {
  readonly planned: readonly PlannedDelivery[];
  readonly timezone: string;
}

/** @returns the notice's deliveries; none if the timer is not this process's any more, or what it is about has changed meanwhile */
export async function fire(tx: Tx, { timer, next, notice }: Fired): Promise<readonly DeliveryRecord[]> {
  if (!(await endTimer(tx, timer, next)) || notice === undefined || notice.planned.length === 0) return [];
  const { kind, planned, timezone, botId = '' } = notice;
  const id = kind === 'overdue' ? hash('sha256', timer.key, 'hex') : undefined;
  if (id !== undefined && (await isOver(tx, notice, id))) return [];
  const targets = await decideHolds(tx, { botId, status: undefined, planned, timezone });
  const incident = await recordLateSign(tx, notice);
  if (incident !== undefined) await beginEscalations(tx, incident, tellingSteps(planned, targets));
  const written = await writeOwnNotice(tx, { ...notice, id }, ofIncident(targets, incident));
  return written.deliveries;
}

async function recordLateSign(
  tx: Tx,
  { kind, botId = '', botName = '' }: FiredNotice,
): Promise<number | undefined> {
  if (kind !== 'overdue' && kind !== 'missed') return undefined;
  const about = { key: keyOf(botId), subject: nameIn(botId), name: nameIn(botName) };
  return recordSign(tx, { kind: 'bot', ...about, sign: kind, gist: '' });
}

/** Whether the job's result has come, or another process has written this notice. Locks the job, so that a result that comes now waits. */
async function isOver(tx: Tx, { jobId = '', botId = '' }: FiredNotice, id: string): Promise<boolean> {
  await lockJob(tx, jobKeyOf(keyOf(jobId), keyOf(botId)));
  const over = await tx.first(sql`
    SELECT id FROM callbacks WHERE job_id = ${keyOf(jobId)} AND bot_key = ${keyOf(botId)} AND status IN (0, 1)
      AND (kind = 'callback' OR identity = ${id}) LIMIT 1`);
  return over !== undefined;
}

/** The timers that configs have begun, except those being fired at this moment, and the runs that may be overdue. */
export interface Standing {
  readonly now: number;
  readonly begun: readonly Timer[];
  readonly runs: Awaited<ReturnType<typeof openRuns>>;
}

/** What becomes of the timers and holds of a config that takes effect. */
export interface Adoption {
  readonly timers: readonly Timer<object>[];
  /** Keys of those that it no longer asks for. */
  readonly ended: readonly string[];
  /** The destinations whose messages that `mute` or a snooze holds are decided anew. */
  readonly reasked: readonly string[] | 'all';
}

export async function adoptTimers(
  tx: Tx,
  isWatchingRuns: boolean,
  adopt: (standing: Standing) => Adoption,
): Promise<void> {
  const { now } = tx;
  const begun = await tx.all<Timer>(sql`
    SELECT key, kind, due_at, data FROM timers WHERE kind IN ('digest', 'expect', 'report', 'budget') ORDER BY key ${tx.skipLocked}`);
  const { timers, ended, reasked } = adopt({ now, begun, runs: isWatchingRuns ? await openRuns(tx) : [] });
  for (const keys of inChunks(ended, AT_ONCE))
    await tx.all(sql`DELETE FROM timers WHERE key IN (${join(keys)})`);
  await beginTimers(tx, timers);
  const known = new Map(begun.map((timer) => [timer.key, timer]));
  await putTimers(
    tx,
    timers.filter((timer) => known.has(timer.key) && asStored(timer) !== asStored(known.get(timer.key))),
  );
  // Escalations are decided anew, by today's steps.
  await tx.all(sql`
    UPDATE timers SET due_at = ${now}, owner = NULL WHERE key IN (
      SELECT key FROM timers WHERE kind = 'escalation' AND due_at > ${now} ORDER BY key ${tx.skipLocked})`);
  await askAnew(tx, reasked);
}

/** A timer as it is stored: a calendar in its data, for one, is stored as its key. */
function asStored(timer: Timer | undefined): string {
  return JSON.stringify([timer?.dueAt, timer?.data]);
}

async function askAnew(tx: Tx, reasked: Adoption['reasked']): Promise<void> {
  const all = sql`SELECT DISTINCT destination FROM deliveries WHERE held_until IS NOT NULL AND reason IN ('mute', 'snooze')`;
  // Their due time changes, so that a decision that the former config is making now is not written (`endTimer`).
  const anew = sql`UPDATE SET due_at = timers.due_at - 1, owner = NULL`;
  if (reasked === 'all') return beginHolds(tx, all, anew);
  for (const some of inChunks(reasked, AT_ONCE))
    await beginHolds(tx, sql`${all} AND destination IN (${join(some)})`, anew);
}
