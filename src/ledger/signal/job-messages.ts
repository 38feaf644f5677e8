/** What a destination has been told of a job before: what replies go under, and edits change. */
import sql from 'sql-template-tag';
import { type Receipt, ROOT_GONE } from '../../channels/channel.ts';
import type { Tx } from '../database.ts';
import { keyOf } from '../keys.ts';

/** @param callbackId what is to be told now, which does not count */
export async function jobMessages(
  tx: Tx,
  {
    jobId,
    destination,
    callbackId,
  }: { readonly jobId: string; readonly destination: string; readonly callbackId: number },
) {
  const told = await tx.all<{ readonly callbackId: number; readonly receipt: Receipt }>(sql`
    SELECT callback_id, receipt FROM callbacks JOIN deliveries ON callback_id = callbacks.id
    WHERE callbacks.job_key = ${keyOf(jobId)} AND destination = ${destination} AND callback_id <> ${callbackId}
      AND state = 'delivered' AND receipt IS NOT NULL AND summary_id IS NULL
    ORDER BY deliveries.updated_at, deliveries.id`);
  const anew = told.findLast(({ receipt }) => Object.hasOwn(receipt, ROOT_GONE));
  return {
    /** Of the first message, or of the last one that was posted anew; undefined: none was sent. */
    root: (anew ?? told[0])?.receipt,
    /** Something that came later has been told: an edit would take it back. */
    isOvertaken: told.some((each) => each.callbackId > callbackId),
  };
}
