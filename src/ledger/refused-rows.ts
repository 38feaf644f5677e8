/** Bodies that no retry can make acceptable, kept for the operator. */
import type { Kysely } from 'kysely';
import type { RefusedBody } from './ledger.ts';
import { refusedRow } from './rows.ts';
import type { Tables } from './tables.ts';

/** The newest so many are kept. */
const KEPT = 1000;

export async function keepRefused(trx: Kysely<Tables>, refused: RefusedBody): Promise<void> {
  await trx.insertInto('refused').values(refusedRow(refused)).execute();
  await trx
    .deleteFrom('refused')
    .where('id', '<=', (eb) =>
      eb.selectFrom('refused').select('id').orderBy('id', 'desc').limit(1).offset(KEPT),
    )
    .execute();
}
