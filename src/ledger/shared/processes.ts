/** Which processes share the store, which of them may route anew while their configs differ, and the end of claims on which nobody works any more. */
import sql, { bulk, join, type Sql } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { writeHistoryOf } from '../callbacks/history.ts';
import type { DeliveryName } from '../ledger.ts';
import { updateRows } from '../deliveries/deliveries.ts';
import { type DeliveryRow, RECEIVED_AT } from '../deliveries/rows.ts';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** The config that a process has loaded. channels: the type of each, by its name. */
export interface RunningConfig {
  readonly hash: string;
  readonly channels: ReadonlyMap<string, string>;
}

/** A process that shares the store. Times are milliseconds since 1970. */
interface LivingProcess {
  readonly isThis: boolean;
  readonly configHash: string;
  readonly loadedAt: number;
  /** Since its last heartbeat. */
  readonly silentMs: number;
}

/** How long nobody routes anew while configs differ: longer than a rolling restart. */
const UNDECIDED_FOR_MS = 15 * 60_000;

/** Of table `processes`, those with a recent heartbeat, and this one; the last loaded config first. */
export function livingIn({ now, owner }: Tx): Sql {
  return sql`processes
    WHERE seen_at > ${now - DEAD_AFTER_MS} OR owner = ${owner}
    ORDER BY loaded_at DESC, owner DESC`;
}

export function processes(tx: Tx): Promise<readonly LivingProcess[]> {
  return tx.all<LivingProcess>(sql`
    SELECT owner, config_hash, loaded_at, CAST(${tx.now} AS BIGINT) - seen_at AS silent_ms, owner = ${tx.owner} AS is_this FROM ${livingIn(tx)}`);
}

/**
 * Whether this process may route anew: all run its config, or its config was loaded last, at least 15 minutes ago.
 * @param by the hash of the config that the caller goes by, which the others know only after its first heartbeat; left out: the last heartbeat's
 */
export async function isDecider(tx: Tx, by?: string): Promise<boolean> {
  const all = await processes(tx);
  const own = all.find(({ isThis }) => isThis);
  if (own === undefined || (by ?? own.configHash) !== own.configHash) return false;
  const [last = own] = all;
  const isOwn = ({ configHash }: LivingProcess) => configHash === own.configHash;
  if (all.every(isOwn)) return true;
  // If this process's heartbeat stopped, the others ignore it and may decide themselves.
  const isAlive = own.silentMs < DEAD_AFTER_MS;
  return isAlive && isOwn(last) && tx.now >= last.loadedAt + UNDECIDED_FOR_MS;
}

/** @returns whether this process may route anew, and whether new callbacks are refused; `asOf`: the store's time */
export async function heartbeat(tx: Tx, { hash, channels }: RunningConfig) {
  const own = (await processes(tx)).find(({ isThis }) => isThis);
  if (own?.configHash !== hash) {
    await noteLoaded(tx, hash);
    await noteChannels(tx, channels);
  }
  await tx.all(sql`
    INSERT INTO processes (owner, config_hash, loaded_at, seen_at) VALUES (${tx.owner}, ${hash}, ${tx.now}, ${tx.now})
    ON CONFLICT (owner) DO UPDATE SET seen_at = excluded.seen_at, config_hash = excluded.config_hash,
      loaded_at = CASE WHEN processes.config_hash = excluded.config_hash THEN processes.loaded_at ELSE excluded.loaded_at END`);
  return { mayRouteAnew: await isDecider(tx), isFull: tx.isFull, asOf: tx.now };
}

/** Lets `readDelivery` say by which config something was sent. While replicas differ, the config loaded last counts. */
async function noteLoaded(tx: Tx, hash: string): Promise<void> {
  const last = await tx.first<{ hash: string }>(
    sql`SELECT hash FROM loaded_configs ORDER BY id DESC LIMIT 1`,
  );
  if (last?.hash !== hash)
    await tx.all(sql`INSERT INTO loaded_configs (hash, loaded_at) VALUES (${hash}, ${tx.now})`);
}

/** Kept for later configs: they recognise an address that was told under a former name of its channel. */
async function noteChannels(tx: Tx, channels: ReadonlyMap<string, string>): Promise<void> {
  if (channels.size === 0) return;
  // Sorted, so that all writers lock the rows in the same order.
  const rows = [...channels.keys()].toSorted().map((name) => [name, channels.get(name)]);
  await tx.all(sql`
    INSERT INTO channel_types (name, type) VALUES ${bulk(rows)}
    ON CONFLICT (name) DO UPDATE SET type = excluded.type`);
}

/** A process that has been silent for so long counts as dead. */
const DEAD_AFTER_MS = 30_000;

const FORGOTTEN_AFTER_MS = 24 * 3_600_000;

/** What this process has claimed, as the store has it. `updatedAt`: another time means another claim. */
export interface OwnClaims {
  readonly deliveries: readonly (DeliveryName & { readonly updatedAt: number })[];
  /** Keys. */
  readonly timers: readonly string[];
}

/** What a process knows that looks for claims to end. */
interface Looking {
  /** Whether the owner was a process of this machine and is none any more. */
  readonly isGone: (owner: string) => boolean;
  /** Whether a silent process counts as dead; if not, only one that is gone, or has no row. */
  readonly isSilenceJudged: boolean;
  /** Whether to look at claims at all. @param dead the dead owners, with blanks between */
  readonly isDue: (dead: string) => boolean;
  /** Those of this process's claims that it does not work on. */
  readonly abandonedOf: (own: OwnClaims) => OwnClaims;
}

