/** What the routes decided, as the ledger keeps it: by this version in parts, by the one before in English words alone. */
import { ALL_STATUSES, statusNameOf, type StatusName } from '../callback/callback.ts';
import type { CallbackStory } from '../ledger/archive/archive.ts';
import { isJsonObject, type JsonObject } from '../text/json-object.ts';
import { type Fact, RANK } from './facts.ts';

/** One route's explanation, whatever of it is there. */
export interface KeptExplanation {
  readonly route: string;
  readonly isMatched: boolean;
  readonly because: string;
  readonly reaches: readonly string[];
  /** Of the router's; undefined: a version before has written it. */
  readonly verdict: string | undefined;
  readonly pattern: string | undefined;
  readonly on: readonly StatusName[];
}

/** What was decided at one time. */
export interface RoutingRound {
  /** Milliseconds since the epoch; undefined: when the callback came. */
  readonly at: number | undefined;
  /** Empty: no route names the BOT, and there is no default one. */
  readonly explanations: readonly KeptExplanation[];
}

/** When it came, and when it was last routed anew. */
export function roundsIn(routing: unknown): readonly [RoutingRound, ...RoutingRound[]] {
  const kept = Array.isArray(routing) ? routing.filter(isJsonObject) : [];
  const atOf = (each: JsonObject) => (typeof each['at'] === 'number' ? each['at'] : undefined);
  const ofRound = (at: number | undefined) => ({
    at,
    explanations: kept.filter((each) => atOf(each) === at).flatMap((each) => explanationIn(each) ?? []),
  });
  const later = new Set(kept.flatMap((each) => atOf(each) ?? []));
  return [ofRound(undefined), ...[...later].map(ofRound)];
}

/** The latest one's, by which everything still to be done goes. */
export function explanationsIn(routing: unknown): readonly KeptExplanation[] {
  return roundsIn(routing).at(-1)?.explanations ?? [];
}

function explanationIn(kept: JsonObject): KeptExplanation | undefined {
  const text = (key: string) => (typeof kept[key] === 'string' ? kept[key] : undefined);
  const list = (key: string): readonly unknown[] => (Array.isArray(kept[key]) ? kept[key] : []);
  const route = text('route');
  if (route === undefined) return undefined;
  return {
    route,
    isMatched: kept['matched'] === true,
    because: text('because') ?? '',
    reaches: list('reaches').filter((each) => typeof each === 'string'),
    verdict: text('verdict'),
    pattern: text('pattern'),
    on: ALL_STATUSES.filter((status) => list('on').includes(status)),
  };
}

/** Of one action, and of the routing that it began. */
const SAME_ACTION_MS = 10_000;

export function routingFacts(story: CallbackStory): Fact[] {
  if (story.kind === 'alert') return [];
  const rounds = roundsIn(story.routing);
  // Of what has deliveries, and was never routed anew, the routes were not kept.
  if (rounds.length === 1 && rounds[0].explanations.length === 0 && story.deliveries.length > 0) return [];
  return rounds.flatMap((round) => roundFacts(round, story));
}

function roundFacts({ at, explanations }: RoutingRound, story: CallbackStory): Fact[] {
  const askedAt = at === undefined ? undefined : askedForAt(at, story);
  // Whoever asked for it comes first, by whichever clock.
  const when = { at: Math.max(at ?? story.receivedAt, askedAt ?? 0), rank: RANK.routed };
  const facts: Fact[] = [];
  if (at !== undefined && askedAt === undefined) facts.push({ kind: 'reroutedByConfig', ...when });
  facts.push(...explanations.map((each) => ({ ...partsOf(each, statusNameOf(story)), ...when })));
  if (explanations.length === 0) facts.push({ kind: 'noRoute', ...when });
  // The default route applies only where no other does, and says so.
  if (explanations.some(({ pattern }) => pattern !== undefined))
    facts.push({ kind: 'noOtherRoute', ...when });
  return facts;
}

/** When somebody asked for the routing anew of then; undefined: nobody did. */
function askedForAt(at: number, { actions }: CallbackStory): number | undefined {
  const asked = actions.filter(({ what }) => what === 'routed anew').map((action) => action.at);
  return asked.findLast((each) => Math.abs(each - at) < SAME_ACTION_MS);
}

type PartsOf = (explanation: KeptExplanation, status: StatusName) => FactParts;
type FactParts = Fact extends infer Each ? (Each extends Fact ? Omit<Each, 'at' | 'rank'> : never) : never;

const BY_VERDICT: Readonly<Record<string, PartsOf>> = {
  tells: ({ route, pattern, reaches }) => ({ kind: 'routeTells', route, pattern, reaches }),
  'tells nobody': ({ route, pattern }) => ({ kind: 'routeTellsNobody', route, pattern }),
  'told already': ({ route, pattern }) => ({ kind: 'routeToldAlready', route, pattern }),
  'not of this status': ({ route, pattern, on }, status) => ({
    kind: 'routeOfOtherStatus',
    route,
    pattern,
    on,
    status,
  }),
};

function partsOf(explanation: KeptExplanation, status: StatusName): FactParts {
  const { route, because, isMatched, verdict = '' } = explanation;
  const known = Object.hasOwn(BY_VERDICT, verdict) ? BY_VERDICT[verdict] : undefined;
  return known?.(explanation, status) ?? { kind: 'routeInWords', route, because, isMatched };
}
