/** Finds the routes and destinations of a callback, with the reason for each decision. */
import { type Callback, type StatusName, statusNameOf } from '../callback/callback.ts';
import type { Occasion } from '../signal/rules.ts';
import type { Config, RouteConfig } from '../config/config.ts';
import type { Destination } from '../config/destination.ts';
import { type BotIdMatcher, compilePattern, isPattern } from '../config/bot-id-pattern.ts';

/** The routes of a config, the default one last. */
export function routesOf({
  routes,
  defaultRoute,
}: Pick<Config, 'routes' | 'defaultRoute'>): readonly RouteConfig[] {
  return defaultRoute === undefined ? routes : [...routes, defaultRoute];
}

/** A destination with the options and the template set of the first route that reaches it. */
export interface PlannedTarget extends Destination {
  readonly templateSet?: string | undefined;
  /** That route's name; undefined: none reaches it. */
  readonly route?: string | undefined;
  /** The routes whose rules decide whether it is told now, later or not, in order; undefined: it is told now. */
  readonly asked?: readonly RouteConfig[] | undefined;
}

/** The destinations of alerts, digests, reports and the budget. */
export function ownNoticeTargets({
  delivery,
  digests,
  reports,
  budget,
}: Pick<Config, 'delivery' | 'digests' | 'reports' | 'budget'>): readonly Destination[] {
  return [{ notify: delivery.alerts }, ...digests, ...reports, budget ?? { notify: [] }].flatMap(
    ({ notify }) => notify,
  );
}

/** Every destination that the config names, by its name. */
export function destinationsOf(config: Config): ReadonlyMap<string, PlannedTarget> {
  const routed = routesOf(config).flatMap((route): readonly PlannedTarget[] =>
    [...route.notify, ...stepTargets(route)].map((told) => ({ ...told, templateSet: route.templateSet })),
  );
  const targets = new Map<string, PlannedTarget>();
  for (const target of [...routed, ...ownNoticeTargets(config)])
    if (!targets.has(target.destination)) targets.set(target.destination, target);
  return targets;
}

/** What was decided about one route. */
export type RouteVerdict =
  | 'tells'
  /** It tells a success only if that is the first one after an error. */
  | 'tells a recovery'
  /** It tells such a result only if that comes after it was missed. */
  | 'tells a late result'
  | 'tells a recovery or a late result'
  /** It tells a run only if that has no result in time. */
  | 'tells an overdue run'
  /** On purpose: `notify: []`. */
  | 'tells nobody'
  /** Earlier routes tell all its destinations. */
  | 'told already'
  | 'not of this status'
  | 'another BOT'
  /** The default route, if another route names the BOT. */
  | 'not needed';

/** The decision about one route. */
export interface RouteExplanation {
  readonly route: string;
  /** Destination keys that this route reaches and no earlier one did. */
  readonly reaches: readonly string[];
  readonly verdict: RouteVerdict;
  /** The pattern that the BOT's id matches, or all that it does not match; undefined: the default route. */
  readonly pattern?: string | undefined;
  /** The route's `on`, if the verdict is `not of this status`. */
  readonly on?: readonly Occasion[];
}

/** The destinations of a notice. */
export interface Plan {
  readonly destinations: readonly PlannedTarget[];
  /** Destinations that are told only of a recovery, or of a result that comes after it was missed. */
  readonly perhaps: readonly PlannedTarget[];
  /** The destinations in `then`: told of an error later, and of the recovery if they were told of the error. */
  readonly later: readonly PlannedTarget[];
  /** Only of the routes that name the BOT, or the default one; `explainAll` gives the others, too. The ledger keeps them. */
  readonly explanations: readonly RouteExplanation[];
}

/** The fields of a callback on which its plan depends. */
export type PlanKey = Pick<Callback, 'bot_id' | 'status'>;

interface Match {
  readonly route: RouteConfig;
  /** The pattern that matched; undefined for the default route. */
  readonly pattern: string | undefined;
  /** The route's position in the config, the default one last. */
  readonly position: number;
}

export type Router = ReturnType<typeof createRouter>;

/** @throws {SyntaxError} an impossible regular expression; the config's check has refused it before */
export function createRouter(routes: readonly RouteConfig[], defaultRoute: RouteConfig | undefined) {
  const matching = indexRoutes(routes);
  const named = (botId: string): readonly Match[] => {
    const matches = matching(botId);
    if (matches.length > 0 || defaultRoute === undefined) return matches;
    return [{ route: defaultRoute, pattern: undefined, position: routes.length }];
  };
  const route = (callback: PlanKey): Plan => {
    const status = statusNameOf(callback);
    const applying = named(callback.bot_id);
    const isTold = ({ on }: RouteConfig) => on.includes(status);
    const reaching = gather(applying, isTold, (each) => mayTellNow(each, status));
    const tellers = new Map(reaching.destinations.map((told) => [told.destination, told.route]));
    const later = status === 'executing' ? [] : steppedTo(applying);
    return { ...reaching, later, explanations: applying.map((match) => explain(match, status, tellers)) };
  };
  return {
    /** Depends on the config alone: `deliver/plan.ts` keeps what it gives. */
    route,
    /** The routes that name a BOT, whatever their `on`; if there are none, the default one. */
    routesOf: (botId: string) => named(botId).map((match) => match.route),
    /** The destinations of the BOT's routes that match `watches`, each once. */
    watchersOf: (botId: string, watches: (route: RouteConfig) => boolean): readonly PlannedTarget[] =>
      gather(named(botId), watches, () => false).destinations,
    /** The destinations in `then` of the BOT's routes. */
    laterOf: (botId: string): readonly PlannedTarget[] => steppedTo(named(botId)),
    /** The decision about every route of the config, in order. */
    explainAll: (callback: PlanKey): RouteExplanation[] => {
      const said = new Map(route(callback).explanations.map((each) => [each.route, each]));
      const all = routesOf({ routes, defaultRoute });
      return all.map((each) => said.get(each.name) ?? explainUnmatched(each));
    },
  };
}

