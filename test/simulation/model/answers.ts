/** Section 3: answers are true and in time, and none makes the service retry for nothing. */
import { keyOfSend } from '../keys.ts';
import { isAlert } from '../../../src/notice/notice.ts';
import type { AnsweredDelivery, Attempt, Post } from '../observed.ts';
import { isMail, SECOND, type Send } from '../scenario.ts';
import { type History, nameOf } from './history.ts';

export const ANSWER_WITHIN_MS = 8 * SECOND;

/** Results after which a callback is taken over, or done. */
const DONE = new Set(['taken_over', 'accepted', 'delivered', 'duplicate', 'gave_up', 'superseded']);

const RESULTS = new Set([...DONE, 'no_route', 'held']);

export function* judgeAnswers(history: History) {
  for (const post of history.observed.posts) {
    if (post.status === undefined) continue;
    yield* inTime(post);
    yield* asItSays(history, post);
    yield* namesAResult(post);
    yield* fittingResult(history, post);
    if (post.status === 200) yield* kept(history, post);
    else yield* forAReason(history, post);
    yield* noMoreOften(history, post);
    yield* notKeptWaiting(history, post);
    yield* noLonger(history, post);
  }
  yield* answeredByWhoStops(history);
  yield* refusalsCounted(history);
}

function* inTime({ send, at, endedAt = Infinity, status }: Post) {
  if (endedAt - at > ANSWER_WITHIN_MS)
    yield `answered in time: ${nameOf(send)} was answered ${status} after ${endedAt - at} ms`;
}

function* asItSays(history: History, { send, deliveries = [], endedAt = 0 }: Post) {
  for (const { destination, state } of deliveries) {
    const toldAt = history.toldAt({ send }, destination);
    if (state === 'delivered' && (toldAt === undefined || toldAt > endedAt))
      yield `delivered means taken: ${nameOf(send)} was answered so, but ${destination} has not taken it`;
  }
}

function* namesAResult({ send, status, result }: Post) {
  if ((status === 200) !== RESULTS.has(result ?? ''))
    yield `an answer of the contract: ${nameOf(send)} was answered ${status} ${result}`;
}

type Fitting = (states: readonly AnsweredDelivery['state'][]) => boolean;

function* fittingResult(history: History, post: Post) {
  const { send, result, status, deliveries = [] } = post;
  const states = deliveries.map(({ state }) => state);
  const isFitting = (FITTING[result ?? ''] ?? (() => true))(states);
  const isNeedless = status !== 200 && states.length > 0 && states.every((state) => state === 'delivered');
  if (isFitting && !isNeedless && (result !== 'superseded' || history.isEndedStart({ send }))) return;
  yield `the result fits: ${nameOf(send)} was answered ${status} ${result} with ${states.join(', ')}`;
}

const areDone: Fitting = (states) => states.every((state) => state === 'delivered' || state === 'held');

const FITTING: Readonly<Record<string, Fitting>> = {
  delivered: areDone,
  duplicate: areDone,
  no_route: (states) => states.length === 0,
};

function* kept(history: History, { send }: Post) {
  if (history.admissionOf(send) === undefined) yield `answered 200 means kept: ${nameOf(send)} is not listed`;
}

function* forAReason(history: History, post: Post) {
  const { send, status, at, endedAt = at, process } = post;
  if (status === 503) {
    const isEnding = history.endOf(process) < endedAt + 10 * SECOND;
    if (!isCrowded(history, post) && !isEnding && !history.isStoreHit(at, endedAt))
      yield `503 for a reason: ${nameOf(send)} was answered 503`;
    return;
  }
  if (status !== 502 && status !== 504)
    yield `an answer of the contract: ${nameOf(send)} was answered ${status}`;
  const isDone = ({ status: answered, result = '' }: Post) => answered === 200 && DONE.has(result);
  const ended = history.postsOf(send).filter((other) => other !== post && (other.endedAt ?? Infinity) < at);
  const before = ended.find(isDone);
  if (before !== undefined && !history.isStoreHit(at, endedAt))
    yield `never non-2xx for what is ours: ${nameOf(send)} was answered ${status} after ${before.result}`;
  yield* asksForWhatIsOurs(history, post);
}

