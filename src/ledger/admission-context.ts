/** What the admission of callbacks needs beside the callbacks. */
import type { Transaction } from 'kysely';
import type { DialectTraits } from './dialect.ts';
import type { Claim, StoreTime } from './rows.ts';
import type { Tables } from './tables.ts';

export interface AdmissionContext {
  readonly trx: Transaction<Tables>;
  readonly traits: DialectTraits;
  readonly time: StoreTime;
  readonly claim: Claim;
  /** When Botbell takes over what the service does not retry. */
  readonly takeOverAfterMs: number;
  /** This process's own time. */
  readonly now: number;
}
