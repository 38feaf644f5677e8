/** Sections 1 and 6: nothing is lost, nobody is told twice unless an outcome was ambiguous, and only destinations of routes are told. */
import { isAlert } from '../../../src/notice/notice.ts';
import { keyOfSend } from '../keys.ts';
import type { Admitted, Attempt, ListedDelivery } from '../observed.ts';
import { SECOND } from '../scenario.ts';
import {
  deliveryAt,
  type History,
  HOLDS,
  isOfSteps,
  isOpenAt,
  nameOf,
  seconds,
  WRITTEN_WITHIN_MS,
} from './history.ts';
import { mayBeDown } from './retries.ts';

export function* judgeTold(history: History) {
  yield* once(history);
  for (const admitted of history.admitted) {
    yield* onlyWhoIsNamed(history, admitted);
    yield* deliveredIsTaken(history, admitted);
    yield* deadForAReason(history, admitted);
    yield* deadWhenRefused(history, admitted);
    if (history.hasReloads) yield* everybodyNamed(history, admitted);
  }
}

/** A message is not sent to a destination again once an attempt knows that it arrived, nor while another attempt is under way. */
function* once(history: History) {
  const places = new Map<string, Attempt[]>();
  for (const attempt of history.observed.attempts) {
    if (isOfSeveralLimits(history, attempt) || isOfSteps(attempt)) continue;
    const place = `${attempt.key} to ${attempt.destination}`;
    const before = places.get(place) ?? [];
    for (const earlier of before) {
      const why = whyNotAgain(history, earlier, attempt);
      if (why !== undefined)
        yield `told once: ${attempt.process.name} sends ${place} at ${seconds(attempt.at)}, ${why}`;
    }
    const last = before.at(-1);
    if (last !== undefined && isForSomebody(last) && !isAskedFor(history, last, attempt))
      yield `told once: ${place} is sent, though nobody has asked, and it may have arrived`;
    places.set(place, [...before, attempt]);
  }
}

/** A run that is overdue by two limits is told by each, perhaps at the same moment: an open question. */
function isOfSeveralLimits({ scenario }: History, { notice }: Attempt): boolean {
  if (notice.template !== 'overdue' || isAlert(notice)) return false;
  const { bot_id: bot } = notice.callback;
  const routes = scenario.configs.flatMap(({ routes }) => routes);
  return routes.filter(({ bots, overdueMin }) => overdueMin !== undefined && bots.includes(bot)).length > 1;
}

function whyNotAgain(history: History, earlier: Attempt, later: Attempt): string | undefined {
  const { endedAt, failure } = earlier;
  if (endedAt === undefined || endedAt > later.at) return whileItWaits(history, earlier, later);
  if (failure === undefined) return thoughItIsKnown(history, earlier, later);
  const isOnePost = failure.mayHaveArrived && isWithinOnePost(history, earlier, later);
  return isOnePost ? 'within the POST, though it may have arrived' : undefined;
}

function whileItWaits(history: History, { process, at }: Attempt, later: Attempt): string | undefined {
  const isWaiting =
    history.endOf(process) > later.at && !history.isStoreHit(at, later.at) && !history.hasSetClocks;
  return isWaiting ? `while ${process.name} waits for an answer about it` : undefined;
}

function thoughItIsKnown(history: History, earlier: Attempt, later: Attempt): string | undefined {
  const { process, endedAt = 0 } = earlier;
  const isHere = process === later.process && history.endOf(process) > later.at;
  const isWritten = later.at > endedAt + WRITTEN_WITHIN_MS && history.isWritten(earlier);
  if (!isHere && (!isWritten || history.hasSetClocks)) return undefined;
  return `though ${process.name} knew at ${seconds(endedAt)} that it was taken`;
}

function isForSomebody({ failure }: Attempt): boolean {
  return failure?.class === 'config' && failure.mayHaveArrived;
}

/** How long after its POST an attempt may begin, or an outcome be written. */
const MOMENT_MS = SECOND;

/** Whether the service posted it again, a person asked for it, or the earlier outcome could not be written. */
function isAskedFor(history: History, { nth, process, endedAt = 0 }: Attempt, later: Attempt): boolean {
  const admitted = history.admissionOf({ nth });
  const isUnwritten =
    history.endOf(process) < endedAt + MOMENT_MS || history.isStoreHit(endedAt, endedAt + MOMENT_MS);
  if (isUnwritten || history.hasReloads || admitted === undefined) return true;
  return history.isPostedAt({ nth }, later.at) || history.isActedOn(admitted);
}

/** Whether both attempts are of one POST, the only one of the callback so far. */
function isWithinOnePost(history: History, earlier: Attempt, later: Attempt): boolean {
  if (earlier.process !== later.process || earlier.nth === 0) return false;
  const posts = history.postsOf(earlier).filter(({ at }) => at <= later.at);
  const [post] = posts;
  if (post === undefined || posts.length > 1 || post.process !== earlier.process) return false;
  const { endedAt = 0, destination } = earlier;
  // If a delivery is taken over at once, as when its destination is down, its attempts are not the POST's, and may come much later.
  if (later.at > endedAt + SECOND || mayBeDown(history, destination, endedAt)) return false;
  return !history.configOf(post).isAccepting && isOpenAt(post, earlier.at) && isOpenAt(post, later.at);
}

