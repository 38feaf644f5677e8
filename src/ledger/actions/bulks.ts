/** Redeliveries in bulk: a row each, which says how far it has come, and short steps by whichever process gets to it first. */
import sql, { join } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { writeHistory } from '../history.ts';
import { makePending } from '../operations/deliveries.ts';
import { lock } from '../operations/locks.ts';
import type { Actor } from './action.ts';
import type { ActionRequest, BulkKind, BulkRedelivery, BulkStep, RedeliveryFilter } from './actions.ts';
import { actorKept, nonceFor, noteKept } from './requests.ts';
import { markDismissed } from './standing.ts';
import { type Matching, matchingAmong, nextUndelivered } from './undelivered.ts';

const GIVEN_AT_ONCE = 100;

/** To look at so many takes SQLite some milliseconds. */
const LOOKED_AT_ONCE = 500;

const MOST_LISTED = 100;

interface BulkRow {
  readonly id: number;
  readonly what: BulkKind;
  readonly filter: string;
  readonly actor: string;
  readonly note: string | null;
  readonly state: BulkRedelivery['state'];
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly stopped_by: string | null;
  readonly looked_at: number;
  readonly until_id: number;
  readonly given: number;
}

interface AskedBulk {
  readonly filter: RedeliveryFilter;
  readonly request: ActionRequest;
  readonly what: BulkKind;
}

/** @returns its id, or that of the one with the same nonce */
export async function startBulk(tx: Tx, { filter, request, what }: AskedBulk): Promise<number> {
  const nonce = nonceFor(`bulk ${what}`, undefined, request) ?? null;
  const actor = JSON.stringify(actorKept(request.actor));
  const started = await tx.first<{ id: number }>(sql`
    INSERT INTO bulks (what, filter, actor, note, state, started_at, until_id, nonce)
    VALUES (${what}, ${JSON.stringify(filter)}, ${actor}, ${noteKept(request.note) ?? null}, 'running', ${tx.now},
      (SELECT coalesce(max(id), 0) FROM deliveries), ${nonce})
    ON CONFLICT (nonce) DO NOTHING RETURNING id`);
  const known = started ?? (await tx.first<{ id: number }>(sql`SELECT id FROM bulks WHERE nonce = ${nonce}`));
  if (known === undefined) throw new Error('a redelivery was neither begun nor there');
  return known.id;
}

export async function stopBulk(
  tx: Tx,
  { id, request }: { readonly id: number; readonly request: ActionRequest },
): Promise<void> {
  await tx.all(sql`
    UPDATE bulks SET state = 'stopped', ended_at = ${tx.now}, stopped_by = ${JSON.stringify(actorKept(request.actor))}
    WHERE id = ${id} AND state = 'running'`);
}

export async function readBulks(tx: Tx): Promise<readonly BulkRedelivery[]> {
  return withProgress(
    tx,
    await tx.all<BulkRow>(sql`SELECT * FROM bulks ORDER BY id DESC LIMIT ${MOST_LISTED}`),
  );
}

export async function readBulk(tx: Tx, id: number): Promise<BulkRedelivery | undefined> {
  return (await withProgress(tx, await tx.all<BulkRow>(sql`SELECT * FROM bulks WHERE id = ${id}`)))[0];
}

async function withProgress(tx: Tx, rows: readonly BulkRow[]): Promise<readonly BulkRedelivery[]> {
  if (rows.length === 0) return [];
  const counts = await tx.all<{ bulk_id: number; state: string; count: number }>(sql`
    SELECT bulk_id, state, count(*) AS count FROM deliveries
    WHERE bulk_id IN (${join(rows.map(({ id }) => id))}) GROUP BY bulk_id, state`);
  const countOf = (id: number, state: string) =>
    counts.find((each) => each.bulk_id === id && each.state === state)?.count ?? 0;
  return rows.map((row) => ({
    id: row.id,
    what: row.what,
    filter: JSON.parse(row.filter) as RedeliveryFilter,
    actor: actorIn(row.actor),
    state: row.state,
    startedAt: row.started_at,
    endedAt: row.ended_at ?? undefined,
    stoppedBy: row.stopped_by === null ? undefined : actorIn(row.stopped_by),
    given: row.given,
    delivered: countOf(row.id, 'delivered'),
    dead: countOf(row.id, 'dead'),
    pending: countOf(row.id, 'pending'),
  }));
}

function actorIn(json: string): Actor {
  const { via, user, from } = JSON.parse(json) as Actor;
  return { via, user, from };
}

export async function continueBulk(tx: Tx): Promise<BulkStep> {
  const bulk = await tx.first<BulkRow>(
    sql`SELECT * FROM bulks WHERE state = 'running' ORDER BY id LIMIT 1 ${tx.skipLocked}`,
  );
  if (bulk === undefined) return { isMore: false, given: 0, ended: undefined };
  const filter = JSON.parse(bulk.filter) as RedeliveryFilter;
  const range = { after: bulk.looked_at, until: bulk.until_id, most: LOOKED_AT_ONCE };
  const { last, matching } = await nextUndelivered(tx, filter, range);
  const next = matching.slice(0, GIVEN_AT_ONCE);
  const given = await give(tx, bulk, filter, next);
  const lookedAt = matching.length > GIVEN_AT_ONCE ? next.at(-1)?.id : last;
  const total = bulk.given + given;
  await notePlace(tx, bulk.id, { lookedAt, total });
  const ended = lookedAt === undefined ? { id: bulk.id, what: bulk.what, given: total } : undefined;
  return { isMore: true, given, ended };
}

/** What somebody else has changed meanwhile is left alone. */
async function give(
  tx: Tx,
  bulk: BulkRow,
  filter: RedeliveryFilter,
  found: readonly Matching[],
): Promise<number> {
  const deliveryIds = found.map(({ id }) => id);
  await lock(tx, { jobKeys: found.map(({ jobKey }) => jobKey), deliveryIds });
  const rows = await matchingAmong(tx, filter, deliveryIds);
  const entry = { actor: actorIn(bulk.actor), note: bulk.note ?? undefined, bulkId: bulk.id };
  await writeHistory(
    tx,
    rows.map(({ id, callbackId }) => ({ callbackId, what: bulk.what, deliveryId: id, entry })),
  );
  const ids = rows.map(({ id }) => id);
  if (bulk.what === 'dismissed') await markDismissed(tx, ids);
  else await makePending(tx, ids, { countsAnew: true, givenBackAt: tx.now, bulkId: bulk.id });
  return rows.length;
}

/** @param place `lookedAt` undefined: nothing is left to look at */
async function notePlace(
  tx: Tx,
  id: number,
  { lookedAt, total }: { readonly lookedAt: number | undefined; readonly total: number },
): Promise<void> {
  const place =
    lookedAt === undefined ? sql`state = 'done', ended_at = ${tx.now}` : sql`looked_at = ${lookedAt}`;
  await tx.all(sql`UPDATE bulks SET given = ${total}, ${place} WHERE id = ${id}`);
}
