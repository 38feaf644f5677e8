/** Whom a notice is to reach, and how it should look there, as the config in force says. */
import type { DeliveryTarget } from '../ledger/ledger.ts';
import type { Notice } from '../notice/notice.ts';
import type { Errand } from './messenger.ts';

export interface PlannedErrand extends DeliveryTarget {
  readonly templateSet: string | undefined;
  readonly options: Readonly<Record<string, unknown>>;
}

export interface Plan {
  readonly errands: readonly PlannedErrand[];
  /** Why each route matched or not, for the ledger. */
  readonly routing: unknown;
}

export function errandFor(notice: Notice, planned: PlannedErrand): Errand {
  const { destination, channel, address, templateSet, options } = planned;
  return { notice, destination, channel, address, templateSet, options };
}

/** How a destination should be told; undefined: not at all any more. */
export function plannedFor(
  { destination }: Pick<DeliveryTarget, 'destination'>,
  { errands }: Plan,
): PlannedErrand | undefined {
  return errands.find((errand) => errand.destination === destination);
}
