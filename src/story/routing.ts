/** What the routes decided: when the callback came, and each time it was routed anew. */
import { statusNameOf } from '../callback/callback.ts';
import type { CallbackStory } from '../ledger/archive/archive.ts';
import type { Occasion } from '../signal/rules.ts';
import type { Sayings, StoryEvent } from './sayings.ts';

/** One route's, as the router explains it and the ledger keeps it. */
interface RouteExplanation {
  readonly route: string;
  readonly verdict: string;
  readonly reaches: readonly string[];
  /** That the BOT's id matches; undefined: the default route. */
  readonly pattern?: string | undefined;
  /** Whereof the route tells, where that decides. */
  readonly on?: readonly Occasion[];
}

/** @param routing as the ledger keeps it */
function explanationsOf(routing: unknown): readonly RouteExplanation[] {
  return Array.isArray(routing) ? (routing as RouteExplanation[]) : [];
}

type OfCallback = Pick<CallbackStory, 'status'>;

export function routingEvents(
  routing: unknown,
  at: number,
  callback: OfCallback,
  sayings: Sayings,
): StoryEvent[] {
  const explanations = explanationsOf(routing);
  const unmatched = { at, what: 'route did not match' } as const;
  if (explanations.length === 0) return [{ ...unmatched, text: sayings.say('no route') }];
  const events = explanations.flatMap((each) => routeEvents(each, at, callback, sayings));
  // The default route applies only where no other does, and says so.
  if (explanations.some(({ pattern }) => pattern !== undefined))
    events.push({ ...unmatched, text: sayings.say('no other route') });
  return events;
}

function routeEvents(
  { route: name, pattern, verdict, reaches, on = [] }: RouteExplanation,
  at: number,
  callback: OfCallback,
  sayings: Sayings,
): StoryEvent[] {
  const sentence = `route, ${verdict}`;
  // Of one that does not name the BOT, nothing is told.
  if (!sayings.has(sentence)) return [];
  const text = sayings.say(sentence, {
    route:
      pattern === undefined
        ? sayings.say('the default route')
        : sayings.say('a route', { pattern: sayings.name(pattern) }),
    who: sayings.list(reaches),
    statuses: sayings.statuses(on),
    status: sayings.say(`${statusNameOf(callback)}, one`),
  });
  const what = verdict === 'not of this status' ? 'route did not match' : 'route matched';
  return [{ at, what, text, small: sayings.name(name) }];
}

/** More say no more. */
const MOST_REASONS = 2;

/** By the latest routing, by which everything still to be done goes. */
export function reasonForNobody(story: CallbackStory, sayings: Sayings): string {
  if (isSupersededAtOnce(story)) return sayings.say('superseded at once');
  const last = story.history.findLast(({ what }) => what === 'routed');
  const routing = last?.what === 'routed' ? last.entry.explanations : story.routing;
  const events = routingEvents(routing, story.receivedAt, story, sayings);
  const matched = events.filter(({ what }) => what === 'route matched');
  const reasons = (matched.length > 0 ? matched : events).slice(0, MOST_REASONS).map(({ text }) => text);
  return [sayings.say('nobody'), ...reasons].join(sayings.say('space'));
}

/** It came after its job's result: nothing was planned for it. */
export function isSupersededAtOnce({ deliveries, result }: CallbackStory): boolean {
  return deliveries.length === 0 && result === 'superseded';
}
