/** Lets a command read the ledger of a service that may be running, and act on it as people do on the page. */
import { planningOf } from '../app/settings.ts';
import { channelTypes } from '../channels/registry.ts';
import type { Config } from '../config/config.ts';
import type { Planning } from '../deliver/settings.ts';
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import { namingStore, openArchive, openBesideService } from '../ledger/open-ledger.ts';
import type { Archive } from '../ledger/registry.ts';
import { createPeople, type People } from '../people/actions.ts';
import { systemClock } from '../time/clock.ts';

/** @throws {Error} there is no ledger, or it cannot be read; says what to do */
export async function withArchive<T>(
  { store }: Pick<Config, 'store'>,
  read: (archive: Archive) => Promise<T>,
): Promise<T> {
  const { archive, close } = await openArchive(store.url);
  try {
    return await read(archive);
  } catch (error) {
    throw namingStore(store.url, error);
  } finally {
    await close();
  }
}

export interface LedgerAccess {
  readonly people: People;
  readonly ledger: DatabaseLedger;
  readonly planning: Planning;
}

/** @throws {Error} there is no ledger, or it cannot be written; says what to do */
export async function withLedger<T>(
  { config, configHash = '' }: { readonly config: Config; readonly configHash?: string },
  act: (access: LedgerAccess) => Promise<T>,
): Promise<T> {
  const planning = planningOf({ config, configHash });
  const ledger = await openBesideService(planning.config.store.url);
  const ignore = () => undefined;
  const people = createPeople({
    ledger,
    planning: () => planning,
    channelTypes,
    now: () => systemClock.now(),
    sendTest: () => Promise.reject(new Error('`botbell test` sends without a ledger')),
    onDue: ignore,
    onBulkStarted: ignore,
    onAction: ignore,
  });
  try {
    return await act({ people, ledger, planning });
  } catch (error) {
    throw namingStore(planning.config.store.url, error);
  } finally {
    await ledger.close();
  }
}
