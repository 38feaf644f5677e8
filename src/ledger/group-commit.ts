/** Writes that arrive together share one transaction. */

interface Waiting<Work, Result> {
  readonly work: Work;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Commits a batch as a whole and returns one result per piece of work, in order. */
export type Commit<Work, Result> = (batch: readonly Work[]) => Promise<readonly Result[]>;

const LARGEST_BATCH = 64;

export class GroupCommit<Work, Result> {
  readonly #commit: Commit<Work, Result>;
  readonly #isWorthSplitting: (error: unknown) => boolean;
  #waiting: Waiting<Work, Result>[] = [];
  #isScheduled = false;

  /** @param isWorthSplitting whether a batch that failed so may pass in pieces */
  constructor(commit: Commit<Work, Result>, isWorthSplitting: (error: unknown) => boolean) {
    this.#commit = commit;
    this.#isWorthSplitting = isWorthSplitting;
  }

  add(work: Work): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject });
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      queueMicrotask(() => void this.#drain());
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
