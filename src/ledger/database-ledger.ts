/** The ledger over a database: names each operation, adds what this process knows, and bounds each call by its deadline. */
import { type Clock, Deadline } from '../time/clock.ts';
import type { Actions } from './actions/actions.ts';
import { createActions } from './actions/run-actions.ts';
import type { Archive } from './archive/archive.ts';
import { createArchive } from './archive/read-archive.ts';
import { type Database, DEFAULT_WITHIN_MS } from './database.ts';
import { type ConfigDatabase, createConfigStore } from './config-store.ts';
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
import { claimedIn } from './operations/admit.ts';
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
export interface OpenDatabase extends ConfigDatabase {
  /** Of what is committed; never shares a connection with an open transaction. */
  readonly reading: Database<LedgerOperations>;
  /** Several processes use it. */
  readonly isShared: boolean;
  bytesUsed(): Promise<number>;
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
    this.#unwritten = new UnwrittenOutcomes((told) => this.#call('settle', { ...told, isRepeated: true }));
    this.paces = createPaceStore(database);
    this.configs = createConfigStore(database, () => this.#noteWritten());
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
    const admission = await this.#call('admit', args, {
      withinMs: deadline.remainingMs,
      isDurable: arrival.isAccepted,
      onLate: (late) => this.#release(claimedIn(late)),
    });
    this.#noteWritten();
    return admission;
  }

  async settle(settlement: Settlement, withinMs?: number): Promise<Settled> {
    const { isDurable } = settlement;
    const onLate = () => this.#unwritten.drop(settlement);
    try {
      const settled = await this.#call('settle', settlement, { withinMs, isDurable, onLate });
      this.#noteWritten();
      return settled;
    } catch (error) {
      this.#unwritten.keep(settlement);
      throw error;
    }
  }

  takeOver(ids: readonly number[], withinMs?: number): Promise<void> {
    return this.#call('takeOver', ids, { withinMs, isDurable: true });
  }

  async dueDestinations(): Promise<readonly DueDestination[]> {
    await this.#writeUnwritten(this.#deadline());
    return this.#call('dueDestinations', undefined);
  }

  async claimDue(requests: readonly DueRequest[]): Promise<readonly DueDelivery[]> {
    const deadline = this.#deadline();
    await this.#writeUnwritten(deadline);
    const { leaseMs } = this.#settings;
    const rows = await this.#call(
      'claimDue',
      { requests, leaseMs },
      {
        withinMs: deadline.remainingMs,
        onLate: (late) => this.#release(late.map(({ record }) => record.id)),
      },
    );
    return rows.map(dueDelivery);
  }

  releaseHeld(): Promise<number> {
    return this.#call('releaseHeld', undefined);
  }

  /** Not flushed: what a power cut takes of it, no retry would bring. */
  refuse(refused: RefusedBody, alert: Alert, withinMs?: number): Promise<void> {
    return this.#call('refuse', { refused, alert }, { withinMs });
  }

  countOpen(): Promise<OpenCounts> {
    return this.#database.reading.call('countOpen', undefined);
  }

  bytesUsed(): Promise<number> {
    return this.#database.bytesUsed();
  }

  forget(request: ForgetRequest): Promise<boolean> {
    return this.#call('forget', { ...request, timezone: this.#settings.timezone });
  }

  recordDestinations(figures: readonly DestinationFigures[]): Promise<void> {
    return this.#call('recordDestinations', figures);
  }

  /** By a deadline of its own; what was told is written first. */
  async close(withinMs = CLOSE_WITHIN_MS): Promise<void> {
    const { writing, reading } = this.#database;
    const deadline = new Deadline(this.#settings.clock, withinMs);
    await deadline.bound(this.#unwritten.flush()).catch(() => undefined);
    await deadline.bound(Promise.all([writing.close(), reading.close()])).catch(() => undefined);
  }

  get #call(): Database<LedgerOperations>['call'] {
    return this.#database.writing.call;
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
  #release(ids: readonly number[]): void {
    if (ids.length > 0) void this.#call('releaseClaims', ids).catch(() => undefined);
  }

  #noteWritten(): void {
    this.#writtenAt = this.#settings.clock.monotonic();
  }
}

function createPaceStore({ writing, isShared }: OpenDatabase): PaceStore {
  return {
    isShared,
    reserve: (key, intervalMs, mostMs) => writing.call('reservePace', { key, intervalMs, mostMs }),
    pause: (key, ms) => writing.call('pausePace', { key, ms }),
    forget: (channel) => writing.call('forgetPaces', channel),
    current: (idleMs) => writing.call('currentPaces', idleMs),
  };
}
