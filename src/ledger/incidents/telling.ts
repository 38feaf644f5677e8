/** Messages about incidents themselves: they begin or grow, somebody is on them, or they are over. */
import sql, { join, type Sql } from 'sql-template-tag';
import type { Receipt } from '../../channels/channel.ts';
import { type Incident, toldTroubles, type ToldTrouble } from '../../incident/incident.ts';
import type { OwnSubject } from '../../notice/notice.ts';
import { idsOf, isSqlite, type Tx } from '../database.ts';
import { type Alert, type DecidedTarget, type DeliveryRecord, DISMISSED } from '../ledger.ts';
import { type OwnNotice, writeOwnNotice } from '../callbacks/own-notices.ts';
import { writeHistory } from '../callbacks/history.ts';
import { keyOf } from '../callbacks/keys.ts';
import { ofIncident, supersedeEach } from '../deliveries/deliveries.ts';
import { lockJob } from '../deliveries/rows.ts';
import { endSnoozes, LONGEST_UNTIL_SUCCESS_MS, type SnoozeRequest } from '../timers/timers.ts';

/** The columns of an `Incident`, and of an `IncidentRow`. */
export const INCIDENT: Sql = sql`id, kind, subject, subject_key, name, sign, gist, likeness, since, last_at, count, is_waiting, taken_up, over_at`;
export const INCIDENT_ROW: Sql = sql`${INCIDENT}, alerted, about`;

export interface IncidentRow extends Incident {
  /** Whom the alert about it, or steps, have told. */
  readonly alerted?: readonly ToldTarget[] | undefined;
  /** The callback of its first sign. */
  readonly about?: number | undefined;
}

/** The order in which incidents are locked: for BOTs, that of a batch of callbacks (`jobKeyOf`). */
export function lockOrder(tx: Tx): Sql {
  return sql`ORDER BY kind DESC, ${isSqlite(tx) ? sql`subject_key` : sql`subject_key COLLATE "C"`}`;
}

export function lockOpen(tx: Tx, which: Sql): Promise<readonly IncidentRow[]> {
  return tx.all(sql`
    SELECT ${INCIDENT_ROW} FROM incidents WHERE over_at IS NULL AND ${which} ${lockOrder(tx)} ${tx.forUpdate}`);
}

/** Writes nothing if there are no targets. @param inMs when it is told */
export async function tellIncidents(
  tx: Tx,
  subject: OwnSubject<'taken_up' | 'over'>,
  targets: readonly DecidedTarget[],
  { inMs = 0, incidentId }: Pick<OwnNotice, 'incidentId'> & { readonly inMs?: number } = {},
): Promise<void> {
  if (targets.length === 0) return;
  const told = { incidentId, kind: subject.template, subject: JSON.stringify(subject) };
  const { callbackId } = await writeOwnNotice(tx, told, targets);
  if (inMs > 0)
    await tx.all(sql`UPDATE deliveries SET due_at = ${tx.now + inMs} WHERE callback_id = ${callbackId}`);
}

/** How the BOTs of a take-up are snoozed, until their next success. */
export interface Quieting extends Pick<SnoozeRequest, 'because' | 'actor'> {
  /** Whether all are, or only those that whoever was on them before has snoozed so. */
  readonly isAsked: boolean;
}

/** @param incidents open and locked: whoever writes such snoozes has locked their incidents */
export async function quieten(
  tx: Tx,
  incidents: readonly Pick<Incident, 'id'>[],
  { isAsked, because, actor }: Quieting,
): Promise<void> {
  const ids = join([0, ...incidents.map(({ id }) => id)]);
  const until = tx.now + LONGEST_UNTIL_SUCCESS_MS;
  const isOf = sql`until_at > ${tx.now} AND incident_id`;
  await tx.all(sql`
    UPDATE snoozes SET until_at = ${until}, because = ${because}, actor = ${actor} WHERE ${isOf} IN (${ids})`);
  // No snooze can name a BOT whose id is empty.
  if (isAsked)
    await tx.all(sql`
      INSERT INTO snoozes (bot_key, bot_id, until_at, is_until_success, because, actor, created_at, incident_id)
      SELECT subject_key, subject, CAST(${until} AS BIGINT), 1, ${because}, ${actor}, CAST(${tx.now} AS BIGINT), id FROM incidents
      WHERE kind = 'bot' AND trim(subject_key) <> '' AND id IN (${ids})
        AND NOT EXISTS (SELECT 1 FROM snoozes WHERE ${isOf} = incidents.id) ORDER BY id`);
}

