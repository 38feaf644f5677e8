/** Alerts the operators of incidents: when one begins, and at most hourly while it grows, whichever process raises it. */
import sql, { type Sql } from 'sql-template-tag';
import { writeHistory } from '../callbacks/history.ts';
import { keyOf } from '../callbacks/keys.ts';
import { writeOwnNotice } from '../callbacks/own-notices.ts';
import type { Incident } from '../../incident/incident.ts';
import type { Tx } from '../database.ts';
import { ofIncident } from '../deliveries/deliveries.ts';
import { lockJob } from '../deliveries/locks.ts';
import type { Alert, DeliveryRecord } from '../ledger.ts';
import type { ToldTarget } from './telling.ts';

const ONCE_WITHIN_MS = 60 * 60_000;

/** An alert, and the callback that it is about; undefined: the ledger has none. */
export interface AlertAbout extends Alert {
  readonly about?: number | undefined;
}

/** An incident whose alert is not told yet. */
interface Raised extends Pick<Incident, 'id' | 'since' | 'count'> {
  readonly alert: AlertAbout;
  /** When it was alerted last, by which cause, and how many signs there were then. */
  readonly toldAt: number | undefined;
  readonly cause?: string | undefined;
  readonly toldCount: number;
}

/**
 * Tells the alerts of incidents that have just begun, have grown since their last one, an hour ago, or have lasted for as long as their
 * alert waits. Has to be the last to lock any rows in a transaction. @param which of them @returns whether any alert was written
 */
export async function raise(tx: Tx, which: Sql): Promise<boolean> {
  const raised = await tx.all<Raised>(sql`
    SELECT id, since, count, told_at, told_count, cause, alert FROM incidents
    WHERE over_at IS NULL AND alert IS NOT NULL AND ${which} ORDER BY kind, subject_key ${tx.skipLocked}`);
  const due = raised
    .filter((each) => isDue(each, tx.now))
    .toSorted(({ alert: a }, { alert: b }) => (a.cause < b.cause ? -1 : Number(a.cause > b.cause)));
  let isAnyTold = false;
  for (const each of due) if (await raiseOne(tx, each)) isAnyTold = true;
  return isAnyTold;
}

async function raiseOne(tx: Tx, incident: Raised): Promise<boolean> {
  const { id, alert } = incident;
  const key = keyOf(alert.cause);
  const known = await toldElsewhere(tx, id, key);
  // It is told in an hour, unless it is over by then.
  if (known !== undefined && (known.overAt !== undefined || known.alerted === undefined)) {
    await tx.all(sql`UPDATE incidents SET told_at = ${known.toldAt} WHERE id = ${id}`);
    return false;
  }
  const alerted = known?.alerted ?? (await write(tx, incident)).map(toldBy);
  await tx.all(sql`
    UPDATE incidents SET cause = ${key}, alert = NULL, alerted = ${alerted}, told_count = count, told_at = ${known?.toldAt ?? tx.now}
    WHERE id = ${id}`);
  return known === undefined;
}

function isDue({ since, toldAt, cause = '', alert }: Raised, now: number): boolean {
  // Until then it was said that nothing is lost.
  if (alert.subject.template === 'dead_letter' && cause.startsWith('config_failure')) return true;
  // A clock that was set back must not silence it for long.
  return toldAt === undefined
    ? now - since >= (alert.afterMs ?? 0)
    : Math.abs(now - toldAt) >= ONCE_WITHIN_MS;
}

/** One alert is for all destinations whose trouble has one cause, such as a token. */
async function toldElsewhere(tx: Tx, id: number, key: string) {
  await lockJob(tx, `alert ${key}`);
  return tx.first<{ toldAt: number; overAt?: number; alerted?: readonly ToldTarget[] }>(sql`
    SELECT told_at, over_at, alerted FROM incidents
    WHERE cause = ${key} AND id <> ${id} AND told_at > ${tx.now - ONCE_WITHIN_MS} AND told_at <= ${tx.now}
    ORDER BY CASE WHEN over_at IS NULL THEN 0 ELSE 1 END LIMIT 1`);
}

/** Whom an alert tells hears who is on it, as a reply, and of its end. */
function toldBy({ destination, channel, address, id: lastId }: DeliveryRecord): ToldTarget {
  return { destination, channel, address, lastId };
}

async function write(
  tx: Tx,
  { id: incidentId, count, toldAt, toldCount, alert }: Raised,
): Promise<readonly DeliveryRecord[]> {
  const { subject, targets, about } = alert;
  const { job_id: jobId, bot_id: botId, bot_name: botName } = 'callback' in subject ? subject.callback : {};
  const suppressed = toldAt === undefined ? 0 : Math.max(0, count - toldCount - 1);
  const named = { kind: 'alert', jobId, botId, botName, about, suppressed, incidentId };
  const notice = { subject: JSON.stringify(subject), ...named };
  const { callbackId: alertId, deliveries } = await writeOwnNotice(
    tx,
    notice,
    ofIncident(targets, incidentId),
  );
  const entry = { alertId, who: targets.map(({ destination }) => destination) };
  if (about !== undefined) await writeHistory(tx, [{ callbackId: about, what: 'alerted', entry }]);
  return deliveries;
}
