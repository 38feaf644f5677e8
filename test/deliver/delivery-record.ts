/** A delivery as the ledger would hand it over, for tests that only decide. */
import type { DeliveryRecord } from '../../src/ledger/ledger.ts';
import { deliveryWith } from '../support/stories.ts';

/** Pending, never attempted, in nobody's hands, unless the fields say otherwise. */
export function deliveryRecord(fields: Partial<DeliveryRecord> = {}): DeliveryRecord {
  return deliveryWith({ state: 'pending', attempts: 0, callbackId: 1, ageMs: 0, ...fields });
}