function isCrowded(history: History, post: Post): boolean {
  const { process, endedAt = 0 } = post;
  const isOpen = (other: Post) =>
    other.at <= endedAt && (other.endedAt ?? Infinity) >= endedAt - MOMENT_MS && other !== post;
  const others = history.observed.posts.filter((other) => other.process === process && isOpen(other));
  return others.length >= history.configOf(post).maxInFlight;
}

/** How late an attempt of a POST may begin. */
const MOMENT_MS = SECOND;

/** A non-2xx asks for a retry only if a delivery is open that is neither taken over nor may still arrive. */
function* asksForWhatIsOurs(history: History, post: Post) {
  const { send, status, at, endedAt = at, deliveries = [] } = post;
  const open = deliveries.filter(({ state }) => state === 'pending' || state === 'dead');
  if (open.length === 0 || history.isStoreHit(at, endedAt)) return;
  const name = `${nameOf(send)} was answered ${status}`;
  if (open.every(({ destination }) => isOurs(history, post, destination)))
    yield `never non-2xx for what is ours: ${name}, though Botbell has attempted it by itself`;
  if (open.every(({ destination }) => isHandedOver(history, post, destination)))
    yield `what was handed over is taken over: ${name}, though it may arrive yet`;
  if (open.every(({ destination }) => isPutOff(history, post, destination)))
    yield `never non-2xx for what is put off: ${name}, and no retry comes as late as it is asked for`;
}

/** Whether the remote, in an attempt that is surely of this POST, asked for the message later than any retry would come. */
function isPutOff(history: History, post: Post, destination: string): boolean {
  const { send, process, at, endedAt = at } = post;
  const isAlone = history
    .postsOf(send)
    .every((other) => other === post || other.at > endedAt || (other.endedAt ?? Infinity) < at);
  if (!isAlone) return false;
  const made = history.attemptsOf({ send }, destination);
  const last = made.findLast((each) => each.process === process && (each.endedAt ?? Infinity) < endedAt);
  return last !== undefined && last.at >= at && last.failure?.isForLater === true;
}

function isOurs(history: History, { send, at: postedAt }: Post, destination: string): boolean {
  const made = history.attemptsOf({ send }, destination);
  return made.some(({ at }) => at < postedAt && !history.isPostedAt(send, at));
}

function isHandedOver(history: History, { send, process, endedAt = 0 }: Post, destination: string): boolean {
  const isUnderWay = (attempt: Attempt) =>
    attempt.process === process && (attempt.endedAt ?? Infinity) >= endedAt;
  const made = history.attemptsOf({ send }, destination).filter(isUnderWay);
  return made.some(({ handedOverAt = Infinity }) => handedOverAt < endedAt - MOMENT_MS);
}

/** How long a POST may pause before it attempts again. */
const PAUSES_BETWEEN_MS = 1.5 * SECOND;

/** A POST waits only for its own attempts, for earlier ones of its job in this process, and, if a success, for those of its BOT's errors. */
function* noLonger(history: History, post: Post) {
  const { send, at, endedAt = at, process, deliveries = [] } = post;
  const { timeoutMs, maxInFlight } = history.configOf(post);
  const mayWait = deliveries.some(({ destination }) => history.mayWait(destination));
  if (mayWait || maxInFlight < 100 || history.isStoreHit(at, endedAt) || history.hasReloads) return;
  const ends = history.observed.attempts
    .filter((attempt) => attempt.process === process && attempt.at <= endedAt && isWaitedFor(attempt, send))
    .filter(({ destination }) => deliveries.some((each) => each.destination === destination))
    .map((attempt) => Math.min(attempt.endedAt ?? Infinity, attempt.at + timeoutMs + SECOND / 4));
  const last = Math.max(at, ...ends.map((end) => Math.min(end, endedAt)));
  if (endedAt - last > PAUSES_BETWEEN_MS)
    yield `answered once nothing is waited for: ${nameOf(send)} was answered ${endedAt - last} ms after that`;
}

/** Includes the notice that the job's run is overdue. */
function isOfJob({ notice }: Attempt, { bot, job }: Send): boolean {
  return !isAlert(notice) && notice.callback.bot_id === bot && notice.callback.job_id === job;
}

