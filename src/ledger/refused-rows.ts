/** Bodies that no retry can make acceptable, kept for the operator. */
import type { Insertable, Kysely } from 'kysely';
import type { RefusedRow, Tables } from './tables.ts';

/** The newest so many are kept. */
const KEPT = 1000;

export async function keepRefused(trx: Kysely<Tables>, row: Insertable<RefusedRow>): Promise<void> {
  await trx.insertInto('refused').values(row).execute();
  await trx
    .deleteFrom('refused')
    .where('id', '<=', (eb) =>
      eb.selectFrom('refused').select('id').orderBy('id', 'desc').limit(1).offset(KEPT),
    )
    .execute();
}
