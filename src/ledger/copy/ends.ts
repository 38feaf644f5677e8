/** The two ledgers of a copy: how each is read and written by a deadline, and that nobody else uses it meanwhile. */
import { type Kysely, sql } from 'kysely';
import { type Clock, Deadline } from '../../time/clock.ts';
import { createConfigStore } from '../configs/processes.ts';
import type { OpenStore } from '../dialect.ts';
import { migrationNames, MIGRATIONS_TABLE } from '../migrations/migrate.ts';
import { ownerName } from '../owner.ts';
import type { Tables } from '../tables.ts';
import { retryWhileBusy, TimedStore } from '../timed-store.ts';

/** To count a large ledger, or to empty it, a server may take a while; a slice takes far less. */
const TIMEOUT_MS = 10 * 60_000;

/** One transaction. */
export type Access = <T>(work: (db: Kysely<Tables>) => Promise<T>) => Promise<T>;

export function reading({ db, traits }: OpenStore, clock: Clock): Access {
  return (work) => traits.read(db, new Deadline(clock, TIMEOUT_MS), work);
}

export function writing({ db, traits }: OpenStore, clock: Clock): Access {
  return (work) => {
    const settings = { isDurable: true, deadline: new Deadline(clock, TIMEOUT_MS) };
    return retryWhileBusy(clock, traits.isBusy, () => traits.transact(db, settings, work));
  };
}

/** While `work` reads, nobody else writes a ledger in a file. */
export function readingAlone<T>(
  store: OpenStore,
  clock: Clock,
  work: (read: Access) => Promise<T>,
): Promise<T> {
  const { db, traits } = store;
  if (traits.isShared) return work(reading(store, clock));
  const settings = { isDurable: false, deadline: new Deadline(clock, TIMEOUT_MS) };
  let isBegun = false;
  const alone = (trx: Kysely<Tables>) => {
    isBegun = true;
    return work((reads) => reads(trx));
  };
  // What is busy later is another ledger, and not to be begun again for.
  const isBusy = (error: unknown) => !isBegun && traits.isBusy(error);
  return retryWhileBusy(clock, isBusy, () => traits.transact(db, settings, alone));
}

const EARLIER =
  'the ledger was written by an earlier version of Botbell: start `botbell serve` of this version on it once, which brings it up to date, and stop it again';

/** @throws {Error} it was */
export async function expectThisVersion(store: OpenStore, clock: Clock): Promise<void> {
  const { rows } = await reading(
    store,
    clock,
  )((db) => sql<{ name: string }>`select name from ${sql.table(MIGRATIONS_TABLE)}`.execute(db));
  const migrations = new Set(rows.map(({ name }) => name));
  if (!migrationNames.every((name) => migrations.has(name))) throw new Error(EARLIER);
}

/** Another copy into it counts as well. @throws {Error} somebody does */
export async function expectUnused(store: OpenStore, clock: Clock): Promise<void> {
  const owner = ownerName(clock.now());
  const configs = createConfigStore(new TimedStore(store, clock), { owner, takeOverAfterMs: 0 });
  const [living] = await configs.processes();
  if (living === undefined) return;
  throw new Error(
    `the ledger is used by a running Botbell (${living.name}): stop it first; one that was killed counts as running for half a minute`,
  );
}
