/** What the log tells of a delivery beside its attempts. */
import type { DeliveryRecord, DeliveryUpdate } from '../ledger/ledger.ts';
import type { Subject } from './alerts.ts';

export type MilestoneName = 'delivered_late' | 'taken_over' | 'given_up' | 'held';

export interface Milestone
  extends
    Pick<Subject, 'notice' | 'firstReceivedAt'>,
    Pick<DeliveryRecord, 'destination' | 'attempts' | 'lastError' | 'hold'> {
  readonly name: MilestoneName;
}

export function milestone(
  name: MilestoneName,
  { record: { destination }, notice, firstReceivedAt }: Subject,
  { attempts, lastError, hold }: Pick<DeliveryUpdate, 'attempts' | 'lastError' | 'hold'>,
): Milestone {
  return { name, notice, destination, attempts, lastError, hold, firstReceivedAt };
}

/** @param isLate nobody waits for it: its answer, if it had one, is out */
export function milestoneAfter(
  update: DeliveryUpdate,
  subject: Subject,
  isLate: boolean,
): Milestone | undefined {
  const name = nameOf(update, subject.record, isLate);
  return name && milestone(name, subject, update);
}

function nameOf(
  { state, isTakenOver }: DeliveryUpdate,
  record: DeliveryRecord,
  isLate: boolean,
): MilestoneName | undefined {
  if (state === 'delivered') return isLate ? 'delivered_late' : undefined;
  if (state === 'dead') return 'given_up';
  if (state === 'held') return 'held';
  return isTakenOver && !record.isTakenOver ? 'taken_over' : undefined;
}
