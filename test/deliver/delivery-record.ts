/** A delivery as the ledger would hand it over, for tests that only decide. */
import type { DeliveryRecord } from '../../src/ledger/ledger.ts';

/** Pending, never attempted, in nobody's hands, unless the fields say otherwise. */
export function deliveryRecord(fields: Partial<DeliveryRecord> = {}): DeliveryRecord {
  return {
    id: 1,
    destination: 'slack:#ops',
    channel: 'slack',
    address: '#ops',
    state: 'pending',
    attempts: 0,
    lastError: undefined,
    receipt: undefined,
    callbackId: 1,
    reason: undefined,
    heldUntil: undefined,
    summaryId: undefined,
    telling: undefined,
    refusals: 0,
    isTakenOver: false,
    claim: undefined,
    behind: undefined,
    ageMs: 0,
    dueInMs: 0,
    givenBackAt: undefined,
    updatedAt: 0,
    ...fields,
  };
}