/** Ends the snoozes that came with quiet take-ups of these incidents, which are locked. */
export async function endQuietSnoozes(
  tx: Tx,
  incidents: readonly Pick<Incident, 'id' | 'takenUp'>[],
): Promise<void> {
  const ids = incidents.flatMap(({ id, takenUp }) => (takenUp === undefined ? [] : id));
  if (ids.length > 0) await endSnoozes(tx, sql`incident_id IN (${join(ids)})`);
}

/** Ends incidents, and tells it in one message wherever their alert, or a step, was delivered; what a step has not told yet is told to nobody. @returns how many were open */
export async function endIncidents(tx: Tx, which: Sql, noNews: readonly string[]): Promise<number> {
  if ((await lockOpen(tx, which)).length === 0) return 0;
  const ended = await tx.all<IncidentRow>(
    sql`UPDATE incidents SET over_at = ${tx.now} WHERE over_at IS NULL AND ${which} RETURNING ${INCIDENT_ROW}`,
  );
  await endQuietSnoozes(tx, ended);
  const bySteps = ended.flatMap(({ kind, alerted = [] }) =>
    kind === 'bot' ? alerted.map(({ lastId }) => lastId) : [],
  );
  await supersedeEach(tx, bySteps);
  const groups = new Map<string, { targets: readonly DecidedTarget[]; incidents: Incident[] }>();
  for (const found of ended) {
    const got = await takeAlerted(tx, found);
    const hearing = got.filter(({ destination }) => !noNews.includes(destination));
    if (hearing.length === 0) continue;
    const incident = { ...found, ...(await lateAndLost(tx, found)) };
    const targets = hearing.map(({ destination }) => ({ destination }));
    const key = JSON.stringify(targets);
    groups.set(key, { targets, incidents: [...(groups.get(key)?.incidents ?? []), incident] });
  }
  for (const { targets, incidents } of groups.values())
    await tellIncidents(tx, { template: 'over', ...toldTroubles(incidents) }, targets);
  return ended.length;
}

/** Those who have got its alert, or a step's message, and hear of its end. If it begins again, the others may still be told of it, and then of its end. */
async function takeAlerted(tx: Tx, { id, alerted = [] }: IncidentRow): Promise<readonly ToldTarget[]> {
  if (alerted.length === 0) return [];
  const ids = join(alerted.map(({ lastId }) => lastId));
  const got = await idsOf(tx, sql`SELECT id FROM deliveries WHERE id IN (${ids}) AND state = 'delivered'`);
  const left = alerted.filter(({ lastId }) => !got.includes(lastId));
  await tx.all(sql`UPDATE incidents SET alerted = ${left.length > 0 ? left : undefined} WHERE id = ${id}`);
  return alerted.filter(({ lastId }) => got.includes(lastId));
}

const LATE_MS = 60_000;

/** When it was to be sent: what was held, at the end of the hold; what a step tells, when that was due. */
const WANTED_AT = sql`coalesce((
  SELECT max(at) FROM history WHERE delivery_id = deliveries.id AND what = 'released'),
  CASE WHEN telling LIKE '%"escalated"%' THEN counts_from ELSE received_at END)`;

/** A condition on a destination's row of `incidents`. What a process has seen of it may be lost with the process, so the row of the message in trouble counts, too. */
export const HAS_DELIVERED: Sql = sql`(
  EXISTS (SELECT 1 FROM destinations WHERE destination = subject AND last_delivered_at > incidents.last_at)
  OR EXISTS (
    SELECT 1 FROM deliveries
    WHERE callback_id = incidents.about AND destination = subject AND state = 'delivered' AND updated_at > incidents.last_at))`;

/** Of the messages for a destination since the first that failed: how many were told late, or are late now where it works again, and how many were given up. */
async function lateAndLost(tx: Tx, { id, subject, about }: IncidentRow) {
  if (about === undefined) return undefined;
  const lateMs = sql`CASE WHEN summary_id IS NOT NULL THEN 0 WHEN state = 'delivered' THEN updated_at - ${WANTED_AT}
    WHEN state = 'pending' AND is_taken_over = 1 AND EXISTS (SELECT 1 FROM incidents WHERE id = ${id} AND ${HAS_DELIVERED})
      THEN ${tx.now} - ${WANTED_AT} END`;
  return tx.first<Pick<ToldTrouble, 'late' | 'lost'>>(sql`
    SELECT CAST(coalesce(sum(CASE WHEN ${lateMs} >= ${LATE_MS} THEN 1 ELSE 0 END), 0) AS INTEGER) AS late,
      CAST(coalesce(sum(CASE WHEN state = 'dead' OR (state = 'held' AND reason = ${DISMISSED}) THEN 1 ELSE 0 END), 0) AS INTEGER) AS lost
    FROM deliveries JOIN callbacks ON callbacks.id = callback_id
    WHERE callback_id >= ${about} AND destination = ${subject}`);
}

