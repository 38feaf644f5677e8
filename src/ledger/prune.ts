/** Forgetting what is old and done, a little at a time, so that nobody has to wait for it. */
import { sql, type Kysely } from 'kysely';
import type { Tables } from './tables.ts';

const CALLBACKS_PER_STEP = 200;

/** @returns how many callbacks went */
export async function pruneStep(trx: Kysely<Tables>, before: number): Promise<number> {
  const old = await trx
    .selectFrom('callbacks')
    .select('id')
    .where('received_at', '<', before)
    .where(
      sql<boolean>`not exists (select 1 from deliveries where callback_id = callbacks.id and state in ('pending', 'dead'))`,
    )
    .orderBy('received_at')
    .limit(CALLBACKS_PER_STEP)
    .execute();
  if (old.length === 0) return 0;
  await trx
    .deleteFrom('callbacks')
    .where(
      'id',
      'in',
      old.map(({ id }) => id),
    )
    .execute();
  return old.length;
}
