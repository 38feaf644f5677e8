/** Section 6: a destination that is down costs no BOT its running time, and all that waits for it is told once it is back. */
import type { Admitted, Attempt, Post, Run } from '../observed.ts';
import { MINUTE, SECOND } from '../scenario.ts';
import { type History, isSuccess, nameOf, seconds } from './history.ts';

/** Failures that are further apart, with no success between, say that a destination is down. */
const DOWN_AFTER_MS = 2 * MINUTE;

/** In which a process has surely taken note of an answer. */
const NOTED_WITHIN_MS = 50;

/** How long a POST may take that waits for nobody. */
const AT_ONCE_MS = SECOND;

/** A poll, on a machine that sleeps while nothing happens. */
const TOLD_WITHIN_MS = 30 * SECOND;

export function* judgeDown(history: History) {
  for (const post of history.observed.posts) yield* takenOverAtOnce(history, post);
  if (history.hasReloads || history.hasSetClocks) return;
  for (const attempt of history.observed.attempts)
    if (isSuccess(attempt) && isDownFor(history, attempt.process, attempt.destination, attempt.endedAt ?? 0))
      yield* toldOnceItIsBack(history, attempt);
}

/** Whether the process has seen that the destination is down. */
function isDownFor(history: History, process: Run, destination: string, time: number): boolean {
  const ended = history.observed.attempts.filter(
    (each) =>
      each.destination === destination &&
      // It is told without the store.
      each.notice.template !== 'store_unwritable' &&
      // What a person tries in vain is no delivery that fails.
      (each.notice.template !== 'test' || isSuccess(each)) &&
      (each.endedAt ?? Infinity) < time - NOTED_WITHIN_MS,
  );
  // Whoever has been answered well, it is up for all. What fails is known by the store, by whose clock the minutes count.
  const upAt = Math.max(...ended.filter(isSuccess).map(({ at }) => at), storeClockSetAt(history, time));
  const since = ended.filter(
    (each) =>
      each.process === process && each.at > upAt && !history.isStoreHit(each.at, each.endedAt ?? each.at),
  );
  const times = since.flatMap((each) =>
    each.failure?.class === 'transient' && !isGivenUpBy(history, each) ? [each.endedAt ?? 0] : [],
  );
  return times.length > 1 && Math.max(...times) - Math.min(...times) > DOWN_AFTER_MS + NOTED_WITHIN_MS;
}

/** Perhaps: that holds up no others there, which are given up at their time. */
function isGivenUpBy(history: History, { nth, endedAt = 0 }: Attempt): boolean {
  const admitted = history.admissionOf({ nth });
  return admitted !== undefined && endedAt >= admitted.at + history.configOf(admitted).giveUpAfterMs;
}

function storeClockSetAt({ scenario }: History, before: number): number {
  const times = scenario.faults.flatMap((fault) =>
    fault.kind === 'clock' && fault.slot < 0 && fault.at <= before ? [fault.at] : [],
  );
  return Math.max(...times);
}

/** Nobody waits for it, and nobody is asked to post again for it alone. */
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

/** However long its weather was to last, all is well in the end. */
function isInTrouble({ scenario }: History, destination: string, from: number, to: number): boolean {
  return scenario.faults.some(
    (fault) =>
      fault.kind === 'weather' &&
      fault.destination === destination &&
      fault.at <= to &&
      (fault.isForGood ?? Math.min(fault.at + fault.for, scenario.healedAt) >= from),
  );
}

/** Tried in vain before, by nothing but time, and not left to the service. */
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
