/** What is written of deliveries. */
import type {
  Admission,
  Alert,
  DeliveryError,
  DeliveryName,
  DeliveryUpdate,
} from '../../src/ledger/ledger.ts';
import { OPTIONS } from '../support/store-under-test.ts';

export const TAKE_OVER_AFTER_MS = OPTIONS.takeOverAfterMs;

export const TRANSIENT: DeliveryError = { class: 'transient', code: 'ETIMEDOUT', message: 'no answer' };

export function named(id: number, receivedAt = 0): DeliveryName {
  return { id, destination: 'slack:#ops', receivedAt };
}

/** A delivery that the ledger does not have. */
export const NOBODY: DeliveryName = named(-1);

/** As many as the test has planned. */
export function namesOf({
  deliveries,
}: Pick<Admission, 'deliveries'>): [DeliveryName, DeliveryName, DeliveryName] {
  const names = deliveries.map(({ id, destination, receivedAt }) => ({ id, destination, receivedAt }));
  const [first = NOBODY, second = NOBODY, third = NOBODY] = names;
  return [first, second, third];
}

export function delivered(of: DeliveryName): DeliveryUpdate {
  const success = { state: 'delivered', lastError: undefined, receipt: { ts: '1.2' } } as const;
  return failed(of, { ...success, dueInMs: undefined });
}

export function failed(of: DeliveryName, fields: Partial<DeliveryUpdate> = {}): DeliveryUpdate {
  const { id, destination, receivedAt } = of;
  const before = { id, destination, receivedAt, attempts: 1, receipt: undefined, isTakenOver: false };
  const to = { state: 'pending', lastError: TRANSIENT, dueInMs: TAKE_OVER_AFTER_MS } as const;
  return { ...before, ...to, ...fields };
}

/** Botbell's own to try again after so long. */
export function putOff(delivery: DeliveryName, dueInMs: number, fields: Partial<DeliveryUpdate> = {}) {
  return failed(delivery, { isTakenOver: true, dueInMs, ...fields });
}

export function dead(delivery: DeliveryName, alert?: Alert): DeliveryUpdate {
  return failed(delivery, { state: 'dead', alert });
}
