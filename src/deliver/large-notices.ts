/** Reads what is large from the ledger when it is about to be told, within the memory that callbacks may hold together. */
import type { Ledger, UnreadNotice } from '../ledger/ledger.ts';
import type { Notice } from '../notice/notice.ts';
import type { Load, MemoryBudget, Release } from './memory-budget.ts';

export interface LoadedNotice {
  readonly notice: Notice;
  /** Nothing of it is needed any more. */
  readonly release: Release;
}

export interface LargeNoticesOptions {
  readonly ledger: Pick<Ledger, 'readNotice'>;
  readonly budget: MemoryBudget;
}

export class LargeNotices {
  readonly #ledger: LargeNoticesOptions['ledger'];
  readonly #budget: MemoryBudget;
  /** Of the last one that is to be read: as texts, too, they would be many. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor({ ledger, budget }: LargeNoticesOptions) {
    this.#ledger = ledger;
    this.#budget = budget;
  }

  /**
   * @param deadline by the monotonic clock
   * @returns undefined: there was no memory for it in time
   * @throws {LedgerUnavailable}
   */
  async load(callbackId: number, deadline: number): Promise<LoadedNotice | undefined> {
    const first = await this.#inTurn(callbackId, (unread) => this.#loadNow(unread));
    if ('notice' in first) return first;
    const release = await this.#budget.take(first, deadline);
    if (release === undefined) return undefined;
    try {
      // Only how much it is has been kept meanwhile.
      return await this.#inTurn(callbackId, (unread) => ({ notice: unread.read(), release }));
    } catch (error) {
      release();
      throw error;
    }
  }

  /** @returns how much it takes, where there is no room now */
  #loadNow(unread: UnreadNotice): LoadedNotice | Load {
    const load = this.#loadOf(unread);
    const release = this.#budget.takeNow(load);
    return release === undefined ? load : { notice: unread.read(), release };
  }

  /** What came when the heap was larger has to pass, too: alone. */
  #loadOf({ bytes, values }: UnreadNotice): Load {
    const { largest } = this.#budget;
    return { bytes: Math.min(bytes, largest.bytes), values: Math.min(values, largest.values) };
  }

  #inTurn<T>(callbackId: number, use: (unread: UnreadNotice) => T): Promise<T> {
    const read = async () => use(await this.#ledger.readNotice(callbackId));
    const reading = this.#turn.then(read, read);
    this.#turn = reading;
    return reading;
  }
}
