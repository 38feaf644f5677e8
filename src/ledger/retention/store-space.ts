/** Keeps a store within its limit: what is done is forgotten early for what comes, and what is undelivered never. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock, Deadline } from '../../time/clock.ts';
import type { OpenStore, StoreSize } from '../dialect.ts';
import type { TimedStore } from '../timed-store.ts';
import { CALLBACKS_PER_STEP, type EarlyStep, type EarlyStepDone, earlyStep } from './prune.ts';

export type StoreEvent =
  /** Callbacks were forgotten before their time. */
  | { readonly what: 'forgotten_early'; readonly count: number }
  /** Nothing that is done is left to be forgotten. */
  | { readonly what: 'full' }
  | { readonly what: 'has_room' };

/** A log that grows beyond is kept by somebody who reads it: nothing that could be forgotten makes it smaller. */
const ORDINARY_LOG_BYTES = 16 * 1024 * 1024;

/** A callback's short columns, its rows in other tables and indexes. */
const BYTES_PER_CALLBACK = 2048;
const BYTES_PER_DELIVERY = 512;

/**
 * The most that a callback adds: to the log first, and then to the file.
 * @param textBytes of its body as it is stored, and of its long columns
 */
export function bytesAdded(textBytes: number, deliveries: number): number {
  return 2 * (textBytes + BYTES_PER_CALLBACK + deliveries * BYTES_PER_DELIVERY);
}

/** What forgetting can do something about. */
function curableBytes({ used, log }: StoreSize): number {
  return used + Math.min(log, ORDINARY_LOG_BYTES);
}

interface StoreSpaceOptions {
  readonly maxBytes: number;
  readonly measure: () => StoreSize;
  readonly forgetting: EarlyForgetting;
  readonly clock: Clock;
  readonly onEvent: (event: StoreEvent) => void;
}

/** From here on what is old and done goes, a little at a time, before anybody has to wait for it. */
const HIGH_WATER = 0.9;

/** Like the retention. */
const PAUSE_MS = 50;

/** Between two measurements, which take as long as a row, the store grows by what is reserved alone. */
const MEASURED_AFTER_BYTES = 256 * 1024;
const MEASURED_AFTER_MS = 1000;

export class StoreSpace {
  readonly #options: StoreSpaceOptions;
  readonly #stopped = new AbortController();
  #size: StoreSize = { used: 0, log: 0 };
  #measuredAt = Number.NEGATIVE_INFINITY;
  #addedSince = 0;
  #reserved = 0;
  /** The limit; of a store that was larger when it was opened, what it has shrunk to. */
  #ceiling = Number.POSITIVE_INFINITY;
  #isFull = false;
  #isRelieving = false;

  constructor(options: StoreSpaceOptions) {
    this.#options = options;
  }

