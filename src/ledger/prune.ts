/** Forgetting what is old and done, a little at a time, so that nobody has to wait for it. */
import { sql, type Kysely } from 'kysely';
import type { DialectTraits } from './dialect.ts';
import type { Tables } from './tables.ts';

const CALLBACKS_PER_STEP = 200;

export interface Age {
  /** What came before goes; milliseconds since the epoch, like `now`. */
  readonly before: number;
  readonly now: number;
}

/** Of a callback that may be forgotten. */
export const nothingIsOpen = sql<boolean>`not exists (
  select 1 from deliveries where callback_id = callbacks.id and state in ('pending', 'dead'))`;

/**
 * Looks at the oldest callbacks alone, by the order in which they were written. Ones that came, by a clock that was
 * wrong, in the future stand in nobody's way.
 * @returns how many callbacks went
 */
export async function pruneStep(
  trx: Kysely<Tables>,
  traits: Pick<DialectTraits, 'lockForgotten'>,
  { before, now }: Age,
): Promise<number> {
  const oldest = await trx
    .selectFrom('callbacks')
    .select(['id', 'received_at'])
    .where(nothingIsOpen)
    .where('received_at', '<=', now)
    .orderBy('id')
    .limit(CALLBACKS_PER_STEP)
    .execute();
  const old = oldest.filter(({ received_at }) => received_at < before).map(({ id }) => id);
  if (old.length === 0) return 0;
  const locked = await traits.lockForgotten(trx, old);
  if (locked.length > 0) await trx.deleteFrom('callbacks').where('id', 'in', locked).execute();
  return locked.length;
}
