/** When Botbell began to retry a delivery by itself: no row says so, but what was answered and attempted does. */
import type { ArchivedDelivery, CallbackStory } from '../ledger/archive/archive.ts';
import type { AttemptRecord } from '../ledger/ledger.ts';
import type { Posts } from './answer-facts.ts';
import { type FactOf, RANK } from './facts.ts';
import { roundsIn } from './routing-facts.ts';

/** An attempt, and whether it was written down together with an answer: then a request has made it. */
export interface SeenAttempt extends AttemptRecord {
  readonly isWithAnswer: boolean;
}

/** @param attempts of the delivery */
export function takenOverFacts(
  delivery: ArchivedDelivery,
  attempts: readonly SeenAttempt[],
  story: CallbackStory,
  posts: Posts,
): FactOf<'takenOver'>[] {
  const { id, destination, isTakenOver } = delivery;
  if (!isTakenOver || isOursFromTheStart(destination, story, posts)) return [];
  const said = posts.answers.find(({ result }) => result === 'taken_over')?.answeredAt ?? Infinity;
  const ofNoPost = attempts.find((each) => !each.isWithAnswer && !posts.isDuringOne(each.startedAt));
  const givenBackAt = story.actions.find(({ deliveryIds }) => deliveryIds.includes(id))?.at ?? Infinity;
  const at = Math.min(said, ofNoPost?.startedAt ?? Infinity);
  if (at === Infinity || at > givenBackAt) return [];
  return [{ kind: 'takenOver', at, rank: at === said ? RANK.after : RANK.held, destination }];
}

function isOursFromTheStart(destination: string, story: CallbackStory, { answers }: Posts): boolean {
  const isAccepted = answers.some(({ result }) => result === 'accepted');
  return story.kind === 'alert' || isAccepted || isAddedLater(destination, story);
}

/** By routing anew. */
function isAddedLater(destination: string, { routing }: CallbackStory): boolean {
  const [first, ...later] = roundsIn(routing);
  const reaches = (round: typeof first) =>
    round.explanations.some((each) => each.reaches.includes(destination));
  return !reaches(first) && later.some(reaches);
}
