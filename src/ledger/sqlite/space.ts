/** Keeps a file within its limit: what is done is forgotten early for what comes, and what is undelivered never. */
import type { Clock } from '../../time/clock.ts';
import type { Tx } from '../database.ts';
import { forgetDone } from '../operations/forget.ts';
import type { SqliteConnection } from './connection.ts';

export type StoreEvent =
  /** Callbacks were forgotten before their time. */
  | { readonly what: 'forgotten_early'; readonly count: number }
  /** Nothing that is done is left to be forgotten. */
  | { readonly what: 'full' };

/** From here on the oldest that is done goes, a step with each batch, before anybody is refused. */
const HIGH_WATER = 0.9;

/** Of a store past its limit, with one batch: what one batch brings is less. */
const MOST_STEPS = 10;

/** Where nothing was found, nobody looks again for so long. */
const REST_MS = 1000;

/** A share of the limit; a log that is larger is emptied first: what it holds stands in the file soon, and would count twice. */
const LARGE_LOG = 0.05;

type InTransaction = <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;

interface SpaceOptions {
  readonly maxBytes: number;
  readonly connection: Pick<SqliteConnection, 'size' | 'emptyLog'>;
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

  /** Before each batch. @returns whether there is no room for what is new, and nothing done is left to be forgotten */
  async makeRoom(inTransaction: InTransaction): Promise<boolean> {
    const { maxBytes, connection, onEvent } = this.#options;
    if (this.#bytes() > maxBytes * HIGH_WATER && connection.size().log > maxBytes * LARGE_LOG)
      connection.emptyLog();
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

  /** @returns whether there may be more */
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
