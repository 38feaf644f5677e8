/** The decisions of the routes, for a new callback and each time it is routed anew. */
import { statusNameOf } from '../callback/callback.ts';
import type { CallbackStory } from '../ledger/archive/archive.ts';
import type { RouteExplanation } from '../route/router.ts';
import type { Sayings, StoryEvent } from './sayings.ts';

/** What the router has explained, as the ledger keeps it. */
function explanationsOf(routing: unknown): readonly RouteExplanation[] {
  return Array.isArray(routing) ? (routing as RouteExplanation[]) : [];
}

type OfCallback = Pick<CallbackStory, 'status'>;

export function routingEvents(routing: unknown, at: number, callback: OfCallback, sayings: Sayings) {
  const explanations = explanationsOf(routing);
  const events = explanations.flatMap((each) => routeEvents(each, at, callback, sayings));
  const isNone = explanations.length === 0;
  // The sentence of the default route says already that no other route applies.
  if (isNone || explanations.some(({ pattern }) => pattern !== undefined))
    events.push({
      at,
      what: 'route did not match',
      text: sayings.say(isNone ? 'no route' : 'no other route'),
    });
  return events;
}

/** The verdicts of routes that tell nobody of a callback when it comes. */
const NOT_APPLIED: ReadonlySet<string> = new Set([
  'not of this status',
  'tells an overdue run',
  'another BOT',
  'not needed',
]);

export function routeEvents(
  { route: name, pattern, verdict, reaches, on = [] }: RouteExplanation,
  at: number,
  callback: OfCallback,
  sayings: Sayings,
): StoryEvent[] {
  const sentence = `route, ${verdict}`;
  // A route that does not name the BOT has no sentence.
  if (!sayings.has(sentence)) return [];
  const text = sayings.say(sentence, {
    route: routeInWords(pattern, sayings),
    who: sayings.list(reaches),
    statuses: sayings.statuses(on),
    status: sayings.say(`${statusNameOf(callback)}, one`),
  });
  const what = NOT_APPLIED.has(verdict) ? 'route did not match' : 'route matched';
  return [{ at, what, text, small: sayings.name(name) }];
}

function routeInWords(pattern: string | undefined, sayings: Sayings): string {
  if (pattern === undefined) return sayings.say('the default route');
  return sayings.say('a route', { pattern: sayings.name(pattern) });
}

/** For each delivery that is not told by the route that the routing names first: which route tells it. */
export function tellerEvents(story: CallbackStory, sayings: Sayings): StoryEvent[] {
  const explanations = explanationsOf(routingOf(story));
  // For a notice of Botbell's own, no routes were asked one after the other.
  const sentence = explanations.length === 0 ? 'told by one' : 'told by';
  return story.deliveries.flatMap(({ id, destination, state, summaryId, telling }) => {
    const route = telling?.wantedBy?.[0];
    const teller = explanations.find((each) => each.route === route);
    const isSaid = teller?.verdict === 'tells' && teller.reaches.includes(destination);
    if (route === undefined || isSaid || state === 'held' || summaryId !== undefined) return [];
    const released = story.history.findLast((row) => row.what === 'released' && row.deliveryId === id);
    const named = teller ? routeInWords(teller.pattern, sayings) : sayings.say('a named route', { route });
    const text = sayings.say(sentence, { route: named, who: sayings.name(destination) });
    const small = sayings.name(route);
    return [{ at: released?.at ?? story.receivedAt, what: 'route matched', text, small, destination }];
  });
}

export function routingOf({ history, routing }: Pick<CallbackStory, 'history' | 'routing'>): unknown {
  const last = history.findLast(({ what }) => what === 'routed');
  return last?.what === 'routed' ? last.entry.explanations : routing;
}

const MOST_REASONS = 2;

/** Explains by the latest routing, which decides what is still to be done. */
export function reasonForNobody(story: CallbackStory, sayings: Sayings): string {
  if (isSupersededAtOnce(story)) return sayings.say('superseded at once');
  const events = routingEvents(routingOf(story), story.receivedAt, story, sayings);
  const matched = events.filter(({ what }) => what === 'route matched');
  const reasons = (matched.length > 0 ? matched : events).slice(0, MOST_REASONS).map(({ text }) => text);
  return [sayings.say('nobody'), ...reasons].join(sayings.say('space'));
}

/** Whether the callback came after its job's result, so that nothing was planned for it. */
export function isSupersededAtOnce({ deliveries, result }: CallbackStory): boolean {
  return deliveries.length === 0 && result === 'superseded';
}
