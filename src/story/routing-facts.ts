/** What the routes decided: when the callback came, and each time it was routed anew. */
import { statusNameOf, type StatusName } from '../callback/callback.ts';
import type { CallbackStory } from '../ledger/archive/archive.ts';
import type { Fact } from './facts.ts';

/** One route's, as the router explains it and the ledger keeps it. */
interface RouteExplanation {
  readonly route: string;
  readonly verdict: string;
  readonly reaches: readonly string[];
  /** That the BOT's id matches; undefined: the default route. */
  readonly pattern?: string | undefined;
  /** Whereof the route tells, where that decides. */
  readonly on?: readonly StatusName[];
}

/** The latest one's, by which everything still to be done goes. */
export function explanationsIn({
  routing,
  history,
}: Pick<CallbackStory, 'routing' | 'history'>): readonly RouteExplanation[] {
  const last = history.findLast(({ what }) => what === 'routed');
  return explanationsOf(last?.what === 'routed' ? last.entry.explanations : routing);
}

/** @param routing as the ledger keeps it */
export function explanationsOf(routing: unknown): readonly RouteExplanation[] {
  return Array.isArray(routing) ? (routing as RouteExplanation[]) : [];
}

/** As far as it makes a difference to the callback: a route may be another one of the config's list. */
export function isSameRouting(one: readonly RouteExplanation[], other: readonly RouteExplanation[]): boolean {
  const effects = (all: readonly RouteExplanation[]) =>
    JSON.stringify(all.map(({ verdict, pattern, on = [], reaches }) => [verdict, pattern, on, reaches]));
  return effects(one) === effects(other);
}

export function routingFacts(
  explanations: readonly RouteExplanation[],
  at: number,
  callback: Pick<CallbackStory, 'status'>,
): Fact[] {
  if (explanations.length === 0) return [{ kind: 'noRoute', at }];
  const facts = explanations.flatMap((each) => factOf(each, at, callback));
  // The default route applies only where no other does, and says so.
  return explanations.some(({ pattern }) => pattern !== undefined)
    ? [...facts, { kind: 'noOtherRoute', at }]
    : facts;
}

function factOf(
  { route, pattern, verdict, reaches, on = [] }: RouteExplanation,
  at: number,
  callback: Pick<CallbackStory, 'status'>,
): Fact[] {
  const which = { at, route, pattern };
  if (verdict === 'tells') return [{ kind: 'routeTells', ...which, reaches }];
  if (verdict === 'tells nobody') return [{ kind: 'routeTellsNobody', ...which }];
  if (verdict === 'told already') return [{ kind: 'routeToldAlready', ...which }];
  if (verdict === 'not of this status')
    return [{ kind: 'routeOfOtherStatus', ...which, on, status: statusNameOf(callback) }];
  return [];
}
