/** Section 6: a destination that is down costs no BOT running time; what waits for it is sent once it is back. */
import type { Admitted, Attempt, Post, Run } from '../observed.ts';
import { MINUTE, SECOND, type WeatherFault } from '../scenario.ts';
import { type History, isSuccess, nameOf, seconds } from './history.ts';

/** A destination is down if failures without a success between them are further apart than this. */
const DOWN_AFTER_MS = 2 * MINUTE;

/** Within this time, a process has surely taken note of an answer. */
const NOTED_WITHIN_MS = 50;

const AT_ONCE_MS = SECOND;

/** The time of a poll, on a machine that sleeps while nothing happens. */
const TOLD_WITHIN_MS = 30 * SECOND;

export function* judgeDown(history: History) {
  for (const post of history.observed.posts) yield* takenOverAtOnce(history, post);
  if (history.hasReloads || history.hasSetClocks) return;
  for (const attempt of history.observed.attempts)
    if (isSuccess(attempt) && isDownFor(history, attempt.process, attempt.destination, attempt.endedAt ?? 0))
      yield* toldOnceItIsBack(history, attempt);
}

function isDownFor(history: History, process: Run, destination: string, time: number): boolean {
  // One is sent without the store; and a test that fails is not the failure of a delivery.
  const isNoted = (each: Attempt) =>
    each.notice.template !== 'store_unwritable' && (each.notice.template !== 'test' || isSuccess(each));
  const noted = history.attemptsTo(destination).filter(isNoted);
  const ended = noted.filter((each) => (each.endedAt ?? Infinity) < time - NOTED_WITHIN_MS);
  // A success in any process counts for all. Failures are written in the store, by whose clock the minutes count.
  const successes = ended.filter(isSuccess).map(({ endedAt = 0 }) => endedAt);
  const upAt = Math.max(...successes, storeClockSetAt(history, time));
  const since = ended.filter(
    (each) =>
      each.process === process && each.at > upAt && !history.isStoreHit(each.at, each.endedAt ?? each.at),
  );
  const times = since.flatMap((each) =>
    each.failure?.class === 'transient' && !isGivenUpBy(history, each) ? [each.endedAt ?? 0] : [],
  );
  return times.length > 1 && Math.max(...times) - Math.min(...times) > DOWN_AFTER_MS + NOTED_WITHIN_MS;
}

/** Whether the message may have been given up with this attempt: then it holds up no others, which are given up at their own time. */
function isGivenUpBy(history: History, { nth, key, destination, at, endedAt = 0 }: Attempt): boolean {
  const admitted = history.admissionOf({ nth });
  if (admitted !== undefined) return endedAt >= admitted.at + history.configOf(admitted).giveUpAfterMs;
  return history.attemptsTo(destination).every((other) => other.key !== key || other.at <= at);
}

function storeClockSetAt({ scenario }: History, before: number): number {
  const times = scenario.faults.flatMap((fault) =>
    fault.kind === 'clock' && fault.slot < 0 && fault.at <= before ? [fault.at] : [],
  );
  return Math.max(...times);
}

function* takenOverAtOnce(history: History, post: Post) {
  const { process, send, at, status, endedAt = at, deliveries = [] } = post;
  if (status === undefined || status === 503 || history.isStoreHit(at, endedAt)) return;
  const open = deliveries.filter(({ state }) => state === 'pending');
  const isDownAllTheTime = (destination: string) =>
    [at, endedAt].every((time) => isDownFor(history, process, destination, time));
  if (open.length === 0 || !open.every(({ destination }) => isDownAllTheTime(destination))) return;
  const isAlone = open.length === deliveries.length;
  if (status !== 200 || (isAlone && endedAt - at > AT_ONCE_MS))
    yield `taken over at once where it is down: ${nameOf(send)} is answered ${status} after ${endedAt - at} ms`;
}

function* toldOnceItIsBack(history: History, { destination, endedAt = 0 }: Attempt) {
  const until = endedAt + TOLD_WITHIN_MS;
  const isHindered =
    isInTrouble(history, destination, endedAt - SECOND, until) ||
    history.mayWait(destination) ||
    !history.isCalm(endedAt - MINUTE, until);
  if (isHindered || until > history.now) return;
  for (const admitted of history.admitted) {
    if (!isWaiting(history, admitted, destination, endedAt)) continue;
    const next = history.attemptsOf(admitted, destination).find(({ at }) => at > endedAt - SECOND);
    if (next !== undefined && next.at > until)
      yield `told once it is back: ${nameOf(admitted.send)} at ${destination}, back at ${seconds(endedAt)}`;
  }
}

/** Whether the destination has weather then; unless it is for good, it ends when the world is healed, however long it was to last. */
function isInTrouble(history: History, destination: string, from: number, to: number): boolean {
  const isThere = ({ at, for: lasts, isForGood }: WeatherFault) =>
    at <= to && (isForGood ?? Math.min(at + lasts, history.scenario.healedAt) >= from);
  return history.weatherAt(destination).some(isThere);
}

/** Whether the delivery waits for the destination alone: all attempts failed with transient errors, and it is not left to the service. */
function isWaiting(history: History, admitted: Admitted, destination: string, time: number): boolean {
  if (history.isActedOn(admitted) || history.isBehind(admitted)) return false;
  const last = history.postsOf(admitted.send).findLast(({ at }) => at < time);
  const { takeOverAfterMs } = history.configOf(admitted);
  if (last?.status !== 200 && time < (last?.endedAt ?? Infinity) + takeOverAfterMs) return false;
  const before = history.attemptsOf(admitted, destination).filter(({ at }) => at < time);
  const isOver = ({ endedAt = Infinity, failure }: Attempt) =>
    endedAt < time && failure?.class === 'transient';
  return before.length > 0 && before.every(isOver);
}
