/** Forgetting what is old and done, a little at a time, so that nobody has to wait for it. */
import { sql, type Kysely } from 'kysely';
import type { DialectTraits } from './dialect.ts';
import type { PruneStep } from './ledger.ts';
import type { Tables } from './tables.ts';

/** With all that belongs to them they take SQLite some two milliseconds of the event loop. */
export const CALLBACKS_PER_STEP = 100;

export interface Age {
  /** What came before goes; milliseconds since the epoch, like `now`. */
  readonly before: number;
  readonly now: number;
  /** The id of a callback: it and all before it have been looked at. */
  readonly after: number;
}

/** Of a callback that may be forgotten. */
export const nothingIsOpen = sql<boolean>`not exists (
  select 1 from deliveries where callback_id = callbacks.id and state in ('pending', 'dead'))`;

/**
 * Looks at the next callbacks by the order in which they were written, and no further than the first one that is too
 * young. Ones that came, by a clock that was wrong, in the future stand in nobody's way.
 */
export async function pruneStep(
  trx: Kysely<Tables>,
  traits: Pick<DialectTraits, 'lockForgotten'>,
  { before, now, after }: Age,
): Promise<PruneStep> {
  const next = await nextAfter(trx, after).execute();
  const young = next.findIndex(({ received_at }) => received_at >= before && received_at <= now);
  const looked = young === -1 ? next : next.slice(0, young);
  const old = looked.filter(({ received_at }) => received_at < before && received_at <= now);
  const forgotten = await forget(
    trx,
    traits,
    old.map(({ id }) => id),
  );
  return {
    forgotten,
    lookedAt: looked.at(-1)?.id ?? after,
    isThrough: looked.length < CALLBACKS_PER_STEP,
  };
}

export function nextAfter(db: Pick<Kysely<Tables>, 'selectFrom'>, after: number) {
  return db
    .selectFrom('callbacks')
    .select(['id', 'received_at'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(CALLBACKS_PER_STEP);
}

/** @returns how many went: not those of which anything is undelivered, or is being written */
async function forget(
  trx: Kysely<Tables>,
  traits: Pick<DialectTraits, 'lockForgotten'>,
  ids: readonly number[],
): Promise<number> {
  const locked = ids.length === 0 ? [] : await traits.lockForgotten(trx, ids);
  if (locked.length === 0) return 0;
  const { numDeletedRows } = await trx
    .deleteFrom('callbacks')
    .where('id', 'in', locked)
    .where(nothingIsOpen)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
