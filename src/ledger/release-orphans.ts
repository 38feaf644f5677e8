/** What a crashed predecessor was sending is free at once, instead of when its claims end. */
import sql from 'sql-template-tag';
import type { Tx } from './database.ts';
import { isGone } from './owner.ts';

/** Of owners that are known to be gone: processes of this machine that no longer run. */
export async function releaseOrphans(tx: Tx): Promise<void> {
  const claims = await tx.all<{ owner: string }>(
    sql`SELECT DISTINCT owner FROM deliveries WHERE state = 'pending' AND owner IS NOT NULL`,
  );
  for (const { owner } of claims.filter((claim) => isGone(claim.owner, tx.owner))) {
    await tx.all(
      sql`UPDATE deliveries SET owner = NULL, claimed_until = NULL WHERE state = 'pending' AND owner = ${owner}`,
    );
  }
}
