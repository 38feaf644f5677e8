/** What a redelivery of all that a filter names would come to: counted, and nothing changed. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../time/clock.ts';
import type { Ask } from '../archive/find-callbacks.ts';
import type { RedeliveryFilter, RedeliveryTally } from './actions.ts';
import { LOOKED_AT_ONCE, type Matching, matchingAmong, undeliveredAmong } from './find-undelivered.ts';

const MOST_MS = 500;

/** Of those with the most messages; a config names hardly as many. */
const MOST_DESTINATIONS = 500;

export async function tallyOf(
  ask: Ask,
  clock: Pick<Clock, 'monotonic'>,
  filter: RedeliveryFilter,
): Promise<RedeliveryTally> {
  const until = clock.monotonic() + MOST_MS;
  const counted = new Counted();
  for (let after = 0; ; await nextTurn()) {
    const range = { after, until: Number.MAX_SAFE_INTEGER };
    const looked = await ask((db) => undeliveredAmong(db, filter, range));
    counted.add(await ask((db) => matchingAmong(db, filter, looked)));
    if (looked.length < LOOKED_AT_ONCE) return counted.tally(false);
    if (clock.monotonic() >= until) return counted.tally(true);
    after = looked.at(-1) ?? after;
  }
}

class Counted {
  readonly #byDestination = new Map<string, number>();
  #messages = 0;
  #oldestAt = Number.POSITIVE_INFINITY;
  #newestAt = Number.NEGATIVE_INFINITY;

  add(rows: readonly Matching[]): void {
    for (const { destination, received_at } of rows) {
      this.#byDestination.set(destination, (this.#byDestination.get(destination) ?? 0) + 1);
      this.#oldestAt = Math.min(this.#oldestAt, received_at);
      this.#newestAt = Math.max(this.#newestAt, received_at);
    }
    this.#messages += rows.length;
  }

  tally(isMore: boolean): RedeliveryTally {
    const destinations = [...this.#byDestination]
      .map(([destination, messages]) => ({ destination, messages }))
      .toSorted((a, b) => b.messages - a.messages || (a.destination < b.destination ? -1 : 1))
      .slice(0, MOST_DESTINATIONS);
    const isEmpty = this.#messages === 0;
    return {
      messages: this.#messages,
      isMore,
      destinations,
      oldestAt: isEmpty ? undefined : this.#oldestAt,
      newestAt: isEmpty ? undefined : this.#newestAt,
    };
  }
}
