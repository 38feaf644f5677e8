/** Reads what is large from the ledger when it is about to be told, within the memory that callbacks may hold together. */
import { type Callback, UnreadCallback } from '../callback/callback.ts';
import type { Ledger, UnreadNotice } from '../ledger/ledger.ts';
import { type Notice, noticeOf } from '../notice/notice.ts';
import type { Clock } from '../time/clock.ts';
import type { Load, MemoryBudget, Release } from './memory-budget.ts';

export interface LoadedNotice {
  readonly notice: Notice;
  /** Nothing of it is needed any more. */
  readonly release: Release;
}

export interface LargeNoticesOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly ledger: Pick<Ledger, 'readNotice'>;
  readonly budget: MemoryBudget;
  /**
   * Reads a callback where nobody waits for that.
   * @param deadline by the monotonic clock
   * @throws {UnreadCallback} there was no time for it
   */
  readonly readLarge: (json: Uint8Array, deadline: number) => Promise<Callback>;
}

export class LargeNotices {
  readonly #options: LargeNoticesOptions;
  /** Of the last one that is to be read: as texts, too, they would be many. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: LargeNoticesOptions) {
    this.#options = options;
  }

  /**
   * @param deadline by the monotonic clock
   * @returns undefined: there was no memory, or no time, for it
   * @throws {LedgerUnavailable}
   */
  async load(callbackId: number, deadline: number): Promise<LoadedNotice | undefined> {
    const { budget } = this.#options;
    const first = await this.#inTurn(callbackId, deadline, (unread) => this.#loadNow(unread, deadline));
    if (first === undefined || 'notice' in first) return first;
    const release = await budget.take(first, deadline);
    if (release === undefined) return undefined;
    let loaded: LoadedNotice | undefined;
    try {
      // Only how much it is has been kept meanwhile.
      loaded = await this.#inTurn(callbackId, deadline, (unread) => this.#read(unread, release, deadline));
    } finally {
      if (loaded === undefined) release();
    }
    return loaded;
  }

  /** @returns how much it takes, where there is no room now */
  async #loadNow(unread: UnreadNotice, deadline: number): Promise<LoadedNotice | Load | undefined> {
    const load = this.#loadOf(unread);
    const release = this.#options.budget.takeNow(load);
    return release === undefined ? load : this.#read(unread, release, deadline);
  }

  async #read(
    { kept, read }: UnreadNotice,
    release: Release,
    deadline: number,
  ): Promise<LoadedNotice | undefined> {
    try {
      if (kept === undefined) return { notice: read(), release };
      const callback = await this.#options.readLarge(kept.json, deadline);
      return { notice: noticeOf({ callback, startedAt: kept.startedAt }, kept.timesReceived), release };
    } catch (error) {
      release();
      if (error instanceof UnreadCallback) return undefined;
      throw error;
    }
  }

  /** What came when the heap was larger has to pass, too: alone. */
  #loadOf({ bytes, values }: UnreadNotice): Load {
    const { largest } = this.#options.budget;
    return { bytes: Math.min(bytes, largest.bytes), values: Math.min(values, largest.values) };
  }

  /** With a store that hangs, each read takes all of its time limit: whose time is over by then is not read any more. */
  #inTurn<T>(
    callbackId: number,
    deadline: number,
    use: (unread: UnreadNotice) => Promise<T>,
  ): Promise<T | undefined> {
    const { clock, ledger } = this.#options;
    const read = async () =>
      clock.monotonic() < deadline ? use(await ledger.readNotice(callbackId)) : undefined;
    const reading = this.#turn.then(read, read);
    this.#turn = reading;
    return reading;
  }
}
