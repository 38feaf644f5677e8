/** Keeps this process's heartbeat in the store, and has what is undelivered follow the config that it has loaded. */
import type { ConfigStore, PlaceAmongPending, RoutedRow } from '../ledger/configs/config-store.ts';
import type { Clock } from '../time/clock.ts';
import { type Plan, planFor, plannedFor, type RunningSettings, type Settings } from './settings.ts';
import { isAffected, isRevivable, type Revival } from './rerouter.ts';

const HEARTBEAT_MS = 5000;

/** Between two slices, so that callbacks get their turn. */
const PAUSE_MS = 10;

const ROWS_PER_SLICE = 200;

const BEFORE_ALL: PlaceAmongPending = { destination: '', isBulk: false, callbackId: 0 };

export interface ConfigFollowerDependencies {
  readonly clock: Clock;
  readonly ledger: Omit<ConfigStore, 'routeAnew'>;
  readonly settings: Pick<RunningSettings, 'current'>;
  /** Something for these destinations may be due. */
  readonly onDue: (destinations: readonly string[]) => void;
  readonly onRevival: (revival: Revival) => void;
  /** The store could not be used: once until it can be again. */
  readonly onTrouble: (error: unknown) => void;
}

export class ConfigFollower {
  readonly #dependencies: ConfigFollowerDependencies;
  readonly #stopped = new AbortController();
  #mayRouteAnew = false;
  #isTroubled = false;
  #nap = new AbortController();
  /** The settings that the review was done by, and whether with the permission to route anew. */
  #reviewed: { readonly settings: Settings; readonly mayRouteAnew: boolean } | undefined;
  #isAskedAgain = false;
  #running: Promise<void> | undefined;

  constructor(dependencies: ConfigFollowerDependencies) {
    this.#dependencies = dependencies;
  }

  /** As of the last heartbeat. */
  get mayRouteAnew(): boolean {
    return this.#mayRouteAnew;
  }

  /** Resolves with the first heartbeat; a store that cannot be used does not keep it from starting. */
  async start(): Promise<void> {
    await this.#beat();
    this.#running ??= Promise.all([this.#beatOn(), this.#follow()]).then(() => undefined);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#nap.abort();
    await this.#running;
    await this.#dependencies.ledger.leave().catch(() => undefined);
  }

  /** Other settings are in force: the other processes learn of it, and what is undelivered follows. */
  async reload(): Promise<void> {
    // Before the others know of them, they decide nothing.
    this.#mayRouteAnew = false;
    await this.#beat();
    this.#nap.abort();
  }

  /** Nothing of the settings has changed, but somebody may have mended what they name. */
  reviewAgain(): void {
    this.#isAskedAgain = true;
    this.#nap.abort();
  }

  async #beatOn(): Promise<void> {
    while (await this.#pause(HEARTBEAT_MS)) await this.#beat();
  }

  async #beat(): Promise<void> {
    const { ledger, settings } = this.#dependencies;
    try {
      const { config } = settings.current;
      const mayRouteAnew = await ledger.heartbeat(config);
      this.#mayRouteAnew = mayRouteAnew && config === settings.current.config;
      this.#isTroubled = false;
    } catch (error) {
      this.#mayRouteAnew = false;
      this.#noteTrouble(error);
    }
  }

  /** Once by each settings and permission: what comes later is looked at before its attempt. */
  async #follow(): Promise<void> {
    do {
      this.#nap = new AbortController();
      if (this.#isAskedAgain) this.#reviewed = undefined;
      this.#isAskedAgain = false;
      const settings = this.#dependencies.settings.current;
      const mayRouteAnew = this.#mayRouteAnew;
      if (this.#isReviewed(settings, mayRouteAnew)) continue;
      try {
        await this.#hastenAffected();
        if (mayRouteAnew) await this.#reviveRouted();
        this.#reviewed = { settings, mayRouteAnew };
      } catch (error) {
        this.#noteTrouble(error);
      }
    } while (await this.#pause(HEARTBEAT_MS, this.#nap.signal));
  }

  #isReviewed(settings: Settings, mayRouteAnew: boolean): boolean {
    const reviewed = this.#reviewed;
    return reviewed?.settings === settings && (reviewed.mayRouteAnew || !mayRouteAnew);
  }

  async #hastenAffected(): Promise<void> {
    const { ledger, onDue } = this.#dependencies;
    let place = BEFORE_ALL;
    let rows;
    do {
      rows = await ledger.pendingAfter(place, ROWS_PER_SLICE);
      const affected = rows.filter((row) => isAffected(row, this.#isRouted(row)));
      if (affected.length > 0) await ledger.hasten(affected.map(({ id }) => id));
      onDue([...new Set(affected.map(({ destination }) => destination))]);
      place = rows.at(-1) ?? place;
    } while (rows.length === ROWS_PER_SLICE && (await this.#pause(PAUSE_MS)));
  }

  async #reviveRouted(): Promise<void> {
    const { ledger, settings, onDue, onRevival } = this.#dependencies;
    const { giveUpAfterMs } = settings.current.delivery;
    let after = 0;
    let rows;
    do {
      rows = await ledger.unroutedAfter(after, ROWS_PER_SLICE);
      const routed = rows.flatMap((row) => {
        const plan = this.#planOf(row);
        const isRouted = plannedFor(row, plan) !== undefined;
        return isRevivable(row, isRouted, giveUpAfterMs) ? [{ ...row, routing: plan.routing }] : [];
      });
      const revived = routed.length === 0 ? [] : await ledger.revive(routed);
      const back = routed.filter(({ id }) => revived.includes(id));
      for (const { destination, callbackId } of back) onRevival({ destination, callbackId });
      onDue([...new Set(back.map(({ destination }) => destination))]);
      after = rows.at(-1)?.id ?? after;
    } while (rows.length === ROWS_PER_SLICE && (await this.#pause(PAUSE_MS)));
  }

  #isRouted(row: RoutedRow): boolean {
    return plannedFor(row, this.#planOf(row)) !== undefined;
  }

  #planOf({ kind, botId, status }: RoutedRow): Plan {
    const callback = kind === 'alert' ? undefined : { bot_id: botId, status };
    return planFor(this.#dependencies.settings.current, callback);
  }

  #noteTrouble(error: unknown): void {
    if (!this.#isTroubled) this.#dependencies.onTrouble(error);
    this.#isTroubled = true;
  }

  /** @returns whether to go on */
  async #pause(ms: number, signal = this.#stopped.signal): Promise<boolean> {
    if (!this.#stopped.signal.aborted)
      await this.#dependencies.clock.sleep(ms, signal).catch(() => undefined);
    return !this.#stopped.signal.aborted;
  }
}
