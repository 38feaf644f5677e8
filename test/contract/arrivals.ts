/** What comes to a ledger in its contract tests, and what it gives of that. */
import type { Admission, Arrival, DeliveryTarget, DueDelivery } from '../../src/ledger/ledger.ts';
import type { Callback } from '../../src/callback/callback.ts';
import { callbackOf } from '../support/callbacks.ts';
import { askingOf, ROUTING } from '../support/store-under-test.ts';

export const EXECUTING = 2;

export function target(destination: string): DeliveryTarget {
  return { destination };
}

export const OPS = target('slack:#ops');

export const LOG = target('slack:#log');

export function arrivalOf(callback: Callback, planned: readonly DeliveryTarget[]): Arrival {
  return {
    callback,
    body: Buffer.from(JSON.stringify(callback)),
    startedAt: Date.parse(callback.start_time),
    routing: ROUTING,
    asking: askingOf(planned),
    likeness: '',
    unmet: [],
    isAccepted: false,
  };
}

/** The destinations that an admission gives to who asked for it. */
export function claimedOf({ deliveries }: Pick<Admission, 'deliveries'>): string[] {
  return deliveries.filter(({ claim }) => claim === 'own').map(({ destination }) => destination);
}

export function destinationsOf(due: readonly Pick<DueDelivery, 'record'>[]): string[] {
  return due.map(({ record }) => record.destination).toSorted();
}

export function jobsOf(due: readonly DueDelivery[]): string[] {
  return due.map(({ notice }) => callbackOf(notice).job_id);
}

export function codesOf(due: readonly DueDelivery[]): number[] {
  return due.map(({ notice }) => Number(callbackOf(notice).code));
}
