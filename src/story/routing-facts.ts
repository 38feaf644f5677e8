/** What the routes decided: when the callback came, and each time it was routed anew. */
import { statusNameOf, type StatusName } from '../callback/callback.ts';
import type { CallbackStory } from '../ledger/archive/archive.ts';
import {
  isSameRouting,
  type KeptExplanation,
  type RoutingRound,
  roundsIn,
} from '../ledger/configs/routing-rounds.ts';
import { type Fact, type FactOf, RANK } from './facts.ts';

/** The latest one's, by which everything still to be done goes. */
export function explanationsIn(routing: unknown): readonly KeptExplanation[] {
  return roundsIn(routing).at(-1)?.explanations ?? [];
}

/** Of one action, and of the routing that it began. */
const SAME_ACTION_MS = 10_000;

export function routingFacts(story: CallbackStory): Fact[] {
  if (story.kind === 'alert') return [];
  const rounds = roundsIn(story.routing);
  // Of what has deliveries, and was never routed anew, the routes were not kept.
  if (rounds.length === 1 && rounds[0].explanations.length === 0 && story.deliveries.length > 0) return [];
  return rounds.flatMap((round, index) => roundFacts(round, rounds[index - 1], story));
}

function roundFacts(round: RoutingRound, before: RoutingRound | undefined, story: CallbackStory): Fact[] {
  const askedAt = askedForAt(round, story);
  // Whoever asked for it comes first, by whichever clock.
  const at = Math.max(round.at ?? story.receivedAt, askedAt ?? 0);
  const isByConfig = before !== undefined && round.by !== 'hand' && askedAt === undefined;
  const hasChanged = before === undefined || !isSameRouting(round, before);
  const facts: Fact[] = [];
  if (isByConfig && hasChanged) facts.push({ kind: 'reroutedByConfig', at, rank: RANK.routed });
  if (hasChanged) facts.push(...decisionFacts(round, at, story));
  return [...facts, ...revivalFacts(round, at, story)];
}

function decisionFacts({ explanations }: RoutingRound, at: number, story: CallbackStory): Fact[] {
  const when = { at, rank: RANK.routed };
  const facts: Fact[] = explanations.map((each) => ({ ...partsOf(each, statusNameOf(story)), ...when }));
  if (explanations.length === 0) facts.push({ kind: 'noRoute', ...when });
  // The default route applies only where no other does, and says so.
  if (explanations.some(({ pattern }) => pattern !== undefined))
    facts.push({ kind: 'noOtherRoute', ...when });
  return facts;
}

function revivalFacts({ revived }: RoutingRound, at: number, { deliveries }: CallbackStory) {
  const ids = new Set(revived.map(({ deliveryId }) => deliveryId));
  const named = deliveries.filter(({ id }) => ids.has(id));
  return named.map(({ destination }): FactOf<'revived'> => {
    return { kind: 'revived', at, rank: RANK.routed, destination };
  });
}

/** When somebody asked for this round; undefined: nobody did. */
function askedForAt({ at, by }: RoutingRound, { actions }: CallbackStory): number | undefined {
  if (at === undefined || by === 'config') return undefined;
  const asked = actions.filter(({ what }) => what === 'routed anew').map((action) => action.at);
  const away = (askedAt: number) => Math.abs(askedAt - at);
  return asked.filter((each) => away(each) < SAME_ACTION_MS).toSorted((a, b) => away(a) - away(b))[0];
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
