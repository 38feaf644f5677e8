/** What people see of incidents, and do about them. */
import sql, { join, type Sql } from 'sql-template-tag';
import { cleanText } from '../../text/clean.ts';
import type { Incident, IncidentKind, IncidentState, TakenUp } from '../../incident/incident.ts';
import type { Page, PageRequest } from '../archive/archive.ts';
import { boundsOf } from '../archive/find-callbacks.ts';
import type { Tx } from '../database.ts';
import { keysFor } from '../keys.ts';

export interface IncidentFilter {
  readonly state?: IncidentState | undefined;
  readonly kind?: IncidentKind | undefined;
  readonly botId?: string | undefined;
  readonly destination?: string | undefined;
}

const COLUMNS = sql`id, kind, subject, name, sign, gist, likeness, since, last_at, count, is_waiting, taken_up, over_at`;

const STATES: Readonly<Record<IncidentState, Sql>> = {
  open: sql`over_at IS NULL AND taken_up IS NULL`,
  taken_up: sql`over_at IS NULL AND taken_up IS NOT NULL`,
  over: sql`over_at IS NOT NULL`,
};

/** Newest first. */
export async function findIncidents(
  tx: Tx,
  { state, kind, botId, destination }: IncidentFilter,
  page: PageRequest,
): Promise<Page<Incident>> {
  const { before, limit } = boundsOf(page);
  const conditions = [
    sql`id < ${before}`,
    state && STATES[state],
    kind && sql`kind = ${kind}`,
    botId && sql`kind = 'bot' AND subject_key IN (${join(keysFor(botId))})`,
    destination && sql`kind = 'destination' AND subject = ${cleanText(destination)}`,
  ].filter((each) => each !== undefined && each !== '');
  const rows = await tx.all<Incident>(
    sql`SELECT ${COLUMNS} FROM incidents WHERE ${join(conditions, ' AND ')} ORDER BY id DESC LIMIT ${limit + 1}`,
  );
  const items = rows.slice(0, limit);
  return { items, next: rows.length > limit ? items.at(-1)?.id : undefined };
}

/** Open incidents that one view considers. */
const MOST_OPEN = 10_000;

/** All that are not over, taken up or not. */
export function openIncidents(tx: Tx): Promise<readonly Incident[]> {
  return tx.all(sql`SELECT ${COLUMNS} FROM incidents WHERE over_at IS NULL ORDER BY id LIMIT ${MOST_OPEN}`);
}

/** @param taken undefined: it is given back @returns those that were open and are taken up, or given back, now */
export function takeUp(
  tx: Tx,
  ids: readonly number[],
  taken: Omit<TakenUp, 'at'> | undefined,
): Promise<readonly Incident[]> {
  const record = taken && JSON.stringify({ ...taken, at: tx.now });
  return tx.all(sql`
    UPDATE incidents SET taken_up = ${record} WHERE over_at IS NULL AND id IN (${join(ids)}) RETURNING ${COLUMNS}`);
}

/** @returns whether it was open */
export async function closeIncident(tx: Tx, id: number): Promise<boolean> {
  const closed = await tx.first(
    sql`UPDATE incidents SET over_at = ${tx.now} WHERE id = ${id} AND over_at IS NULL RETURNING id`,
  );
  return closed !== undefined;
}
