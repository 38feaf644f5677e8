/** The ledger over a database: names each operation, adds what this process knows, and bounds each call by its deadline. */
import { type Clock, Deadline } from '../time/clock.ts';
import {
  type ArgsOf,
  type CallOptions,
  type Database,
  DEFAULT_WITHIN_MS,
  type ResultOf,
} from './database.ts';
import { unavailable } from './failures.ts';
import type {
  Admission,
  Alert,
  Arrival,
  ConfigStore,
  DestinationFigures,
  DueDelivery,
  DueDestination,
  DueRequest,
  ForgetRequest,
  Ledger,
  OpenCounts,
  PaceStore,
  RefusedBody,
  Settled,
  Settlement,
} from './ledger.ts';
import { admitArgs } from './operations/admit-args.ts';
import { type Actions, type Archive, createActions, createArchive } from './people.ts';
import type { LedgerOperations } from './registry.ts';
import { dueDelivery } from './rows.ts';
import { UnwrittenOutcomes } from './unwritten-outcomes.ts';

/** Getters are asked at each call. */
export interface LedgerSettings {
  readonly clock: Clock;
  /** How long a claim lasts: longer than a process can take over one callback. */
  readonly leaseMs: number;
  /** How long the service may take to retry before Botbell does. */
  readonly takeOverAfterMs: number;
  /** Where days begin and end that callbacks are counted by. */
  readonly timezone: string;
}

/** What differs between the databases. */
export interface OpenDatabase {
  readonly writing: Database<LedgerOperations>;
  /** Of what is committed; never shares a connection with an open transaction. */
  readonly reading: Database<LedgerOperations>;
  /** Several processes use it. */
  readonly isShared: boolean;
  bytesUsed(): Promise<number>;
  /** Undefined: its clock is this machine's. */
  readonly measureClock?: (() => Promise<void>) | undefined;
}

/** A stop takes less than a second in all (contract, "Stopping"). */
const CLOSE_WITHIN_MS = 700;

/** With what people read and do. */
export interface OpenLedger extends Ledger {
  readonly actions: Actions;
  readonly archive: Archive;
}

export class DatabaseLedger implements OpenLedger {
  readonly #database: OpenDatabase;
  readonly #settings: LedgerSettings;
  readonly #unwritten: UnwrittenOutcomes;
  readonly paces: PaceStore;
  readonly configs: ConfigStore;
  readonly actions: Actions;
  readonly archive: Archive;
  #writtenAt: number | undefined;

  constructor(database: OpenDatabase, settings: LedgerSettings) {
    this.#database = database;
    this.#settings = settings;
    this.#unwritten = new UnwrittenOutcomes((told) => this.#call('settle', [told, true]));
    this.paces = this.#createPaces();
    this.configs = this.#createConfigs();
    this.actions = createActions(database);
    this.archive = createArchive(database.reading);
  }

  get writtenAt(): number | undefined {
    return this.#writtenAt;
  }