/** Ends the claims of dead processes, and those of this one that `abandonedOf` names. @returns whether it looked at claims, and whether it ended any */
export async function freeClaims(tx: Tx, { isGone, isSilenceJudged, isDue, abandonedOf }: Looking) {
  const { now, owner } = tx;
  const others = await tx.all<{ owner: string; isSilent: boolean }>(sql`
    SELECT owner, CAST(seen_at <= ${now - DEAD_AFTER_MS} AS INTEGER) AS is_silent FROM processes
    WHERE owner <> ${owner}`);
  const gone = others.map((each) => each.owner).filter(isGone);
  const silent = others.filter(({ isSilent }) => isSilenceJudged && isSilent).map((each) => each.owner);
  const dead = [...new Set([...gone, ...silent])].toSorted().join(' ');
  if (!isDue(dead)) return { dead, isAny: false, hasLooked: false };
  const living = sql`SELECT owner FROM processes WHERE owner = ${owner} OR (owner NOT IN (${join(['', ...gone])})
    AND seen_at > ${isSilenceJudged ? now - DEAD_AFTER_MS : 0})`;
  const isDead = sql`(owner <> ${owner} AND owner NOT IN (${living}))`;
  const isAnyDead = await endClaims(tx, sql`destination >= '' AND ${isDead}`, isDead);
  await tx.all(sql`
    DELETE FROM processes WHERE owner <> ${owner} AND (owner IN (${join(['', ...gone])}) OR seen_at < ${now - FORGOTTEN_AFTER_MS})`);
  const isOwn = sql`owner = ${owner}`;
  const deliveries = await tx.all<OwnClaims['deliveries'][number]>(sql`
    SELECT id, destination, (${RECEIVED_AT}) AS received_at, updated_at FROM deliveries
    WHERE state = 'pending' AND destination >= '' AND ${isOwn}`);
  const timers = await tx.all<{ key: string }>(sql`SELECT key FROM timers WHERE ${isOwn}`);
  const left = abandonedOf({ deliveries, timers: timers.map(({ key }) => key) });
  const isAnyLeft = await endClaims(
    tx,
    sql`${isOwn} AND id IN (${join([-1, ...left.deliveries.map(({ id }) => id)])})`,
    sql`${isOwn} AND key IN (${join(['', ...left.timers])})`,
  );
  return { dead, isAny: isAnyDead || isAnyLeft, hasLooked: true };
}

/** Signs off, and gives back what it could not finish. */
export async function signOff(tx: Tx): Promise<void> {
  const isOwn = sql`owner = ${tx.owner}`;
  await endClaims(tx, sql`destination >= '' AND ${isOwn}`, isOwn);
  await tx.all(sql`DELETE FROM processes WHERE ${isOwn}`);
}

/** Ends these claims: the deliveries are taken over, and all is due now. @returns whether there were any */
async function endClaims(tx: Tx, deliveries: Sql, timers: Sql): Promise<boolean> {
  // By an index of what is pending: an index of owners would be written twice for each delivery.
  const held = await tx.all<Pick<DeliveryRow, 'id' | 'callbackId' | 'isTakenOver'>>(sql`
    SELECT id, callback_id, is_taken_over FROM deliveries
    WHERE state = 'pending' AND ${deliveries} ORDER BY +id ${tx.forUpdate}`);
  const free = sql`owner = NULL, is_taken_over = 1, due_at = CASE WHEN due_at > ${tx.now} THEN ${tx.now} ELSE due_at END`;
  await updateRows(tx, held, free);
  await writeHistoryOf(
    tx,
    held.filter(({ isTakenOver }) => !isTakenOver),
    'taken_over',
  );
  const ended = await tx.all(
    sql`UPDATE timers SET owner = NULL, due_at = ${tx.now} WHERE key IN (
      SELECT key FROM timers WHERE owner IS NOT NULL AND ${timers} ORDER BY key ${tx.forUpdate}) RETURNING key`,
  );
  return held.length > 0 || ended.length > 0;
}

/** What tells a process from others that had, or have elsewhere, the same process id; empty: the OS does not say. */
function markOf(pid: number): readonly (string | undefined)[] {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    // Two containers on one machine may both have a process 1, so a process can only be looked for among its own.
    const namespace = readlinkSync('/proc/self/ns/pid');
    return [boot, namespace, statOf(pid).beganAt];
  } catch {
    return [];
  }
}

/** @throws {Error} there is no such process, or the OS does not show it (`man proc_pid_stat`: the name may have blanks and brackets) */
function statOf(pid: number) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state, beganAt: fields[18] };
}

/** The name of a claim's owner: host, process id and start, and what `isGone` needs where the OS gives it. */
export function ownerName(startedAt: number): string {
  return [hostname(), process.pid, startedAt, ...markOf(process.pid)].join('/');
}

/** Whether the owner was a process of this machine and is none any more. False: it lives, or only its heartbeat can tell. */
export function isGone(owner: string): boolean {
  const [, pid, , boot, namespace, beganAt] = owner.split('/');
  const isOfHere = boot !== undefined && boot === ownMark[0] && namespace === ownMark[1];
  return isOfHere && !isRunning(Number(pid), beganAt);
}

const ownMark = markOf(process.pid);

function isRunning(pid: number, beganAt: string | undefined): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  try {
    const found = statOf(pid);
    // A zombie only waits for its parent to read its exit status.
    return found.beganAt === beganAt && found.state !== 'Z';
  } catch {
    return true;
  }
}