/** Looks up exact names, so that their number does not matter; tries patterns one by one. */
function indexRoutes(routes: readonly RouteConfig[]): (botId: string) => readonly Match[] {
  const exact = new Map<string, Match[]>();
  const patterned: (Match & { readonly matches: BotIdMatcher })[] = [];
  routes.forEach((route, position) => {
    for (const pattern of new Set(route.botIds)) {
      const candidate = { route, pattern, position };
      if (isPattern(pattern)) patterned.push({ ...candidate, matches: compilePattern(pattern) });
      else exact.set(pattern, [...(exact.get(pattern) ?? []), candidate]);
    }
  });
  return (botId) => {
    const found = new Map(exact.get(botId)?.map((candidate) => [candidate.position, candidate]));
    for (const candidate of patterned)
      if (!found.has(candidate.position) && candidate.matches(botId))
        found.set(candidate.position, candidate);
    return [...found.values()].sort((a, b) => a.position - b.position);
  };
}

/**
 * A destination that several routes reach is told once, with the options of the first of them that tells it. How it shows a job is
 * decided by the first of them in the file, even one that does not tell, so that all messages of a job are shown alike.
 */
function gather(
  applying: readonly Match[],
  isTold: (route: RouteConfig) => boolean,
  isPerhapsTold: (route: RouteConfig) => boolean,
): Pick<Plan, 'destinations' | 'perhaps'> {
  const told = applying.filter(({ route }) => isTold(route));
  const others = applying.filter(({ route }) => isPerhapsTold(route));
  const [certain, perhaps, any] = [reached(told), reached(others), reached(applying)];
  const asked = applying.filter((match) => told.includes(match) || others.includes(match));
  const withAsked = (each: PlannedTarget): PlannedTarget => ({
    ...each,
    perJob: any.get(each.destination)?.perJob ?? each.perJob,
    asked: asked.flatMap(({ route }) => (isAmong(route.notify, each) ? [route] : [])),
  });
  return {
    destinations: [...certain.values()].map(withAsked),
    perhaps: [...perhaps.values()].filter(({ destination }) => !certain.has(destination)).map(withAsked),
  };
}

function steppedTo(applying: readonly Match[]): readonly PlannedTarget[] {
  return [...reached(applying, stepTargets).values()].map((each) => ({
    ...each,
    asked: applying.flatMap(({ route }) => (isAmong(stepTargets(route), each) ? [route] : [])),
  }));
}

/** The destinations in a route's `then`. */
export function stepTargets({ steps = [] }: RouteConfig): readonly Destination[] {
  return steps.flatMap(({ notify }) => notify);
}

/** Whether a route may tell a status that is not in its `on`, when its callback comes. */
function mayTellNow(route: RouteConfig, status: StatusName): boolean {
  return status !== 'executing' && verdictBesidesOn(route, status) !== undefined;
}

function isAmong(targets: readonly Destination[], { destination }: Destination): boolean {
  return targets.some((told) => told.destination === destination);
}

function reached(
  matches: readonly Match[],
  whom = ({ notify }: RouteConfig) => notify,
): ReadonlyMap<string, PlannedTarget> {
  const destinations = new Map<string, PlannedTarget>();
  for (const { route } of matches)
    for (const told of whom(route))
      if (!destinations.has(told.destination))
        destinations.set(told.destination, { ...told, templateSet: route.templateSet, route: route.name });
  return destinations;
}

/** @param tellers the routes that tell, by destination */
function explain(
  match: Match,
  status: StatusName,
  tellers: ReadonlyMap<string, string | undefined>,
): RouteExplanation {
  const { pattern, route } = match;
  const { name, on, notify } = route;
  const base = { route: name, pattern };
  if (on.includes(status)) {
    const reaches = keysOf(route).filter((key) => tellers.get(key) === name);
    if (reaches.length > 0) return { ...base, reaches, verdict: 'tells' };
    return { ...base, reaches, verdict: notify.length === 0 ? 'tells nobody' : 'told already' };
  }
  const verdict = verdictBesidesOn(route, status);
  if (verdict === undefined) return { ...base, reaches: [], verdict: 'not of this status', on };
  return { ...base, reaches: keysOf(route), verdict };
}

/** What a route may tell of a status that is not in its `on`. */
function verdictBesidesOn({ on, rules }: RouteConfig, status: StatusName): RouteVerdict | undefined {
  if (status === 'executing') return rules.overdueMs === undefined ? undefined : 'tells an overdue run';
  const isLateTold = rules.expect !== undefined;
  if (status !== 'succeeded' || !on.includes('recovered'))
    return isLateTold ? 'tells a late result' : undefined;
  return isLateTold ? 'tells a recovery or a late result' : 'tells a recovery';
}

function keysOf({ notify }: RouteConfig): readonly string[] {
  return notify.map(({ destination }) => destination);
}

function explainUnmatched({ name, botIds }: RouteConfig): RouteExplanation {
  if (botIds.length === 0) return { route: name, reaches: [], verdict: 'not needed' };
  return { route: name, reaches: [], verdict: 'another BOT', pattern: botIds.join(', ') };
}
