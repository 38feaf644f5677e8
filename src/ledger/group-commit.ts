/** Writes that arrive together share one transaction. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Deadline, DeadlinePassed } from '../time/deadline.ts';

export interface GroupCommitOptions<Work, Result> {
  /** Commits a batch as a whole, by the deadline, and returns one result per piece of work, in order. */
  readonly commit: (batch: readonly Work[], deadline: Deadline) => Promise<readonly Result[]>;
  /** Whether a batch that failed so may pass in pieces, since the store refused one of its pieces. */
  readonly mayPassInPieces: (error: unknown) => boolean;
  /** Bytes that it writes, where they may be many. */
  readonly bytesOf?: (work: Work) => number;
  /** Work whose deadline had passed was committed after all. */
  readonly onLate?: (work: Work, result: Result) => void;
}

interface Waiting<Work, Result> {
  readonly work: Work;
  readonly deadline: Deadline;
  isPassed: boolean;
  readonly stopTimer: () => void;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

const LARGEST_BATCH = 64;

/**
 * Whatever is written together goes on together, too: to render as much takes tens of milliseconds by its worst shape,
 * during which nothing else happens. Ordinary callbacks are a sixteenth of that in a full batch.
 */
const LARGEST_BATCH_BYTES = 256 * 1024;

export class GroupCommit<Work, Result> {
  readonly #options: GroupCommitOptions<Work, Result>;
  #waiting: Waiting<Work, Result>[] = [];
  #isScheduled = false;

  constructor(options: GroupCommitOptions<Work, Result>) {
    this.#options = options;
  }

  /** @throws {DeadlinePassed} before it was committed, so that it may still be */
  add(work: Work, deadline: Deadline): Promise<Result> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting<Work, Result> = {
        work,
        deadline,
        isPassed: false,
        stopTimer: deadline.whenPassed(() => {
          waiting.isPassed = true;
          reject(new DeadlinePassed('the store did not answer in time'));
        }),
        resolve,
        reject,
      };
      this.#waiting.push(waiting);
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      queueMicrotask(() => void this.#drain());
    });
  }

  async #drain(): Promise<void> {
    for (;;) {
      this.#waiting = this.#waiting.filter(({ isPassed }) => !isPassed);
      if (this.#waiting.length === 0) break;
      await this.#run(this.#waiting.splice(0, this.#nextCount()));
      if (this.#waiting.length > 0) await nextTurn();
    }
    this.#isScheduled = false;
  }

  /** At least one, however much it writes. */
  #nextCount(): number {
    const { bytesOf } = this.#options;
    const count = Math.min(this.#waiting.length, LARGEST_BATCH);
    if (bytesOf === undefined) return count;
    let bytes = 0;
    for (let index = 0; index < count; index += 1) {
      bytes += bytesOf((this.#waiting[index] as Waiting<Work, Result>).work);
      if (bytes > LARGEST_BATCH_BYTES) return Math.max(1, index);
    }
    return count;
  }

  async #run(batch: readonly Waiting<Work, Result>[]): Promise<void> {
    const error = await this.#commit(batch);
    if (error === undefined) return;
    if (batch.length > 1 && this.#options.mayPassInPieces(error)) await this.#runInPieces(batch);
    else fail(batch, error);
  }

  /** One piece of work that the store refuses must not fail its neighbours. */
  async #runInPieces(batch: readonly Waiting<Work, Result>[]): Promise<void> {
    for (const [index, each] of batch.entries()) {
      if (each.isPassed) continue;
      const error = await this.#commit([each]);
      if (error === undefined) continue;
      fail([each], error);
      // The store itself fails now: the others would only wait for that in turn.
      if (!this.#options.mayPassInPieces(error)) return fail(batch.slice(index + 1), error);
    }
  }

  /** @returns why it could not be committed */
  async #commit(batch: readonly Waiting<Work, Result>[]): Promise<unknown> {
    const works = batch.map(({ work }) => work);
    const deadline = Deadline.latest(batch.map((each) => each.deadline));
    try {
      const results = await this.#options.commit(works, deadline);
      batch.forEach((each, index) => this.#succeed(each, results[index] as Result));
      return undefined;
    } catch (error) {
      return error;
    }
  }

  #succeed({ work, isPassed, stopTimer, resolve }: Waiting<Work, Result>, result: Result): void {
    stopTimer();
    if (isPassed) this.#options.onLate?.(work, result);
    else resolve(result);
  }
}

function fail(batch: readonly Waiting<unknown, never>[], error: unknown): void {
  for (const { stopTimer, reject } of batch) {
    stopTimer();
    reject(error);
  }
}
