/** From a store URL to a ledger that is ready to be written. */
import { type Kysely, sql } from 'kysely';
import { Deadline } from '../time/clock.ts';
import type { OpenStore } from './dialect.ts';
import type { OpenLedger } from './configs/config-store.ts';
import { migrate } from './migrations/migrate.ts';
import { isGone } from './owner.ts';
import { retryWhileBusy } from './timed-store.ts';
import { isPending } from './pending-rows.ts';
import { forgetRefused, refusedKept } from './retention/refused-rows.ts';
import { isSqliteBusy } from './sqlite/connection.ts';
import { openSqlite } from './sqlite/store.ts';
import { WAITS_FOR_EARLIER } from './rows.ts';
import { type LedgerOptions, SqlLedger } from './sql-ledger.ts';
import { limitOf } from './retention/store-space.ts';
import { SQLITE, sqlitePathOf } from './inspect-store.ts';
import type { Tables } from './tables.ts';

const TRANSACTION_TIMEOUT_MS = 5000;

/** @throws {Error} a store that cannot be opened, or was written by a newer version */
export async function openLedger(url: string, options: LedgerOptions): Promise<OpenLedger> {
  const store = await openStore(url, options);
  try {
    await migrate(store, options.clock);
    const { owner, leaseMs } = options;
    await transact(store, options, (trx) => releaseOrphanedClaims(trx, owner, leaseMs));
    await transact(store, options, (trx) => forgetRefused(trx, refusedKept(limitOf(store, options))));
    return new SqlLedger(store, options);
  } catch (error) {
    await store.close();
    throw error;
  }
}

function transact(
  { db, traits }: OpenStore,
  { clock }: LedgerOptions,
  work: (trx: Kysely<Tables>) => Promise<void>,
): Promise<void> {
  return retryWhileBusy(clock, traits.isBusy, () => {
    const settings = { isDurable: false, deadline: new Deadline(clock, TRANSACTION_TIMEOUT_MS) };
    return traits.transact(db, settings, work);
  });
}

/** What a crashed predecessor was sending is free at once, instead of when its lease ends. */
async function releaseOrphanedClaims(db: Kysely<Tables>, self: string, leaseMs: number): Promise<void> {
  const claims = await db
    .selectFrom('deliveries')
    .select('claimed_by')
    .distinct()
    .where(isPending)
    .where('claimed_by', 'is not', null)
    .execute();
  const gone = claims.flatMap(({ claimed_by }) => claimed_by ?? []).filter((owner) => isGone(owner, self));
  if (gone.length === 0) return;
  await db
    .updateTable('deliveries')
    .set({
      claimed_by: null,
      claimed_until: null,
      // While it was claimed it was due to nobody else.
      due_at: sql<number>`case when is_ours = 1 and due_at < ${WAITS_FOR_EARLIER} then claimed_until - ${leaseMs} else due_at end`,
    })
    .where(isPending)
    .where('claimed_by', 'in', gone)
    .execute();
}

/** As it is, whatever it holds. @throws {Error} it cannot be opened */
export async function openStore(
  url: string,
  { clock, onTrouble }: Pick<LedgerOptions, 'clock' | 'onTrouble'>,
): Promise<OpenStore> {
  if (!url.startsWith(SQLITE)) {
    // Loaded only where it is used, since most ledgers are files.
    const { openPostgres } = await import('./postgres/store.ts');
    return openPostgres(url, onTrouble ?? (() => undefined));
  }
  return retryWhileBusy(clock, isSqliteBusy, () => openSqlite(sqlitePathOf(url)));
}
