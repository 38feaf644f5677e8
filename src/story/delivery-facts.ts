/** What became of each destination: attempts, whoever was told, what was held back, taken over, given up; alerts about it. */
import type { FailureToExplain } from '../channels/failure-words.ts';
import type { EndedBefore } from '../ledger/actions/action.ts';
import type { ArchivedDelivery, CallbackStory } from '../ledger/archive/archive.ts';
import { roundsIn } from '../ledger/configs/routing-rounds.ts';
import { DISMISSED, NO_LONGER_ROUTED, SUPERSEDED } from '../ledger/hold.ts';
import type { AttemptRecord } from '../ledger/ledger.ts';
import { postsOf } from './answer-facts.ts';
import { type Fact, type FactOf, RANK } from './facts.ts';
import { type SeenAttempt, takenOverFacts } from './taken-over.ts';

export function deliveryFacts(story: CallbackStory): Fact[] {
  const attempts = attemptsByDelivery(story);
  const posts = postsOf(story);
  const rounds = roundsIn(story.routing);
  const ended = [
    ...story.actions.flatMap(({ endedBefore }) => endedBefore),
    ...rounds.flatMap(({ revived }) => revived),
  ];
  return [
    ...supersededAtOnce(story),
    ...story.deliveries.flatMap((delivery) => {
      const own = attempts.get(delivery.id) ?? [];
      return [
        ...attemptFacts(delivery, own),
        ...toldUnseen(delivery, own),
        ...takenOverFacts(delivery, own, { story, posts, rounds }),
        ...endsOf(delivery, ended).flatMap(endFacts),
      ];
    }),
  ];
}

/** What an alert about it has come to. */
export function alertFacts(alerts: readonly CallbackStory[]): FactOf<'alerted'>[] {
  return alerts.map(({ receivedAt, deliveries }) => {
    const of = (isTold: boolean) =>
      deliveries.filter(({ state }) => (state === 'delivered') === isTold).map((each) => each.destination);
    return { kind: 'alerted', at: receivedAt, rank: RANK.after, told: of(true), untold: of(false) };
  });
}

function attemptsByDelivery({ history }: CallbackStory): ReadonlyMap<number, readonly SeenAttempt[]> {
  const grouped = new Map<number, SeenAttempt[]>();
  for (const { attempts, answer } of history) {
    for (const attempt of attempts) {
      const seen = { ...attempt, isWithAnswer: answer !== undefined };
      const own = grouped.get(attempt.deliveryId);
      if (own === undefined) grouped.set(attempt.deliveryId, [seen]);
      else own.push(seen);
    }
  }
  return grouped;
}

/** Of many attempts, the first may not be there any more. */
function attemptFacts(
  { destination, attempts: all, receipt }: ArchivedDelivery,
  attempts: readonly AttemptRecord[],
): Fact[] {
  const unseen = Math.max(0, all - attempts.length);
  return attempts.map(({ startedAt, durationMs, outcome, error }, index): Fact => {
    const happened = { at: startedAt, rank: RANK.attempt, destination };
    const attempt = { number: unseen + index + 1, durationMs };
    if (outcome !== 'delivered') {
      const isSame = isSameError(error, attempts[index - 1]?.error);
      return {
        kind: 'attemptFailed',
        ...happened,
        ...attempt,
        error: error ?? unknownError(outcome),
        isSame,
      };
    }
    const isLast = index === attempts.length - 1;
    return { kind: 'delivered', ...happened, ...attempt, receipt: isLast ? receipt : undefined };
  });
}

function isSameError(error: AttemptRecord['error'], before: AttemptRecord['error']): boolean {
  if (error === undefined || before === undefined) return false;
  return error.class === before.class && error.code === before.code && error.message === before.message;
}

function unknownError(failureClass: FailureToExplain['class']): FailureToExplain {
  return { class: failureClass, code: '', message: '' };
}

/** Told by an attempt that could not be written into the history. */
function toldUnseen(
  { state, destination, updatedAt, receipt }: ArchivedDelivery,
  attempts: readonly AttemptRecord[],
): Fact[] {
  const isSeen = attempts.some(({ outcome }) => outcome === 'delivered');
  if (state !== 'delivered' || isSeen) return [];
  return [{ kind: 'delivered', at: updatedAt, rank: RANK.attempt, destination, receipt }];
}

/**
 * How it stands, after its ends that somebody, or the config, has undone: how it stands now no longer says so. What was
 * withdrawn from a redelivery stands as before: it has ended once.
 */
function endsOf(delivery: ArchivedDelivery, ended: readonly EndedBefore[]): Ending[] {
  const { id, destination } = delivery;
  const before = ended.filter(({ deliveryId }) => deliveryId === id).map((end) => ({ ...end, destination }));
  const byMoment = [...before, delivery].map((end) => [`${end.state} ${end.updatedAt}`, end] as const);
  return [...new Map<string, Ending>(byMoment).values()];
}

type Ending = Pick<ArchivedDelivery, 'state' | 'destination' | 'updatedAt'> &
  Pick<EndedBefore, 'hold' | 'lastError'>;

function endFacts({ state, hold, destination, updatedAt: at, lastError: error }: Ending): Fact[] {
  if (state === 'dead') return [{ kind: 'dead', at, rank: RANK.ended, destination, error }];
  // Whoever has dismissed it is told of as an action.
  if (state !== 'held' || hold?.code === DISMISSED) return [];
  const happened = { at, rank: RANK.held, destination };
  if (hold?.code === SUPERSEDED) return [{ kind: 'superseded', ...happened }];
  if (hold?.code === NO_LONGER_ROUTED) return [{ kind: 'unrouted', ...happened }];
  return [{ kind: 'held', ...happened, code: hold?.code ?? '' }];
}

/** It came after its job's result: nothing was planned for it. */
function supersededAtOnce(story: CallbackStory): Fact[] {
  return isSupersededAtOnce(story) ? [{ kind: 'superseded', at: story.receivedAt, rank: RANK.held }] : [];
}

export function isSupersededAtOnce({ deliveries, result }: CallbackStory): boolean {
  return deliveries.length === 0 && result === 'superseded';
}
