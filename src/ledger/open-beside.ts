/** A ledger for people who act on a command line: nothing is created, migrated, released or forgotten, and a service beside it goes on. */
import type { Clock } from '../time/clock.ts';
import type { Actions } from './actions/actions.ts';
import { createActions } from './actions/sql-actions.ts';
import type { Archive } from './archive/archive.ts';
import { askOver, createArchive } from './archive/sql-archive.ts';
import type { ConfigStore } from './configs/config-store.ts';
import { createConfigStore } from './configs/processes.ts';
import { openArchive } from './open-archive.ts';
import { openStore } from './open-ledger.ts';
import { ownerName } from './owner.ts';
import { TimedStore } from './timed-store.ts';

export interface LedgerBeside {
  readonly archive: Archive;
  readonly actions: Actions;
  readonly processes: ConfigStore['processes'];
  close(): Promise<void>;
}

/**
 * @param takeOverAfterMs how long the service may retry what waited for a message that is withdrawn
 * @throws {Error} there is no ledger, it is of another version, or it cannot be written: why, and what to do
 */
export async function openBeside(url: string, clock: Clock, takeOverAfterMs: number): Promise<LedgerBeside> {
  // Says so of what is no ledger of this version, before anything is opened that could make it one.
  await (await openArchive(url, clock)).archive.close();
  const opened = await openStore(url, { clock });
  const store = new TimedStore(opened, clock);
  const reader = opened.openReader();
  const archive = createArchive(reader, clock, () => store.time());
  const owner = ownerName(clock.now());
  const configs = createConfigStore(store, { owner, takeOverAfterMs: 0 });
  return {
    archive,
    // What this process dismisses, the service finds by itself when it needs the room.
    actions: createActions({
      store,
      clock,
      takeOverAfterMs,
      ask: askOver(reader, clock),
      onDone: () => undefined,
    }),
    processes: () => configs.processes(),
    close: async () => {
      await archive.close();
      await store.close();
    },
  };
}
