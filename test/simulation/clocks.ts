/** The machines' clocks: each is ahead of the world's clock by some time, and may be set. */
import type { Scenario } from './scenario.ts';
import type { Timeline } from './timeline.ts';

export function clocksOf({ skews, epoch }: Scenario, timeline: Timeline) {
  const ahead = [...skews];
  let storeAhead = 0;
  return {
    /** @param slot -1: the store's clock. @returns milliseconds since 1970 */
    now: (slot: number): number => epoch + timeline.now + (ahead[slot] ?? storeAhead),
    /** @param slot -1: the clocks of the store and of all machines. */
    set(slot: number, by: number): void {
      if (slot < 0) storeAhead += by;
      for (const [index, of] of ahead.entries()) if (slot < 0 || index === slot) ahead[index] = of + by;
    },
  };
}
