/**
 * How far each sweep through the ledger has come: kept there, so that a look goes on where the last one ended. The sweep
 * through what is done begins anew at each start, and once a day.
 */
import { sql, type Kysely } from 'kysely';
import type { DialectTraits } from '../dialect.ts';
import type { PruneStep, Sweep } from './pruning.ts';
import { type PruneRange, pruneStep } from './prune.ts';
import type { Tables } from '../tables.ts';

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
