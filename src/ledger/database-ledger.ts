/** The ledger of a service: its operations, with what this process knows, each bounded by its deadline. */
import { type Clock, Deadline } from '../time/clock.ts';
import { type CallOptions, DEFAULT_WITHIN_MS } from './database.ts';
import { unavailable } from './failures.ts';
import type { Rerouting, RunningConfig } from './config-changes.ts';
import type {
  Admission,
  Alert,
  Arrival,
  DueDelivery,
  DueRequest,
  ForgetRequest,
  Forgotten,
  RefusedBody,
  Settled,
  Settlement,
} from './ledger.ts';
import { admitArgs } from './operations/admit.ts';
import { type Actions, type Archive, createActions, createArchive } from './people.ts';
import {
  type Args,
  type Call,
  type Database,
  type Methods,
  methodsOver,
  type OperationName,
  type Result,
  signalOperations,
} from './registry.ts';
import { noticeIn } from './rows.ts';
import { UnwrittenOutcomes } from './unwritten-outcomes.ts';

/** Getters are asked at each call. */
export interface LedgerSettings {
  readonly clock: Clock;
  /** How long a claim lasts: longer than a process can take over one callback. */
  readonly leaseMs: number;
  /** How long the service may take to retry before Botbell does. */
  readonly takeOverAfterMs: number;
}

/** What differs between the databases. */
export interface OpenDatabase {
  readonly writing: Database;
  /** Of what is committed; never shares a connection with an open transaction. */
  readonly reading: Database;
  /** Of SQLite, beside its file. */
  readonly logBytes?: () => number;
  /** Undefined: its clock is this machine's. */
  readonly measureClock?: () => Promise<void>;
}

/** A stop takes less than a second in all (contract, "Stopping"). */
const CLOSE_WITHIN_MS = 700;

/**
 * Each call settles within `withinMs` (default 5 s), whatever the store does, and throws `LedgerUnavailable` where it cannot be
 * used; a call past its deadline is not begun.
 */
export class DatabaseLedger {
  readonly #database: OpenDatabase;
  readonly #settings: LedgerSettings;
  readonly #unwritten: UnwrittenOutcomes;
  readonly paces: PaceStore;
  readonly configs: ConfigStore;
  readonly signals: SignalStore;
  readonly actions: Actions;
  readonly archive: Archive;
  #writtenAt: number | undefined;

  constructor(database: OpenDatabase, settings: LedgerSettings) {
    const { writing, reading } = database;
    this.#database = database;
    this.#settings = settings;
    this.#unwritten = new UnwrittenOutcomes((told) => this.#call('settle', [told, true]));
    this.paces = pacesOver(writing.call);
    this.configs = configsOver(writing.call, (config) => this.#heartbeat(config));
    this.signals = methodsOver(writing.call, signalOperations);
    this.actions = createActions(writing.call, reading.call);
    this.archive = createArchive(reading.call);
  }

  /** Monotonic ms (clock.monotonic()) of the last committed write, heartbeat included; undefined: none yet. For /readyz. */
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

  /** What was told is kept in memory where this throws, and written before anything else is admitted or claimed. */
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

  /** Pending ones are Botbell's own from now on, also where somebody is attempting them at this moment. */
  takeOver(ids: readonly number[], withinMs?: number): Promise<void> {
    return this.#call('takeOver', [ids], { withinMs, isDurable: true });
  }

  async dueDestinations(): Promise<Result<'dueDestinations'>> {
    await this.#writeUnwritten(this.#deadline());
    return this.#call('dueDestinations', []);
  }

  /** Oldest first per destination, bulk last but for bulkTurns; none that is behind an earlier one of its job; at most about 1 MB of bodies (at least one). */
  async claimDue(requests: readonly DueRequest[]): Promise<readonly DueDelivery[]> {
    const deadline = this.#deadline();
    await this.#writeUnwritten(deadline);
    const rows = await this.#call('claimDue', [requests, this.#settings.leaseMs], {
      withinMs: deadline.remainingMs,
      onLate: (late) => this.#release(late.map(({ record }) => record)),
    });
    return rows.map(({ told, ...due }) => ({ ...due, notice: noticeIn(told) }));
  }

  /** Not flushed: what a power cut takes of it, no retry would bring. */
  refuse(refused: RefusedBody, alert: Alert, withinMs?: number): Promise<void> {
    return this.#call('refuse', [refused, alert], { withinMs });
  }

  /** @returns destinations for which it is due now: none where its cause was told within the hour */
  raise(alert: Alert): Promise<readonly string[]> {
    return this.#call('raise', [[alert]]);
  }

  countOpen(): Promise<Result<'countOpen'>> {
    return this.#database.reading.call('countOpen', []);
  }

  /** SQLite: pages in use and log. */
  async bytesUsed(): Promise<number> {
    const { reading, logBytes } = this.#database;
    return (await reading.call('storeBytes', [])) + (logBytes?.() ?? 0);
  }

  /** One step of retention: at most 100 rows. */
  forget(request: ForgetRequest): Promise<Forgotten> {
    return this.#call('forget', [request]);
  }

  /** Last success, failure, durations per destination, written every few seconds. */
  recordDestinations(figures: Args<'recordDestinations'>[0]): Promise<void> {
    return this.#call('recordDestinations', [figures]);
  }

  /** By a deadline of its own; what was told is written first. */
  async close(withinMs = CLOSE_WITHIN_MS): Promise<void> {
    const { writing, reading } = this.#database;
    const deadline = new Deadline(this.#settings.clock, withinMs);
    await deadline.bound(this.#unwritten.flush()).catch(() => undefined);
    await deadline.bound(Promise.all([writing.close(), reading.close()])).catch(() => undefined);
  }

  async #heartbeat(config: RunningConfig): Promise<boolean> {
    await this.#database.measureClock?.();
    const mayRouteAnew = await this.#call('heartbeat', [config]);
    this.#noteWritten();
    return mayRouteAnew;
  }

  #call<Name extends OperationName>(
    name: Name,
    args: Args<Name>,
    options?: CallOptions<Result<Name>>,
  ): Promise<Result<Name>> {
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

/** What is done at a time: ends of holds, and timers. */
export type SignalStore = Methods<typeof signalOperations>;
export type PaceStore = ReturnType<typeof pacesOver>;
export type ConfigStore = ReturnType<typeof configsOver>;

/** When destinations and channels that have limited their rate may be sent the next message. */
function pacesOver(call: Call) {
  return {
    reserve: (...args: Args<'reservePace'>) => call('reservePace', args),
    pause: (...args: Args<'pausePace'>) => call('pausePace', args),
    forget: (...args: Args<'forgetPaces'>) => call('forgetPaces', args),
    current: (...args: Args<'currentPaces'>) => call('currentPaces', args),
  };
}

/** What becomes of deliveries when the config changes, for the processes that share the store. */
function configsOver(call: Call, beat: (config: RunningConfig) => Promise<boolean>) {
  /** Types of channels in the config of the last heartbeat. */
  let channels: RunningConfig['channels'] = new Map();
  return {
    /** Writes this process's row (and measures PostgreSQL's clock). @returns whether it may route anew */
    heartbeat: (config: RunningConfig) => {
      ({ channels } = config);
      return beat(config);
    },
    processes: () => call('processes', []),
    leave: () => call('leave', []),
    routeAnew: (rerouting: Rerouting) => call('reroute', [rerouting, channels]),
    hasten: () => call('hasten', []),
    unroutedAfter: (id: number) => call('unroutedAfter', [id]),
    revive: (routed: Args<'revive'>[0]) => call('revive', [routed, channels]),
  };
}
