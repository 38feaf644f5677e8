/** Callbacks on their way into the ledger, and what it will know them by. */
import type { Kysely } from 'kysely';
import { identityOf } from '../../callback/callback.ts';
import type { Arrival } from '../ledger.ts';
import { callbackIn, jobIdOf } from '../callback-columns.ts';
import type { BodyToStore } from '../stored-body.ts';
import type { Tables } from '../tables.ts';

export interface IdentifiedArrival {
  readonly arrival: Arrival;
  /** As the ledger will keep it. */
  readonly body: BodyToStore;
  readonly jobId: string;
  readonly identity: string;
}

export function identified(arrival: Arrival, body: BodyToStore): IdentifiedArrival {
  const { callback } = arrival;
  return { arrival, body, jobId: jobIdOf(callback), identity: identityOf(callback) };
}

/**
 * Versions before gave a job's only callback no identity. They still may, beside this one, so each is given one when its
 * job comes again.
 * @param jobIds nobody else may be admitting callbacks of these jobs
 */
export async function identifyEarlier(trx: Kysely<Tables>, jobIds: readonly string[]): Promise<void> {
  const rows = await trx
    .selectFrom('callbacks')
    .select(['id', 'body'])
    .where('job_id', 'in', jobIds)
    .where('identity', 'is', null)
    // In the order in which history is written, which locks the same rows.
    .orderBy('id')
    .execute();
  for (const { id, body } of rows) {
    const identity = identityOf(callbackIn(body));
    await trx.updateTable('callbacks').set({ identity }).where('id', '=', id).execute();
  }
}

/** Whether the ledger knows the callback already: then it needs no room. */
export async function isKnown(
  db: Kysely<Tables>,
  { jobId, identity }: Pick<IdentifiedArrival, 'jobId' | 'identity'>,
): Promise<boolean> {
  const rows = await db
    .selectFrom('callbacks')
    .select(['identity', 'body'])
    .where('job_id', '=', jobId)
    .where((eb) => eb.or([eb('identity', '=', identity), eb('identity', 'is', null)]))
    .limit(2)
    .execute();
  return rows.some((row) => (row.identity ?? identityOf(callbackIn(row.body))) === identity);
}
