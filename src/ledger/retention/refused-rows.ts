/** Bodies that no retry can make acceptable, kept for the operator. */
import type { Insertable, Kysely } from 'kysely';
import type { RefusedRow, Tables } from '../tables.ts';

/** The newest so many are kept. */
const MOST_KEPT = 1000;

/** A row with a body as large as it is kept, and what is wrong with it. */
const LARGEST_ROW_BYTES = 128 * 1024;

/** Of a store with a limit: whoever may post writes them, and nothing forgets them for what comes. */
const LARGEST_SHARE = 1 / 8;

/** @param maxBytes of the store; undefined: no limit. @returns how many are kept */
export function refusedKept(maxBytes: number | undefined): number {
  if (maxBytes === undefined) return MOST_KEPT;
  const within = Math.floor((maxBytes * LARGEST_SHARE) / LARGEST_ROW_BYTES);
  return Math.min(MOST_KEPT, Math.max(1, within));
}

export async function keepRefused(
  trx: Kysely<Tables>,
  row: Insertable<RefusedRow>,
  kept: number,
): Promise<void> {
  await trx.insertInto('refused').values(row).execute();
  await forgetRefused(trx, kept);
}

/** All but the newest. */
export async function forgetRefused(trx: Kysely<Tables>, kept: number): Promise<void> {
  await trx
    .deleteFrom('refused')
    .where('id', '<=', (eb) =>
      eb.selectFrom('refused').select('id').orderBy('id', 'desc').limit(1).offset(kept),
    )
    .execute();
}
