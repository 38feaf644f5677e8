/** Section 6: when the service retries a callback, its taken-over deliveries are attempted at once at destinations that are idle and up. */
import type { Admitted, Attempt, Post } from '../observed.ts';
import { MINUTE, SECOND } from '../scenario.ts';
import { type History, isSuccess, nameOf } from './history.ts';

/** Within this time, an attempt that nothing keeps back has surely begun. */
const AT_ONCE_MS = SECOND;

/** A destination may be down if failures are at least this far apart. */
const DOWN_AFTER_MS = 2 * MINUTE - SECOND;

export function* judgeRetries(history: History) {
  if (history.hasReloads || history.hasSetClocks) return;
  for (const post of history.observed.posts) yield* attemptedAtOnce(history, post);
}

function* attemptedAtOnce(history: History, post: Post) {
  const { send, at, status } = post;
  const admitted = history.admissionOf(send);
  if (admitted === undefined || status === undefined || status === 503) return;
  if (isHindered(history, admitted, post)) return;
  // `rules.ts` judges messages that were let go, such as a recovery whose BOT has failed again.
  const isHeld = (to: string) =>
    post.deliveries?.some((each) => each.destination === to && each.state === 'held');
  for (const destination of takenOverBefore(history, post)) {
    if (isHeld(destination) === true) continue;
    if (!mayBeAttempted(history, admitted, destination, at) || !isIdle(history, destination, at)) continue;
    const made = history.attemptsOf(admitted, destination);
    if (!made.some((attempt) => attempt.at >= at && attempt.at <= at + AT_ONCE_MS))
      yield `an idle destination is attempted at once for a retry: ${nameOf(send)} at ${destination}`;
  }
}

function isHindered(history: History, admitted: Admitted, { send, at }: Post): boolean {
  const { isAccepting, maxInFlight, giveUpAfterMs } = history.configOf(admitted);
  const isEnded = history.isEndedStart({ send });
  const isOld = at > admitted.at + giveUpAfterMs - MINUTE;
  if (isAccepting || maxInFlight < 100 || isEnded || isOld || history.isActedOn(admitted)) return true;
  const [from, to] = [at - MINUTE, at + 2 * AT_ONCE_MS];
  return history.isStoreHit(from, to) || history.observed.ends.some((end) => end.at > from && end.at < to);
}

/** Destinations whose deliveries an earlier answer called taken over, or that Botbell has attempted by itself. */
function takenOverBefore(history: History, { send, at }: Post): readonly string[] {
  const before = history.postsOf(send).filter((post) => post.at < at);
  if (before.some(({ endedAt = Infinity }) => endedAt >= at)) return [];
  const answered = before.flatMap(({ result, deliveries = [] }) =>
    result === 'taken_over' ? deliveries.filter(({ state }) => state === 'pending') : [],
  );
  const own = history.observed.attempts.filter(
    (attempt) => attempt.nth === send.nth && attempt.at < at && !history.isPostedAt(send, attempt.at),
  );
  return [...new Set([...answered, ...own].map(({ destination }) => destination))];
}

/** Whether it was attempted before, and all attempts failed but not for good: then no earlier message of its job keeps it back. */
function mayBeAttempted(history: History, admitted: Admitted, destination: string, time: number): boolean {
  const before = history.attemptsOf(admitted, destination).filter(({ at }) => at < time);
  const isAgain = ({ endedAt = Infinity, failure }: Attempt) =>
    endedAt < time && failure !== undefined && failure.class !== 'permanent';
  return before.length > 0 && before.every(isAgain) && !history.wasHeld(admitted, destination);
}

/** Whether the destination has no attempt under way, keeps no pause or pace, and is surely not down. */
function isIdle(history: History, destination: string, time: number): boolean {
  if (history.mayWait(destination, time + AT_ONCE_MS)) return false;
  const all = history.attemptsTo(destination).filter((each) => each.at <= time + AT_ONCE_MS);
  const isUnderWay = ({ at, endedAt = Infinity, process }: Attempt) =>
    at <= time && Math.min(endedAt, history.endOf(process)) > time - AT_ONCE_MS;
  return !all.some(isUnderWay) && !mayBeDown(history, destination, time);
}

export function mayBeDown(history: History, destination: string, time: number): boolean {
  const all = history.attemptsTo(destination).filter((each) => each.at <= time);
  const up = all.filter((each) => isSuccess(each) && (each.endedAt ?? 0) < time);
  const upAt = Math.max(...up.map(({ at }) => at));
  const failed = all.flatMap(({ failure, endedAt = 0 }) =>
    failure?.class === 'transient' && endedAt >= upAt && endedAt <= time ? [endedAt] : [],
  );
  return failed.length > 1 && Math.max(...failed) - Math.min(...failed) >= DOWN_AFTER_MS;
}