/** Callbacks that are looked at for who was told of an incident, the newest. */
const MOST_LOOKED_AT = 500;

export interface ToldTarget extends DecidedTarget {
  /** Of its last delivery. */
  readonly lastId: number;
  /** A step told it before the incident was taken up and released: it may be told anew. */
  readonly isPast?: true;
}

/** @returns each destination that was told of any of these incidents, with these; a message to this target replies to its last one */
export async function toldOf(
  tx: Tx,
  incidents: readonly IncidentRow[],
): Promise<readonly (readonly [DecidedTarget, readonly Incident[]])[]> {
  const told = new Map<string, { target: ToldTarget; readonly of: Incident[] }>();
  const bots = incidents.filter(({ kind }) => kind === 'bot');
  const delivered = await deliveredOf(tx, bots);
  for (const incident of incidents)
    for (const target of delivered.get(incident.id) ?? incident.alerted ?? []) {
      const known = told.get(target.destination);
      if (known === undefined) told.set(target.destination, { target, of: [incident] });
      else {
        known.of.push(incident);
        if (target.lastId > known.target.lastId) known.target = target;
      }
    }
  const replying = [...told.values()].map(async ({ target: { lastId, ...target }, of }) => {
    const last = await tx.first<{ receipt: Receipt | undefined }>(
      sql`SELECT receipt FROM deliveries WHERE id = ${lastId}`,
    );
    return [{ ...target, telling: last?.receipt && { repliesTo: last.receipt } }, of] as const;
  });
  return Promise.all(replying);
}

/** @returns by the incidents' ids: the destinations that have got a message about these BOTs' troubles */
export async function deliveredOf(
  tx: Tx,
  incidents: readonly Incident[],
): Promise<ReadonlyMap<number, readonly ToldTarget[]>> {
  const told = new Map(incidents.map(({ id }) => [id, [] as ToldTarget[]]));
  const rows = await tx.all<ToldTarget & { readonly ofIncident: number }>(sql`
    SELECT of_incident, destination, max(deliveries.id) AS last_id
    FROM (${troublesOf(incidents)}) AS troubles JOIN deliveries ON callback_id = trouble_id
    WHERE state = 'delivered' GROUP BY of_incident, destination ORDER BY destination`);
  for (const { ofIncident: id, ...target } of rows) told.get(id)?.push(target);
  return told;
}

/** Leaves out an error of a run that started before a success: it counts in no incident. */
const IS_COUNTED = sql`EXISTS (
  SELECT 1 FROM deliveries
  WHERE callback_id = callbacks.id
    AND (telling LIKE '%"incident":' || of_incident || ',%' OR telling LIKE '%"incident":' || of_incident || '}%'))`;

/** A query of the ids of these BOTs' errors, overdue runs and missed results, the newest of each: `of_incident`, `trouble_id`. */
export function troublesOf(incidents: readonly Incident[]): Sql {
  const ids = join([0, ...incidents.map(({ id }) => id)]);
  const of = (kinds: Sql) => sql`${kinds} AND bot_key = subject_key AND status = 1 AND received_at >= since`;
  // By the index of callbacks, then by that of Botbell's own notices.
  const newest = (kinds: Sql) => sql`
    SELECT of_incident, id AS trouble_id
    FROM (SELECT id AS of_incident, subject_key, since FROM incidents WHERE id IN (${ids})) AS troubled JOIN callbacks ON ${of(kinds)}
      AND id >= coalesce((SELECT id FROM callbacks WHERE ${of(kinds)} ORDER BY id DESC LIMIT 1 OFFSET ${MOST_LOOKED_AT - 1}), 0)
    WHERE ${IS_COUNTED}`;
  return sql`${newest(sql`kind = 'callback'`)} UNION ALL ${newest(sql`kind <> 'callback' AND kind IN ('overdue', 'missed')`)}`;
}

const ONCE_WITHIN_MS = 60 * 60_000;

