/** A moment by which somebody must have an answer, whatever others do. */
import type { Clock } from './clock.ts';

/** What was waited for did not come in time; it may still happen. */
export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed';
}

export class Deadline {
  readonly #clock: Pick<Clock, 'monotonic' | 'startTimer'>;
  readonly #at: number;

  constructor(clock: Pick<Clock, 'monotonic' | 'startTimer'>, withinMs: number) {
    this.#clock = clock;
    this.#at = clock.monotonic() + withinMs;
  }

  /** The last one of several, at least one. */
  static latest(deadlines: readonly Deadline[]): Deadline {
    return deadlines.reduce((latest, each) => (each.#at > latest.#at ? each : latest));
  }

  /** Never negative. */
  get remainingMs(): number {
    return Math.max(0, this.#at - this.#clock.monotonic());
  }

  /** Calls `onPassed` once it has passed, never before this returns, unless the returned function is called before. */
  whenPassed(onPassed: () => void): () => void {
    return this.#clock.startTimer(this.remainingMs, onPassed);
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
      const stopTimer = this.whenPassed(() => {
        isPassed = true;
        reject(new DeadlinePassed('it did not answer in time'));
      });
      work.then(succeed, fail);
    });
  }
}
