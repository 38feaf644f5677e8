/** Raises alerts, which are rows of `callbacks`. Each cause is alerted once an hour, whichever process raises it. */
import sql from 'sql-template-tag';
import { only, type Tx } from '../database.ts';
import { writeHistory } from '../callbacks/history.ts';
import { keyOf } from '../callbacks/keys.ts';
import type { Alert, DeliveryRecord } from '../ledger.ts';
import { noteAlerted, openIncidentOf } from '../incidents/telling.ts';
import { writeOwnNotice } from '../callbacks/own-notices.ts';
import { insertRows, ofIncident } from './deliveries.ts';

const ONCE_WITHIN_MS = 60 * 60_000;

export interface AlertAbout extends Alert {
  /** The id of the callback that it is about; undefined: the ledger has none. */
  readonly about?: number | undefined;
}

/**
 * Locks its rows in the order of their keys, and has to be the last to lock any in a transaction.
 * @param alerts those whose cause was alerted within the hour are only counted
 * @returns whether any alert was written
 */
export async function raise(tx: Tx, alerts: readonly AlertAbout[]): Promise<boolean> {
  let isAnyTold = false;
  const keyed = alerts
    .filter(({ targets }) => targets.length > 0)
    .map((alert) => ({ alert, key: keyOf(alert.cause) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
  for (const { alert, key } of keyed) if (await raiseOne(tx, alert, key)) isAnyTold = true;
  return isAnyTold;
}

async function raiseOne(tx: Tx, alert: AlertAbout, key: string): Promise<boolean> {
  const causes = await tx.all<{ toldAt: number; suppressed: number }>(sql`
    INSERT INTO alert_causes (cause, told_at, suppressed) VALUES (${key}, 0, 0)
    ON CONFLICT (cause) DO UPDATE SET cause = excluded.cause RETURNING told_at, suppressed`);
  const { toldAt, suppressed } = only(causes);
  // A clock that was set back must not silence a cause for long.
  const isDue = Math.abs(tx.now - toldAt) >= ONCE_WITHIN_MS;
  await tx.all(
    isDue
      ? sql`UPDATE alert_causes SET told_at = ${tx.now}, suppressed = 0 WHERE cause = ${key}`
      : sql`UPDATE alert_causes SET suppressed = suppressed + 1 WHERE cause = ${key}`,
  );
  if (isDue) {
    const incident = alert.trouble && (await openIncidentOf(tx, alert.trouble));
    const written = await write(tx, alert, suppressed, incident);
    if (incident !== undefined) await noteAlerted(tx, incident, written);
  }
  return isDue;
}

async function write(
  tx: Tx,
  { subject, targets, about }: AlertAbout,
  suppressed: number,
  incident: number | undefined,
): Promise<readonly DeliveryRecord[]> {
  const { job_id: jobId, bot_id: botId, bot_name: botName } = 'callback' in subject ? subject.callback : {};
  const named = { jobId, botId, botName, about, suppressed };
  const written = await writeOwnNotice(tx, { kind: 'alert', subject: JSON.stringify(subject), ...named });
  const inserted = await insertRows(tx, {
    ...written,
    jobKey: undefined,
    targets: ofIncident(targets, incident),
  });
  const entry = { alertId: written.callbackId, who: targets.map(({ destination }) => destination) };
  if (about !== undefined) await writeHistory(tx, [{ callbackId: about, what: 'alerted', entry }]);
  return inserted;
}