/** An alert, and the callback that it is about; undefined: the ledger has none. */
export interface AlertAbout extends Alert {
  readonly about?: number | undefined;
}

/** An incident whose alert is not told yet. */
interface Raised extends Pick<Incident, 'id' | 'since' | 'count'> {
  readonly alert: AlertAbout;
  /** When it was alerted last, by which cause, and how many signs there were then. */
  readonly toldAt: number | undefined;
  readonly cause?: string | undefined;
  readonly toldCount: number;
}

/**
 * Tells the alerts of incidents that have lasted for as long as their alert waits, or have grown and were alerted last at least an hour ago.
 * Has to be the last to lock any rows in a transaction. @param which of them @returns whether any alert was written
 */
export async function raiseAlerts(tx: Tx, which: Sql): Promise<boolean> {
  const raised = await tx.all<Raised>(sql`
    SELECT id, since, count, told_at, told_count, cause, alert FROM incidents
    WHERE over_at IS NULL AND alert IS NOT NULL AND ${which} ORDER BY kind, subject_key ${tx.skipLocked}`);
  const due = raised
    .filter((each) => isDue(each, tx.now))
    .toSorted(({ alert: a }, { alert: b }) => a.cause.localeCompare(b.cause, 'en'));
  let isAnyTold = false;
  for (const each of due) if (await raiseOne(tx, each)) isAnyTold = true;
  return isAnyTold;
}

async function raiseOne(tx: Tx, incident: Raised): Promise<boolean> {
  const { id, alert } = incident;
  const key = keyOf(alert.cause);
  const known = await toldElsewhere(tx, id, key);
  // An alert of this cause was told within the hour: this one is told after it, unless its incident is over by then.
  if (known !== undefined && (known.overAt !== undefined || known.alerted === undefined)) {
    await tx.all(sql`UPDATE incidents SET told_at = ${known.toldAt} WHERE id = ${id}`);
    return false;
  }
  // These targets are told later who is on the incident, as a reply, and that it is over.
  const alerted =
    known?.alerted ??
    (await write(tx, incident)).map(({ destination, id: lastId }) => ({ destination, lastId }));
  await tx.all(sql`
    UPDATE incidents SET cause = ${key}, alert = NULL, alerted = ${alerted}, told_count = count, told_at = ${known?.toldAt ?? tx.now}
    WHERE id = ${id}`);
  return known === undefined;
}

function isDue({ since, toldAt, cause = '', alert }: Raised, now: number): boolean {
  if (toldAt === undefined) return now - since >= (alert.afterMs ?? 0);
  // The alert before it, of a config failure, said that nothing is lost; '': it was of another destination alone.
  const isFirstLoss = cause === '' || cause.startsWith('config_failure');
  if (alert.subject.template === 'dead_letter' && isFirstLoss) return true;
  // A clock that was set back must not silence it for long.
  return Math.abs(now - toldAt) >= ONCE_WITHIN_MS;
}

/** One alert is for all destinations whose trouble has one cause, such as a token. */
async function toldElsewhere(tx: Tx, id: number, key: string) {
  await lockJob(tx, `alert ${key}`);
  return tx.first<{ toldAt: number; overAt?: number; alerted?: readonly ToldTarget[] }>(sql`
    SELECT told_at, over_at, alerted FROM incidents
    WHERE cause = ${key} AND id <> ${id} AND told_at > ${tx.now - ONCE_WITHIN_MS} AND told_at <= ${tx.now}
    ORDER BY CASE WHEN over_at IS NULL THEN 0 ELSE 1 END LIMIT 1`);
}

async function write(
  tx: Tx,
  { id: incidentId, count, toldAt, toldCount, alert }: Raised,
): Promise<readonly DeliveryRecord[]> {
  const { subject, targets, about } = alert;
  const { job_id: jobId, bot_id: botId, bot_name: botName } = 'callback' in subject ? subject.callback : {};
  const suppressed = toldAt === undefined ? 0 : Math.max(0, count - toldCount - 1);
  const named = { kind: 'alert', jobId, botId, botName, about, suppressed, incidentId };
  const notice = { subject: JSON.stringify(subject), ...named };
  const told = ofIncident(targets, incidentId);
  const { callbackId: alertId, deliveries } = await writeOwnNotice(tx, notice, told);
  const entry = { alertId, who: targets.map(({ destination }) => destination) };
  if (about !== undefined) await writeHistory(tx, [{ callbackId: about, what: 'alerted', entry }]);
  return deliveries;
}
