/** What becomes of a delivery beside its attempts, and that no answer has told: for the log. */
import type { DeliveryRecord, DeliveryUpdate } from '../ledger/ledger.ts';
import type { Notice } from '../notice/notice.ts';

export type MilestoneName = 'delivered_late' | 'taken_over' | 'given_up' | 'held';

/** A delivery as it stood before, and what it is to tell. */
export interface Subject {
  readonly record: DeliveryRecord;
  readonly notice: Notice;
  /** Milliseconds since the epoch. */
  readonly firstReceivedAt: number;
}

export interface Milestone
  extends
    Pick<Subject, 'notice' | 'firstReceivedAt'>,
    Pick<DeliveryRecord, 'destination' | 'attempts' | 'lastError' | 'hold'> {
  readonly name: MilestoneName;
}

/** @param isLate nobody waits for it: its answer, if it had one, is out */
export function milestoneAfter(
  update: DeliveryUpdate,
  subject: Subject,
  isLate: boolean,
): Milestone | undefined {
  const name = nameOf(update, subject.record, isLate);
  return name && milestone(name, subject, { ...update, hold: update.hold });
}

/** The service has not retried it in time. */
export function takeOver(subject: Subject): Milestone {
  return milestone('taken_over', subject, subject.record);
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

function milestone(
  name: MilestoneName,
  { record: { destination }, notice, firstReceivedAt }: Subject,
  { attempts, lastError, hold }: Pick<Milestone, 'attempts' | 'lastError' | 'hold'>,
): Milestone {
  return { name, notice, destination, attempts, lastError, hold, firstReceivedAt };
}
