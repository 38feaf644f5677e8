/**
 * Time as the pipeline sees it, so that tests can move it by hand: clocks, deadlines, waits that end; and what is waited
 * for, work that is under way.
 */
import { setTimeout as after } from 'node:timers/promises';

export interface Clock {
  /** Milliseconds since the epoch, for what people read: somebody may set it. */
  now(): number;
  /** Milliseconds on a scale that nobody sets, for whatever waits: deadlines, pauses, durations. */
  monotonic(): number;
  sleep(ms: number): Promise<void>;
  /** Calls `onTime` after `ms`, unless the returned function is called before. */
  startTimer(ms: number, onTime: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  startTimer: (ms, onTime) => {
    const timer = setTimeout(onTime, ms);
    return () => clearTimeout(timer);
  },
  sleep: (ms) => after(ms),
};

/** What was waited for did not come in time; it may still happen. */
export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed';
}

/** A moment by which somebody must have an answer, whatever others do. */
export class Deadline {
  readonly #clock: Pick<Clock, 'monotonic' | 'startTimer'>;
  readonly #at: number;

  constructor(clock: Pick<Clock, 'monotonic' | 'startTimer'>, withinMs: number) {
    this.#clock = clock;
    this.#at = clock.monotonic() + withinMs;
  }

  /** Never negative. */
  get remainingMs(): number {
    return Math.max(0, this.#at - this.#clock.monotonic());
  }

  /**
   * As `work` settles, but by the deadline at the latest.
   * @param onLate gets what `work` came to after all
   * @throws {DeadlinePassed}
   */
  bound<T>(work: Promise<T>, onLate: (result: T) => void = () => undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      let isPassed = false;
      const succeed = (result: T) => {
        stopTimer();
        if (isPassed) onLate(result);
        else resolve(result);
      };
      const fail = (error: Error) => {
        stopTimer();
        reject(error);
      };
      const stopTimer = this.#clock.startTimer(this.remainingMs, () => {
        isPassed = true;
        reject(new DeadlinePassed('it did not answer in time'));
      });
      work.then(succeed, fail);
    });
  }
}

/** Waits for the promise, but no longer than `ms`. */
export async function within(
  ms: number,
  promise: Promise<unknown>,
  clock: Pick<Clock, 'monotonic' | 'startTimer'>,
): Promise<void> {
  await new Deadline(clock, ms).bound(promise).catch((error: unknown) => {
    if (!(error instanceof DeadlinePassed)) throw error;
  });
}

/**
 * Counts what is under way, and says when nothing is. It keeps nothing of it: a set to which everything is added for a
 * while leaves tables behind that V8 keeps, with all they held, until it next goes through the whole heap.
 */
export class UnderWay {
  #count = 0;
  #waiting: (() => void)[] = [];

  begin(): void {
    this.#count += 1;
  }

  /** Bound, to be handed on as it is. */
  readonly end = (): void => {
    this.#count -= 1;
    if (this.#count === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  };

  /** Counts it until it settles. */
  until(settled: Promise<unknown>): void {
    this.begin();
    settled.then(this.end, this.end);
  }

  /** Resolves when nothing is under way, at once or later. */
  idle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
