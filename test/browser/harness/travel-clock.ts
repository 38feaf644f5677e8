/** The system's clock, which can be set forward: what waits until then is due at once. */
import type { Clock } from '../../../src/time/clock.ts';

/** Longer waits than this are not worth a real timer: they end by a journey, or with the process. */
const LONGEST_TIMER_MS = 60_000;

interface Waiting {
  readonly dueAt: number;
  wake(): void;
}

export class TravelClock implements Clock {
  readonly #begun = performance.now();
  readonly #from: number;
  #ahead = 0;
  readonly #waiting = new Map<Waiting, NodeJS.Timeout | undefined>();

  /** @param from milliseconds since the epoch */
  constructor(from: number) {
    this.#from = from;
  }

  now(): number {
    return Math.round(this.#from + this.monotonic());
  }

  monotonic(): number {
    return performance.now() - this.#begun + this.#ahead;
  }

  /** Never back. */
  travelTo(time: number): void {
    this.#ahead += Math.max(0, time - this.now());
    const due = [...this.#waiting.keys()].filter(({ dueAt }) => dueAt <= this.monotonic());
    for (const each of due.toSorted((a, b) => a.dueAt - b.dueAt)) this.#wake(each);
  }

  startTimer(ms: number, onTime: () => void): () => void {
    const waiting: Waiting = { dueAt: this.monotonic() + ms, wake: onTime };
    this.#waiting.set(waiting, ms > LONGEST_TIMER_MS ? undefined : setTimeout(() => this.#wake(waiting), ms));
    return () => this.#forget(waiting);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.startTimer(ms, resolve);
    });
  }

  #wake(waiting: Waiting): void {
    if (!this.#waiting.has(waiting)) return;
    this.#forget(waiting);
    waiting.wake();
  }

  #forget(waiting: Waiting): void {
    clearTimeout(this.#waiting.get(waiting));
    this.#waiting.delete(waiting);
  }
}
