/** What is written afterwards of a time in which nothing could be. */
import sql from 'sql-template-tag';
import { type Incident, SAME_WITHIN_MS } from '../../incident/incident.ts';
import { toldTroubles } from '../../notice/troubles.ts';
import { only, type Tx } from '../database.ts';
import { lockJob } from '../deliveries/locks.ts';
import type { DeliveryTarget } from '../ledger.ts';
import { INCIDENT, tellIncidents } from './telling.ts';

/** The key of the incident of a store that cannot be written. */
const STORE = 'store';

interface RecordedOutage {
  readonly beganMsAgo: number;
  readonly endedMsAgo: number;
  readonly reason: string;
  /** Callbacks that were answered 503 meanwhile, and whose. */
  readonly answered: { readonly count: number; readonly bots: readonly string[] };
  /** Who was told that it cannot be written. */
  readonly told: readonly DeliveryTarget[];
}

/** Of replicas on one store, which all write it once that is back, it is one incident. */
export async function recordOutage(
  tx: Tx,
  { beganMsAgo, endedMsAgo, reason, answered, told }: RecordedOutage,
): Promise<void> {
  const [since, overAt] = [Math.round(tx.now - beganMsAgo), Math.round(tx.now - endedMsAgo)];
  await lockJob(tx, `incident ${STORE}`);
  const known = await tx.first<Incident>(sql`
    UPDATE incidents SET since = CASE WHEN since < ${since} THEN since ELSE ${since} END, count = count + ${answered.count},
      over_at = CASE WHEN over_at > ${overAt} THEN over_at ELSE ${overAt} END
    WHERE id = (SELECT max(id) FROM incidents WHERE over_at >= ${since - SAME_WITHIN_MS} AND kind = 'botbell' AND subject_key = ${STORE})
    RETURNING ${INCIDENT}`);
  const incident =
    known ??
    only(
      await tx.all<Incident>(sql`
        INSERT INTO incidents (kind, subject_key, subject, name, sign, gist, likeness, since, last_at, count, is_waiting, has_dead, over_at)
        VALUES ('botbell', ${STORE}, ${STORE}, '', 'store', ${reason}, '', ${since}, ${overAt}, ${answered.count}, 0, 0, ${overAt})
        RETURNING ${INCIDENT}`),
    );
  await tellIncidents(tx, { template: 'over', ...toldTroubles([incident]), answered }, told);
}
