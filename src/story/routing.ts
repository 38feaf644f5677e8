/** What the routes decided: when the callback came, and each time it was routed anew. */
import { statusNameOf } from '../callback/callback.ts';
import type { CallbackStory } from '../ledger/archive/archive.ts';
import type { Occasion } from '../signal/rules.ts';
import type { StoryEvent } from './event.ts';
import type { Sayings } from './sayings.ts';

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

const MATCHED = {
  tells: 'route, tells',
  'tells a recovery': 'route, tells a recovery',
  'tells nobody': 'route, tells nobody',
  'told already': 'route, told already',
} as const;

function routeEvents(
  { route: name, pattern, verdict, reaches, on = [] }: RouteExplanation,
  at: number,
  callback: OfCallback,
  sayings: Sayings,
): StoryEvent[] {
  const isDefault = pattern === undefined;
  const route = isDefault
    ? sayings.say('the default route')
    : sayings.say('a route', { pattern: sayings.name(pattern) });
  const small = sayings.name(name);
  if (isMatch(verdict)) {
    const text = sayings.say(MATCHED[verdict], { route, who: sayings.list(reaches) });
    return [{ at, what: 'route matched', text, small }];
  }
  if (verdict !== 'not of this status') return [];
  const sentence = isDefault ? 'default route, not of this status' : 'route, not of this status';
  const text = sayings.say(sentence, { route, ...statusesIn(on, callback, sayings) });
  return [{ at, what: 'route did not match', text, small }];
}

function isMatch(verdict: string): verdict is keyof typeof MATCHED {
  return verdict in MATCHED;
}

function statusesIn(on: readonly Occasion[], callback: OfCallback, sayings: Sayings) {
  return { statuses: sayings.statuses(on), status: sayings.say(`${statusNameOf(callback)}, one`) };
}

/** Why nobody is told: by the latest routing, by which everything still to be done goes. */
export function reasonForNobody(story: CallbackStory, sayings: Sayings): string {
  if (isSupersededAtOnce(story)) return sayings.say('nobody, superseded');
  const last = story.history.findLast(({ what }) => what === 'routed');
  const explanations = explanationsOf(last?.what === 'routed' ? last.entry.explanations : story.routing);
  if (explanations.length === 0) return sayings.say('nobody, no route');
  if (explanations.some(({ verdict }) => verdict === 'tells nobody'))
    return sayings.say('nobody, on purpose');
  const others = explanations.filter(({ verdict }) => verdict === 'not of this status');
  if (others.length === 0) return sayings.say('nobody, unknown');
  const isDefault = others.every(({ pattern }) => pattern === undefined);
  const on = [...new Set(others.flatMap((each) => each.on ?? []))];
  const sentence = isDefault ? 'nobody, by the default route' : 'nobody, by its routes';
  return sayings.say(sentence, statusesIn(on, story, sayings));
}

/** It came after its job's result: nothing was planned for it. */
export function isSupersededAtOnce({ deliveries, result }: CallbackStory): boolean {
  return deliveries.length === 0 && result === 'superseded';
}
