/**
 * Writes an arrival down before anybody is told, and says who is still to be told, and by whom. A job's first callback takes three
 * statements; what others of its job mean for it is asked only where there are others.
 */
import sql, { type Sql } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { writeHistory } from '../history.ts';
import { keyOf, nameIn } from '../keys.ts';
import { type Admission, type Arrival, type DeliveryRecord, LedgerFull, SUPERSEDED } from '../ledger.ts';
import { deliveryRecord, type DeliveryRow, EARLIER_IN_JOB, EXECUTING, isIdle } from '../rows.ts';
import { toStored } from '../stored-body.ts';
import { claimOf, holdBack, insertRows, writeBody } from './deliveries.ts';

interface AdmissionSettings {
  /** How long a claim lasts: longer than a process can take over one callback. */
  readonly leaseMs: number;
  /** How long the service may take to retry before Botbell does. */
  readonly takeOverAfterMs: number;
}

type AdmitArgs = Awaited<ReturnType<typeof admitArgs>>;

/** An arrival as it will be written down: made before the transaction, so that this takes none of its time. */
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

const FULL = 'the store has reached store.max_size, and nothing that is done is left to be forgotten';

/** @throws {LedgerFull} of a callback that the ledger does not know */
export async function admit(tx: Tx, args: AdmitArgs): Promise<Admission> {
  const job = await enterJob(tx, args);
  const callback = await writeCallback(tx, args);
  const isNew = callback.times_received === 1;
  if (isNew && tx.isFull) throw new LedgerFull(FULL);
  if (!isNew) await noteReturn(tx, callback);
  const isLateStart = args.status === EXECUTING && job.result !== null;
  const [deliveries] = await Promise.all([
    isNew && job.posts === 1
      ? planned(tx, args, callback.id)
      : amongOthers(tx, args, { id: callback.id, isNew, isLateStart }),
    isNew && writeBody(tx, callback.id, args.body),
  ]);
  return {
    callbackId: callback.id,
    isNew,
    timesReceived: callback.times_received,
    firstReceivedAt: callback.received_at,
    // Whoever was told by then stays told: that nobody else is told any more is what there is to say.
    isSuperseded: isLateStart && !isToldToAll(deliveries),
    deliveries,
  };
}

interface Job {
  /** With this one. */
  readonly posts: number;
  /** Known before or with this one. */
  readonly result: number | null;
}

/** Holds the job until the transaction ends. */
async function enterJob(tx: Tx, { jobKey, status }: AdmitArgs): Promise<Job> {
  const result = status === EXECUTING ? null : status;
  return only(
    await tx.all<Job>(sql`
      INSERT INTO jobs (key, result, posts) VALUES (${jobKey}, ${result}, 1)
      ON CONFLICT (key) DO UPDATE SET posts = jobs.posts + 1, result = coalesce(excluded.result, jobs.result)
      RETURNING posts, result`),
  );
}

interface Written {
  readonly id: number;
  readonly times_received: number;
  readonly received_at: number;
}

async function writeCallback(tx: Tx, args: AdmitArgs): Promise<Written> {
  return only(
    await tx.all<Written>(sql`
      INSERT INTO callbacks (kind, job_key, identity, job_id, bot_key, bot_id, bot_name, status, started_at, received_at,
        last_received_at, times_received, elapsed, routing, bytes)
      VALUES ('callback', ${args.jobKey}, ${args.identity}, ${args.jobId}, ${args.botKey}, ${args.botId}, ${args.botName},
        ${args.status}, ${args.startedAt}, ${args.receivedAt}, ${args.receivedAt}, 1, ${args.elapsed}, ${args.routing},
        ${args.bytes})
      ON CONFLICT (job_key, identity) DO UPDATE
        SET times_received = callbacks.times_received + 1, last_received_at = excluded.last_received_at
      RETURNING id, times_received, received_at`),
  );
}

/** Of a callback that comes again and again; whoever reads its history has seen enough by then. */
const MOST_RETURNS = 1000;

async function noteReturn(tx: Tx, { id, times_received: times }: Written): Promise<void> {
  if (times <= MOST_RETURNS) await writeHistory(tx, [{ callbackId: id, what: 'received', entry: { times } }]);
}

