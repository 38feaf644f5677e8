/** When Botbell began to retry a delivery by itself: no row says so, but what was answered and attempted does. */
import type { ArchivedDelivery, CallbackStory } from '../ledger/archive/archive.ts';
import type { RoutingRound } from '../ledger/configs/routing-rounds.ts';
import type { AttemptRecord } from '../ledger/ledger.ts';
import type { Posts } from './answer-facts.ts';
import { type FactOf, RANK } from './facts.ts';

/** An attempt, and whether it was written down together with an answer: then a request has made it. */
export interface SeenAttempt extends AttemptRecord {
  readonly isWithAnswer: boolean;
}

/** Of the whole callback. */
interface Around {
  readonly story: CallbackStory;
  readonly posts: Posts;
  readonly rounds: readonly RoutingRound[];
}

/** @param attempts of the delivery */
export function takenOverFacts(
  delivery: ArchivedDelivery,
  attempts: readonly SeenAttempt[],
  around: Around,
): FactOf<'takenOver'>[] {
  const { destination, isTakenOver } = delivery;
  if (!isTakenOver || isOursFromTheStart(destination, around)) return [];
  const { posts } = around;
  const said = posts.answers.find(({ result }) => result === 'taken_over')?.answeredAt ?? Infinity;
  const ofNoPost = attempts.find((each) => !each.isWithAnswer && !posts.isDuringOne(each.startedAt));
  const at = Math.min(said, ofNoPost?.startedAt ?? Infinity);
  if (at === Infinity || at > givenBackAt(delivery, around)) return [];
  return [{ kind: 'takenOver', at, rank: at === said ? RANK.after : RANK.held, destination }];
}

/** For the first time, by a person or by the config that names it again. */
function givenBackAt({ id }: ArchivedDelivery, { story: { actions }, rounds }: Around): number {
  const byHand = actions.find(({ deliveryIds }) => deliveryIds.includes(id))?.at ?? Infinity;
  const revival = rounds.find(({ revived }) => revived.some(({ deliveryId }) => deliveryId === id));
  return Math.min(byHand, revival?.at ?? Infinity);
}

function isOursFromTheStart(destination: string, { story, posts, rounds }: Around): boolean {
  const isAccepted = posts.answers.some(({ result }) => result === 'accepted');
  return story.kind === 'alert' || isAccepted || isAddedLater(destination, rounds);
}

/** By routing anew. */
function isAddedLater(destination: string, [first, ...later]: readonly RoutingRound[]): boolean {
  const reaches = (round: RoutingRound) =>
    round.explanations.some((each) => each.reaches.includes(destination));
  return first !== undefined && !reaches(first) && later.some(reaches);
}
