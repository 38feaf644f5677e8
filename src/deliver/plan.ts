/** Plans: what one config decides about all callbacks of one BOT and status (computed once for each of these), and about Botbell's own notices. */
import { isDeepStrictEqual } from 'node:util';
import { type CheckedCallback, statusNameOf } from '../callback/callback.ts';
import type { Config, RouteConfig } from '../config/config.ts';
import { MENTION_OPTION } from '../channels/mention-option.ts';
import { isWithin } from '../signal/hold.ts';
import type { Destination } from '../config/destination.ts';
import type { ArchivedCallback } from '../ledger/archive/archive.ts';
import type { Arrival, Asking, DeliveryTarget, PlannedDelivery } from '../ledger/ledger.ts';
import { type Plan, type PlanKey, type PlannedTarget, type Router, routesOf } from '../route/router.ts';
import type { AskedRoute, Telling } from '../signal/decide.ts';
import { likenessOf } from '../text/gist.ts';
import { NO_RULES } from '../signal/rules.ts';
import type { CallbackPlan, PlanFor, Planning } from './settings.ts';
import { type ExpectationOfRoutes, expectationsOf, overdueOf } from './watch.ts';

/** Most characters of the plans that are kept, and what each takes beside its text. A plan of thousands of destinations has a megabyte. */
const MOST_CHARACTERS = 16 * 1024 * 1024;
const OVERHEAD = 4096;