  /** Without waiting. @returns whether there is room for as many bytes more */
  tryReserve(bytes: number): boolean {
    if (this.#addedSince + bytes > MEASURED_AFTER_BYTES || this.#isStale()) this.#measure();
    if (!this.#fits(bytes)) return false;
    this.#reserved += bytes;
    this.#note(false);
    return true;
  }

  /** Makes room by forgetting what is done. @returns false: there is none @throws {LedgerUnavailable} */
  async reserve(bytes: number, deadline: Deadline): Promise<boolean> {
    const { forgetting } = this.#options;
    while (!this.tryReserve(bytes)) {
      if (!this.#isCurable(bytes) || !forgetting.isWorthwhile('all')) return this.#note(true);
      if (deadline.remainingMs === 0) return false;
      await this.#forget('all');
      // SQLite answers at once: step after step would be one long one for everybody else.
      await nextTurn();
    }
    return true;
  }

  /** @param isAdded what was reserved has been written */
  release(bytes: number, isAdded: boolean): void {
    this.#reserved -= bytes;
    if (isAdded) this.#addedSince += bytes;
  }

  /** Something of it has been delivered or answered. */
  mayBeDone(callbackId: number): void {
    this.#options.forgetting.mayBeDone(callbackId);
  }

  close(): void {
    this.#stopped.abort();
  }

  #isStale(): boolean {
    return this.#options.clock.monotonic() >= this.#measuredAt + MEASURED_AFTER_MS;
  }

  #measure(): void {
    const { measure, clock, maxBytes } = this.#options;
    this.#measuredAt = clock.monotonic();
    try {
      this.#size = measure();
    } catch {
      // Whoever writes next hears why.
      return;
    }
    this.#addedSince = 0;
    if (this.#ceiling === Number.POSITIVE_INFINITY) this.#lowerCeiling();
    if (curableBytes(this.#size) >= maxBytes * HIGH_WATER) void this.#relieve();
  }

  #fits(bytes: number): boolean {
    return this.#size.used + this.#size.log + this.#needed(bytes) <= this.#ceiling;
  }

  #needed(bytes: number): number {
    return this.#addedSince + this.#reserved + bytes;
  }

  #isCurable(bytes: number): boolean {
    return curableBytes(this.#size) + this.#needed(bytes) > this.#ceiling;
  }

  async #forget(urgency: Urgency): Promise<void> {
    await this.#options.forgetting.forget(urgency);
    this.#measure();
  }

  /** Until enough is free, or nothing that is old is left. */
  async #relieve(): Promise<void> {
    const { forgetting, clock, maxBytes } = this.#options;
    if (this.#isRelieving || !forgetting.isWorthwhile('early')) return;
    this.#isRelieving = true;
    const { signal } = this.#stopped;
    try {
      while (!signal.aborted && forgetting.isWorthwhile('early')) {
        if (curableBytes(this.#size) < maxBytes * HIGH_WATER) break;
        await this.#forget('early');
        this.#lowerCeiling();
        await clock.sleep(PAUSE_MS, signal);
      }
    } catch {
      // Stopped; or the store cannot be used, which whoever writes next hears.
    } finally {
      this.#isRelieving = false;
    }
  }

  #lowerCeiling(): void {
    const { used, log } = this.#size;
    this.#ceiling = Math.max(this.#options.maxBytes, Math.min(this.#ceiling, used + log));
  }

  /** @returns false */
  #note(isFull: boolean): boolean {
    if (this.#isFull !== isFull) this.#options.onEvent({ what: isFull ? 'full' : 'has_room' });
    this.#isFull = isFull;
    return false;
  }
}

/**
 * While there is still some room, what is younger stays: the service may post it again, and nobody is to be told twice. A
 * store that is full keeps nothing that is done.
 */
const MAY_COME_AGAIN_MS = 3_600_000;

/** Where nothing is left to be forgotten, nobody looks again for so long, but at what is known to be done. */
const REST_MS = 10_000;

/** Now and then all of it is looked at again: what another process has finished, nobody tells. */
const PASS_MS = 10 * 60_000;

const MOST_CANDIDATES = 10_000;

/** `early`: what can hardly come again; `all`: whatever is done. */
type Urgency = 'early' | 'all';

class EarlyForgetting {
  readonly #step: (step: EarlyStep) => Promise<EarlyStepDone>;
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  #after = 0;
  #passBeganAt = Number.NEGATIVE_INFINITY;
  readonly #restsUntil = { early: Number.NEGATIVE_INFINITY, all: Number.NEGATIVE_INFINITY };
  #candidates: number[] = [];
  #running: { readonly urgency: Urgency; readonly forgotten: Promise<number> } | undefined;

  constructor(step: (step: EarlyStep) => Promise<EarlyStepDone>, clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#step = step;
    this.#clock = clock;
  }

  /** Something of it has been delivered or answered. */
  mayBeDone(callbackId: number): void {
    if (callbackId <= this.#after && this.#candidates.length < MOST_CANDIDATES) {
      this.#candidates.push(callbackId);
    }
  }

  /** Whether a step may find something. */
  isWorthwhile(urgency: Urgency): boolean {
    if (urgency === 'all' && this.#candidates.length > 0) return true;
    return this.#clock.monotonic() >= this.#restsUntil[urgency];
  }

  /** One step for all who ask for one meanwhile. @returns how many went. @throws {LedgerUnavailable} */
  async forget(urgency: Urgency): Promise<number> {
    while (this.#running !== undefined) {
      if (this.#running.urgency === urgency) return this.#running.forgotten;
      await this.#running.forgotten.catch(() => undefined);
    }
    const forgotten = this.#forget(urgency).finally(() => {
      this.#running = undefined;
    });
    this.#running = { urgency, forgotten };
    return forgotten;
  }

  async #forget(urgency: Urgency): Promise<number> {
    const now = this.#clock.now();
    const candidates = urgency === 'all' ? this.#candidates.slice(0, CALLBACKS_PER_STEP) : [];
    if (candidates.length > 0) {
      const { forgotten, left } = await this.#step({ candidates, before: now, now, after: 0 });
      this.#candidates.splice(0, candidates.length, ...left);
      return forgotten;
    }
    this.#beginPassIfDue();
    const before = urgency === 'all' ? now + 1 : now - MAY_COME_AGAIN_MS;
    const step = await this.#step({ candidates, before, now, after: this.#after });
    this.#after = step.lookedAt;
    if (step.isThrough) this.#restsUntil[urgency] = this.#clock.monotonic() + REST_MS;
    return step.forgotten;
  }

  #beginPassIfDue(): void {
    const now = this.#clock.monotonic();
    if (now < this.#passBeganAt + PASS_MS) return;
    this.#passBeganAt = now;
    this.#after = 0;
  }
}

export interface SpaceSettings {
  readonly clock: Clock;
  /** Undefined: no limit. */
  readonly maxBytes?: number;
  readonly onStoreEvent?: (event: StoreEvent) => void;
}

/** Bytes; undefined: nobody set a limit, or the database server's operator does. */
export function limitOf(
  { measure }: Pick<OpenStore, 'measure'>,
  { maxBytes }: Pick<SpaceSettings, 'maxBytes'>,
): number | undefined {
  return measure === undefined ? undefined : maxBytes;
}

/** Undefined: it has no limit. */
export function spaceIn(
  store: TimedStore,
  inHand: Pick<ReadonlySet<number>, 'has'>,
  settings: SpaceSettings,
): StoreSpace | undefined {
  const { measure } = store;
  const { clock, onStoreEvent = () => undefined } = settings;
  const maxBytes = limitOf(store, settings);
  if (measure === undefined || maxBytes === undefined) return undefined;
  const forgetting = new EarlyForgetting(async (step) => {
    const inBackground = { isDurable: false, deadline: store.deadline() };
    const done = await store.transact(inBackground, (trx) => earlyStep(trx, store.traits, inHand, step));
    if (done.forgotten > 0) onStoreEvent({ what: 'forgotten_early', count: done.forgotten });
    return done;
  }, clock);
  return new StoreSpace({ maxBytes, measure, forgetting, clock, onEvent: onStoreEvent });
}
