/** An arrival as it is written down: its keys, and its body as it will stand. Made before the transaction, so that this takes none of its time. */
import type { Arrival } from '../ledger.ts';
import { keyOf, nameIn } from '../keys.ts';
import { toStored } from '../stored-body.ts';

export interface AdmissionSettings {
  /** How long a claim lasts: longer than a process can take over one callback. */
  readonly leaseMs: number;
  /** How long the service may take to retry before Botbell does. */
  readonly takeOverAfterMs: number;
}

/** Plain data: it crosses to SQLite's thread. */
export type AdmitArgs = Awaited<ReturnType<typeof admitArgs>>;

export async function admitArgs(arrival: Arrival, settings: AdmissionSettings) {
  const { callback, identity, startedAt, receivedAt, planned, isAccepted } = arrival;
  const jobKey = keyOf(callback.job_id);
  return {
    ...settings,
    jobKey,
    identity,
    jobId: jobKey,
    botKey: keyOf(callback.bot_id),
    botId: nameIn(callback.bot_id),
    botName: nameIn(callback.bot_name),
    status: callback.status,
    startedAt,
    receivedAt,
    elapsed: secondsIn(callback.elapsed_time),
    routing: JSON.stringify(arrival.routing),
    /** As `stored-body.ts` keeps it, and how many bytes came. */
    body: await toStored(arrival.body),
    bytes: arrival.body.byteLength,
    planned,
    isAccepted,
  };
}

/** Longer than any run: sums of it stay numbers that every database has. */
const LONGEST_SECONDS = 1_000_000_000;

/** Null: it does not say. */
function secondsIn(elapsed: unknown): number | null {
  return typeof elapsed === 'number' && elapsed >= 0 ? Math.min(elapsed, LONGEST_SECONDS) : null;
}