function isWaitedFor(attempt: Attempt, send: Send): boolean {
  const { notice } = attempt;
  const isErrorOfBot =
    !isAlert(notice) && notice.callback.bot_id === send.bot && notice.callback.status === 1;
  return isOfJob(attempt, send) || (send.status === 0 && isErrorOfBot);
}

/** If a chat that has the request takes longer than `delivery.timeout`, the POST is answered, and only Botbell goes on waiting. */
function* notKeptWaiting(history: History, post: Post) {
  const { send, at, endedAt = at, process, status, deliveries = [] } = post;
  const [{ destination }, another] = [deliveries[0] ?? { destination: '' }, deliveries[1]];
  if (another !== undefined || isMail(destination) || history.isStoreHit(at, endedAt)) return;
  const { timeoutMs } = history.configOf(post);
  const isSlow = ({ at: begun, handedOverAt = Infinity, endedAt: ended = Infinity }: Attempt) =>
    handedOverAt < begun + timeoutMs && ended > begun + timeoutMs + MOMENT_MS;
  const made = history.attemptsOf({ send }, destination).filter((each) => each.process === process);
  const slow = made.find((each) => each.at >= at && isSlow(each));
  if (slow === undefined || slow.at > endedAt) return;
  if (status !== 200 || endedAt > slow.at + timeoutMs + MOMENT_MS)
    yield `taken over while the remote has it: ${nameOf(send)} was answered ${status} after ${endedAt - slow.at} ms`;
}

function* noMoreOften(history: History, post: Post) {
  const { send, at, endedAt = at, process } = post;
  const config = history.configOf(post);
  const posts = history.postsOf(send).filter((other) => other.at <= endedAt);
  const admitted = history.admissionOf(send);
  if (admitted === undefined || posts.length > 1 || config.isAccepting || config.maxInFlight < 100) return;
  if (history.isBehind(admitted) || history.isActedOn(admitted) || history.isStoreHit(at, endedAt)) return;
  const going = admitted.listed.deliveries.filter((each) => !history.mayWait(each.destination));
  for (const { destination } of going) {
    const attempts = history.attemptsOf({ send }, destination);
    // A greylisted message is taken over at once: later attempts are not the POST's.
    const last = attempts.findIndex(({ failure }) => failure?.isForLater === true);
    const made = attempts
      .slice(0, last === -1 ? undefined : last + 1)
      .filter((attempt) => attempt.process === process && attempt.at <= endedAt);
    if (made.length > config.attemptsPerRequest)
      yield `no more attempts in a POST: ${nameOf(send)} was sent to ${destination} ${made.length} times`;
  }
}

function* answeredByWhoStops({ observed }: History) {
  for (const { send, process, status, at, endedAt } of observed.posts) {
    const stop = observed.stops.find((each) => each.process === process);
    if (stop === undefined) continue;
    if (status !== undefined && status !== 503 && stop.from < at)
      yield `a stop takes nothing new: ${nameOf(send)} was answered ${status}`;
    if (status === undefined && endedAt !== undefined)
      yield `a stop answers who has come: ${nameOf(send)} was not answered by ${process.name}`;
  }
}

function* refusalsCounted(history: History) {
  const counts = new Map<string, number>();
  for (const { send, deliveries = [], config, endedAt } of history.observed.posts.filter(isRefusal)) {
    for (const { destination } of deliveries.filter(isRefused)) {
      const about = `${keyOfSend(send.nth, send.job)} at ${destination}`;
      const count = (counts.get(about) ?? 0) + 1;
      counts.set(about, count);
      const { permanentAttempts } = history.configOf({ config });
      const since = history.admissionOf(send)?.at ?? 0;
      if (count > permanentAttempts && !history.isStoreHit(since, endedAt ?? Infinity))
        yield `refusals are counted: ${about} was answered 502 for a lasting failure ${count} times`;
    }
  }
}

function isRefusal({ status, deliveries = [] }: Post): boolean {
  return status === 502 && deliveries.length > 0 && deliveries.every(isLasting);
}

function isRefused({ state, error = '' }: AnsweredDelivery): boolean {
  return state !== 'delivered' && /never|mend it|look at it/.test(error);
}

function isLasting(delivery: AnsweredDelivery): boolean {
  return delivery.state !== 'pending' || isRefused(delivery);
}