  async admit(arrival: Arrival, withinMs = DEFAULT_WITHIN_MS): Promise<Admission> {
    const deadline = new Deadline(this.#settings.clock, withinMs);
    const { leaseMs, takeOverAfterMs } = this.#settings;
    const args = await admitArgs(arrival, { leaseMs, takeOverAfterMs });
    await this.#writeUnwritten(deadline);
    const admission = await this.#call('admit', [args], {
      withinMs: deadline.remainingMs,
      isDurable: arrival.isAccepted,
      onLate: ({ deliveries }) => this.#release(deliveries.filter(({ claim }) => claim === 'own')),
    });
    this.#noteWritten();
    return admission;
  }

  async settle(settlement: Settlement, withinMs?: number): Promise<Settled> {
    const { isDurable } = settlement;
    const onLate = () => this.#unwritten.drop(settlement);
    try {
      const settled = await this.#call('settle', [settlement], { withinMs, isDurable, onLate });
      this.#noteWritten();
      return settled;
    } catch (error) {
      this.#unwritten.keep(settlement);
      throw error;
    }
  }

  takeOver(ids: readonly number[], withinMs?: number): Promise<void> {
    return this.#call('takeOver', [ids], { withinMs, isDurable: true });
  }

  async dueDestinations(): Promise<readonly DueDestination[]> {
    await this.#writeUnwritten(this.#deadline());
    return this.#call('dueDestinations', []);
  }

  async claimDue(requests: readonly DueRequest[]): Promise<readonly DueDelivery[]> {
    const deadline = this.#deadline();
    await this.#writeUnwritten(deadline);
    const rows = await this.#call('claimDue', [requests, this.#settings.leaseMs], {
      withinMs: deadline.remainingMs,
      onLate: (late) => this.#release(late.map(({ record }) => record)),
    });
    return rows.map(dueDelivery);
  }

  releaseHeld(): Promise<number> {
    return this.#call('releaseHeld', []);
  }

  /** Not flushed: what a power cut takes of it, no retry would bring. */
  refuse(refused: RefusedBody, alert: Alert, withinMs?: number): Promise<void> {
    return this.#call('refuse', [refused, alert], { withinMs });
  }

  countOpen(): Promise<OpenCounts> {
    return this.#database.reading.call('countOpen', []);
  }

  bytesUsed(): Promise<number> {
    return this.#database.bytesUsed();
  }

  forget(request: ForgetRequest): Promise<boolean> {
    return this.#call('forget', [request, this.#settings.timezone]);
  }

  recordDestinations(figures: readonly DestinationFigures[]): Promise<void> {
    return this.#call('recordDestinations', [figures]);
  }

  /** By a deadline of its own; what was told is written first. */
  async close(withinMs = CLOSE_WITHIN_MS): Promise<void> {
    const { writing, reading } = this.#database;
    const deadline = new Deadline(this.#settings.clock, withinMs);
    await deadline.bound(this.#unwritten.flush()).catch(() => undefined);
    await deadline.bound(Promise.all([writing.close(), reading.close()])).catch(() => undefined);
  }

  #createPaces(): PaceStore {
    return {
      isShared: this.#database.isShared,
      reserve: (key, intervalMs, mostMs) => this.#call('reservePace', [key, intervalMs, mostMs]),
      pause: (key, ms) => this.#call('pausePace', [key, ms]),
      forget: (channel) => this.#call('forgetPaces', [channel]),
      current: (idleMs) => this.#call('currentPaces', [idleMs]),
    };
  }

  #createConfigs(): ConfigStore {
    /** Types of channels in the config of the last heartbeat. */
    let channels: ReadonlyMap<string, string> = new Map();
    return {
      heartbeat: async (config) => {
        ({ channels } = config);
        await this.#database.measureClock?.();
        const mayRouteAnew = await this.#call('heartbeat', [config]);
        this.#noteWritten();
        return mayRouteAnew;
      },
      processes: () => this.#call('processes', []),
      leave: () => this.#call('leave', []),
      routeAnew: (rerouting) => this.#call('reroute', [rerouting, channels]),
      hasten: () => this.#call('hasten', []),
      unroutedAfter: (id) => this.#call('unroutedAfter', [id]),
      revive: (routed) => this.#call('revive', [routed, channels]),
    };
  }

  #call<Name extends keyof LedgerOperations>(
    name: Name,
    args: ArgsOf<LedgerOperations[Name]>,
    options?: CallOptions<ResultOf<LedgerOperations[Name]>>,
  ): Promise<ResultOf<LedgerOperations[Name]>> {
    return this.#database.writing.call(name, args, options);
  }

  #deadline(): Deadline {
    return new Deadline(this.#settings.clock, DEFAULT_WITHIN_MS);
  }

  /** @throws {LedgerUnavailable} */
  async #writeUnwritten(deadline: Deadline): Promise<void> {
    await deadline.bound(this.#unwritten.flush()).catch((error: unknown) => {
      throw unavailable(error);
    });
  }

  /** Nobody works on what was claimed too late. Where this fails, the claims end by themselves. */
  #release(claimed: readonly { readonly id: number }[]): void {
    const ids = claimed.map(({ id }) => id);
    if (ids.length > 0) void this.#call('releaseClaims', [ids]).catch(() => undefined);
  }

  #noteWritten(): void {
    this.#writtenAt = this.#settings.clock.monotonic();
  }
}
