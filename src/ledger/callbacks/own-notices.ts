/** Notices of Botbell's own are rows of `callbacks`, so they are retried, given up, alerted and shown like callbacks. */
import sql from 'sql-template-tag';
import { onlyRow, type Tx } from '../database.ts';
import { insertRows } from '../deliveries/deliveries.ts';
import type { DecidedTarget } from '../ledger.ts';
import { jobKeyOf, keyOf, nameIn, toStored } from './keys.ts';
import { randomId } from '../../text/random.ts';

export interface OwnNotice {
  /** A SHA-256 in hexadecimal; a random one if left out. */
  readonly id?: string | undefined;
  /** The column `kind` of `callbacks`: `alert`, or the template's name. */
  readonly kind: string;
  /** JSON of what it is about (`RaisedAlert.subject`). */
  readonly subject: string;
  readonly jobId?: string | undefined;
  readonly botId?: string | undefined;
  readonly botName?: string | undefined;
  readonly about?: number | undefined;
  readonly incidentId?: number | undefined;
  /** How many of the same cause were suppressed before it. */
  readonly suppressed?: number | undefined;
}

/** @returns the id of its row, and its deliveries */
export async function writeOwnNotice(tx: Tx, notice: OwnNotice, targets: readonly DecidedTarget[] = []) {
  const { kind, subject, jobId = '', botId = 'botbell', botName = 'Botbell' } = notice;
  const { about, incidentId, suppressed = 0, id = randomId(tx.random) } = notice;
  const body = Buffer.from(
    `{"id":"${id}","raisedAt":${tx.now},"suppressed":${suppressed},"subject":${subject}}`,
  );
  // Deflated if large: an overdue notice contains its run's whole callback.
  const stored = await toStored(body);
  const inserted = await tx.all<{ id: number }>(sql`
    INSERT INTO callbacks (kind, identity, job_id, bot_key, bot_id, bot_name, status, started_at, received_at,
      times_received, routing, bytes, about, incident_id, body)
    VALUES (${kind}, ${id}, ${keyOf(jobId)}, ${keyOf(botId)}, ${nameIn(botId)}, ${nameIn(botName)}, 1,
      ${tx.now}, ${tx.now}, 1, '[]', ${body.byteLength}, ${about}, ${incidentId}, ${stored})
    RETURNING id`);
  const { id: callbackId } = onlyRow(inserted);
  // Of the notices, only the overdue one keeps the order of a job (`IS_OF_JOB`).
  const jobKey = kind === 'overdue' ? jobKeyOf(keyOf(jobId), keyOf(botId)) : undefined;
  const deliveries = await insertRows(tx, { callbackId, receivedAt: tx.now, jobKey, targets });
  return { callbackId, deliveries };
}
