/** Writes that arrive together share one transaction. */

interface Waiting<Work, Result> {
  readonly work: Work;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Commits a batch as a whole and returns one result per piece of work, in order. */
export type Commit<Work, Result> = (batch: readonly Work[]) => Promise<readonly Result[]>;

const LARGEST_BATCH = 64;

/**
 * While the process is busy, more is likely to come, and whatever waits would have waited anyway: in larger batches all
 * that follows costs a fifth less, too, since the code of each stage is still in the processor's caches.
 */
const LONGEST_WAIT_MS = 5;

/** A turn of the event loop that takes no longer found nothing to do. */
const IDLE_TURN_MS = 0.03;

export class GroupCommit<Work, Result> {
  readonly #commit: Commit<Work, Result>;
  readonly #isWorthSplitting: (error: unknown) => boolean;
  readonly #now: () => number;
  #waiting: Waiting<Work, Result>[] = [];
  #isScheduled = false;

  /**
   * @param isWorthSplitting whether a batch that failed so may pass in pieces
   * @param now milliseconds, by a clock that nobody sets
   */
  constructor(
    commit: Commit<Work, Result>,
    isWorthSplitting: (error: unknown) => boolean,
    now: () => number = () => performance.now(),
  ) {
    this.#commit = commit;
    this.#isWorthSplitting = isWorthSplitting;
    this.#now = now;
  }

  add(work: Work): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject });
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      const now = this.#now();
      this.#gather(now, now + LONGEST_WAIT_MS);
    });
  }

  /** Waits for company until the event loop is idle. */
  #gather(turnBeganAt: number, until: number): void {
    setImmediate(() => {
      const now = this.#now();
      const isFull = this.#waiting.length >= LARGEST_BATCH;
      if (isFull || now >= until || now - turnBeganAt <= IDLE_TURN_MS) void this.#drain();
      else this.#gather(now, until);
    });
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, LARGEST_BATCH);
      this.#waiting = this.#waiting.slice(LARGEST_BATCH);
      await this.#run(batch);
    }
    this.#isScheduled = false;
  }

  async #run(batch: readonly Waiting<Work, Result>[]): Promise<void> {
    try {
      const results = await this.#commit(batch.map((each) => each.work));
      batch.forEach((each, index) => each.resolve(results[index] as Result));
    } catch (error) {
      // One piece of work that the store refuses must not fail its neighbours.
      if (batch.length > 1 && this.#isWorthSplitting(error))
        for (const each of batch) await this.#run([each]);
      else for (const each of batch) each.reject(error);
    }
  }
}
