/** Whom a callback is to reach, and how it should look there, as the config in force says. */
import type { Callback } from '../callback/callback.ts';
import type { DeliveryTarget } from '../ledger/ledger.ts';
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

/** A callback as the ledger knows it. */
export interface KnownCallback {
  readonly callback: Callback;
  readonly timesReceived: number;
}

export function errandFor(known: KnownCallback, planned: PlannedErrand): Errand {
  const { callback, timesReceived } = known;
  const { destination, channel, address, templateSet, options } = planned;
  return { callback, destination, channel, address, templateSet, options, timesReceived };
}

/** How a destination should be told; one that the plan does not name, as the display's language says. */
export function plannedFor(
  { destination, channel, address }: DeliveryTarget,
  { errands }: Plan,
): PlannedErrand {
  const planned = errands.find((errand) => errand.destination === destination);
  return planned ?? { destination, channel, address, templateSet: undefined, options: {} };
}
