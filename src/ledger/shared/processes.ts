/** Which processes share the store, and which of them may route anew while their configs differ. */
import sql, { bulk, type Sql } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { DEAD_AFTER_MS } from '../deliveries/free-claims.ts';

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
  readonly seenAt: number;
}

/** How long nobody routes anew while configs differ: longer than a rolling restart. */
const UNDECIDED_FOR_MS = 15 * 60_000;

/** Of table `processes`, those with a recent heartbeat, and this one; the last loaded config first. A heartbeat far in the future counts as none. */
export function livingIn({ now, owner }: Tx): Sql {
  return sql`processes
    WHERE (seen_at > ${now - DEAD_AFTER_MS} AND seen_at < ${now + DEAD_AFTER_MS}) OR owner = ${owner}
    ORDER BY loaded_at DESC, owner DESC`;
}

export function processes(tx: Tx): Promise<readonly LivingProcess[]> {
  return tx.all<LivingProcess>(sql`
    SELECT owner, config_hash, loaded_at, seen_at, owner = ${tx.owner} AS is_this FROM ${livingIn(tx)}`);
}

/** Whether this process may route anew: all run its config, or its config was loaded last, at least 15 minutes ago. */
export async function isDecider(tx: Tx): Promise<boolean> {
  const all = await processes(tx);
  const own = all.find(({ isThis }) => isThis);
  const [last] = all;
  if (own === undefined || last === undefined) return false;
  const isOwn = ({ configHash }: LivingProcess) => configHash === own.configHash;
  if (all.every(isOwn)) return true;
  // If this process's heartbeat stopped, the others ignore it and may decide themselves.
  const isAlive = own.seenAt > tx.now - DEAD_AFTER_MS;
  return isAlive && isOwn(last) && tx.now >= last.loadedAt + UNDECIDED_FOR_MS;
}

/** @returns whether this process may route anew; `asOf`: the store's time */
export async function heartbeat(tx: Tx, { hash, channels }: RunningConfig) {
  const own = (await processes(tx)).find(({ isThis }) => isThis);
  if (own?.configHash !== hash) {
    await noteLoaded(tx, hash);
    await noteChannels(tx, channels);
  }
  await tx.all(sql`
    INSERT INTO processes (owner, config_hash, loaded_at, seen_at) VALUES (${tx.owner}, ${hash}, ${tx.now}, ${tx.now})
    ON CONFLICT (owner) DO UPDATE SET seen_at = excluded.seen_at, config_hash = excluded.config_hash,
      loaded_at = CASE WHEN processes.config_hash = excluded.config_hash AND processes.loaded_at <= excluded.loaded_at
        THEN processes.loaded_at ELSE excluded.loaded_at END`);
  // Written before the clock was set back: it was alive until now, as far as anybody knows.
  await tx.all(sql`UPDATE processes SET seen_at = ${tx.now} WHERE seen_at > ${tx.now}`);
  return { mayRouteAnew: await isDecider(tx), asOf: tx.now };
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
  const rows = [...channels].toSorted(([a], [b]) => (a < b ? -1 : 1));
  await tx.all(sql`
    INSERT INTO channel_types (name, type) VALUES ${bulk(rows)}
    ON CONFLICT (name) DO UPDATE SET type = excluded.type WHERE channel_types.type <> excluded.type`);
}
