/** Proves that what a callback needs can be written. */
import type { Insertable } from 'kysely';
import type { Deadline } from '../time/clock.ts';
import type { RefusedRow } from './tables.ts';
import type { TimedStore } from './timed-store.ts';

/** Whoever asks wants to know soon. */
const TIMEOUT_MS = 2000;

/** Takes more pages than a callback of common size, so that a disk that has no room for one shows. */
const PROBE: Insertable<RefusedRow> = {
  received_at: 0,
  status: 0,
  detail: 'probe',
  errors: '[]',
  remote_address: '',
  body: '.'.repeat(32 * 1024),
};

/**
 * Waits for every table that a callback is written to, and writes to one that nobody reads meanwhile.
 * @param prepare is done first, in the same time
 * @throws {LedgerUnavailable}
 */
export async function probeStore(
  store: TimedStore,
  prepare: (deadline: Deadline) => Promise<void>,
): Promise<void> {
  const settings = { isDurable: false, deadline: store.deadline(TIMEOUT_MS) };
  await prepare(settings.deadline);
  // SQLite never writes what is gone again within the transaction.
  await store.transact(settings, async (trx) => {
    await store.traits.lockTables(trx);
    await trx.insertInto('refused').values(PROBE).execute();
  });
  await store.transact(settings, (trx) =>
    trx.deleteFrom('refused').where('status', '=', PROBE.status).execute(),
  );
}
