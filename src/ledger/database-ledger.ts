/** The ledger of a service: its operations, with what this process knows, each bounded by its deadline. */
import { type Clock, Deadline } from '../time/clock.ts';
import { DEFAULT_WITHIN_MS } from './database.ts';
import { unavailable } from './failures.ts';
import type {
  Admission,
  Alert,
  Arrival,
  DueDelivery,
  DueRequest,
  RefusedBody,
  Settlement,
} from './ledger.ts';
import { admitArgs } from './operations/admit.ts';
import type { RunningConfig } from './operations/processes.ts';
import {
  actionOperations,
  actionReads,
  type Actions,
  type Archive,
  archiveReads,
  type Database,
  type Methods,
  methodsOver,
  type Result,
  serviceOperations,
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

/** A stop takes less than a second in all (contract, "Stopping"). */
const CLOSE_WITHIN_MS = 700;

/** Operations that need more than their transaction. */
class ServiceLedger {
  readonly #writing: Database;
  readonly #reading: Database;
  readonly #settings: LedgerSettings;
  readonly #unwritten: UnwrittenOutcomes;
  /** What is done at a time: ends of holds, and timers. */
  readonly signals: Methods<typeof signalOperations>;
  readonly actions: Actions;
  readonly archive: Archive;
  /** Of the last heartbeat that was committed, by the monotonic clock; undefined: none yet. For /readyz. */
  writtenAt: number | undefined;

  /** @param reading sees what is committed; never shares a connection with an open transaction */
  constructor(writing: Database, reading: Database, settings: LedgerSettings) {
    this.#writing = writing;
    this.#reading = reading;
    this.#settings = settings;
    this.#unwritten = new UnwrittenOutcomes((told) => writing.call('settle', [told, true]));
    this.signals = methodsOver(writing.call, signalOperations);
    this.actions = {
      ...methodsOver(reading.call, actionReads),
      ...methodsOver(writing.call, actionOperations, { isDurable: true }),
    };
    this.archive = methodsOver(reading.call, archiveReads);
  }

  async admit(arrival: Arrival, withinMs = DEFAULT_WITHIN_MS): Promise<Admission> {
    const deadline = new Deadline(this.#settings.clock, withinMs);
    const { leaseMs, takeOverAfterMs } = this.#settings;
    const args = await admitArgs(arrival, { leaseMs, takeOverAfterMs });
    await this.#writeUnwritten(deadline);
    return this.#writing.call('admit', [args], {
      withinMs: deadline.remainingMs,
      isDurable: arrival.isAccepted,
    });
  }

  /** @returns whether something is due because of it. What was told is kept in memory where this throws, and written before anything else is admitted or claimed. */
  settle(settlement: Settlement, withinMs?: number): Promise<boolean> {
    const { isDurable } = settlement;
    return this.#writing.call('settle', [settlement], { withinMs, isDurable }).catch((error: unknown) => {
      this.#unwritten.keep(settlement);
      throw error;
    });
  }

  /** Pending ones are Botbell's own from now on, also where somebody is attempting them at this moment. */
  takeOver(ids: readonly number[], withinMs?: number): Promise<void> {
    return this.#writing.call('takeOver', [ids], { withinMs, isDurable: true });
  }

  async dueDestinations(): Promise<Result<'dueDestinations'>> {
    await this.#writeUnwritten(new Deadline(this.#settings.clock, DEFAULT_WITHIN_MS));
    return this.#writing.call('dueDestinations', []);
  }

  /** Oldest first per destination, bulk last but for bulkTurns; none that is behind an earlier one of its job; at most about 1 MB of bodies (at least one). */
  async claimDue(requests: readonly DueRequest[]): Promise<readonly DueDelivery[]> {
    const rows = await this.#writing.call('claimDue', [requests, this.#settings.leaseMs]);
    return rows.map(({ told, ...due }) => ({ ...due, notice: noticeIn(told) }));
  }

  /** Not flushed: what a power cut takes of it, no retry would bring. */
  refuse(refused: RefusedBody, alert: Alert, withinMs?: number): Promise<void> {
    return this.#writing.call('refuse', [refused, alert], { withinMs });
  }

  /** Tells the processes that share the store with which config this one runs. @returns whether it may route anew */
  async heartbeat(config: RunningConfig): Promise<boolean> {
    const mayRouteAnew = await this.#writing.call('heartbeat', [config]);
    this.writtenAt = this.#settings.clock.monotonic();
    return mayRouteAnew;
  }

  /** By a deadline of its own; what was told is written first. */
  async close(withinMs = CLOSE_WITHIN_MS): Promise<void> {
    const deadline = new Deadline(this.#settings.clock, withinMs);
    await deadline.bound(this.#unwritten.flush()).catch(() => undefined);
    await deadline.bound(Promise.all([this.#writing.close(), this.#reading.close()])).catch(() => undefined);
  }

  /** @throws {LedgerUnavailable} */
  async #writeUnwritten(deadline: Deadline): Promise<void> {
    await deadline.bound(this.#unwritten.flush()).catch((error: unknown) => {
      throw unavailable(error);
    });
  }
}

/**
 * Each call settles within `withinMs` (default 5 s), whatever the store does, and throws `LedgerUnavailable` where it cannot be
 * used; a call past its deadline is not begun. What a call has claimed that was begun in time and committed too late, nobody works
 * on until the claim ends.
 */
export type DatabaseLedger = ServiceLedger & Methods<typeof serviceOperations>;

export function ledgerOver(writing: Database, reading: Database, settings: LedgerSettings): DatabaseLedger {
  const ledger = new ServiceLedger(writing, reading, settings);
  return Object.assign(ledger, methodsOver(writing.call, serviceOperations));
}
