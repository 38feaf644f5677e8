/** Transactions that claim deliveries: what is claimed by one of which nobody hears the end is in nobody's hands. */
import type { Kysely } from 'kysely';
import type { TransactionSettings } from './dialect.ts';
import type { OrphanedClaims } from './orphaned-claims.ts';
import type { Tables } from './tables.ts';
import type { TimedStore } from './timed-store.ts';

export interface Claims {
  /** Of deliveries. */
  readonly ids: readonly number[];
  readonly jobIds: readonly string[];
}

/** @throws {LedgerUnavailable} */
export type ClaimingTransaction = <T>(
  settings: TransactionSettings,
  work: (trx: Kysely<Tables>) => Promise<T>,
  claimsOf: (result: T) => Claims,
) => Promise<T>;

export function claimingIn(store: TimedStore, orphans: OrphanedClaims): ClaimingTransaction {
  return async (settings, work, claimsOf) => {
    let claims: Claims | undefined;
    const orphan = () => claims && orphans.keep(claims.ids, claims.jobIds);
    const noting = async (trx: Kysely<Tables>) => {
      claims = undefined;
      const result = await work(trx);
      claims = claimsOf(result);
      return result;
    };
    try {
      const result = await store.transact(settings, noting, orphan);
      orphans.adopt(claims?.ids ?? []);
      return result;
    } catch (error) {
      orphan();
      throw error;
    }
  };
}
