/** Bodies that no retry can make acceptable, kept for the operator. */
import type { Insertable, Kysely } from 'kysely';
import { cleanText } from '../../text/clean.ts';
import { cutEnd, UTF8_BYTES } from '../../text/cut.ts';
import { REFUSED_BODY_BYTES, type RefusedBody } from '../ledger.ts';
import { LONGEST_TEXT } from '../rows.ts';
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

/** What is said of a body may quote it: a key of megabytes, say. */
function shortened({ pointer, detail }: RefusedBody['errors'][number]): RefusedBody['errors'][number] {
  return { pointer: cutEnd(pointer, LONGEST_TEXT, '…'), detail: cutEnd(detail, LONGEST_TEXT, '…') };
}

/** Its body is still text. */
export function refusedRow(refused: RefusedBody): Insertable<RefusedRow> & { readonly body: string } {
  return {
    received_at: refused.receivedAt,
    status: refused.status,
    detail: cutEnd(refused.detail, LONGEST_TEXT, '…'),
    errors: JSON.stringify(refused.errors.map(shortened)),
    remote_address: refused.from,
    // The first slice spares megabytes the cleaning.
    body: cutEnd(cleanText(refused.body.slice(0, REFUSED_BODY_BYTES)), REFUSED_BODY_BYTES, '', UTF8_BYTES),
  };
}
