/** Writes why each route matched or not, whenever a callback is routed anew, beside what was decided before. */
import { type Kysely, sql } from 'kysely';
import type { StoreTime } from '../rows.ts';
import type { Tables } from '../tables.ts';
import { type NewRound, withRound } from './routing-rounds.ts';

/**
 * Within the transaction that routes the callbacks anew, which holds their locks.
 * @param rounds of each callback, by its id
 */
export async function writeRouting(
  trx: Kysely<Tables>,
  { now }: StoreTime,
  rounds: ReadonlyMap<number, NewRound>,
): Promise<void> {
  if (rounds.size === 0) return;
  const rows = await trx
    .selectFrom('callbacks')
    .select(['id', 'routing', sql<number>`${now}`.as('now')])
    .where('id', 'in', [...rounds.keys()])
    .execute();
  const changed = rows.flatMap(({ id, routing, now: at }) => {
    const round = rounds.get(id);
    const kept: unknown = JSON.parse(routing);
    const next = round === undefined ? kept : withRound(kept, round, at);
    return next === kept ? [] : [{ id, routing: JSON.stringify(next) }];
  });
  await updateEach(trx, changed);
}

/** In one statement, however many they are. */
async function updateEach(
  trx: Kysely<Tables>,
  rows: readonly { readonly id: number; readonly routing: string }[],
): Promise<void> {
  if (rows.length === 0) return;
  const each = rows.map(({ id, routing }) => sql`when ${id} then ${routing}`);
  await trx
    .updateTable('callbacks')
    .set({ routing: sql<string>`case id ${sql.join(each, sql` `)} end` })
    .where(
      'id',
      'in',
      rows.map(({ id }) => id),
    )
    .execute();
}
