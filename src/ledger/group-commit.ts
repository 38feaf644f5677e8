/** Writes that arrive together share one transaction: micro-batches. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Deadline, DeadlinePassed } from '../time/clock.ts';

export interface GroupCommitOptions<Work, Result> {
  /** Commits a batch as a whole, by the deadline, and returns one result per piece of work, in order. */
  readonly commit: (batch: readonly Work[], deadline: Deadline) => Promise<readonly Result[]>;
  /** Whether a batch that failed so may pass in pieces, since the store refused one of its pieces. */
  readonly mayPassInPieces: (error: unknown) => boolean;
  /** Bytes that it writes, where they may be many. */
  readonly bytesOf?: (work: Work) => number;
  /** Work whose deadline had passed was committed after all. */
  readonly onLate?: (work: Work, result: Result) => void;
  /** Milliseconds, by a clock that nobody sets; by default the system's. */
  readonly now?: () => number;
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
const LONGEST_WAIT_MS = 5;

/** A turn of the event loop that takes no longer found nothing to do. */
const IDLE_TURN_MS = 0.03;

/**
 * Whatever is written together goes on together, too: to render as much takes tens of milliseconds by its worst shape,
 * during which nothing else happens. Ordinary callbacks are a sixteenth of that in a full batch.
 */
const LARGEST_BATCH_BYTES = 256 * 1024;

export class GroupCommit<Work, Result> {
  readonly #options: GroupCommitOptions<Work, Result>;
  readonly #now: () => number;
  #waiting: Waiting<Work, Result>[] = [];
  #isDraining = false;
  /** How many were in the batch before: work that comes after a lone piece is likely to be alone, too. */
  #last = 1;

  constructor(options: GroupCommitOptions<Work, Result>) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
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
      if (!this.#isDraining) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#isDraining = true;
    while (this.#waiting.length > 0) {
      await this.#gather();
      this.#waiting = this.#waiting.filter(({ isPassed }) => !isPassed);
      const batch = this.#waiting.splice(0, this.#nextCount());
      this.#last = batch.length;
      if (batch.length > 0) await this.#run(batch);
    }
    this.#isDraining = false;
  }

  /**
   * Waits for the end of this turn of the event loop; where more is likely to come, until the loop is idle. While it is
   * busy, whatever waits here would have waited elsewhere (ADR 13); a lone piece of work does not wait.
   */
  async #gather(): Promise<void> {
    let turnBeganAt = this.#now();
    const until = turnBeganAt + LONGEST_WAIT_MS;
    for (;;) {
      await nextTurn();
      const now = this.#now();
      const isEnough = this.#last <= 1 || this.#waiting.length >= LARGEST_BATCH;
      if (isEnough || now >= until || now - turnBeganAt <= IDLE_TURN_MS) return;
      turnBeganAt = now;
    }
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
