/** Which processes share the store, and which of them may route anew while their configs differ. */
import { hostname } from 'node:os';
import sql, { bulk } from 'sql-template-tag';
import type { Tx } from '../database.ts';

/** The config that a process has loaded. channels: the type of each, by its name. */
export interface RunningConfig {
  readonly hash: string;
  readonly channels: ReadonlyMap<string, string>;
}

/** One of those that share the store. Times are milliseconds since 1970. */
interface LivingProcess {
  readonly isThis: boolean;
  readonly configHash: string;
  readonly loadedAt: number;
  readonly seenAt: number;
}

/** Several heartbeats. */
const DEAD_AFTER_MS = 30_000;

/** A rolling restart is over by then. */
const UNDECIDED_FOR_MS = 15 * 60_000;

const FORGOTTEN_AFTER_MS = 24 * 3_600_000;

/** Who holds a claim: a process of a machine; when it began tells apart two that had the same number. */
export function ownerName(startedAt: number): string {
  return `${hostname()}/${process.pid}/${startedAt}`;
}

/** Whose heart beats, and this one; the one whose config was loaded last first. A clock that was ahead keeps nobody alive. */
export function processes(tx: Tx): Promise<readonly LivingProcess[]> {
  return tx.all<LivingProcess>(sql`
    SELECT *, owner = ${tx.owner} AS is_this FROM processes
    WHERE (seen_at > ${tx.now - DEAD_AFTER_MS} AND seen_at < ${tx.now + DEAD_AFTER_MS}) OR owner = ${tx.owner}
    ORDER BY loaded_at DESC, owner DESC`);
}

/** Whether this process may route anew: all run with its config, or have not for 15 minutes and its own was loaded last. */
export async function isDecider(tx: Tx): Promise<boolean> {
  const all = await processes(tx);
  const own = all.find(({ isThis }) => isThis);
  const [last] = all;
  if (own === undefined || last === undefined) return false;
  const isOwn = ({ configHash }: LivingProcess) => configHash === own.configHash;
  if (all.every(isOwn)) return true;
  // To the others, one whose heartbeat stopped is dead.
  const isAlive = own.seenAt > tx.now - DEAD_AFTER_MS;
  return isAlive && isOwn(last) && tx.now >= last.loadedAt + UNDECIDED_FOR_MS;
}

/** @returns whether this process may route anew */
export async function heartbeat(tx: Tx, { hash, channels }: RunningConfig): Promise<boolean> {
  const own = await tx.first<{ configHash: string }>(
    sql`SELECT config_hash FROM processes WHERE owner = ${tx.owner}`,
  );
  if (own?.configHash !== hash) {
    await noteLoaded(tx, hash);
    await noteChannels(tx, channels);
  }
  await tx.all(sql`
    INSERT INTO processes (owner, config_hash, loaded_at, seen_at) VALUES (${tx.owner}, ${hash}, ${tx.now}, ${tx.now})
    ON CONFLICT (owner) DO UPDATE SET seen_at = excluded.seen_at, config_hash = excluded.config_hash,
      loaded_at = CASE WHEN processes.config_hash = excluded.config_hash THEN processes.loaded_at ELSE excluded.loaded_at END`);
  await tx.all(sql`DELETE FROM processes WHERE seen_at < ${tx.now - FORGOTTEN_AFTER_MS}`);
  return isDecider(tx);
}

/** For whoever asks by which config something was sent. While replicas differ, the one loaded last counts. */
async function noteLoaded(tx: Tx, hash: string): Promise<void> {
  const last = await tx.first<{ hash: string }>(
    sql`SELECT hash FROM loaded_configs ORDER BY id DESC LIMIT 1`,
  );
  if (last?.hash !== hash)
    await tx.all(sql`INSERT INTO loaded_configs (hash, loaded_at) VALUES (${hash}, ${tx.now})`);
}

/** Also for configs to come: an address stays told when its channel has another name. */
async function noteChannels(tx: Tx, channels: ReadonlyMap<string, string>): Promise<void> {
  if (channels.size === 0) return;
  // In the order in which all lock them.
  const rows = [...channels].toSorted(([a], [b]) => (a < b ? -1 : 1));
  await tx.all(sql`
    INSERT INTO channel_types (name, type) VALUES ${bulk(rows)}
    ON CONFLICT (name) DO UPDATE SET type = excluded.type WHERE channel_types.type <> excluded.type`);
}

/** This process does not count any more. */
export async function leave(tx: Tx): Promise<void> {
  await tx.all(sql`DELETE FROM processes WHERE owner = ${tx.owner}`);
}
