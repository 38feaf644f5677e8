/** Which processes share the store, which of them may route anew while their configs differ, and what they do then. */
import { type Kysely, sql } from 'kysely';
import type { ConfigStore, LivingProcess, RunningConfig } from './config-store.ts';
import { isGone, partsOf } from '../owner.ts';
import type { StoreTime } from '../rows.ts';
import type { Tables } from '../tables.ts';
import {
  hasten,
  pendingAfter,
  type ReroutingContext,
  revive,
  routeAnew,
  unroutedAfter,
} from './rerouting.ts';
import type { TimedStore } from '../timed-store.ts';

/** Several heartbeats. */
const DEAD_AFTER_MS = 30_000;

/** A rolling restart is over by then. */
const UNDECIDED_FOR_MS = 15 * 60_000;

const FORGOTTEN_AFTER_MS = 24 * 3_600_000;

/** Times are the store's, in milliseconds since the epoch. */
export interface ProcessStanding {
  readonly owner: string;
  readonly configHash: string;
  readonly loadedAt: number;
  readonly isAlive: boolean;
}

/** @param owner the process that asks */
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

export interface ProcessContext {
  readonly trx: Kysely<Tables>;
  readonly time: StoreTime;
  readonly owner: string;
}

export async function isDecider(context: ProcessContext): Promise<boolean> {
  const processes = await standings(context);
  return mayRouteAnew(context.owner, processes, processes[0]?.now ?? 0);
}

async function standings({ trx, time, owner }: ProcessContext) {
  const rows = await trx
    .selectFrom('processes')
    .select(['owner', 'config_hash', 'loaded_at', 'seen_at', sql<number>`${time.now}`.as('now')])
    .execute();
  return rows.map(({ owner: name, config_hash, loaded_at, seen_at, now }) => ({
    owner: name,
    configHash: config_hash,
    loadedAt: loaded_at,
    seenAt: seen_at,
    now,
    // A clock that was ahead must not keep anybody alive.
    isAlive: Math.abs(now - seen_at) < DEAD_AFTER_MS && !isGone(name, owner),
  }));
}

/** The one that was loaded last first. */
async function livingProcesses(context: ProcessContext): Promise<readonly LivingProcess[]> {
  const living = (await standings(context)).filter(({ isAlive }) => isAlive);
  return living
    .toSorted((a, b) => b.loadedAt - a.loadedAt)
    .map(({ owner, configHash, loadedAt, seenAt }) => {
      const { machine, pid } = partsOf(owner);
      return { name: `${machine} ${pid}`, isThis: owner === context.owner, configHash, loadedAt, seenAt };
    });
}

export async function writeHeartbeat(
  { trx, time, owner }: ProcessContext,
  { hash, channels }: RunningConfig,
): Promise<void> {
  await noteLoaded({ trx, time, owner }, hash);
  await trx
    .insertInto('processes')
    .values({ owner, config_hash: hash, loaded_at: time.now, seen_at: time.now })
    .onConflict((conflict) =>
      conflict.column('owner').doUpdateSet({
        seen_at: time.now,
        loaded_at: sql<number>`case when processes.config_hash = ${hash} then processes.loaded_at else ${time.now} end`,
        config_hash: hash,
      }),
    )
    .execute();
  await trx
    .deleteFrom('processes')
    .where('seen_at', '<', sql<number>`${time.now} - ${FORGOTTEN_AFTER_MS}`)
    .execute();
  await noteChannels(trx, channels);
}

const CONFIGS_KEPT = 1000;

/** For whoever asks by which config something was sent. While replicas differ, the one loaded last counts. */
async function noteLoaded({ trx, time, owner }: ProcessContext, hash: string): Promise<void> {
  const own = await trx
    .selectFrom('processes')
    .select('config_hash')
    .where('owner', '=', owner)
    .executeTakeFirst();
  if (own?.config_hash === hash) return;
  const last = await trx
    .selectFrom('loaded_configs')
    .select(['id', 'hash'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (last?.hash === hash) return;
  await trx.insertInto('loaded_configs').values({ hash, loaded_at: time.now }).execute();
  await trx
    .deleteFrom('loaded_configs')
    .where('id', '<', (last?.id ?? 0) - CONFIGS_KEPT)
    .execute();
}

/** Also of configs to come: an address stays told when its channel has another name. */
async function noteChannels(trx: Kysely<Tables>, channels: ReadonlyMap<string, string>): Promise<void> {
  if (channels.size === 0) return;
  // In the order in which all lock them.
  const rows = [...channels]
    .map(([name, type]) => ({ name, type }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  await trx
    .insertInto('channel_types')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ type: sql<string>`excluded.type` })
        .where(sql<boolean>`channel_types.type <> excluded.type`),
    )
    .execute();
}

export async function removeProcess({ trx, owner }: Omit<ProcessContext, 'time'>): Promise<void> {
  await trx.deleteFrom('processes').where('owner', '=', owner).execute();
}

const GOODBYE_MS = 1000;

const NONE: RunningConfig = { hash: '', channels: new Map() };

export function createConfigStore(
  store: TimedStore,
  settings: Pick<ReroutingContext, 'owner' | 'takeOverAfterMs'>,
): ConfigStore {
  let running = NONE;
  const contextOf = (trx: Kysely<Tables>): ReroutingContext => ({
    ...settings,
    trx,
    time: store.time(),
    traits: store.traits,
    statements: store.statements,
    channels: running.channels,
  });
  const transact = <T>(work: (context: ReroutingContext) => Promise<T>, withinMs?: number): Promise<T> =>
    store.transact({ isDurable: false, deadline: store.deadline(withinMs) }, (trx) => work(contextOf(trx)));
  const read = <T>(work: (db: Kysely<Tables>) => Promise<T>) => store.read(store.deadline(), work);
  return {
    heartbeat: (config) =>
      transact(async (context) => {
        running = config;
        await writeHeartbeat(context, config);
        return isDecider(context);
      }),
    processes: () => read((trx) => livingProcesses({ trx, time: store.time(), owner: settings.owner })),
    leave: () => transact(removeProcess, GOODBYE_MS),
    routeAnew: (rerouting) =>
      transact(async (context) => ((await isDecider(context)) ? routeAnew(context, rerouting) : undefined)),
    pendingAfter: (place, limit) => read((db) => pendingAfter(db, store.time(), place, limit)),
    hasten: (ids) => transact((context) => hasten(context, ids)),
    unroutedAfter: (id, limit) => read((db) => unroutedAfter(db, store.time(), id, limit)),
    revive: (routed) =>
      transact(async (context) => ((await isDecider(context)) ? revive(context, routed) : [])),
  };
}
