/** Keeps this process's heartbeat in the store, and has what is undelivered follow the config that it has loaded. */
import type {
  ConfigStore,
  PlaceAmongPending,
  RoutedRow,
  RunningConfig,
} from '../ledger/configs/config-store.ts';
import type { Clock } from '../time/clock.ts';
import type { Revival } from './rerouter.ts';
import { isAffected, isRevivable } from './standing-in-config.ts';

const HEARTBEAT_MS = 5000;

/** Between two slices, so that callbacks get their turn. */
const PAUSE_MS = 10;

const ROWS_PER_SLICE = 200;

const BEFORE_ALL: PlaceAmongPending = { destination: '', callbackId: 0 };

export interface ConfigFollowerDependencies {
  readonly clock: Clock;
  readonly ledger: Omit<ConfigStore, 'routeAnew'>;
  readonly config: RunningConfig;
  readonly giveUpAfterMs: number;
  readonly isRouted: (row: RoutedRow) => boolean;
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
  /** With the permission to route anew, or without it. */
  #reviewedWith: boolean | undefined;
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
    await this.#running;
    await this.#dependencies.ledger.leave().catch(() => undefined);
  }

  async #beatOn(): Promise<void> {
    while (await this.#pause(HEARTBEAT_MS)) await this.#beat();
  }

  async #beat(): Promise<void> {
    const { ledger, config } = this.#dependencies;
    try {
      this.#mayRouteAnew = await ledger.heartbeat(config);
      this.#isTroubled = false;
    } catch (error) {
      this.#mayRouteAnew = false;
      this.#noteTrouble(error);
    }
  }

  /** Once with each permission: what comes later is looked at before its attempt. */
  async #follow(): Promise<void> {
    do {
      const mayRouteAnew = this.#mayRouteAnew;
      if (this.#reviewedWith === true || this.#reviewedWith === mayRouteAnew) continue;
      try {
        await this.#hastenAffected();
        if (mayRouteAnew) await this.#reviveRouted();
        this.#reviewedWith = mayRouteAnew;
      } catch (error) {
        this.#noteTrouble(error);
      }
    } while (this.#reviewedWith !== true && (await this.#pause(HEARTBEAT_MS)));
  }

  async #hastenAffected(): Promise<void> {
    const { ledger, isRouted, onDue } = this.#dependencies;
    let place = BEFORE_ALL;
    let rows;
    do {
      rows = await ledger.pendingAfter(place, ROWS_PER_SLICE);
      const affected = rows.filter((row) => isAffected(row, isRouted(row)));
      if (affected.length > 0) await ledger.hasten(affected.map(({ id }) => id));
      onDue([...new Set(affected.map(({ destination }) => destination))]);
      place = rows.at(-1) ?? place;
    } while (rows.length === ROWS_PER_SLICE && (await this.#pause(PAUSE_MS)));
  }

  async #reviveRouted(): Promise<void> {
    const { ledger, isRouted, giveUpAfterMs, onDue, onRevival } = this.#dependencies;
    let after = 0;
    let rows;
    do {
      rows = await ledger.unroutedAfter(after, ROWS_PER_SLICE);
      const routed = rows.filter((row) => isRevivable(row, isRouted(row), giveUpAfterMs));
      const revived = routed.length === 0 ? [] : await ledger.revive(routed.map(({ id }) => id));
      const back = routed.filter(({ id }) => revived.includes(id));
      for (const { destination, callbackId } of back) onRevival({ destination, callbackId });
      onDue([...new Set(back.map(({ destination }) => destination))]);
      after = rows.at(-1)?.id ?? after;
    } while (rows.length === ROWS_PER_SLICE && (await this.#pause(PAUSE_MS)));
  }

  #noteTrouble(error: unknown): void {
    if (!this.#isTroubled) this.#dependencies.onTrouble(error);
    this.#isTroubled = true;
  }

  /** @returns whether to go on */
  async #pause(ms: number): Promise<boolean> {
    const { signal } = this.#stopped;
    await this.#dependencies.clock.sleep(ms, signal).catch(() => undefined);
    return !signal.aborted;
  }
}
