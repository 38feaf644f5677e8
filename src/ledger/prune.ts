/** Forgetting what is done, a little at a time, so that nobody has to wait for it. */
import { sql, type Kysely } from 'kysely';
import type { DialectTraits } from './dialect.ts';
import type { PruneStep, Sweep } from './pruning.ts';
import { SUPERSEDED } from './pending-rows.ts';
import type { Tables } from './tables.ts';

/** With all that belongs to them they take SQLite some two milliseconds of the event loop. */
export const CALLBACKS_PER_STEP = 100;

/** SQLite takes three milliseconds to free the pages of as much. */
const BYTES_PER_STEP = 8 * 1024 * 1024;

/** A callback that came again and again may have any number of entries, and each takes as long as a callback. */
const ENTRIES_PER_STEP = 500;

/** Which callbacks a step looks at, and which of them it forgets. */
export interface PruneRange {
  readonly sweep: Sweep;
  /** What came before goes; milliseconds since the epoch, like `now`. */
  readonly before: number;
  readonly now: number;
  /** The id of a callback: it and all before it have been looked at. */
  readonly after: number;
  /** Ids of callbacks that stay. */
  readonly kept?: Pick<ReadonlySet<number>, 'has'>;
}

/** Of a callback that may be forgotten. */
export const nothingIsOpen = sql<boolean>`not exists (
  select 1 from deliveries where callback_id = callbacks.id and state in ('pending', 'dead'))`;

/** Nobody was to be told, or nothing was ever to be delivered once its turn came. */
const reachedNobody = sql<boolean>`not exists (
  select 1 from deliveries
  where callback_id = callbacks.id and not (state = 'held' and held_because = ${sql.lit(SUPERSEDED)}))`;

const GOES = { done: nothingIsOpen, reached_nobody: reachedNobody } as const satisfies Record<Sweep, unknown>;

type PruneTraits = Pick<DialectTraits, 'lockForgotten'>;

/**
 * Looks at the next callbacks by the order in which they were written, and no further than the first one that is too
 * young. Ones that came, by a clock that was wrong, in the future stand in nobody's way.
 */
export async function pruneStep(
  trx: Kysely<Tables>,
  traits: PruneTraits,
  range: PruneRange,
): Promise<PruneStep> {
  const { before, now, after, kept } = range;
  const next = withinBytes(await nextAfter(trx, after).execute());
  const young = next.rows.findIndex(({ received_at }) => received_at >= before && received_at <= now);
  const looked = young === -1 ? next.rows : next.rows.slice(0, young);
  const old = looked.filter(
    ({ id, received_at }) => received_at < before && received_at <= now && !kept?.has(id),
  );
  const ids = old.map(({ id }) => id);
  const { forgotten, isCutShort } = await forget(trx, traits, range.sweep, ids);
  return {
    forgotten,
    lookedAt: isCutShort ? after : (looked.at(-1)?.id ?? after),
    isThrough: !isCutShort && (young !== -1 || next.isLast),
  };
}

interface NextRow {
  readonly id: number;
  readonly received_at: number;
  readonly bytes: number;
}

/** At least one, however large it is. */
function withinBytes(rows: readonly NextRow[]): {
  readonly rows: readonly NextRow[];
  readonly isLast: boolean;
} {
  let bytes = 0;
  const tooMuch = rows.findIndex((row, index) => (bytes += row.bytes) > BYTES_PER_STEP && index > 0);
  return tooMuch === -1
    ? { rows, isLast: rows.length < CALLBACKS_PER_STEP }
    : { rows: rows.slice(0, tooMuch), isLast: false };
}

export function nextAfter(db: Pick<Kysely<Tables>, 'selectFrom'>, after: number) {
  return (
    db
      .selectFrom('callbacks')
      // Neither database reads the body for this.
      .select(['id', 'received_at', sql<number>`octet_length(body)`.as('bytes')])
      .where('id', '>', after)
      .orderBy('id')
      .limit(CALLBACKS_PER_STEP)
  );
}

interface Forgotten {
  readonly forgotten: number;
  /** The same callbacks are to be looked at again: they have more entries than one step takes. */
  readonly isCutShort: boolean;
}

/** Not those of which anything is undelivered, or is being written. */
export async function forget(
  trx: Kysely<Tables>,
  traits: PruneTraits,
  sweep: Sweep,
  ids: readonly number[],
): Promise<Forgotten> {
  const locked = ids.length === 0 ? [] : await traits.lockForgotten(trx, ids);
  if (locked.length === 0) return { forgotten: 0, isCutShort: false };
  const going = await trx
    .selectFrom('callbacks')
    .select('id')
    .where('id', 'in', locked)
    .where(GOES[sweep])
    .execute();
  if (going.length === 0) return { forgotten: 0, isCutShort: false };
  const goingIds = going.map(({ id }) => id);
  if (await forgetEntries(trx, goingIds)) return { forgotten: 0, isCutShort: true };
  await trx.deleteFrom('callbacks').where('id', 'in', goingIds).execute();
  return { forgotten: goingIds.length, isCutShort: false };
}

/** @returns whether there are more */
async function forgetEntries(trx: Kysely<Tables>, callbackIds: readonly number[]): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('history')
    .where('id', 'in', (eb) =>
      eb.selectFrom('history').select('id').where('callback_id', 'in', callbackIds).limit(ENTRIES_PER_STEP),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows) === ENTRIES_PER_STEP;
}
