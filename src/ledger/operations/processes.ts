/** Which processes share the store, and which of them may route anew while their configs differ. */
import sql, { bulk } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import type { LivingProcess, RunningConfig } from '../ledger.ts';
import { isGone, partsOf } from '../owner.ts';

/** Several heartbeats. */
const DEAD_AFTER_MS = 30_000;

/** A rolling restart is over by then. */
const UNDECIDED_FOR_MS = 15 * 60_000;

const FORGOTTEN_AFTER_MS = 24 * 3_600_000;
const CONFIGS_KEPT = 1000;

export interface ProcessStanding {
  readonly owner: string;
  readonly configHash: string;
  readonly loadedAt: number;
  readonly isAlive: boolean;
}

/**
 * All that live run with the same config, or have not for 15 minutes and its own was loaded last.
 * @param owner the process that asks
 */
export function mayRouteAnew(owner: string, processes: readonly ProcessStanding[], now: number): boolean {
  const own = processes.find((each) => each.owner === owner);
  if (own === undefined) return false;
  const living = processes.filter(({ isAlive }) => isAlive);
  if (living.every(({ configHash }) => configHash === own.configHash)) return true;
  const last = living.toSorted((a, b) => a.loadedAt - b.loadedAt || (a.owner < b.owner ? -1 : 1)).at(-1);
  const isDecided = last !== undefined && now >= last.loadedAt + UNDECIDED_FOR_MS;
  // To the others, one whose heartbeat stopped is dead.
  return own.isAlive && isDecided && last.configHash === own.configHash;
}

export async function isDecider(tx: Tx): Promise<boolean> {
  return mayRouteAnew(tx.owner, await standings(tx), tx.now);
}

async function standings(tx: Tx) {
  const rows = await tx.all<{ owner: string; config_hash: string; loaded_at: number; seen_at: number }>(
    sql`SELECT owner, config_hash, loaded_at, seen_at FROM processes`,
  );
  return rows.map(({ owner, config_hash: configHash, loaded_at: loadedAt, seen_at: seenAt }) => ({
    owner,
    configHash,
    loadedAt,
    seenAt,
    // A clock that was ahead must not keep anybody alive.
    isAlive: Math.abs(tx.now - seenAt) < DEAD_AFTER_MS && !isGone(owner, tx.owner),
  }));
}

/** The one whose config was loaded last first. */
export async function processes(tx: Tx): Promise<readonly LivingProcess[]> {
  const living = (await standings(tx)).filter(({ isAlive }) => isAlive);
  return living
    .toSorted((a, b) => b.loadedAt - a.loadedAt)
    .map(({ owner, configHash, loadedAt, seenAt }) => {
      const { machine, pid } = partsOf(owner);
      return { name: `${machine} ${pid}`, isThis: owner === tx.owner, configHash, loadedAt, seenAt };
    });
}

/** @returns whether this process may route anew */
export async function heartbeat(tx: Tx, { hash, channels }: RunningConfig): Promise<boolean> {
  const own = await tx.first<{ config_hash: string }>(
    sql`SELECT config_hash FROM processes WHERE owner = ${tx.owner}`,
  );
  if (own?.config_hash !== hash) {
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
  const last = await tx.first<{ id: number; hash: string }>(
    sql`SELECT id, hash FROM loaded_configs ORDER BY id DESC LIMIT 1`,
  );
  if (last?.hash === hash) return;
  await tx.all(sql`INSERT INTO loaded_configs (hash, loaded_at) VALUES (${hash}, ${tx.now})`);
  await tx.all(sql`DELETE FROM loaded_configs WHERE id < ${(last?.id ?? 0) - CONFIGS_KEPT}`);
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

/** What a crashed predecessor was sending is free at once: claims of processes of this machine that no longer run. */
export async function releaseOrphans(tx: Tx): Promise<void> {
  const claims = await tx.all<{ owner: string }>(
    sql`SELECT DISTINCT owner FROM deliveries WHERE state = 'pending' AND owner IS NOT NULL`,
  );
  for (const { owner } of claims.filter((claim) => isGone(claim.owner, tx.owner))) {
    await tx.all(
      sql`UPDATE deliveries SET owner = NULL, claimed_until = NULL WHERE state = 'pending' AND owner = ${owner}`,
    );
  }
}
