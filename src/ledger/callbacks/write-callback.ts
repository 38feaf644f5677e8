/** Writes the row of a callback, or counts it once more if it came before; and the result that its answer tells. */
import sql from 'sql-template-tag';
import { elapsedSecondsOf, identityOf, statusNameOf } from '../../callback/callback.ts';
import { gistOf } from '../../text/gist.ts';
import { isSqlite, prepared, onlyRow, shared, type Tx } from '../database.ts';
import { type Arrival, type CallbackResult, type DeliveryState, LedgerFull } from '../ledger.ts';
import { callbackIn } from '../deliveries/rows.ts';
import { jobKeyOf, keyOf, nameIn } from './keys.ts';

export type AdmitArgs = ReturnType<typeof admitArgs>;

/**
 * The values to write of an arrival, computed outside the transaction to keep that short.
 * @param stored its body, in the form of `toStored` @param settings as in `LedgerSettings`
 */
export function admitArgs(
  arrival: Arrival,
  stored: Uint8Array,
  settings: { readonly takeOverAfterMs: number },
) {
  const { callback, startedAt, routing, asking, likeness, unmet, isAccepted, isClaimed } = arrival;
  const [jobId, botKey] = [keyOf(callback.job_id), keyOf(callback.bot_id)];
  const jobKey = jobKeyOf(jobId, botKey);
  // No spread, here and in other objects made for each POST: V8 takes several times as long for a literal that begins with one.
  return {
    takeOverAfterMs: settings.takeOverAfterMs,
    jobKey,
    keys: keysOf(asking, botKey, jobKey),
    callback,
    jobId,
    botKey,
    botId: nameIn(callback.bot_id),
    botName: nameIn(callback.bot_name),
    status: callback.status,
    startedAt,
    elapsed: elapsedSecondsOf(callback) ?? null,
    error: statusNameOf(callback) === 'error' ? gistOf(callback.message ?? '') : null,
    routing,
    /** `bytes` is the size as received. */
    body: stored,
    bytes: arrival.body.byteLength,
    asking,
    likeness,
    unmet,
    isAccepted,
    isClaimed: !isAccepted || isClaimed === true,
  };
}

/** As `CallOptions`. */
function keysOf({ isPlain }: Arrival['asking'], botKey: string, jobKey: string): readonly string[] {
  return isPlain ? [jobKey] : [botKey, jobKey];
}

const lockingAlike = shared('text text integer text');

/**
 * Locks what it writes, and what its caller may write: callers at the same time are served in the order of rows.
 * @returns the id of the same callback that came before; undefined: it is new
 */
async function earlierOf(
  tx: Tx,
  { jobId, botKey, status }: AdmitArgs,
  identity: string,
): Promise<number | undefined> {
  if (!isSqlite(tx))
    await tx.all(lockingAlike`
      SELECT /*nr*/ callbacks.id FROM callbacks /*, given*/
      WHERE job_id = ${jobId} AND bot_key = ${botKey} AND status = ${status} AND (identity IS NULL OR identity = ${identity})
      ORDER BY callbacks.id FOR NO KEY UPDATE OF callbacks`);
  const isAlike = sql`job_id = ${jobId} AND bot_key = ${botKey} AND status = ${status}`;
  const first = await tx.first<{ id: number; body: Uint8Array }>(
    sql`SELECT id, body FROM callbacks WHERE ${isAlike} AND identity IS NULL`,
  );
  if (first !== undefined)
    await tx.all(
      prepared`UPDATE callbacks SET identity = ${identityOf(callbackIn(first.body))} WHERE id = ${first.id}`,
    );
  const same = await tx.first<{ id: number }>(
    sql`SELECT id FROM callbacks WHERE ${isAlike} AND identity = ${identity}`,
  );
  return same?.id;
}

/** Counts the callback if it came before, else writes it. @param id what `lockJob` gave for its row @throws {LedgerFull} it is new */
export function writeCallback(tx: Tx, args: AdmitArgs, hasAlike: boolean, id: number | undefined) {
  // The hash takes several passes over a callback, so it is made only where the job has another callback of this status.
  return hasAlike ? countOrInsert(tx, args, id) : insertCallback(tx, args, null, id);
}

async function countOrInsert(tx: Tx, args: AdmitArgs, id: number | undefined) {
  const identity = identityOf(args.callback);
  const before = await earlierOf(tx, args, identity);
  return before === undefined
    ? insertCallback(tx, args, identity, id)
    : countCallback(tx, before, args.elapsed);
}

const newCallback = shared(
  'bigint text text text text text integer bigint bigint float8 text bigint text bytea',
);

/** `received_at` is the store's time, since machines' clocks differ: due times, lateness and digests are counted from it. */
async function insertCallback(tx: Tx, args: AdmitArgs, identity: string | null, known: number | undefined) {
  const { now } = tx;
  if (tx.isFull) throw new LedgerFull();
  const written = tx.all<{ id: number }>(newCallback`
    INSERT INTO callbacks (id, kind, identity, job_id, bot_key, bot_id, bot_name, status, started_at, received_at,
      elapsed, routing, bytes, error, body)
    VALUES (${known}, 'callback', ${identity}, ${args.jobId}, ${args.botKey}, ${args.botId}, ${args.botName},
      ${args.status}, ${args.startedAt}, ${now}, ${args.elapsed}, ${args.routing}, ${args.bytes}, ${args.error},
      ${args.body})
    RETURNING id`);
  // If the id is known, nobody awaits the INSERT: should it fail, the statements after it in the transaction fail, too.
  if (known !== undefined) written.catch(() => undefined);
  return { id: known ?? onlyRow(await written).id, timesReceived: 1, receivedAt: now };
}

/** A retry may come with a longer `elapsed_time`: the longest is kept. */
async function countCallback(tx: Tx, id: number, elapsed: number | null) {
  return onlyRow(
    await tx.all<{ id: number; timesReceived: number; receivedAt: number }>(prepared`
      UPDATE callbacks SET times_received = times_received + 1,
        elapsed = CASE WHEN elapsed >= ${elapsed ?? -1} THEN elapsed ELSE ${elapsed} END
      WHERE id = ${id} RETURNING id, times_received, received_at`),
  );
}

interface Circumstances {
  /** An `executing` that came after its job's result. */
  readonly isSuperseded: boolean;
  /** It is answered before its deliveries are attempted. */
  readonly isAccepted: boolean;
  /** Something was attempted, and has ended, while the POST waited. */
  readonly hasEnded?: boolean;
}

export function resultOf(
  states: readonly DeliveryState[],
  { isSuperseded, isAccepted, hasEnded = false }: Circumstances,
): CallbackResult {
  if (isAccepted && states.includes('pending')) return 'accepted';
  if (isSuperseded) return 'superseded';
  if (states.length === 0) return 'no_route';
  if (states.includes('dead')) return 'gave_up';
  if (states.includes('pending')) return 'taken_over';
  if (states.every((state) => state === 'held')) return 'held';
  return hasEnded ? 'delivered' : 'duplicate';
}
