/** A store that could not be written: its incident, which each replica records afterwards, and its end, which is told once for all of them. */
import sql from 'sql-template-tag';
import { type Incident, SAME_WITHIN_MS, toldTroubles } from '../../incident/incident.ts';
import { onlyRow, type Tx } from '../database.ts';
import { IS_IDLE, lockJob } from '../deliveries/rows.ts';
import { INCIDENT, tellIncidents } from './telling.ts';

/** The key of the incident. */
const STORE = 'store';

/** The replicas record an outage within this time of one another. */
const TOGETHER_MS = 20_000;

/** Callbacks that were answered 503 meanwhile, and whose; and who was told that the store cannot be written. */
interface OutageEnd {
  readonly answered: { readonly count: number; readonly bots: readonly string[] };
  readonly told: readonly string[];
}

interface RecordedOutage extends OutageEnd {
  /** That it counts once, although it is recorded again where it was not known to be recorded. */
  readonly id: string;
  readonly beganMsAgo: number;
  readonly endedMsAgo: number;
  readonly reason: string;
}

/** What the replicas have recorded, as the incident keeps it. */
interface KnownEnd extends OutageEnd {
  readonly ids: readonly string[];
}

const NOTHING_KNOWN: KnownEnd = { ids: [], answered: { count: 0, bots: [] }, told: [] };

/** Records an outage of the store once it can be written again. Replicas that share the store all do so, and it is one incident. */
export async function recordOutage(tx: Tx, outage: RecordedOutage): Promise<void> {
  const { id, beganMsAgo, endedMsAgo, reason, answered } = outage;
  const [since, overAt] = [Math.round(tx.now - beganMsAgo), Math.round(tx.now - endedMsAgo)];
  await lockJob(tx, `incident ${STORE}`);
  const known = await tx.first<{ id: number; alert: KnownEnd }>(sql`
    SELECT id, alert FROM incidents
    WHERE over_at >= ${since - SAME_WITHIN_MS} AND kind = 'botbell' AND subject_key = ${STORE} ORDER BY id DESC LIMIT 1`);
  const { ids } = known?.alert ?? NOTHING_KNOWN;
  if (ids.includes(id)) return;
  const ends = [...(known !== undefined && (await isUntold(tx, known)) ? [known.alert] : []), outage];
  const ofAll = {
    count: ends.reduce((sum, end) => sum + end.answered.count, 0),
    bots: [...new Set(ends.flatMap(({ answered: { bots } }) => bots))],
  };
  const told = [...new Set(ends.flatMap((end) => end.told))];
  const alert: KnownEnd = { ids: [...ids, id], answered: ofAll, told };
  const incident = onlyRow(
    await tx.all<Incident>(
      known === undefined
        ? sql`
        INSERT INTO incidents (kind, subject_key, subject, name, sign, gist, likeness, since, last_at, count, is_waiting, over_at, alert)
        VALUES ('botbell', ${STORE}, ${STORE}, '', 'store', ${reason}, '', ${since}, ${overAt}, ${answered.count}, 0, ${overAt}, ${alert})
        RETURNING ${INCIDENT}`
        : sql`
        UPDATE incidents SET since = CASE WHEN since < ${since} THEN since ELSE ${since} END, count = count + ${answered.count},
          over_at = CASE WHEN over_at > ${overAt} THEN over_at ELSE ${overAt} END, alert = ${alert}
        WHERE id = ${known.id} RETURNING ${INCIDENT}`,
    ),
  );
  const subject = { template: 'over', ...toldTroubles([incident]), answered: ofAll } as const;
  const targets = told.map((destination) => ({ destination }));
  await tellIncidents(tx, subject, targets, { incidentId: incident.id, inMs: TOGETHER_MS });
}

/** Whether its end is still to be told: by none of those that have recorded it, or later, which is taken back to be told with the next one. */
async function isUntold(
  tx: Tx,
  { id, alert }: { readonly id: number; readonly alert: KnownEnd },
): Promise<boolean> {
  const takenBack = await tx.all(sql`
    DELETE FROM callbacks WHERE bot_key = 'botbell' AND kind = 'over' AND incident_id = ${id} AND id IN (
      SELECT callback_id FROM deliveries
      WHERE state = 'pending' AND due_at > ${tx.now} AND attempts = 0 AND ${IS_IDLE})
    RETURNING id`);
  return alert.told.length === 0 || takenBack.length > 0;
}
