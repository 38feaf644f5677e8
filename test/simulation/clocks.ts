/** The machines' clocks: each is ahead of the world's clock by some time, and may be set. */
import type { Scenario } from './scenario.ts';
import type { Timeline } from './timeline.ts';

export class Clocks {
  readonly #scenario: Scenario;
  readonly #timeline: Timeline;
  readonly #ahead: number[];
  #storeAhead = 0;

  constructor(scenario: Scenario, timeline: Timeline) {
    this.#scenario = scenario;
    this.#timeline = timeline;
    this.#ahead = [...scenario.skews];
  }

  /** @param slot -1: the clocks of the store and of all machines. */
  set(slot: number, by: number): void {
    if (slot < 0) this.#storeAhead += by;
    for (const [index, ahead] of this.#ahead.entries())
      if (slot < 0 || index === slot) this.#ahead[index] = ahead + by;
  }

  /** @param slot -1: the store's clock. @returns milliseconds since 1970 */
  readonly now = (slot: number): number =>
    this.#scenario.epoch + this.#timeline.now + (this.#ahead[slot] ?? this.#storeAhead);
}
