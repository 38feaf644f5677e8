/** Keeps a file within its limit: deletes finished callbacks before their time, and never undelivered ones. */
import type { Clock } from '../../time/clock.ts';
import type { Tx } from '../database.ts';
import { forgetDone } from '../callbacks/forget.ts';
import type { SqliteConnection } from './connection.ts';

export type StoreEvent =
  /** Callbacks were deleted before their time. */
  | { readonly what: 'forgotten_early'; readonly count: number }
  /** The limit is reached, and no finished callback is left to delete. */
  | { readonly what: 'full' };

/** Share of the limit from which each batch deletes some of the oldest finished callbacks. */
const HIGH_WATER = 0.9;

/** The most steps with one batch while past the limit: they free more than a batch adds. */
const MOST_STEPS = 10;

/** After a sweep that found nothing to delete, the next one waits so long. */
const REST_MS = 1000;

type InTransaction = <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;

interface SpaceOptions {
  readonly maxBytes: number;
  readonly connection: Pick<SqliteConnection, 'size'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly onEvent: (event: StoreEvent) => void;
}

export class Space {
  readonly #options: SpaceOptions;
  #isFull = false;
  /** The id of the last callback that was looked at. */
  #after = 0;
  #restedAt = -Infinity;

  constructor(options: SpaceOptions) {
    this.#options = options;
  }

  /** Before each batch. @returns whether the store is past its limit, and no finished callback is left to delete */
  async makeRoom(inTransaction: InTransaction, mostBytes = Infinity): Promise<boolean> {
    const { maxBytes, onEvent } = this.#options;
    if (mostBytes <= maxBytes * HIGH_WATER) return (this.#isFull = false);
    let hasForgotten = true;
    let most = maxBytes * HIGH_WATER;
    for (let steps = 0; steps < MOST_STEPS && hasForgotten && this.#bytes() > most; steps += 1) {
      hasForgotten = await this.#forget(inTransaction);
      most = maxBytes;
    }
    const isFull = !hasForgotten && this.#bytes() > maxBytes;
    if (isFull && !this.#isFull) onEvent({ what: 'full' });
    this.#isFull = isFull;
    return isFull;
  }

  /** Takes one step of deletion. @returns whether there may be more to delete */
  async #forget(inTransaction: InTransaction): Promise<boolean> {
    const { clock, onEvent } = this.#options;
    const now = clock.now();
    if (Math.abs(now - this.#restedAt) < REST_MS) return false;
    const { forgotten, next, isThrough } = await inTransaction((tx) => forgetDone(tx, this.#after));
    this.#after = isThrough ? 0 : next;
    if (forgotten > 0) onEvent({ what: 'forgotten_early', count: forgotten });
    else if (isThrough) this.#restedAt = now;
    return forgotten > 0 || !isThrough;
  }

  #bytes(): number {
    const { used, log } = this.#options.connection.size();
    return used + log;
  }
}
