/** Section 6: a 429 pauses its destination, for every replica. */
import type { Attempt, Pause } from '../observed.ts';
import { SECOND } from '../scenario.ts';
import { type History, messageOf, seconds } from './history.ts';

/** Within this time, a pause is in the store, and the other replicas have read it. */
const SHARED_WITHIN_MS = 3 * SECOND;

export function* judgePauses(history: History) {
  const { attempts, pauses } = history.observed;
  for (const attempt of attempts)
    for (const pause of pauses)
      if (isDuring(attempt, pause) && mustObey(history, attempt, pause))
        yield `a pause is obeyed: ${messageOf(attempt)} at ${seconds(attempt.at)}, before ${seconds(pause.until)}`;
  yield* onePerSecond(history);
}

const PACE_MS = SECOND;

/** The time that the store, its answer and the loop take. */
const SLACK_MS = 100;

/** For this long after a pause, its destination surely keeps a pace, which ends when nothing has been sent for a minute. */
const PACED_FOR_MS = 50 * SECOND;

function* onePerSecond(history: History) {
  const { attempts, pauses } = history.observed;
  for (const [index, attempt] of attempts.entries()) {
    const before = attempts.slice(0, index).findLast((each) => isPacedWith(each, attempt));
    if (before === undefined || attempt.at - before.at > PACE_MS - SLACK_MS) continue;
    const isInForce = ({ from, until }: Pause) =>
      from + SHARED_WITHIN_MS < before.at && until <= before.at && attempt.at < until + PACED_FOR_MS;
    const pause = pauses.find((each) => each.destination === attempt.destination && isInForce(each));
    const isKept = pause !== undefined && history.isCalm(pause.from - SECOND, attempt.at);
    if (isKept && !history.hasSetClocks && !history.hasSlept(before.at, attempt.at))
      yield `after a pause one message a second: ${messageOf(attempt)} ${attempt.at - before.at} ms after ${before.key}`;
  }
}

/** Notices that keep no pace: one is sent when a person asks for it, the other without the store, in which replicas share their pace. */
const UNPACED: ReadonlySet<string> = new Set(['test', 'store_unwritable']);

function isPacedWith(one: Attempt, other: Attempt): boolean {
  return (
    one.destination === other.destination && [one, other].every(({ notice }) => !UNPACED.has(notice.template))
  );
}

function isDuring({ destination, at, notice }: Attempt, pause: Pause): boolean {
  // A test is sent when a person asks for it.
  if (destination !== pause.destination || notice.template === 'test') return false;
  return at > pause.from && at < pause.until - 5;
}

function mustObey(history: History, { process, at }: Attempt, pause: Pause): boolean {
  if (process === pause.process) return true;
  const isShared = at > pause.from + SHARED_WITHIN_MS && history.endOf(pause.process) > pause.from + SECOND;
  return isShared && !history.hasSetClocks && !history.isStoreHit(pause.from, at);
}