/** @returns a function that gives the same plan for the same BOT and status while the plan is kept */
export function createPlans(config: Config, router: Router): PlanFor {
  const kept = new Map<string, CallbackPlan>();
  let characters = 0;
  return (callback) => {
    const key = `${callback.status} ${callback.bot_id}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    if (characters >= MOST_CHARACTERS) {
      kept.clear();
      characters = 0;
    }
    const plan = planFor(config, router, callback);
    characters += OVERHEAD + key.length + 2 * plan.routing.length;
    kept.set(key, plan);
    return plan;
  };
}

function planFor(config: Config, router: Router, callback: PlanKey): CallbackPlan {
  const routed = router.route(callback);
  const routes = router.routesOf(callback.bot_id);
  return {
    ...routed,
    routing: JSON.stringify(routed.explanations),
    asking: askingOf(config, routes, callback, routed),
    conditions: [...new Set(routes.flatMap(({ rules }) => rules.when ?? []))],
    comparesErrors: routes.some(({ rules }) => rules.repeat === 'changes'),
  };
}

function askingOf(
  config: Config,
  routes: readonly RouteConfig[],
  { bot_id: botId, status }: PlanKey,
  { destinations, perhaps, later }: Plan,
): Asking {
  // An error is not only an edit: it is posted as well.
  const mayEdit = statusNameOf({ status }) !== 'error';
  const expected = expectationsOf(routes, botId);
  const planned = [...destinations, ...perhaps].map((target) => ({
    ...plannedDelivery(config, target, expected),
    isEdit: mayEdit && target.perJob === 'update',
  }));
  const isSuccess = statusNameOf({ status }) === 'succeeded';
  const afterwards = isSuccess ? later.map((target) => plannedDelivery(config, target)) : [];
  return {
    planned,
    later: afterwards.length > 0 ? afterwards : undefined,
    isPlain: routes.every(hasNoRules) && !planned.some(isLimited),
    mayCount: [...planned, ...afterwards].some(isLimited),
    timezone: config.display.timezone,
    isRemembered: routes.some(asksBack),
    expected: expected.map(({ key, rule }) => ({ key, rule })),
    overdueMs: overdueOf(routes),
  };
}

function isLimited({ burst }: PlannedDelivery): boolean {
  return burst !== undefined;
}

function hasNoRules({ on, rules }: RouteConfig): boolean {
  return !on.includes('recovered') && isDeepStrictEqual(rules, NO_RULES);
}

function asksBack({ on, rules }: RouteConfig): boolean {
  return on.includes('recovered') || rules.afterFailures > 1 || rules.repeat !== 'every';
}

/** @param expected what its routes expect of the BOT; left out if it does not matter whether the message is late */
export function plannedDelivery(
  { channels }: Pick<Config, 'channels'>,
  { destination, channel, asked }: PlannedTarget,
  expected: readonly ExpectationOfRoutes[] = [],
): PlannedDelivery {
  const routes = asked?.map((route): AskedRoute => {
    const { name, on, rules } = route;
    const timer = rules.expect && expected.find(({ routes: sharing }) => sharing.includes(route))?.key;
    return { name, on, rules, timer, firstStep: firstStepOf(route) };
  });
  return { destination, asked: routes, burst: channels.get(channel)?.burst };
}

function firstStepOf({ steps = [] }: RouteConfig): AskedRoute['firstStep'] {
  const [first] = steps.toSorted((a, b) => a.afterMs - b.afterMs);
  if (first === undefined) return undefined;
  const { afterMs, unlessDelivered, notify } = first;
  return { afterMs, unlessDelivered, who: notify.map(({ destination }) => destination) };
}

/** What the rules of a plan need of the callback itself. @param meets whether it meets a condition */
export function ruleInputs(
  { conditions, comparesErrors }: Pick<CallbackPlan, 'conditions' | 'comparesErrors'>,
  { callback }: Pick<CheckedCallback, 'callback'>,
  meets: (condition: string) => boolean,
): Pick<Arrival, 'likeness' | 'unmet'> {
  const { message, job_id: jobId } = callback;
  const isCompared = comparesErrors && statusNameOf(callback) === 'error';
  return {
    likeness: isCompared ? likenessOf(message ?? '', jobId) : '',
    unmet: conditions.filter((condition) => !meets(condition)),
  };
}

interface KindOfNotice extends Pick<ArchivedCallback, 'kind' | 'botId' | 'status'> {
  /** For a summary or a digest: its destination, to which it goes as long as the config names that. */
  readonly destination?: string | undefined;
}

export function planOf(
  { config, router, planFor, destinations }: Planning,
  { kind, botId, status, destination = '' }: KindOfNotice,
): Plan {
  if (kind === 'callback') return planFor({ bot_id: botId, status });
  if (kind === 'alert') return planOfTargets(config.delivery.alerts);
  if (kind === 'overdue' || kind === 'missed') {
    const rule = kind === 'overdue' ? 'overdueMs' : 'expect';
    const watching = router.watchersOf(botId, ({ rules }) => rules[rule] !== undefined);
    return planOfTargets(watching, router.laterOf(botId));
  }
  return planOfTargets([destinations.get(destination) ?? []].flat());
}

function planOfTargets(destinations: readonly PlannedTarget[], later: Plan['later'] = []): Plan {
  return { destinations, perhaps: [], later, explanations: [] };
}

/**
 * The destination with the options and the template set of the route that tells it.
 * @param now by the store's clock: whom the message mentions may depend on the hour
 */
export function withRouteOptions<
  Target extends Pick<PlannedTarget, 'destination' | 'options'> & Partial<PlannedTarget>,
>(
  planned: Target,
  telling: Telling | undefined,
  { config, now }: { readonly config: Config; readonly now: number },
): Target {
  const name = telling?.wantedBy?.[0];
  const routes = planned.asked ?? routesOf(config);
  const route = name === undefined ? undefined : routes.find((each) => each.name === name);
  const entry = route?.notify.find(({ destination }) => destination === planned.destination);
  const { templateSet } = entry === undefined ? planned : { ...route };
  const options = optionsAt(entry ?? planned, now, config.display.timezone);
  const isSame = templateSet === planned.templateSet && options === planned.options;
  return isSame ? planned : Object.assign({}, planned, { templateSet, options });
}

/** The destination's options at a time: outside its hours, it mentions nobody. */
function optionsAt(
  { options, mentionHours }: Pick<Destination, 'options' | 'mentionHours'>,
  at: number,
  timezone: string,
): Destination['options'] {
  if (mentionHours === undefined || isWithin(mentionHours, at, timezone)) return options;
  return { ...options, [MENTION_OPTION]: undefined };
}

/** @returns undefined: the plan does not name the destination (any more) */
export function plannedFor(
  { destination }: Pick<DeliveryTarget, 'destination'>,
  { destinations, perhaps, later }: Plan,
): PlannedTarget | undefined {
  const isIt = (target: PlannedTarget) => target.destination === destination;
  return destinations.find(isIt) ?? perhaps.find(isIt) ?? later.find(isIt);
}