async function planned(tx: Tx, args: AdmitArgs, callbackId: number): Promise<readonly DeliveryRecord[]> {
  const rows = await plan(tx, args, callbackId);
  const standing = { claim: args.isAccepted ? undefined : ('own' as const), behind: undefined };
  return rows.map((row) => deliveryRecord(row, tx.now, standing));
}

/** A claim outlasts the lease only where the service is to retry first. */
function plan(
  tx: Tx,
  { jobKey, planned: targets, isAccepted, leaseMs, takeOverAfterMs }: AdmitArgs,
  callbackId: number,
): Promise<readonly DeliveryRow[]> {
  const beginning = isAccepted
    ? { isOurs: true, dueInMs: 0 }
    : { isOurs: false, dueInMs: Math.max(takeOverAfterMs, leaseMs), claimedForMs: leaseMs };
  return insertRows(tx, { callbackId, jobKey, targets }, beginning);
}

interface Arrived {
  readonly id: number;
  readonly isNew: boolean;
  readonly isLateStart: boolean;
}

async function amongOthers(tx: Tx, args: AdmitArgs, arrived: Arrived): Promise<readonly DeliveryRecord[]> {
  if (args.status !== EXECUTING) await supersede(tx, startsOf(args.jobKey));
  if (arrived.isLateStart) await supersede(tx, sql`callback_id = ${arrived.id}`);
  return standingOf(tx, arrived.id, await claimedFor(tx, args, arrived));
}

const NONE: ReadonlySet<number> = new Set();

async function claimedFor(
  tx: Tx,
  args: AdmitArgs,
  { id, isNew, isLateStart }: Arrived,
): Promise<ReadonlySet<number>> {
  if (isLateStart) return NONE;
  const rows = isNew ? await plan(tx, args, id) : [];
  if (args.isAccepted) return NONE;
  return isNew ? new Set(rows.map((row) => row.id)) : claimOf(tx, id, args.leaseMs);
}

function startsOf(jobKey: string): Sql {
  return sql`job_key = ${jobKey} AND EXISTS (
    SELECT 1 FROM callbacks WHERE callbacks.id = deliveries.callback_id AND callbacks.status = ${EXECUTING})`;
}

/** Those that nobody has in hand: their result is known, so that nobody is told of the start any more. */
async function supersede(tx: Tx, which: Sql): Promise<void> {
  const rows = await tx.all<{ id: number; callback_id: number }>(sql`
    SELECT id, callback_id FROM deliveries
    WHERE state = 'pending' AND ${which} AND ${isIdle(tx.now)} ORDER BY id ${tx.skipLocked}`);
  await holdBack(tx, rows, SUPERSEDED);
}

type StandingRow = DeliveryRow & { readonly behind: number | null };

/** @param own ids of what this call has claimed */
async function standingOf(
  tx: Tx,
  callbackId: number,
  own: ReadonlySet<number>,
): Promise<readonly DeliveryRecord[]> {
  const rows = await tx.all<StandingRow>(sql`
    SELECT deliveries.*, CASE WHEN state = 'pending' THEN (
      ${EARLIER_IN_JOB} ORDER BY earlier.callback_id DESC LIMIT 1) END AS behind
    FROM deliveries WHERE callback_id = ${callbackId} ORDER BY id`);
  return rows.map((row) =>
    deliveryRecord(row, tx.now, { claim: claimOn(tx, row, own), behind: row.behind ?? undefined }),
  );
}

function claimOn(tx: Tx, row: DeliveryRow, own: ReadonlySet<number>): DeliveryRecord['claim'] {
  if (row.state !== 'pending' || (row.claimed_until ?? 0) <= tx.now) return undefined;
  if (own.has(row.id)) return 'own';
  return row.owner === tx.owner ? 'process' : 'elsewhere';
}

function isToldToAll(deliveries: readonly DeliveryRecord[]): boolean {
  return deliveries.length > 0 && deliveries.every(({ state }) => state === 'delivered');
}

/** Of a statement that always gives a row. */
function only<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('a statement that writes a row has given none back');
  return row;
}
