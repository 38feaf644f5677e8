/** What people see of incidents, and do about them. */
import sql, { join, type Sql } from 'sql-template-tag';
import { cleanText } from '../../text/clean.ts';
import {
  type Incident,
  type IncidentKind,
  type IncidentState,
  type TakenUp,
  toldTroubles,
} from '../../incident/incident.ts';
import type { ArchivedIncident, Page, PageRequest } from '../archive/archive.ts';
import { boundsOf, pageOf } from '../archive/stories.ts';
import type { Tx } from '../database.ts';
import { keysFor } from '../callbacks/keys.ts';
import { escalateAnew } from './escalations.ts';
import {
  endIncidents,
  endQuietSnoozes,
  quieten,
  type Quieting,
  INCIDENT,
  INCIDENT_ROW,
  type IncidentRow,
  lockOpen,
  tellIncidents,
  toldOf,
} from './telling.ts';

export interface IncidentFilter {
  readonly state?: IncidentState | undefined;
  readonly kind?: IncidentKind | undefined;
  readonly botId?: string | undefined;
  readonly destination?: string | undefined;
}

const STATES: Readonly<Record<IncidentState, Sql>> = {
  open: sql`over_at IS NULL AND taken_up IS NULL`,
  taken_up: sql`over_at IS NULL AND taken_up IS NOT NULL`,
  over: sql`over_at IS NOT NULL`,
};

const SHOWN = sql`${INCIDENT}, (SELECT last_error FROM destinations WHERE destination = subject) AS last_error`;

/** Newest first. */
export async function findIncidents(
  tx: Tx,
  { state, kind, botId, destination }: IncidentFilter,
  page: PageRequest,
): Promise<Page<ArchivedIncident>> {
  const { before, limit } = boundsOf(page);
  const conditions = [sql`id < ${before}`];
  if (state !== undefined) conditions.push(STATES[state]);
  if (kind !== undefined) conditions.push(sql`kind = ${kind}`);
  if (botId !== undefined) conditions.push(sql`kind = 'bot' AND subject_key IN (${join(keysFor(botId))})`);
  if (destination !== undefined)
    conditions.push(sql`kind = 'destination' AND subject = ${cleanText(destination)}`);
  const rows = await tx.all<ArchivedIncident>(
    sql`SELECT ${SHOWN} FROM incidents WHERE ${join(conditions, ' AND ')} ORDER BY id DESC LIMIT ${limit + 1}`,
  );
  return pageOf(rows, limit);
}

export function readIncident(tx: Tx, id: number): Promise<ArchivedIncident | undefined> {
  return tx.first(sql`SELECT ${SHOWN} FROM incidents WHERE id = ${id}`);
}

/** How many open incidents people are told of, by kind. */
export async function countIncidents(tx: Tx): Promise<Record<IncidentKind, number>> {
  const counts = await tx.all<{ kind: IncidentKind; count: number }>(
    sql`SELECT kind, count(*) AS count FROM incidents WHERE over_at IS NULL AND is_waiting = 0 GROUP BY kind`,
  );
  const countOf = (kind: IncidentKind) => counts.find((each) => each.kind === kind)?.count ?? 0;
  return { bot: countOf('bot'), destination: countOf('destination'), botbell: countOf('botbell') };
}

const MOST_OPEN = 10_000;

export function openIncidents(tx: Tx): Promise<readonly ArchivedIncident[]> {
  return tx.all(sql`SELECT ${SHOWN} FROM incidents WHERE over_at IS NULL ORDER BY id LIMIT ${MOST_OPEN}`);
}

/**
 * Takes incidents up, and tells each destination that was told of them in one message; nobody is told again of those that this
 * person has taken up for the same reason before. @param noNews destinations that are told of nothing but troubles themselves
 * @param quieting left out: no BOT is snoozed
 * @returns the open ones, all of which are taken up now
 */
export async function takeUp(
  tx: Tx,
  ids: readonly number[],
  { by, because }: Omit<TakenUp, 'at'>,
  noNews: readonly string[],
  quieting?: Quieting,
): Promise<readonly Incident[]> {
  const open = await lockOpen(tx, sql`id IN (${join(ids)})`);
  if (quieting !== undefined) await quieten(tx, open, quieting);
  const isKnown = ({ takenUp }: Incident) => takenUp?.by === by && takenUp.because === because;
  const news = open.filter((each) => !isKnown(each)).map(({ id }) => id);
  const taken = await setTakenUp(tx, news, { by, because, at: tx.now });
  for (const [target, incidents] of await toldOf(tx, taken))
    if (!noNews.includes(target.destination))
      await tellIncidents(tx, { template: 'taken_up', by, because, ...toldTroubles(incidents) }, [target]);
  return [...open.filter(isKnown), ...taken];
}

/** Has incidents taken up by nobody, ends the snoozes that came with it, and begins the steps of their routes anew. @returns the open ones */
export async function releaseIncidents(tx: Tx, ids: readonly number[]): Promise<readonly Incident[]> {
  // Also those that are just being taken up.
  const open = await lockOpen(tx, sql`id IN (${join([0, ...ids])})`);
  const taken = open.filter(({ takenUp }) => takenUp !== undefined);
  await endQuietSnoozes(tx, taken);
  for (const incident of taken) await escalateAnew(tx, incident);
  const locked = open.map(({ id }) => id);
  return setTakenUp(tx, locked, undefined);
}

function setTakenUp(
  tx: Tx,
  ids: readonly number[],
  taken: TakenUp | undefined,
): Promise<readonly IncidentRow[]> {
  return tx.all(sql`
    UPDATE incidents SET taken_up = ${taken} WHERE over_at IS NULL AND id IN (${join([0, ...ids])}) RETURNING ${INCIDENT_ROW}`);
}

/** @param noNews as of `takeUp` @returns whether any of them was open */
export async function closeIncidents(
  tx: Tx,
  ids: readonly number[],
  noNews: readonly string[],
): Promise<boolean> {
  return (await endIncidents(tx, sql`id IN (${join([0, ...ids])})`, noNews)) > 0;
}
