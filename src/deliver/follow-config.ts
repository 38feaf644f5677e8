/** Undelivered deliveries follow the config: those it no longer routes end, those it routes again become pending. */
import { nameIn } from '../ledger/callbacks/keys.ts';
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import { channelOf, NO_LONGER_ROUTED } from '../ledger/ledger.ts';
import type { DeliveryError, DeliveryUpdate, DueDelivery } from '../ledger/ledger.ts';
import { BEFORE_ALL, type RoutedAgain, type WaitingPosition } from '../ledger/deliveries/rerouting.ts';
import type { DeliveryRow } from '../ledger/deliveries/rows.ts';
import type { HoldQuestion } from '../ledger/timers/admission.ts';
import { aboutOf } from '../notice/notice.ts';
import { type AlertSettings, withAlert } from './alerts.ts';
import type { Delivering } from './delivering.ts';
import { milestoneOf, updateOf, needsPerson } from './outcome.ts';
import { plannedDelivery, planOf, plannedFor } from './plan.ts';
import { runningConfig, type Settings } from './settings.ts';
import type { Plan } from '../route/router.ts';

const NOT_ROUTED: DeliveryError = {
  class: 'config',
  code: 'not_routed',
  message:
    'No route of the config names anybody for this callback any more. Was a route removed, or its bot_id or `on` changed? Once a route names this destination again, Botbell delivers it, within `delivery.give_up_after`.',
  japanese:
    'この通知の宛先は、現在の設定のどのルートにも含まれていません。ルートの削除、bot_id や on の変更がないか確認してください。delivery.give_up_after のうちにルートを元に戻せば送信されます。',
};

/** A process that may not route a delivery anew leaves it to other processes for this long. */
const LEFT_MS = 15_000;

/** The outcome of a delivery whose destination the plan does not name: held, or dead if the plan names no other either. */
function endOfUnrouted(due: DueDelivery, plan: Plan, alerts: AlertSettings): DeliveryUpdate {
  const { record, kind } = due;
  const ended = updateOf(record, { state: 'held', reason: NO_LONGER_ROUTED });
  // An alert without destinations raises no further alert, nor does an overdue run or a missed result whose rule is gone.
  const isAlerted = kind === 'callback' || kind === 'summary' || kind === 'digest';
  if (!isAlerted || plan.destinations.length > 0) return ended;
  return withAlert({ ...ended, state: 'dead', lastError: NOT_ROUTED }, due, alerts);
}

/** @returns undefined: the delivery stays ended */
function routedAgain(row: DeliveryRow, settings: Settings): RoutedAgain | undefined {
  const { kind, ageMs } = row;
  if (kind === 'alert' || ageMs >= settings.config.delivery.giveUpAfterMs) return undefined;
  const plan = planOf(settings, row);
  if (plannedFor(row, plan) === undefined) return undefined;
  return { explanations: plan.explanations, wanted: wantedBy(plan, row, settings) };
}

/** The destinations that the plan names for a callback or a notice. */
function wantedBy(
  plan: Plan,
  { kind, botId, status }: Pick<DeliveryRow, 'kind' | 'botId' | 'status'>,
  { config }: Settings,
): HoldQuestion {
  return {
    botId: nameIn(botId),
    status: kind === 'callback' ? status : undefined,
    planned: plan.destinations.map((target) => plannedDelivery(config, target)),
    timezone: config.display.timezone,
  };
}

/** How far the ledger has been reviewed since a config was loaded; undefined: to its end. */
interface Review {
  readonly changed: ReadonlySet<string>;
  /** The last reviewed delivery that waits for a later attempt. */
  waiting: WaitingPosition | undefined;
  /** Id of the last reviewed delivery that no route names. */
  unrouted: number | undefined;
}

/** Whether the settings may have mended what made a delivery fail, or route it differently. @param changed names of channels */
function isAffectedBy(settings: Settings, changed: ReadonlySet<string>): (row: DeliveryRow) => boolean {
  return (row) =>
    (row.lastError?.class === 'config' && !needsPerson(row.lastError)) ||
    changed.has(channelOf(row.destination)) ||
    plannedFor(row, planOf(settings, row)) === undefined;
}

function reviewOf(changed: Iterable<string> = []): Review {
  return { changed: new Set(changed), waiting: BEFORE_ALL, unrouted: 0 };
}

/** A test message has reached the destination: makes what waits there due, except what may have arrived. @throws {LedgerUnavailable} */
export async function hastenAt(destination: string, ledger: Pick<DatabaseLedger, 'hasten'>): Promise<void> {
  const waits = (row: DeliveryRow) => row.destination === destination && !needsPerson(row.lastError);
  let after: WaitingPosition | undefined = { ...BEFORE_ALL, destination };
  while (after?.destination === destination) ({ next: after } = await ledger.hasten(after, waits));
}

