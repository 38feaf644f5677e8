/** Finds the message of a job at a destination that replies go under and edits change. */
import sql from 'sql-template-tag';
import { type Receipt, ROOT_GONE } from '../../channels/channel.ts';
import type { Tx } from '../database.ts';
import { keyOf } from './keys.ts';
import type { DeliveryRecord } from '../ledger.ts';
import { IS_OF_JOB } from '../deliveries/rows.ts';

interface MessageOfJob extends Pick<DeliveryRecord, 'destination' | 'callbackId'> {
  readonly jobId: string;
  readonly botId: string;
}

/** @param callbackId the callback that is to be sent now; its own messages do not count */
export async function jobMessages(tx: Tx, { jobId, botId, destination, callbackId }: MessageOfJob) {
  const told = await tx.all<{ readonly callbackId: number; readonly receipt: Receipt }>(sql`
    SELECT callback_id, receipt FROM callbacks JOIN deliveries ON callback_id = callbacks.id
    WHERE job_id = ${keyOf(jobId)} AND bot_key = ${keyOf(botId)} AND ${IS_OF_JOB} AND destination = ${destination} AND callback_id <> ${callbackId}
      AND state = 'delivered' AND receipt IS NOT NULL AND summary_id IS NULL
    ORDER BY deliveries.updated_at, deliveries.id`);
  const anew = told.findLast(({ receipt }) => Object.hasOwn(receipt, ROOT_GONE));
  return {
    /** The receipt of the first message, or of the last one that was posted anew; undefined: none was sent. */
    root: (anew ?? told[0])?.receipt,
    /** A later callback has been delivered: an edit would overwrite it with older news. */
    isOvertaken: told.some((each) => each.callbackId > callbackId),
  };
}
