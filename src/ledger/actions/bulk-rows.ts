/** Redeliveries in bulk as the ledger keeps them: begun, stopped, and how far each has come. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Ask } from '../archive/find-callbacks.ts';
import { isPending } from '../pending-rows.ts';
import type { BulkRow, Tables } from '../tables.ts';
import { type ActionContext, actorIn, actorText, nonceFor, noteText } from './action-rows.ts';
import type { ActionRequest, BulkKind, BulkRedelivery, RedeliveryFilter } from './actions.ts';

/** The condition of the index of those that are running, word for word. */
export const isRunning = sql<boolean>`bulks.state = 'running'`;

/** Likewise, of those of which something is still to be withdrawn. */
export const isStopping = sql<boolean>`bulks.state = 'stopping'`;

/** Whether there is one to go on with. */
export async function isAnyOpen(db: Kysely<Tables>): Promise<boolean> {
  for (const condition of [isStopping, isRunning]) {
    const row = await db.selectFrom('bulks').select('id').where(condition).limit(1).executeTakeFirst();
    if (row !== undefined) return true;
  }
  return false;
}

const MOST_LISTED = 100;

/** @returns its id */
export async function startBulk(
  { trx, now }: Pick<ActionContext, 'trx' | 'now'>,
  filter: RedeliveryFilter,
  request: ActionRequest,
  what: BulkKind,
): Promise<number> {
  const nonce = nonceFor(`bulk ${what}`, undefined, request) ?? null;
  const started = await trx
    .insertInto('bulks')
    .values({
      what,
      filter: JSON.stringify(filter),
      actor: actorText(request.actor),
      note: noteText(request.note),
      state: 'running',
      started_at: now,
      until_id: sql<number>`(select coalesce(max(id), 0) from deliveries)`,
      nonce,
    })
    .onConflict((conflict) => conflict.column('nonce').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (started !== undefined) return started.id;
  const before = trx.selectFrom('bulks').select('id').where('nonce', '=', nonce);
  return (await before.executeTakeFirstOrThrow()).id;
}

export async function stopBulk(
  { trx, now }: Pick<ActionContext, 'trx' | 'now'>,
  id: number,
  { actor, note }: ActionRequest,
): Promise<void> {
  await trx
    .updateTable('bulks')
    .set({ state: 'stopping', ended_at: now, stopped_by: actorText(actor), stop_note: noteText(note) })
    .where('id', '=', id)
    .where(sql<boolean>`(${isRunning} or (bulks.state = 'done' and ${hasPending}))`)
    .execute();
}

const hasPending = sql<boolean>`exists (
  select 1 from deliveries where ${isPending} and deliveries.bulk_id = bulks.id
)`;

export async function readBulks(ask: Ask): Promise<readonly BulkRedelivery[]> {
  const rows = await ask((db) => bulkRows(db).orderBy('id', 'desc').limit(MOST_LISTED).execute());
  const bulks: BulkRedelivery[] = [];
  for (const row of rows) bulks.push(await withProgress(ask, row));
  return bulks;
}

export async function readBulk(ask: Ask, id: number): Promise<BulkRedelivery | undefined> {
  const row = await ask((db) => bulkRows(db).where('id', '=', id).executeTakeFirst());
  return row && withProgress(ask, row);
}

function bulkRows(db: Kysely<Tables>) {
  return db.selectFrom('bulks').selectAll();
}

async function withProgress(ask: Ask, row: Selectable<BulkRow>): Promise<BulkRedelivery> {
  const counts = await countStates(ask, row.id);
  return {
    id: row.id,
    what: row.what as BulkKind,
    filter: JSON.parse(row.filter) as RedeliveryFilter,
    actor: actorIn(row.actor),
    state: row.state === 'stopping' ? 'stopped' : (row.state as BulkRedelivery['state']),
    startedAt: row.started_at,
    endedAt: row.ended_at ?? undefined,
    stoppedBy: row.stopped_by === null ? undefined : actorIn(row.stopped_by),
    given: row.given,
    delivered: counts.get('delivered') ?? 0,
    dead: counts.get('dead') ?? 0,
    pending: counts.get('pending') ?? 0,
    withdrawn: row.withdrawn,
  };
}

/** Takes a millisecond or two. */
const COUNTED_AT_ONCE = 10_000;

/** A slice at a time, so that nobody has to wait for it. */
async function countStates(ask: Ask, bulkId: number): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (let after = 0; ; await nextTurn()) {
    const from = after;
    const rows = await ask((db) => statesAfter(db, bulkId, from).execute());
    for (const { state, count } of rows) counts.set(state, (counts.get(state) ?? 0) + count);
    after = Math.max(after, ...rows.map(({ last }) => last));
    if (rows.reduce((sum, { count }) => sum + count, 0) < COUNTED_AT_ONCE) return counts;
  }
}

/** From the index of what was given back in bulk, without a look at the rows. */
export function statesAfter(db: Kysely<Tables>, bulkId: number, after: number) {
  return db
    .selectFrom((eb) =>
      eb
        .selectFrom('deliveries')
        .select(['id', 'state'])
        .where('bulk_id', '=', bulkId)
        .where('id', '>', after)
        .orderBy('id')
        .limit(COUNTED_AT_ONCE)
        .as('slice'),
    )
    .select(['state', sql<number>`count(*)`.as('count'), sql<number>`max(id)`.as('last')])
    .groupBy('state');
}
