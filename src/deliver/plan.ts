/** Whom a notice is to reach, and how it should look there, as one config says. */
import type { RoutedRow } from '../ledger/configs/config-store.ts';
import type { DeliveryTarget } from '../ledger/ledger.ts';
import { isAlert, type Notice } from '../notice/notice.ts';

/** A destination, and how it should be told. */
export interface PlannedTarget extends DeliveryTarget {
  readonly templateSet: string | undefined;
  readonly options: Readonly<Record<string, unknown>>;
}

/** One notice for one destination. */
export interface AddressedNotice extends PlannedTarget {
  readonly notice: Notice;
}

export interface Plan {
  readonly targets: readonly PlannedTarget[];
  /** Why each route matched or not, for the ledger. */
  readonly routing: unknown;
}

/** A destination as the config has it. */
interface ConfiguredDestination {
  readonly key: string;
  readonly channel: string;
  readonly address: string;
  readonly options: Readonly<Record<string, unknown>>;
}

interface RoutedDestination {
  readonly destination: ConfiguredDestination;
  readonly templateSet: string | undefined;
}

/** What a config says about whom to tell. */
export interface Planner {
  route(callback: { readonly bot_id: string; readonly status: RoutedRow['status'] }): {
    readonly destinations: readonly RoutedDestination[];
    readonly explanations: readonly unknown[];
  };
  /** Whom alerts are for. */
  readonly alerts: { readonly targets: readonly PlannedTarget[] };
}

export function planFor(planner: Planner, notice: Notice): Plan {
  return isAlert(notice) ? planForAlerts(planner) : planForCallback(planner, notice.callback);
}

/** Of a delivery of which the ledger has said no more than routing looks at. */
export function planForRow(planner: Planner, { kind, botId, status }: RoutedRow): Plan {
  return kind === 'alert' ? planForAlerts(planner) : planForCallback(planner, { bot_id: botId, status });
}

export function planForCallback(planner: Planner, callback: Parameters<Planner['route']>[0]): Plan {
  const { destinations, explanations } = planner.route(callback);
  return { targets: destinations.map(plannedTarget), routing: explanations };
}

function planForAlerts({ alerts: { targets } }: Pick<Planner, 'alerts'>): Plan {
  return { targets, routing: [] };
}

export function plannedTarget({
  destination: { key, channel, address, options },
  templateSet,
}: RoutedDestination): PlannedTarget {
  return { destination: key, channel, address, options, templateSet };
}

/** Undefined: the plan does not name the destination (any more). */
export function plannedFor(
  { destination }: Pick<DeliveryTarget, 'destination'>,
  { targets }: Plan,
): PlannedTarget | undefined {
  return targets.find((target) => target.destination === destination);
}

/** Each member by its name: it is made for every delivery, and a spread takes V8 several times as long. */
export function addressed(notice: Notice, planned: PlannedTarget): AddressedNotice {
  const { destination, channel, address, templateSet, options } = planned;
  return { notice, destination, channel, address, templateSet, options };
}
