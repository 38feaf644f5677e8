/** Virtual time: events in the order of their times, then of their making. Between two, everything happens that needs no time to pass. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Scenario } from './scenario.ts';

interface Event {
  readonly at: number;
  readonly place: number;
  run: (() => void) | undefined;
}

/** After so many turns of the event loop without a call of the store, all is quiet: a request is read and answered over a few turns. */
const QUIET_TURNS = 3;

export class Timeline {
  /** Milliseconds since the world began. */
  now = 0;
  #made = 0;
  readonly #ofWorld = new Set<number>();
  /** Sorted: the earliest event is the last. */
  readonly #events: Event[] = [];
  /** How many calls of the store are under way in real time: they take no virtual time. */
  #busy = 0;
  #worked = 0;

  /** @returns a function that cancels the event */
  after(ms: number, run: () => void): () => void {
    const event: Event = { at: this.now + Math.max(0, Math.ceil(ms)), place: (this.#made += 1), run };
    const place = this.#events.findLastIndex((other) => isBefore(event, other)) + 1;
    this.#events.splice(place, 0, event);
    return () => (event.run = undefined);
  }

  /** Plans an event that no jump of time may make late: a fault, a POST. */
  ofWorld(ms: number, run: () => void): void {
    this.#ofWorld.add(this.now + ms);
    this.after(ms, run);
  }

  get nextOfWorld(): number {
    for (const at of this.#ofWorld) if (at <= this.now) this.#ofWorld.delete(at);
    return Math.min(Infinity, ...this.#ofWorld);
  }

  sleepOfWorld(ms: number): Promise<void> {
    return new Promise((resolve) => this.ofWorld(ms, resolve));
  }

  async busy<T>(work: () => Promise<T>): Promise<T> {
    this.#busy += 1;
    this.#worked += 1;
    try {
      return await work();
    } finally {
      this.#busy -= 1;
    }
  }

  /** Runs the next event and all that it leads to at once. @returns false if there is none */
  async step(): Promise<boolean> {
    const event = this.#events.pop();
    if (event === undefined) return false;
    this.now = Math.max(this.now, event.at);
    if (event.run === undefined) return true;
    const { run } = event;
    event.run = undefined;
    run();
    await this.settle();
    return true;
  }

  async settle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS; quiet += 1) {
      const worked = this.#worked;
      await nextTurn();
      if (this.#busy > 0 || worked !== this.#worked) quiet = -1;
    }
  }

  /** Skips time, as on a machine that slept: what was due meanwhile happens late, in its order. */
  jumpTo(time: number): void {
    this.now = Math.max(this.now, time);
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.place < b.place);
}

/** The machines' clocks: each is ahead of the world's clock by some time, and may be set. */
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
