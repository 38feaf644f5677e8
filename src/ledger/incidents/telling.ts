/** Messages about incidents themselves: somebody is on them, or they are over. */
import sql, { join, type Sql } from 'sql-template-tag';
import type { Receipt } from '../../channels/channel.ts';
import { type Incident, toldTroubles, type ToldTrouble } from '../../incident/incident.ts';
import type { OwnSubject } from '../../notice/notice.ts';
import type { Tx } from '../database.ts';
import { type DecidedTarget, DISMISSED } from '../ledger.ts';
import { writeOwnNotice } from '../callbacks/own-notices.ts';

/** The columns of an `Incident`, and of an `IncidentRow`. */
export const INCIDENT: Sql = sql`id, kind, subject, name, sign, gist, likeness, since, last_at, count, is_waiting, taken_up, over_at`;
export const INCIDENT_ROW: Sql = sql`${INCIDENT}, subject_key, alerted, about`;

export interface IncidentRow extends Incident {
  readonly subjectKey: string;
  /** Whom the alert about it, or steps, have told. */
  readonly alerted?: readonly ToldTarget[] | undefined;
  /** The callback of its first sign. */
  readonly about?: number | undefined;
}

/** Nothing is written for nobody. */
export async function tellIncidents(
  tx: Tx,
  subject: OwnSubject<'taken_up' | 'over'>,
  targets: readonly DecidedTarget[],
): Promise<void> {
  if (targets.length === 0) return;
  await writeOwnNotice(tx, { kind: subject.template, subject: JSON.stringify(subject) }, targets);
}

/** What an alert told of has a last line where the alert went: one for all that end together. @returns how many were open */
export async function endIncidents(tx: Tx, which: Sql, noNews: readonly string[]): Promise<number> {
  const ended = await tx.all<IncidentRow>(
    sql`UPDATE incidents SET over_at = ${tx.now} WHERE over_at IS NULL AND ${which} RETURNING ${INCIDENT_ROW}`,
  );
  const groups = new Map<
    string,
    { readonly targets: readonly DecidedTarget[]; readonly incidents: Incident[] }
  >();
  for (const found of ended) {
    const got = await withAlert(tx, found.alerted ?? []);
    const hearing = got.filter(({ destination }) => !noNews.includes(destination));
    if (hearing.length === 0) continue;
    const incident = { ...found, ...(await lateAndLost(tx, found)) };
    const targets = hearing.map(({ destination, channel, address }) => ({ destination, channel, address }));
    const group = groups.get(JSON.stringify(targets)) ?? { targets, incidents: [] as Incident[] };
    group.incidents.push(incident);
    groups.set(JSON.stringify(targets), group);
  }
  for (const { targets, incidents } of groups.values())
    await tellIncidents(tx, { template: 'over', ...toldTroubles(incidents) }, targets);
  return ended.length;
}

/** Those of these targets that have got the alert. */
async function withAlert(tx: Tx, alerted: readonly ToldTarget[]): Promise<readonly ToldTarget[]> {
  const ids = alerted.flatMap(({ lastId }) => lastId ?? []);
  if (ids.length === 0) return alerted;
  const rows = await tx.all<{ id: number }>(
    sql`SELECT id FROM deliveries WHERE id IN (${join(ids)}) AND state = 'delivered'`,
  );
  const got = new Set(rows.map(({ id }) => id));
  return alerted.filter(({ lastId }) => lastId === undefined || got.has(lastId));
}

const LATE_MS = 60_000;

/** Of the messages for a destination since the first that failed: how many were told late, or are now, and how many were given up. */
async function lateAndLost(tx: Tx, { kind, subject, about }: IncidentRow) {
  if (kind !== 'destination' || about === undefined) return {};
  return tx.first<Pick<ToldTrouble, 'late' | 'lost'>>(sql`
    SELECT CAST(coalesce(sum(CASE WHEN (state = 'delivered' AND updated_at - received_at >= ${LATE_MS})
        OR (state = 'pending' AND is_taken_over = 1 AND ${tx.now} - received_at >= ${LATE_MS}) THEN 1 ELSE 0 END), 0) AS INTEGER) AS late,
      CAST(coalesce(sum(CASE WHEN state = 'dead' OR (state = 'held' AND reason = ${DISMISSED}) THEN 1 ELSE 0 END), 0) AS INTEGER) AS lost
    FROM deliveries JOIN callbacks ON callbacks.id = callback_id
    WHERE callback_id >= ${about} AND destination = ${subject}`);
}

/** Callbacks that are looked at for who was told of an incident, the newest. */
const MOST_LOOKED_AT = 500;

export interface ToldTarget extends DecidedTarget {
  /** Of its last delivery. */
  readonly lastId?: number;
  /** A step told it before a take-up that was given back: it may be told anew. */
  readonly isPast?: true;
}

/** @returns for each destination that was told of some of these incidents, which those are; a message replies to the last one */
export async function toldOf(
  tx: Tx,
  incidents: readonly IncidentRow[],
): Promise<readonly (readonly [DecidedTarget, readonly Incident[]])[]> {
  const told = new Map<string, { target: ToldTarget; readonly of: Incident[] }>();
  for (const incident of incidents)
    for (const target of await toldAbout(tx, incident)) {
      const known = told.get(target.destination);
      if (known === undefined) told.set(target.destination, { target, of: [incident] });
      else {
        known.of.push(incident);
        if ((target.lastId ?? 0) > (known.target.lastId ?? 0)) known.target = target;
      }
    }
  return Promise.all(
    [...told.values()].map(async ({ target, of }) => [await replying(tx, target), of] as const),
  );
}

async function replying(tx: Tx, { lastId, ...target }: ToldTarget): Promise<DecidedTarget> {
  const last = await tx.first<{ receipt: Receipt | undefined }>(
    sql`SELECT receipt FROM deliveries WHERE id = ${lastId}`,
  );
  return last?.receipt === undefined ? target : { ...target, telling: { repliesTo: last.receipt } };
}

async function toldAbout(tx: Tx, incident: IncidentRow): Promise<readonly ToldTarget[]> {
  return incident.kind === 'bot' ? deliveredOf(tx, incident) : (incident.alerted ?? []);
}

/** The destinations that have got a message about a BOT's trouble. */
export function deliveredOf(tx: Tx, incident: IncidentRow): Promise<readonly ToldTarget[]> {
  return tx.all<ToldTarget>(sql`
    SELECT destination, channel, address, max(id) AS last_id FROM deliveries
    WHERE state = 'delivered' AND callback_id IN (${troublesOf(incident)})
    GROUP BY destination, channel, address ORDER BY destination`);
}

/** A query of the ids of a BOT's errors, overdue runs and missed results, the newest of each. */
export function troublesOf({ subjectKey, since }: IncidentRow): Sql {
  // By the index of callbacks, then by that of Botbell's own notices.
  const newest = (kinds: Sql) => sql`SELECT id FROM (
    SELECT id FROM callbacks WHERE ${kinds} AND bot_key = ${subjectKey} AND status = 1 AND received_at >= ${since}
    ORDER BY id DESC LIMIT ${MOST_LOOKED_AT}) AS newest`;
  return sql`${newest(sql`kind = 'callback'`)} UNION ALL ${newest(sql`kind <> 'callback' AND kind IN ('overdue', 'missed')`)}`;
}
