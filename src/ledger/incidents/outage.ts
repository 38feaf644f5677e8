/** A store that could not be written: its incident, which each replica records afterwards, and its end, which is told once for all of them. */
import sql from 'sql-template-tag';
import { type Incident, SAME_WITHIN_MS, toldTroubles } from '../../incident/incident.ts';
import { storedJson } from '../callbacks/keys.ts';
import { hasOwnNotice } from '../callbacks/own-notices.ts';
import { onlyRow, type Tx } from '../database.ts';
import { IS_IDLE, lockJob } from '../deliveries/rows.ts';
import type { DeliveryTarget } from '../ledger.ts';
import { INCIDENT, tellIncidents } from './telling.ts';

/** The key of the incident. */
const STORE = 'store';

/** The replicas record an outage within this time of one another. */
const TOGETHER_MS = 20_000;

/** Callbacks that were answered 503 meanwhile, and whose. */
interface Answered {
  readonly count: number;
  readonly bots: readonly string[];
}

interface OutageEnd {
  readonly answered: Answered;
  /** Who was told that it cannot be written. */
  readonly told: readonly DeliveryTarget[];
}

interface RecordedOutage extends OutageEnd {
  /** That it counts once, although it is recorded again where it was not known to be recorded. */
  readonly id: string;
  readonly beganMsAgo: number;
  readonly endedMsAgo: number;
  readonly reason: string;
}

/** Records an outage of the store once it can be written again. Replicas that share the store all do so, and it is one incident. */
export async function recordOutage(tx: Tx, outage: RecordedOutage): Promise<void> {
  const { id, beganMsAgo, endedMsAgo, reason, answered } = outage;
  const [since, overAt] = [Math.round(tx.now - beganMsAgo), Math.round(tx.now - endedMsAgo)];
  await lockJob(tx, `incident ${STORE}`);
  const others = await untoldEnd(tx);
  if (others.answered.ids.includes(id) || (await hasOwnNotice(tx, id))) return;
  const known = await tx.first<Incident>(sql`
    UPDATE incidents SET since = CASE WHEN since < ${since} THEN since ELSE ${since} END, count = count + ${answered.count},
      over_at = CASE WHEN over_at > ${overAt} THEN over_at ELSE ${overAt} END
    WHERE id = (SELECT max(id) FROM incidents WHERE over_at >= ${since - SAME_WITHIN_MS} AND kind = 'botbell' AND subject_key = ${STORE})
    RETURNING ${INCIDENT}`);
  const incident =
    known ??
    onlyRow(
      await tx.all<Incident>(sql`
        INSERT INTO incidents (kind, subject_key, subject, name, sign, gist, likeness, since, last_at, count, is_waiting, over_at)
        VALUES ('botbell', ${STORE}, ${STORE}, '', 'store', ${reason}, '', ${since}, ${overAt}, ${answered.count}, 0, ${overAt})
        RETURNING ${INCIDENT}`),
    );
  const ends = [outage, others];
  const ofAll = {
    ids: [...others.answered.ids, id],
    count: answered.count + others.answered.count,
    bots: [...new Set(ends.flatMap((end) => end.answered.bots))],
  };
  const told = new Map(ends.flatMap((end) => end.told).map((target) => [target.destination, target]));
  await tx.all(sql`DELETE FROM callbacks WHERE id = ${others.callbackId}`);
  const subject = { template: 'over', ...toldTroubles([incident]), answered: ofAll } as const;
  const at = { id, incidentId: incident.id, inMs: TOGETHER_MS };
  await tellIncidents(tx, subject, [...told.values()], at);
  await tx.all(
    sql`UPDATE incidents SET alert = ${told.size === 0 ? ofAll : undefined} WHERE id = ${incident.id}`,
  );
}

interface UntoldEnd extends OutageEnd {
  readonly answered: Answered & { readonly ids: readonly string[] };
  readonly callbackId: number;
}

/** What the replicas that have recorded it have to tell of its end; where none of them has told it, that is kept for one that has. */
async function untoldEnd(tx: Tx): Promise<UntoldEnd> {
  const row = await tx.first<{ callbackId: number; body: Uint8Array }>(sql`
    SELECT id AS callback_id, body FROM callbacks
    WHERE bot_key = 'botbell' AND kind = 'over' AND incident_id IS NOT NULL AND id IN (
      SELECT callback_id FROM deliveries
      WHERE state = 'pending' AND due_at > ${tx.now} AND attempts = 0 AND ${IS_IDLE})`);
  if (row === undefined) return { callbackId: 0, told: [], answered: await keptOf(tx) };
  const { callbackId, body } = row;
  const told = await tx.all<DeliveryTarget>(
    sql`SELECT destination FROM deliveries WHERE callback_id = ${callbackId} ORDER BY id`,
  );
  const { subject } = JSON.parse(Buffer.from(storedJson(body)).toString()) as {
    subject: Pick<UntoldEnd, 'answered'>;
  };
  return { callbackId, told, answered: subject.answered };
}

async function keptOf(tx: Tx): Promise<UntoldEnd['answered']> {
  const kept = await tx.first<{ alert: UntoldEnd['answered'] }>(sql`
    SELECT alert FROM incidents
    WHERE over_at > ${tx.now - SAME_WITHIN_MS} AND kind = 'botbell' AND subject_key = ${STORE} AND alert IS NOT NULL`);
  return kept?.alert ?? { ids: [], count: 0, bots: [] };
}
