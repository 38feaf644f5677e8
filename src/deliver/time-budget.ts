/** How the time of one answer is shared out: what is attempted until its end could not be written down before it. */

/** Of `answer_within`, and at most so much; a store that works needs a hundredth of it. */
const SHARE = 0.05;
const MOST_MS = 250;

/** For the answer itself to be on its way. */
const ANSWERING = 0.4;

/** Of `answer_within`: whose turn in its job comes later would hardly be told in time, and all who wait stop at once. */
const WAITING = 3 / 4;

export interface TimeBudget {
  /** Whoever waits for his turn in a job waits until here, by the monotonic clock. */
  readonly waitUntil: number;
  /** Whoever is to be told is told until here, by the monotonic clock. */
  readonly tellUntil: number;
  /** The store is waited for until here, whatever it is asked. */
  readonly writeUntil: number;
  /** An outcome that comes later than it should, since the process is busy, is waited for so many milliseconds all the same. */
  readonly leastWriteMs: number;
}

export function timeBudgetOf(arrivedAt: number, answerWithinMs: number): TimeBudget {
  const answerBy = arrivedAt + answerWithinMs;
  const reserveMs = Math.min(answerWithinMs * SHARE, MOST_MS);
  const waitUntil = arrivedAt + answerWithinMs * WAITING;
  const leastWriteMs = reserveMs * ANSWERING;
  return { waitUntil, tellUntil: answerBy - reserveMs, writeUntil: answerBy - leastWriteMs, leastWriteMs };
}

/** Milliseconds for which the store is waited for to write down what came of the attempts. */
export function timeToWrite({ writeUntil, leastWriteMs }: TimeBudget, now: number): number {
  return Math.max(leastWriteMs, writeUntil - now);
}
