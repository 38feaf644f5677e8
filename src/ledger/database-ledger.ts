/** The ledger of a service: the operations as methods, each bounded by a deadline. */
import { type Clock, Deadline } from '../time/clock.ts';
import { DEFAULT_WITHIN_MS } from './database.ts';
import { isOutOfOrder, reasonOf, troubleOf } from './failures.ts';
import {
  type Admission,
  type Alert,
  type Arrival,
  type DeliveryName,
  LedgerFull,
  type RefusedBody,
  type Settlement,
} from './ledger.ts';
import { toStored } from './callbacks/keys.ts';
import { admitArgs } from './callbacks/write-callback.ts';
import { isPlain } from './deliveries/settle.ts';
import {
  actionOperations,
  type Actions,
  type Archive,
  archiveReads,
  type Args,
  type CallOperation,
  type Database,
  type Methods,
  methodsOver,
  type OperationName,
  serviceOperations,
} from './registry.ts';
import { UnwrittenOutcomes, Upkeep, type UpkeepSettings } from './shared/upkeep.ts';

/** Read anew at each call, so a getter may change its value. */
export interface LedgerSettings extends UpkeepSettings {
  readonly clock: Clock;
}

/** A stop takes less than a second in all. */
const CLOSE_WITHIN_MS = 700;

/** For `endHolds`, which writes all that was held at a destination, however much. */
const HOLDS_WITHIN_MS = 30_000;

/** The operations that need more than their transaction. */
class ServiceLedger {
  readonly #writing: Database;
  readonly #reading: Database;
  readonly #settings: LedgerSettings;
  readonly unwritten: UnwrittenOutcomes;
  readonly upkeep: Upkeep;
  readonly actions: Actions;
  readonly archive: Archive;
  /** When the store was last written, by the monotonic clock; undefined: never, or it has proved since that it cannot be written. */
  writtenAt: number | undefined;
  /** Milliseconds that the slowest of the last writes for callbacks has taken; it counts less with each further one. */
  writeMs = 0;
  /** Why the store cannot be written, if a call has found so since the last write; or why new callbacks are refused, though it can be. */
  trouble: string | undefined;
  /** For which lock a call has waited in vain since the last write; undefined: for none. */
  lock: string | undefined;
  /** As of the last heartbeat: new callbacks are refused. */
  #isFull = false;

  /** @param reading sees what is committed, and never shares a connection with an open transaction */
  constructor(writing: Database, reading: Database, settings: LedgerSettings) {
    this.#writing = { call: this.#noting(writing.call), close: () => writing.close() };
    const { call } = this.#writing;
    this.#reading = reading;
    this.#settings = settings;
    this.unwritten = new UnwrittenOutcomes((told) => call('settle', [told]));
    this.upkeep = new Upkeep(call, settings, this.unwritten);
    this.actions = methodsOver(call, actionOperations, { isDurable: true });
    Object.assign(this, methodsOver(call, serviceOperations), {
      endHolds: (...args: Args<'endHolds'>) => call('endHolds', args, { withinMs: HOLDS_WITHIN_MS }),
    });
    this.archive = methodsOver(reading.call, archiveReads);
  }

