/** The processes that share the store, and what follows their configs, over a database. */
import type { Database } from './database.ts';
import type { ConfigStore } from './ledger.ts';
import type { LedgerOperations } from './registry.ts';

export interface ConfigDatabase {
  readonly writing: Database<LedgerOperations>;
  /** Undefined: its clock is this machine's. */
  readonly measureClock?: (() => Promise<void>) | undefined;
}

/** @param onBeat a heartbeat was written */
export function createConfigStore(
  { writing, measureClock }: ConfigDatabase,
  onBeat: () => void,
): ConfigStore {
  /** Types of channels in the config of the last heartbeat. */
  let channels: ReadonlyMap<string, string> = new Map();
  return {
    async heartbeat(config) {
      ({ channels } = config);
      await measureClock?.();
      const mayRouteAnew = await writing.call('heartbeat', config);
      onBeat();
      return mayRouteAnew;
    },
    processes: () => writing.call('processes', undefined),
    leave: () => writing.call('leave', undefined),
    routeAnew: (rerouting) => writing.call('routeAnew', { ...rerouting, channels }),
    hasten: () => writing.call('hasten', undefined),
    unroutedAfter: (id) => writing.call('unroutedAfter', id),
    revive: (routed) => writing.call('revive', { routed, channels }),
  };
}
