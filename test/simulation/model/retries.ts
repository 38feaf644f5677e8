/** Section 6: a retry of what is taken over is attempted at once where its destination is idle and not down. */
import type { Admitted, Attempt, Post } from '../observed.ts';
import { MINUTE, SECOND } from '../scenario.ts';
import { type History, isSuccess, nameOf } from './history.ts';

/** In which an attempt has surely begun that nothing keeps back. */
const AT_ONCE_MS = SECOND;

/** Failures that are nearly so far apart may say that a destination is down. */
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
  // What was let go, as a recovery whose BOT has failed again: `rules.ts`.
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

/** Something else than its destination keeps it back, or may. */
function isHindered(history: History, admitted: Admitted, { send, at }: Post): boolean {
  const { isAccepting, maxInFlight, giveUpAfterMs } = history.configOf(admitted);
  const isEnded = send.status === 2 && history.hasResult(admitted);
  const isOld = at > admitted.at + giveUpAfterMs - MINUTE;
  return (
    isAccepting ||
    maxInFlight < 100 ||
    isEnded ||
    isOld ||
    history.isActedOn(admitted) ||
    history.isStoreHit(at - MINUTE, at + 2 * AT_ONCE_MS) ||
    history.observed.ends.some((end) => end.at > at - MINUTE && end.at < at + 2 * AT_ONCE_MS)
  );
}

/** What an answer before has called taken over, or Botbell has attempted by itself. */
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

/** It has failed before, and neither arrived nor been refused for good: so nothing before it in its job keeps it back. */
function mayBeAttempted(history: History, admitted: Admitted, destination: string, time: number): boolean {
  const before = history.attemptsOf(admitted, destination).filter(({ at }) => at < time);
  const isAgain = ({ endedAt = Infinity, failure }: Attempt) =>
    endedAt < time && failure !== undefined && failure.class !== 'permanent';
  return before.length > 0 && before.every(isAgain) && !history.wasHeld(admitted, destination);
}

/** Nothing is under way there, no pause or pace is kept, and it is surely not down. */
function isIdle(history: History, destination: string, time: number): boolean {
  if (history.mayWait(destination, time + AT_ONCE_MS)) return false;
  const all = history.observed.attempts.filter(
    (each) => each.destination === destination && each.at <= time + AT_ONCE_MS,
  );
  const isUnderWay = ({ at, endedAt = Infinity, process }: Attempt) =>
    at <= time && Math.min(endedAt, history.endOf(process)) > time - AT_ONCE_MS;
  return !all.some(isUnderWay) && !mayBeDown(history, destination, time);
}

/** Whether a destination may count as down then. */
export function mayBeDown({ observed }: History, destination: string, time: number): boolean {
  const all = observed.attempts.filter((each) => each.destination === destination && each.at <= time);
  const upAt = Math.max(
    ...all.filter((each) => isSuccess(each) && (each.endedAt ?? 0) < time).map(({ at }) => at),
  );
  const failed = all.flatMap(({ failure, endedAt = 0 }) =>
    failure?.class === 'transient' && endedAt >= upAt && endedAt <= time ? [endedAt] : [],
  );
  return failed.length > 1 && Math.max(...failed) - Math.min(...failed) >= DOWN_AFTER_MS;
}
