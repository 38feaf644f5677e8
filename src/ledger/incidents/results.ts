/** What a new callback does to its BOT's incident, and a failed delivery to its destination's, in the transaction that writes it. */
import sql from 'sql-template-tag';
import type { Sign } from '../../incident/incident.ts';
import { withResult } from '../../signal/streak.ts';
import { gistOf } from '../../text/gist.ts';
import type { AdmitArgs } from '../callbacks/write-callback.ts';
import { keyOf } from '../callbacks/keys.ts';
import type { Tx } from '../database.ts';
import type { DecidedTarget, DeliveryRecord, DeliveryUpdate } from '../ledger.ts';
import { ofIncident } from '../deliveries/deliveries.ts';
import { decideHolds } from '../timers/admission.ts';
import { factsFromRows } from '../timers/facts.ts';
import { beginEscalations, tellingSteps } from './escalations.ts';
import { endQuietSnoozes } from './telling.ts';
import { endBotIncident, recordSign } from './signs.ts';

interface Known {
  readonly callbackId: number;
  readonly hasIncident: boolean;
}

/**
 * A success ends the BOT's incident; an error of which somebody is told counts in one.
 * @returns the targets, and those that steps told of the incident that ends
 */
export function updateBotIncident(
  tx: Tx,
  came: AdmitArgs,
  known: Known,
  targets: readonly DecidedTarget[],
): readonly DecidedTarget[] | Promise<readonly DecidedTarget[]> {
  const { status, error } = came;
  if (status === 0) return known.hasIncident ? endByResult(tx, came, known, targets) : targets;
  return error === null || targets.length === 0 ? targets : countError(tx, came, error, targets);
}

async function countError(
  tx: Tx,
  came: AdmitArgs,
  error: string,
  targets: readonly DecidedTarget[],
): Promise<readonly DecidedTarget[]> {
  const { botKey: key } = came;
  const startedAt = Math.min(came.startedAt, tx.now);
  const isWaiting = targets.every(({ reason }) => reason === 'after_failures');
  const about = { kind: 'bot', key, subject: came.botId, name: came.botName, sign: 'error' } as const;
  await tx.inTurn?.();
  const id = await recordSign(tx, { ...about, gist: error, jobId: came.jobId, startedAt, isWaiting });
  if (id !== undefined) await beginEscalations(tx, id, tellingSteps(came.asking.planned, targets));
  return ofIncident(targets, id);
}

/** Whoever a step has told is told that the BOT works again, whatever the routes tell. */
async function endByResult(
  tx: Tx,
  came: AdmitArgs,
  { callbackId }: Known,
  targets: readonly DecidedTarget[],
): Promise<readonly DecidedTarget[]> {
  const { botKey, botId, asking } = came;
  const startedAt = Math.min(came.startedAt, tx.now);
  await tx.inTurn?.();
  const ended = await endBotIncident(tx, botKey, startedAt);
  if (ended !== undefined) await endQuietSnoozes(tx, [ended]);
  const isTold = ({ destination }: { readonly destination: string }) =>
    ended?.alerted?.some((told) => told.destination === destination) === true;
  const told = asking.later?.filter(isTold) ?? [];
  if (ended === undefined || told.length === 0) return ofIncident(targets, ended?.id);
  const { streak } = await factsFromRows(tx, botKey, callbackId);
  const { since = ended.since, failures } = withResult(streak, { startedAt, isError: false }).row;
  const recovered = {
    template: 'recovered',
    failingSince: since,
    failingForMs: Math.max(0, startedAt - since),
    failures,
  } as const;
  // A target that a rule has let go is told all the same, if a step told it.
  const kept = targets.filter((each) => each.reason === undefined || each.heldUntil !== undefined);
  const planned = told.filter((each) => !kept.some((known) => known.destination === each.destination));
  const { timezone } = asking;
  const held = await decideHolds(tx, { botId, status: 0, planned, timezone });
  const wanted = held.map((each) => ({
    ...each,
    telling: { ...each.telling, isOnlyRecovery: true } as const,
  }));
  const others = targets.filter((each) => kept.includes(each) || !isTold(each));
  const all = [...others, ...wanted].map((each) =>
    isTold(each) ? { ...each, telling: { occasion: recovered, ...each.telling }, recoveryOf: botKey } : each,
  );
  return ofIncident(all, ended.id);
}

