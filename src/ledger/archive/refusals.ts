/** Refused bodies, newest first. */
import type { Kysely } from 'kysely';
import type { RefusedStatus } from '../ledger.ts';
import { bodyText } from '../stored-body.ts';
import type { Tables } from '../tables.ts';
import type { ArchivedRefusal, Page, PageRequest } from './archive.ts';

/** They may have 64 KiB each. */
const REFUSALS_AT_ONCE = 50;

export async function refusals(
  db: Kysely<Tables>,
  { before, limit }: Required<Pick<PageRequest, 'limit'>> & { readonly before: number },
): Promise<Page<ArchivedRefusal>> {
  const most = Math.min(limit, REFUSALS_AT_ONCE);
  const rows = await db
    .selectFrom('refused')
    .selectAll()
    .where('id', '<', before)
    .orderBy('id', 'desc')
    .limit(most)
    .execute();
  const items = rows.map((row) => ({
    id: row.id,
    receivedAt: row.received_at,
    status: row.status as RefusedStatus,
    detail: row.detail,
    errors: JSON.parse(row.errors) as ArchivedRefusal['errors'],
    from: row.remote_address,
    body: bodyText(row.body),
  }));
  return { items, next: items.length < most ? undefined : items.at(-1)?.id };
}