  async admit(arrival: Arrival, withinMs = DEFAULT_WITHIN_MS): Promise<Admission> {
    const { clock } = this.#settings;
    const until = clock.monotonic() + withinMs;
    const args = admitArgs(arrival, await toStored(arrival.body), this.#settings);
    const options = {
      withinMs: until - clock.monotonic(),
      isDurable: arrival.isAccepted || undefined,
      keys: args.keys,
      isPlain: true,
    };
    const admission = await this.#writing.call('admit', [args], options);
    if (admission.isNew) return admission;
    const deliveries = admission.deliveries.map((record) =>
      this.unwritten.has(record) ? { ...record, state: 'delivered' as const, claim: undefined } : record,
    );
    return { ...admission, deliveries };
  }

  /** If it throws, successes are kept in memory, until they can be written. @returns whether something is due now */
  async settle(settlement: Settlement, withinMs?: number): Promise<boolean> {
    const { clock } = this.#settings;
    const until = clock.monotonic() + (withinMs ?? DEFAULT_WITHIN_MS);
    const order = settlement.update?.id;
    const options = { isDurable: settlement.isDurable, order, isPlain: isPlain(settlement) };
    const write = (what: Settlement) =>
      this.#writing.call('settle', [what], { withinMs: until - clock.monotonic(), ...options });
    try {
      return (
        (await write(settlement)) ?? (await write(Object.assign({}, settlement, { attempts: [] }))) ?? false
      );
    } catch (error) {
      this.unwritten.keep(settlement);
      throw error;
    }
  }

  /** As the operation `takeOver`. */
  takeOver(deliveries: readonly DeliveryName[], withinMs?: number): Promise<void> {
    return this.#writing.call('takeOver', [deliveries], { withinMs, isDurable: true });
  }

  /** Not flushed: a power cut may lose it. */
  refuse(refused: RefusedBody, alert: Alert, withinMs?: number): Promise<void> {
    return this.#writing.call('refuse', [refused, alert], { withinMs });
  }

  /** Has a deadline of its own; kept outcomes are written first. */
  async close(withinMs = CLOSE_WITHIN_MS): Promise<void> {
    const deadline = new Deadline(this.#settings.clock, withinMs);
    await deadline.bound(this.unwritten.write()).catch(() => undefined);
    await deadline.bound(this.#closeBoth()).catch(() => undefined);
  }

  /** The reading side last: SQLite's keeper then empties the log. */
  async #closeBoth(): Promise<void> {
    await this.#writing.close();
    await this.#reading.close();
  }

  /** The call, which also keeps `writtenAt`. */
  #noting(call: CallOperation): CallOperation {
    return (name, args, options) => {
      const begun = this.#settings.clock.monotonic();
      const called = call(name, args, options);
      // Before its caller hears of it.
      called.then(
        (result) => this.#noteWritten(name, begun, result),
        (error: unknown) => this.#noteFailed(name, begun, error),
      );
      return called;
    };
  }

  #noteWritten(name: OperationName, begun: number, result: unknown): void {
    this.#noteTime(name, begun);
    if (name === 'heartbeat') this.#isFull = (result as { readonly isFull: boolean }).isFull;
    if (!ALWAYS_WRITING.has(name)) return;
    this.writtenAt = this.#settings.clock.monotonic();
    this.lock = undefined;
    this.trouble = this.#isFull ? new LedgerFull().message : undefined;
  }

  #noteFailed(name: OperationName, begun: number, error: unknown): void {
    this.#noteTime(name, begun);
    this.upkeep.expectStrays();
    if (ALWAYS_WRITING.has(name) && troubleOf(error) === 'locked') this.lock = reasonOf(error);
    if (!isOutOfOrder(error)) return;
    this.writtenAt = undefined;
    this.trouble = reasonOf(error);
  }

  #noteTime(name: OperationName, begun: number): void {
    if (name === 'admit' || name === 'settle')
      this.writeMs = Math.max(this.#settings.clock.monotonic() - begun, FORGETTING * this.writeMs);
  }
}

/** What is left of `writeMs` after each write. */
const FORGETTING = 0.9;

/** Operations that do not succeed unless something is written. */
const ALWAYS_WRITING: ReadonlySet<OperationName> = new Set(['admit', 'heartbeat']);

/**
 * Each call settles within `withinMs` (default 5 s), whatever the store does, and throws `LedgerUnavailable` if the store cannot be
 * used; a call past its deadline is not begun. If a call begins in time but commits after its deadline, `Upkeep` frees what it
 * has claimed.
 */
export type DatabaseLedger = ServiceLedger & Methods<typeof serviceOperations>;

export function ledgerOver(writing: Database, reading: Database, settings: LedgerSettings): DatabaseLedger {
  return new ServiceLedger(writing, reading, settings) as DatabaseLedger;
}