/** Only destinations that a config in force named are told. Rules: `rules.ts`. */
function* onlyWhoIsNamed(history: History, admitted: Admitted) {
  const { may } = history.namedFor(admitted);
  const key = keyOfSend(admitted.send.nth, admitted.send.job);
  for (const { key: of, takenAt, destination } of history.observed.attempts)
    // A late result is told whatever a route's `on` says.
    if (
      of === key &&
      takenAt !== undefined &&
      !may.has(destination) &&
      !isOfSteps({ destination }) &&
      !isExpected(history, admitted, destination)
    )
      yield `only who is named: ${destination} was told ${nameOf(admitted.send)}`;
}

function isExpected(history: History, { config, send }: Admitted, destination: string): boolean {
  const { routes } = history.configOf({ config });
  return routes.some(
    ({ bots, expect, notify }) => expect && bots.includes(send.bot) && notify.includes(destination),
  );
}

function* deliveredIsTaken(history: History, admitted: Admitted) {
  for (const { destination, state, rule = '' } of admitted.listed.deliveries) {
    const isLeft =
      state === 'held' && HOLDS.has(rule) && history.summariesOf(admitted, destination).length > 0;
    if (isLeft && !isLostWithItsSummary(history, destination))
      yield `what a summary tells is delivered: ${nameOf(admitted.send)} is held at ${destination}`;
    if (state === 'delivered' && history.toldAt(admitted, destination) === undefined)
      yield `delivered means taken: ${nameOf(admitted.send)} is listed so, but ${destination} has not taken it`;
  }
}

/** A dead letter was refused for good, is too old, or is no longer routed. */
function* deadForAReason(history: History, admitted: Admitted) {
  if (history.isActedOn(admitted) || history.hasSetClocks) return;
  for (const delivery of admitted.listed.deliveries) {
    if (delivery.state !== 'dead') continue;
    const attempts = history.attemptsOf(admitted, delivery.destination);
    const isRefused = attempts.some(({ failure }) => failure?.class === 'permanent');
    const { giveUpAfterMs } = history.configOf(admitted);
    const diedBy = Math.max(history.now, ...attempts.map(({ at }) => at));
    const isOld = giveUpAfterMs < diedBy - admitted.at + SECOND;
    if (!isRefused && !isOld && !history.hasReloads)
      yield `given up for a reason: ${nameOf(admitted.send)} is a dead letter at ${delivery.destination}`;
  }
}

/** A delivery that is refused for good is attempted at most once for each POST, and once by Botbell itself. */
function* deadWhenRefused(history: History, admitted: Admitted) {
  if (history.isActedOn(admitted) || history.hasReloads) return;
  const posts = history.postsOf(admitted.send).length;
  for (const { destination } of admitted.listed.deliveries) {
    const refused = history
      .attemptsOf(admitted, destination)
      .filter((each) => each.failure?.class === 'permanent' && history.isWritten(each));
    if (refused.length > posts + 1)
      yield `given up when it is refused for good: ${nameOf(admitted.send)} by ${destination} ${refused.length} times`;
  }
}

/** Every destination that all configs name is told, unless its delivery's state says why not. */
function* everybodyNamed(history: History, admitted: Admitted) {
  for (const destination of history.namedFor(admitted).must) {
    const why = untold(history, admitted, destination);
    if (why !== undefined)
      yield `nothing is lost: ${nameOf(admitted.send)} was never told at ${destination}: ${why}`;
  }
}

/** @returns why the destination was not told; undefined if it was, or need not be */
export function untold(history: History, admitted: Admitted, destination: string): string | undefined {
  if (history.toldAt(admitted, destination) !== undefined || history.isLateStart(admitted)) return undefined;
  const { state = 'not listed', rule = '' } = deliveryAt(admitted, destination) ?? {};
  return isRightlyUntold(history, admitted, destination, [state, rule]) ? undefined : `${state} ${rule}`;
}

function isRightlyUntold(
  history: History,
  admitted: Admitted,
  destination: string,
  [state, rule]: readonly [string, string],
): boolean {
  if (state === 'dead' || (state !== 'not listed' && history.isActedOn(admitted))) return true;
  if (state === 'held' && isLostWithItsSummary(history, destination)) return true;
  return rule === 'superseded' && history.isEndedStart(admitted);
}

/** Messages in a dead summary are lost with it, until the summary is delivered again. */
export function isLostWithItsSummary({ observed }: History, destination: string): boolean {
  const summaries = observed.listed.filter(({ kind }) => kind === 'summary');
  const isLost = (each: ListedDelivery) => each.destination === destination && each.state === 'dead';
  return summaries.some(({ deliveries }) => deliveries.some(isLost));
}
