/** The system's clock, which can be set forward: what waits until then is due at once. */
import { type Clock, systemClock } from '../../../src/time/clock.ts';

/** Longer waits than this are not worth a real timer: they end by a journey, or with the process. */
const LONGEST_TIMER_MS = 60_000;

export class TravelClock implements Clock {
  /** What `now` shows beyond `monotonic`. */
  readonly #epoch: number;
  #ahead = 0;
  /** When each is due, by what wakes it. */
  readonly #waiting = new Map<() => void, number>();

  /** @param from milliseconds since the epoch */
  constructor(from: number) {
    this.#epoch = from - this.monotonic();
  }

  now(): number {
    return Math.round(this.#epoch + this.monotonic());
  }

  monotonic(): number {
    return systemClock.monotonic() + this.#ahead;
  }

  /** Never back. */
  travelTo(time: number): void {
    this.#ahead += Math.max(0, time - this.now());
    const due = [...this.#waiting].filter(([, at]) => at <= this.monotonic());
    for (const [wake] of due.toSorted(([, a], [, b]) => a - b)) if (this.#waiting.has(wake)) wake();
  }

  startTimer(ms: number, onTime: () => void): () => void {
    const wake = () => {
      cancel();
      onTime();
    };
    const stopTimer = ms > LONGEST_TIMER_MS ? () => undefined : systemClock.startTimer(ms, wake);
    const cancel = () => {
      stopTimer();
      this.#waiting.delete(wake);
    };
    this.#waiting.set(wake, this.monotonic() + ms);
    return cancel;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.startTimer(ms, resolve);
    });
  }
}
