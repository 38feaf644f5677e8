/** The store of running configs and of what follows them, each in one transaction. */
import type { Kysely } from 'kysely';
import type { ConfigStore, RunningConfig } from './config-store.ts';
import { isDecider, removeProcess, writeHeartbeat } from './processes.ts';
import {
  hasten,
  pendingAfter,
  revive,
  type ReroutingContext,
  routeAnew,
  unroutedAfter,
} from './rerouting.ts';
import type { Tables } from '../tables.ts';
import type { TimedStore } from '../timed-store.ts';

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
    leave: () => transact(removeProcess, GOODBYE_MS),
    routeAnew: (rerouting) =>
      transact(async (context) => ((await isDecider(context)) ? routeAnew(context, rerouting) : undefined)),
    pendingAfter: (place, limit) => read((db) => pendingAfter(db, store.time(), place, limit)),
    hasten: (ids) => transact((context) => hasten(context, ids)),
    unroutedAfter: (id, limit) => read((db) => unroutedAfter(db, store.time(), id, limit)),
    revive: (ids) => transact(async (context) => ((await isDecider(context)) ? revive(context, ids) : [])),
  };
}
