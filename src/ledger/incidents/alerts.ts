/** Alerts the operators of incidents: when one begins, and at most hourly while it grows, whichever process raises it. */
import sql from 'sql-template-tag';
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

/** The incident in which a sign counts. */
export interface Counted extends Pick<Incident, 'id' | 'since' | 'count'> {
  /** When it was alerted last, by which cause, and how many signs there were then. */
  readonly toldAt: number | undefined;
  readonly cause?: string | undefined;
  readonly toldCount: number;
}

interface AlertAbout extends Alert {
  /** The id of the callback that it is about; undefined: the ledger has none. */
  readonly about?: number | undefined;
}

/** An alert, and the incident that it tells of. */
export type Raised = readonly [incident: Counted, alert: AlertAbout];

/** Has to be the last to lock any rows in a transaction. @returns whether any alert was written */
export async function raise(tx: Tx, raised: readonly Raised[]): Promise<boolean> {
  let isAnyTold = false;
  const inOrder = raised
    .filter(([, { targets }]) => targets.length > 0)
    .toSorted(([, a], [, b]) => (a.cause < b.cause ? -1 : Number(a.cause > b.cause)));
  for (const [incident, alert] of inOrder) if (await raiseOne(tx, incident, alert)) isAnyTold = true;
  return isAnyTold;
}

async function raiseOne(tx: Tx, incident: Counted, alert: AlertAbout): Promise<boolean> {
  const { id } = incident;
  const key = keyOf(alert.cause);
  if (!isDue(incident, alert, tx.now)) {
    await tx.all(sql`UPDATE incidents SET alert = ${alert} WHERE id = ${id}`);
    return false;
  }
  const known = await toldElsewhere(tx, id, key);
  // It is told in an hour, unless it is over by then.
  if (known !== undefined && (known.overAt !== undefined || known.alerted === undefined)) {
    await tx.all(sql`UPDATE incidents SET alert = ${alert}, told_at = ${known.toldAt} WHERE id = ${id}`);
    return false;
  }
  const alerted = known?.alerted ?? (await write(tx, incident, alert)).map(toldBy);
  await tx.all(sql`
    UPDATE incidents SET cause = ${key}, alert = NULL, alerted = ${alerted}, told_count = count, told_at = ${known?.toldAt ?? tx.now}
    WHERE id = ${id}`);
  return known === undefined;
}

function isDue(
  { since, toldAt, cause = '' }: Counted,
  { afterMs = 0, ...alert }: Alert,
  now: number,
): boolean {
  // Until then it was said that nothing is lost.
  if (alert.subject.template === 'dead_letter' && cause.startsWith('config_failure')) return true;
  // A clock that was set back must not silence it for long.
  return toldAt === undefined ? now - since >= afterMs : Math.abs(now - toldAt) >= ONCE_WITHIN_MS;
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
  { id: incidentId, count, toldAt, toldCount }: Counted,
  { subject, targets, about }: AlertAbout,
): Promise<readonly DeliveryRecord[]> {
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

/** What has grown since its last alert, an hour ago, and what has lasted for as long as its alert waits. */
export async function raiseKept(tx: Tx): Promise<void> {
  const grown = await tx.all<Counted & { readonly alert: AlertAbout }>(sql`
    SELECT id, since, count, told_at, told_count, cause, alert FROM incidents
    WHERE over_at IS NULL AND alert IS NOT NULL ORDER BY kind, subject_key ${tx.skipLocked}`);
  const due = grown.filter((each) => isDue(each, each.alert, tx.now));
  const raised = due.map((each): Raised => [each, each.alert]);
  await raise(tx, raised);
}