interface Failed extends DeliveryUpdate {
  /** The delivery before this failure. */
  readonly row: Pick<DeliveryRecord, 'callbackId' | 'lastError' | 'attempts' | 'updatedAt'>;
}

/**
 * Whether the delivery has failed in this way before, when it was taken over or since, which says nothing new; false of the failure by which
 * its destination is found down, or limited for long. OFFSET 1: this attempt is in history already.
 */
async function isKnown(
  tx: Tx,
  { id, destination, row, state, attempts, lastError }: Failed,
  sign: Sign,
): Promise<boolean> {
  const { callbackId, lastError: before } = row;
  const isSame = before?.class === lastError?.class && before?.code === lastError?.code;
  if (state !== 'pending' || !isSame) return false;
  if (sign !== 'config' && !(await isOpen(tx, destination))) return false;
  const ofDelivery = sql`callback_id = ${callbackId} AND delivery_id = ${id}`;
  if (attempts === row.attempts) {
    // Nobody has attempted it: only that it was taken over since it was last written is new.
    const takenOver = await tx.first(sql`
      SELECT id FROM history WHERE ${ofDelivery} AND what = 'taken_over' AND at > ${row.updatedAt} LIMIT 1`);
    return takenOver === undefined;
  }
  const earlier = await tx.first(sql`
    SELECT id FROM history WHERE ${ofDelivery} AND ((what = 'taken_over' AND result IS NOT NULL) OR (what = 'attempt'
      AND id > coalesce((SELECT max(id) FROM history WHERE ${ofDelivery} AND what = 'taken_over'), 0)))
    LIMIT 1 OFFSET 1`);
  return earlier !== undefined;
}

async function isOpen(tx: Tx, destination: string): Promise<boolean> {
  const open = await tx.first(sql`
    SELECT id FROM incidents WHERE kind = 'destination' AND subject_key = ${keyOf(destination)} AND over_at IS NULL`);
  return open !== undefined;
}

/** The trouble of its destination that the failure shows: a dead letter, a config to be mended while Botbell retries, a long rate limit, being down. */
function signOf({ state, isTakenOver, lastError, alert }: Failed): Sign | undefined {
  if (state === 'dead') return 'dead';
  if (state !== 'pending' || !isTakenOver) return undefined;
  if (lastError?.class === 'config') return 'config';
  if (alert === undefined) return undefined;
  return lastError?.class === 'rate_limited' ? 'limited' : 'down';
}

/** A destination is found down minutes after the first attempt that failed. */
async function failingSince(tx: Tx, destination: string): Promise<number | undefined> {
  const row = await tx.first<{ since: number }>(
    sql`SELECT failing_since AS since FROM destinations WHERE destination = ${destination} AND failing_since IS NOT NULL`,
  );
  return row?.since;
}

/** @returns the id of the incident that is to be alerted, if any */
export async function recordFailureSign(tx: Tx, failed: Failed): Promise<number | undefined> {
  const { destination, lastError, row } = failed;
  const sign = signOf(failed);
  if (sign === undefined) return undefined;
  const about = row.callbackId;
  const isAgain = await isKnown(tx, failed, sign);
  const alert = failed.alert && !isAgain ? { about, ...failed.alert } : undefined;
  const whose = { kind: 'destination', key: keyOf(destination), subject: destination, name: '' } as const;
  const since = sign === 'down' ? await failingSince(tx, destination) : undefined;
  const told = { sign, gist: gistOf(lastError?.message ?? ''), about, isAgain, alert, since };
  const id = await recordSign(tx, { ...whose, ...told });
  return alert && id;
}
