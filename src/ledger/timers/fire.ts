/** Writes the notice of a claimed timer together with its end, so that each is told once; and what timers begin with. */
import { hash } from 'node:crypto';
import sql from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { beginEscalations, tellingSteps } from '../incidents/escalations.ts';
import { notice as noticeTrouble } from '../incidents/signs.ts';
import { jobKeyOf, keyOf, nameIn } from '../callbacks/keys.ts';
import type { DeliveryRecord, PlannedDelivery } from '../ledger.ts';
import { insertRows, ofIncident } from '../deliveries/deliveries.ts';
import { lockJob } from '../deliveries/locks.ts';
import { holdWanted } from './admission.ts';
import { type OwnNotice, writeOwnNotice } from '../callbacks/own-notices.ts';
import { openRuns } from './runs.ts';
import { endTimer, type Timer, timersOf } from './timers.ts';

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
  const { planned, timezone, botId = '', jobId = '', isOfJob = false } = notice;
  const jobKey = isOfJob ? jobKeyOf(keyOf(jobId), keyOf(botId)) : undefined;
  const id = isOfJob ? hash('sha256', timer.key, 'hex') : undefined;
  if (id !== undefined && (await isOver(tx, notice, id))) return [];
  const targets = await holdWanted(tx, { botId, status: undefined, planned, timezone });
  const written = await writeOwnNotice(tx, { ...notice, id });
  const incident = await noticeLate(tx, notice);
  if (incident !== undefined) await beginEscalations(tx, incident, tellingSteps(planned, targets));
  return insertRows(tx, { ...written, jobKey, targets: ofIncident(targets, incident) });
}

async function noticeLate(
  tx: Tx,
  { kind, botId = '', botName = '' }: FiredNotice,
): Promise<number | undefined> {
  if (kind !== 'overdue' && kind !== 'missed') return undefined;
  const about = { key: keyOf(botId), subject: nameIn(botId), name: nameIn(botName) };
  const counted = await noticeTrouble(tx, { kind: 'bot', ...about, sign: kind, gist: '' });
  return counted?.id;
}

/** Whether the job's result has come, or another process has told of it. Locks the job, so that a result that comes now waits. */
async function isOver(tx: Tx, { jobId = '', botId = '' }: FiredNotice, id: string): Promise<boolean> {
  await lockJob(tx, jobKeyOf(keyOf(jobId), keyOf(botId)));
  const over = await tx.first(sql`
    SELECT id FROM callbacks WHERE job_id = ${keyOf(jobId)} AND bot_key = ${keyOf(botId)} AND status IN (0, 1)
      AND (kind = 'callback' OR identity = ${id}) LIMIT 1`);
  return over !== undefined;
}

/** What a process needs to know to have the ledger hold the timers of its config. */
export async function standing(tx: Tx, isWatchingRuns: boolean) {
  return {
    now: tx.now,
    /** Timers that a config asks for, of whichever config. */
    begun: await timersOf(tx, ['digest', 'expect']),
    runs: isWatchingRuns ? await openRuns(tx) : [],
  };
}
