/** How the time of one answer is shared out: what is attempted until its end could not be written down before it. */

/** Of `answer_within`, and at most so much; a store that works needs a hundredth of it. */
const SHARE = 0.05;
const MOST_MS = 250;

/** For the answer itself to be on its way. */
const ANSWERING = 0.4;

export interface TimeBudget {
  /** Whoever is to be told is told until here, by the monotonic clock. */
  readonly tellUntil: number;
  /** The store is waited for until here, whatever it is asked. */
  readonly writeUntil: number;
}

export function timeBudgetOf(arrivedAt: number, answerWithinMs: number): TimeBudget {
  const answerBy = arrivedAt + answerWithinMs;
  const reserveMs = Math.min(answerWithinMs * SHARE, MOST_MS);
  return { tellUntil: answerBy - reserveMs, writeUntil: answerBy - reserveMs * ANSWERING };
}