export class ConfigFollower {
  readonly #delivering: Delivering;
  #mayRouteAnew = false;
  #review = reviewOf();

  constructor(delivering: Delivering) {
    this.#delivering = delivering;
  }

  /** Tells the other processes with which config this one runs. @throws {LedgerUnavailable} */
  async beat(): Promise<void> {
    const { ledger, settings } = this.#delivering;
    const { current } = settings;
    const couldRouteAnew = this.#mayRouteAnew;
    try {
      const mayRouteAnew = await ledger.upkeep.heartbeat(runningConfig(current));
      this.#mayRouteAnew = mayRouteAnew && current === settings.current;
    } catch (error) {
      this.#mayRouteAnew = false;
      throw error;
    }
    // A process with another config, gone by now, may have held what this config routes.
    if (this.#mayRouteAnew && !couldRouteAnew) this.#review.unrouted = 0;
  }

  /** To be called when other settings are in force. @param changed channels behind which another remote or account may be */
  reload(changed: readonly string[]): void {
    // Until the next heartbeat, the other processes do not know of this config.
    this.#mayRouteAnew = false;
    void this.#delivering.paces.endLogins();
    this.#review = reviewOf([...this.#review.changed, ...changed]);
  }

  /** Reviews the next deliveries that the settings in force may affect. @returns whether there are more @throws {LedgerUnavailable} */
  async review(): Promise<boolean> {
    const { ledger, settings, onDue } = this.#delivering;
    const { current } = settings;
    const review = this.#review;
    const { changed, waiting, unrouted } = review;
    let isAny: boolean;
    if (waiting !== undefined)
      ({ next: review.waiting, isAny } = await ledger.hasten(waiting, isAffectedBy(current, changed)));
    else if (unrouted === undefined || !this.#mayRouteAnew) return false;
    else {
      const { channels } = runningConfig(current);
      const routingOf = (row: DeliveryRow) => routedAgain(row, current);
      ({ next: review.unrouted, isAny } = await ledger.revive(unrouted, channels, routingOf));
    }
    if (isAny) onDue();
    return true;
  }

  /** As `hastenAt`. Never rejects. */
  async mended(destination: string): Promise<void> {
    const { ledger, onDue, onUnwritten } = this.#delivering;
    try {
      await hastenAt(destination, ledger);
      onDue();
    } catch (error) {
      onUnwritten(error);
    }
  }

  /** The only destinations to claim for; undefined: all. While this process may not route anew, it leaves to others what only their configs name. */
  get claimable(): readonly string[] | undefined {
    return this.#mayRouteAnew ? undefined : [...this.#delivering.settings.current.destinations.keys()];
  }

  /**
   * Routes the delivery anew if this process may; otherwise leaves it to other processes for a while.
   * @param due a delivery whose destination the plan does not name @returns when that is done; never rejects
   */
  async follow(due: DueDelivery, plan: Plan, settings: Settings): Promise<void> {
    const { onDue, onUnwritten } = this.#delivering;
    const followed = this.#mayRouteAnew ? this.#routeAnew(due, plan, settings) : this.#leave(due);
    await followed.then(onDue, onUnwritten);
  }

  async #leave({ record }: DueDelivery): Promise<void> {
    const { callbackId, receivedAt } = record;
    const update = updateOf(record, { dueInMs: LEFT_MS });
    const settlement = { callbackId, receivedAt, update, attempts: [], isDurable: false };
    await this.#delivering.ledger.settle(settlement);
  }

  async #routeAnew(due: DueDelivery, plan: Plan, settings: Settings): Promise<void> {
    const { ledger, onMilestone } = this.#delivering;
    const { record, kind, notice } = due;
    const { bot_id: botId, status } = aboutOf(notice);
    const update = endOfUnrouted(due, plan, settings.config.delivery);
    const gained = await ledger.reroute({
      update,
      wanted: wantedBy(plan, { kind, botId, status }, settings),
      perhaps: plan.perhaps.map((target) => plannedDelivery(settings.config, target)),
      routing: plan.explanations,
      channels: runningConfig(settings).channels,
    });
    // Another process has loaded another config since the last heartbeat.
    if (gained === undefined) return this.#leave(due);
    const ended = gained.length > 0 ? { ...update, state: 'held' as const } : update;
    const name = milestoneOf(ended, record, false);
    if (name !== undefined) onMilestone({ ...due, ...ended, name });
  }
}
