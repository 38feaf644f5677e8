/** Has deliveries follow the config: what it no longer sends there ends, what it sends there again is Botbell’s to attempt. */
import { DeliveryFailure } from '../channels/failure.ts';
import type { ConfigStore, PendingRow, UnroutedRow } from '../ledger/configs/config-store.ts';
import type { Admission, DeliveryUpdate, DueDelivery } from '../ledger/ledger.ts';
import { NO_LONGER_ROUTED } from '../ledger/hold.ts';
import { isAlert } from '../notice/notice.ts';
import { type AlertSettings, alertTargetsIn, withAlert } from './alerts.ts';
import { errorOf, updateOf } from './outcome.ts';
import { type Plan, plannedFor, type RunningSettings, type Settings } from './settings.ts';

const NOT_ROUTED = new DeliveryFailure({
  class: 'config',
  code: 'not_routed',
  message:
    'No route of the config names anybody for this callback any more. Was a route removed, or its bot_id or `on` changed? Once a route names this destination again, Botbell delivers it, within `delivery.give_up_after`.',
});

/** The end of a delivery that the plan does not name: told elsewhere, or to nobody. */
export function endOfUnrouted(due: DueDelivery, plan: Plan, alerts: AlertSettings): DeliveryUpdate {
  const { record, notice } = due;
  const ended = updateOf(record, { state: 'held', hold: { code: NO_LONGER_ROUTED } });
  // Of an alert that nobody is to be told, nobody is alerted.
  if (isAlert(notice) || plan.targets.length > 0) return ended;
  const dead: DeliveryUpdate = { ...ended, state: 'dead', lastError: errorOf(NOT_ROUTED) };
  return withAlert(dead, due, alerts);
}

/** Whether a config that has just been loaded may have mended what this one waits for. */
export function isAffected({ isPutOff, lastErrorClass }: PendingRow, isRouted: boolean): boolean {
  return isPutOff && (lastErrorClass === 'config' || !isRouted);
}

/** Of what ended because no route named it, what a route that came back has told after all. */
export function isRevivable(
  { kind, state, ageMs }: Pick<UnroutedRow, 'kind' | 'state' | 'ageMs'>,
  isRouted: boolean,
  giveUpAfterMs: number,
): boolean {
  return kind === 'callback' && isRouted && (state === 'held' || state === 'dead') && ageMs < giveUpAfterMs;
}

/** A delivery that ended because the config no longer sends it there. */
export interface RoutedAnew {
  readonly due: DueDelivery;
  /** Destinations that its callback has gained. */
  readonly added: readonly string[];
  /** The config names nobody for it. */
  readonly isLost: boolean;
}

/** A delivery that a route which came back names again. */
export interface Revival {
  readonly destination: string;
  readonly callbackId: number;
}

export interface RerouterDependencies {
  readonly ledger: Pick<ConfigStore, 'routeAnew' | 'revive'>;
  readonly settings: Pick<RunningSettings, 'current'>;
  /** As of the last heartbeat. */
  readonly mayRouteAnew: () => boolean;
  readonly onReroute: (routed: RoutedAnew) => void;
  readonly onRevival: (revival: Revival) => void;
}

export class Rerouter {
  readonly #dependencies: RerouterDependencies;

  constructor(dependencies: RerouterDependencies) {
    this.#dependencies = dependencies;
  }

  /** Whether anything is ever sent there by the config in force. */
  names(destination: string): boolean {
    return this.#dependencies.settings.current.destinations.has(destination);
  }

  /** What another process's config names is left to that process, while nobody may route anew. */
  isToClaim(destination: string): boolean {
    return this.names(destination) || this.#dependencies.mayRouteAnew();
  }

  /**
   * @param due not named by the plan
   * @returns destinations for which something is due now; undefined: this process may not
   * @throws {LedgerUnavailable}
   */
  async reroute(due: DueDelivery, plan: Plan, settings: Settings): Promise<readonly string[] | undefined> {
    const { ledger, mayRouteAnew, onReroute } = this.#dependencies;
    if (!mayRouteAnew()) return undefined;
    const update = endOfUnrouted(due, plan, settings.alerts);
    const { targets, routing } = plan;
    const rerouted = await ledger.routeAnew({ callbackId: due.callbackId, update, targets, routing });
    if (rerouted === undefined) return undefined;
    onReroute({ due, added: rerouted.added, isLost: targets.length === 0 });
    const released = rerouted.hasReleased ? [due.record.destination] : [];
    return [...rerouted.added, ...released, ...alertTargetsIn([update])];
  }

  /**
   * Revives what a route that came back has told after all, of a callback that came again.
   * @throws {LedgerUnavailable}
   */
  async withRevived(admission: Admission, plan: Plan, { delivery }: Settings): Promise<Admission> {
    const { ledger, mayRouteAnew, onRevival } = this.#dependencies;
    const { callbackId, isSuperseded, deliveries } = admission;
    if (isSuperseded) return admission;
    const revivable = deliveries.filter(
      (record) =>
        record.hold?.code === NO_LONGER_ROUTED &&
        isRevivable(
          { ...record, kind: 'callback' },
          plannedFor(record, plan) !== undefined,
          delivery.giveUpAfterMs,
        ),
    );
    if (revivable.length === 0 || !mayRouteAnew()) return admission;
    const revived = new Set(await ledger.revive(revivable.map(({ id }) => ({ id, routing: plan.routing }))));
    const standing = deliveries.map((record) => {
      if (!revived.has(record.id)) return record;
      onRevival({ destination: record.destination, callbackId });
      const state = 'pending' as const;
      return { ...record, state, lastError: undefined, hold: undefined, isTakenOver: true };
    });
    return { ...admission, deliveries: standing };
  }
}
