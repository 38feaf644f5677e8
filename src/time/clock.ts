/** Clocks that tests can move by hand, deadlines, counts of what is under way, and turns of what goes on together. */
import { setTimeout as after } from 'node:timers/promises';

export interface Clock {
  /** Milliseconds since the epoch, for times that people read. May jump when the system clock is set. */
  now(): number;
  /** Milliseconds from an arbitrary origin, for deadlines, pauses and durations. Never jumps. */
  monotonic(): number;
  sleep(ms: number): Promise<void>;
  /** Calls `onTime` after `ms`. @returns cancels the timer */
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

type Timers = Pick<Clock, 'monotonic' | 'startTimer'>;

/** The work did not settle by its deadline. It goes on and may still succeed. */
export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed';
}

/** A moment by which a caller must have an answer. */
export class Deadline {
  readonly #clock: Timers;
  readonly #at: number;

  constructor(clock: Timers, withinMs: number) {
    this.#clock = clock;
    this.#at = clock.monotonic() + withinMs;
  }

  /** Never negative. */
  get remainingMs(): number {
    return Math.max(0, this.#at - this.#clock.monotonic());
  }

  /**
   * Settles as `work` does, or rejects at the deadline.
   * @param onLate gets the result if `work` succeeds after the deadline
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
export async function waitAtMost(ms: number, promise: Promise<unknown>, clock: Timers): Promise<void> {
  await new Deadline(clock, ms).bound(promise).catch((error: unknown) => {
    if (!(error instanceof DeadlinePassed)) throw error;
  });
}

/** How much is under way, by key. A key whose count is 0 is dropped, since the ids of ended jobs would pile up. */
export class Counts {
  total = 0;
  readonly #counts = new Map<string, number>();

  at(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** @param by negative: so much has ended */
  add(key: string, by: number): void {
    const count = this.at(key) + by;
    this.total += by;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }
}

/** Counts the work under way and tells when there is none. A set of promises, always changing, would keep alive all that it ever held. */
export class UnderWay {
  #count = 0;
  #waiting: (() => void)[] = [];

  begin(): void {
    this.#count += 1;
  }

  /** Bound, so that it can be passed as a function. */
  readonly end = (): void => {
    this.#count -= 1;
    if (this.#count === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  };

  /** Counts the promise as work until it settles. */
  until(settled: Promise<unknown>): void {
    this.begin();
    settled.then(this.end, this.end);
  }

  /** Resolves when nothing is under way, possibly at once. */
  idle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

/**
 * A `Map` that changes all the time keeps deleted values alive until a full garbage collection, since V8 leaves its outgrown tables as
 * they were. This one empties an entry before it deletes it. What stays then is the key, which is an id.
 */
export class ReleasingMap<Key, Value> {
  readonly #entries = new Map<Key, { value: Value | undefined }>();

  get(key: Key): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  set(key: Key, value: Value): void {
    this.delete(key);
    this.#entries.set(key, { value });
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    entry.value = undefined;
    this.#entries.delete(key);
  }

  *[Symbol.iterator](): Generator<Value> {
    for (const { value } of this.#entries.values()) if (value !== undefined) yield value;
  }
}

/** As soon as this many wait, they go on. */
const LARGEST = 64;

const LONGEST_WAIT_MS = 5;

/** A turn of the event loop that takes no longer found nothing to do. */
const IDLE_TURN_MS = 0.03;

/**
 * Lets calls that come at nearly the same time go on together: they share a transaction, and find the code of each stage in the processor's
 * caches. While the process is busy, a call that waits here would have waited elsewhere. A call that comes alone does not wait.
 */
export class BatchWindow {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** How many calls went on together last: after a call that was alone, the next one is likely to be alone, too. */
  #last = 1;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** @param waiting how many wait by now. @returns resolves at the end of this turn of the event loop, or of a later one while others come */
  async end(waiting: () => number): Promise<void> {
    let now = this.#clock.monotonic();
    const until = now + LONGEST_WAIT_MS;
    for (let isOver = false; !isOver;) {
      const began = now;
      await new Promise((resolve) => setImmediate(resolve));
      now = this.#clock.monotonic();
      isOver = this.#last === 1 || waiting() >= LARGEST || now >= until || now - began <= IDLE_TURN_MS;
    }
    this.#last = waiting();
  }
}
