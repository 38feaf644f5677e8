/** One callback while it is being handled. */
import type { Admission, DeliveryRecord } from '../ledger/ledger.ts';
import { noticeOf } from '../notice/notice.ts';
import type { DeliveryUnderWay } from './deliveries-under-way.ts';
import type { Incoming } from './incoming.ts';
import type { Occupancy } from './occupancy.ts';
import { addressed, type AddressedNotice, type Plan, plannedFor } from './plan.ts';
import type { Settings } from './settings.ts';
import type { TimeBudget } from './time-budget.ts';

export interface Handling {
  readonly incoming: Incoming;
  /** In force when it came, and its own to the end. */
  readonly settings: Settings;
  readonly admission: Admission;
  /** Its deliveries by their ids. */
  readonly records: ReadonlyMap<number, DeliveryRecord>;
  readonly plan: Plan;
  readonly budget: TimeBudget;
  readonly occupancy: Occupancy;
  /** Those that are this request's to make, by their ids. */
  readonly underWay: ReadonlyMap<number, DeliveryUnderWay>;
}

export function ownOf({ admission, underWay }: Handling): readonly DeliveryRecord[] {
  const { deliveries } = admission;
  return underWay.size === deliveries.length ? deliveries : deliveries.filter(({ id }) => underWay.has(id));
}

/** Undefined: the config does not send it there any more. */
export function noticeFor(
  { incoming, admission, plan }: Handling,
  record: DeliveryRecord,
): AddressedNotice | undefined {
  const planned = plannedFor(record, plan);
  return planned && addressed(noticeOf(incoming, admission.timesReceived), planned);
}
