/** Forgetting what is done, a little at a time, so that nobody has to wait for it; how far each sweep has come is kept. */
import { type Kysely, sql } from 'kysely';
import type { DialectTraits } from '../dialect.ts';
import { SUPERSEDED } from '../hold.ts';
import type { Tables } from '../tables.ts';
import type { PruneStep, Sweep } from './retention.ts';

/** With all that belongs to them they take SQLite some two milliseconds of the event loop. */
export const CALLBACKS_PER_STEP = 100;

/** SQLite takes three milliseconds to free the pages of as much. */
const BYTES_PER_STEP = 8 * 1024 * 1024;

/** A callback that came again and again may have any number of entries, and each takes as long as a callback. */
const ENTRIES_PER_STEP = 500;

/** Which callbacks a step looks at, and which of them it forgets. */
interface PruneRange {
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
  select 1 from deliveries
  where callback_id = callbacks.id and (state in ('pending', 'dead') or held_until is not null))`;

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
async function pruneStep(trx: Kysely<Tables>, traits: PruneTraits, range: PruneRange): Promise<PruneStep> {
  const { before, now, after, kept } = range;
  const next = withinBytes(await nextAfter(trx, after).execute());
  const young = next.rows.findIndex(({ received_at }) => received_at >= before && received_at <= now);
  const looked = young === -1 ? next.rows : next.rows.slice(0, young);
  const old = looked.filter(
    ({ id, received_at }) => received_at < before && received_at <= now && !kept?.has(id),
  );
  const ids = old.map(({ id }) => id);
  const { forgotten, left } = await forget(trx, traits, range.sweep, ids);
  const isCutShort = left.length > 0;
  return {
    forgotten,
    lookedAt: isCutShort ? after : (looked.at(-1)?.id ?? after),
    isThrough: !isCutShort && (young !== -1 || next.isLast),
  };
}

/** At least one, however large it is. */
function withinBytes<Row extends { readonly bytes: number }>(
  rows: readonly Row[],
): { readonly rows: readonly Row[]; readonly isLast: boolean } {
  let bytes = 0;
  const tooMuch = rows.findIndex((row, index) => (bytes += row.bytes) > BYTES_PER_STEP && index > 0);
  return tooMuch === -1
    ? { rows, isLast: rows.length < CALLBACKS_PER_STEP }
    : { rows: rows.slice(0, tooMuch), isLast: false };
}

/** Neither database reads the body for this. */
const bodyBytes = sql<number>`octet_length(body)`.as('bytes');

function sizesOf(db: Pick<Kysely<Tables>, 'selectFrom'>, ids: readonly number[]) {
  return db.selectFrom('callbacks').select(['id', bodyBytes]).where('id', 'in', ids).orderBy('id');
}

export function nextAfter(db: Pick<Kysely<Tables>, 'selectFrom'>, after: number) {
  return db
    .selectFrom('callbacks')
    .select(['id', 'received_at', bodyBytes])
    .where('id', '>', after)
    .orderBy('id')
    .limit(CALLBACKS_PER_STEP);
}

interface Forgotten {
  /** How many callbacks went. */
  readonly forgotten: number;
  /** Ids of those to be looked at again: with these there would be more entries than one step takes. */
  readonly left: readonly number[];
}

/** Not those of which anything is undelivered, or is being written. */
async function forget(
  trx: Kysely<Tables>,
  traits: PruneTraits,
  sweep: Sweep,
  ids: readonly number[],
): Promise<Forgotten> {
  const locked = ids.length === 0 ? [] : await traits.lockForgotten(trx, ids);
  if (locked.length === 0) return { forgotten: 0, left: [] };
  const rows = await trx
    .selectFrom('callbacks')
    .select('id')
    .where('id', 'in', locked)
    .where(GOES[sweep])
    .orderBy('id')
    .execute();
  if (rows.length === 0) return { forgotten: 0, left: [] };
  const going = rows.map(({ id }) => id);
  const whole = await withinEntries(trx, going);
  await forgetEntries(trx, whole.length === 0 ? going.slice(0, 1) : whole);
  if (whole.length > 0) await trx.deleteFrom('callbacks').where('id', 'in', whole).execute();
  return { forgotten: whole.length, left: going.slice(whole.length) };
}

/** As many of the first as can go with all their entries; none where the first one alone has too many. */
async function withinEntries(trx: Kysely<Tables>, ids: readonly number[]): Promise<readonly number[]> {
  const entries = await trx
    .selectFrom('history')
    .select('callback_id')
    .where('callback_id', 'in', ids)
    .orderBy('callback_id')
    .limit(ENTRIES_PER_STEP + 1)
    .execute();
  const tooMuch = entries[ENTRIES_PER_STEP]?.callback_id ?? Number.POSITIVE_INFINITY;
  return ids.filter((id) => id < tooMuch);
}

async function forgetEntries(trx: Kysely<Tables>, callbackIds: readonly number[]): Promise<void> {
  await trx
    .deleteFrom('history')
    .where('id', 'in', (eb) =>
      eb.selectFrom('history').select('id').where('callback_id', 'in', callbackIds).limit(ENTRIES_PER_STEP),
    )
    .execute();
}

/** @param after undefined: where the sweep has come to */
export async function sweepStep(
  trx: Kysely<Tables>,
  traits: Pick<DialectTraits, 'lockForgotten'>,
  { after, ...range }: Omit<PruneRange, 'after'> & { readonly after: number | undefined },
): Promise<PruneStep> {
  const begin = after ?? (await lookedAt(trx, range.sweep));
  const step = await pruneStep(trx, traits, { ...range, after: begin });
  if (step.lookedAt !== begin || after !== undefined) await noteLookedAt(trx, range.sweep, step.lookedAt);
  if (step.forgotten > 0) await lowerToNewest(trx);
  return step;
}

async function lookedAt(trx: Kysely<Tables>, sweep: Sweep): Promise<number> {
  const row = await trx
    .selectFrom('sweeps')
    .select('looked_at')
    .where('sweep', '=', sweep)
    .executeTakeFirst();
  return row?.looked_at ?? 0;
}

async function noteLookedAt(trx: Kysely<Tables>, sweep: Sweep, id: number): Promise<void> {
  await trx
    .insertInto('sweeps')
    .values({ sweep, looked_at: id })
    .onConflict((conflict) => conflict.column('sweep').doUpdateSet({ looked_at: id }))
    .execute();
}

/** SQLite gives the ids of the newest again once these are gone. */
async function lowerToNewest(trx: Kysely<Tables>): Promise<void> {
  const newest = sql<number>`(select coalesce(max(id), 0) from callbacks)`;
  await trx.updateTable('sweeps').set({ looked_at: newest }).where('looked_at', '>', newest).execute();
}

/** One step of forgetting what is done before its time. */
export interface EarlyStep {
  /** Ids of callbacks that may be done by now; empty: it goes on through all of them. */
  readonly candidates: readonly number[];
  /** Milliseconds since the epoch, like `now`. */
  readonly before: number;
  readonly now: number;
  readonly after: number;
}

export interface EarlyStepDone extends PruneStep {
  /** Of the candidates, those for which there was too much to do. */
  readonly left: readonly number[];
}

/** What is in hand stays, and so do the newest: SQLite would give their ids again, while somebody may still know them. */
export async function earlyStep(
  trx: Kysely<Tables>,
  traits: Pick<DialectTraits, 'lockForgotten'>,
  inHand: Pick<ReadonlySet<number>, 'has'>,
  { candidates, before, now, after }: EarlyStep,
): Promise<EarlyStepDone> {
  const newest = await newestIn(trx);
  const kept = { has: (id: number) => inHand.has(id) || newest.has(id) };
  if (candidates.length === 0) {
    return { ...(await pruneStep(trx, traits, { sweep: 'done', before, now, after, kept })), left: [] };
  }
  const known = await sizesOf(
    trx,
    candidates.filter((id) => !kept.has(id)),
  ).execute();
  const ids = withinBytes(known).rows.map(({ id }) => id);
  const { forgotten, left } = await forget(trx, traits, 'done', ids);
  const tooLarge = known.slice(ids.length).map(({ id }) => id);
  return { forgotten, left: [...left, ...tooLarge], lookedAt: after, isThrough: false };
}

async function newestIn(trx: Kysely<Tables>): Promise<ReadonlySet<number>> {
  const newest = await trx
    .selectFrom('callbacks')
    .select((eb) => eb.fn.max('id').as('id'))
    .executeTakeFirst();
  const owner = await trx
    .selectFrom('deliveries')
    .select('callback_id')
    .where('id', '=', (eb) => eb.selectFrom('deliveries').select((max) => max.fn.max('id').as('id')))
    .executeTakeFirst();
  return new Set([newest?.id ?? 0, owner?.callback_id ?? 0]);
}
