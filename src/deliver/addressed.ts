/** What is sent for one delivery: the notice, and what a person who had it sent has to do with that. */
import type { DeliveryRecord } from '../ledger/ledger.ts';
import { isAlert, type Notice } from '../notice/notice.ts';
import type { AddressedNotice, PlannedTarget } from './settings.ts';

/** What comes a little late by a person's hand, nobody wonders about. */
const LATE_AFTER_MS = 60_000;

/** @param firstReceivedAt of its callback; like `now` in milliseconds since the epoch */
export function addressedTo(
  notice: Notice,
  planned: PlannedTarget,
  record: Pick<DeliveryRecord, 'givenBackAt' | 'receipt'>,
  { firstReceivedAt, now }: { readonly firstReceivedAt: number; readonly now: number },
): AddressedNotice {
  const { givenBackAt, receipt } = record;
  if (givenBackAt === undefined) return { notice, ...planned };
  const delayedMs = now - firstReceivedAt;
  const isLate = !isAlert(notice) && delayedMs >= LATE_AFTER_MS;
  const anew = receipt === undefined ? {} : { anew: String(givenBackAt) };
  return { notice: isLate ? { ...notice, delayedMs } : notice, ...planned, ...anew };
}
