/** What the rules need to know of an arrival, as plain data for the transaction that admits it, and the BOTs that they expect. */
import { type CheckedCallback, statusNameOf } from '../callback/callback.ts';
import type { PlannedDelivery, Watched } from '../ledger/ledger.ts';
import type { AskedRoute } from '../signal/decide.ts';
import { likenessOf } from '../signal/likeness.ts';
import type { Expectation } from '../signal/rules.ts';
import { isPattern } from '../config/bot-id-pattern.ts';
import type { ArchivedBot } from '../ledger/archive/archive.ts';
import { keyOf } from '../ledger/keys.ts';
import type { ExpectedBot } from '../ledger/signal/judge.ts';
import { type Timer, timerKey } from '../ledger/signal/timers.ts';
import { routesOf } from '../route/router.ts';
import { beginToExpect, missedFrom } from '../signal/expect.ts';
import type { RouteConfig } from '../config/config.ts';
import type { Plan, PlannedTarget, Settings } from './settings.ts';

type Watching = Pick<Settings, 'config' | 'router' | 'meets'>;

export function plannedDeliveries(
  settings: Watching,
  { destinations, perhaps }: Plan,
  checked: CheckedCallback,
): readonly PlannedDelivery[] {
  const { bot_id: botId } = checked.callback;
  const meets = (condition: string) => settings.meets(condition, checked);
  // An error is not only an edit: it is posted as well.
  const mayEdit = statusNameOf(checked.callback) !== 'error';
  return [...destinations, ...perhaps].map((target) => ({
    ...plannedDelivery(settings, target, botId, meets),
    isEdit: mayEdit && target.perJob === 'update',
  }));
}

export function plannedDelivery(
  { config }: Pick<Settings, 'config'>,
  { destination, channel, address, asked }: PlannedTarget,
  botId: string,
  meets: (condition: string) => boolean = () => true,
): PlannedDelivery {
  const routes = asked?.map((route) => plannedRoute(route, botId, meets));
  const { burst } = config.channels.get(channel) ?? {};
  return { destination, channel, address, asked: routes, burst };
}

function plannedRoute(route: RouteConfig, botId: string, meets: (condition: string) => boolean): AskedRoute {
  const { name, on, rules } = route;
  const holdsWhen = rules.when === undefined || meets(rules.when);
  return { name, on, rules, holdsWhen, timer: rules.expect && expectationKey(rules.expect, botId) };
}

/** Whether the route's decisions depend on earlier results. */
function asksBack({ on, rules }: RouteConfig): boolean {
  return on.includes('recovered') || rules.afterFailures > 1 || rules.repeat !== 'every';
}

/** Routes with equal rules share a BOT's timer. Another rule has another one, which begins anew. */
export function expectationKey(rule: Expectation, botId: string): string {
  return timerKey('expect', rule) + keyOf(botId);
}

/** Timers for the BOTs that a route names exactly, and for those that the ledger knows. */
export function expectTimers(
  { config, router }: Pick<Settings, 'config' | 'router'>,
  known: readonly ArchivedBot[],
  at: number,
): readonly Timer<ExpectedBot>[] {
  const heardOf = new Map(known.map((bot) => [bot.botId, bot]));
  const named = routesOf(config).flatMap(({ botIds }) => botIds);
  return [...new Set([...named.filter((botId) => !isPattern(botId)), ...heardOf.keys()])].flatMap((botId) =>
    router.routesOf(botId).flatMap(({ botIds, rules: { expect: rule } }) => {
      const bot = heardOf.get(botId);
      if (rule === undefined || (bot === undefined && !botIds.includes(botId))) return [];
      const { botName = '', lastResultAt } = bot ?? {};
      const expected = beginToExpect(rule, { at, hasCome: bot !== undefined, lastResultAt });
      const data = { botId, botName, expected };
      return { key: expectationKey(rule, botId), kind: 'expect', dueAt: missedFrom(rule, expected), data };
    }),
  );
}

/** Finds the routes whose rule a timer of kind `expect` belongs to. */
export function isRouteOf({ key, data: { botId } }: Timer<ExpectedBot>): (route: RouteConfig) => boolean {
  return ({ rules: { expect } }) => expect !== undefined && expectationKey(expect, botId) === key;
}

/** Also of a BOT that the config only names by a pattern, and whose callbacks have been deleted. */
export function isStillExpected(timer: Timer, { router }: Pick<Settings, 'router'>): boolean {
  if (timer.kind !== 'expect') return false;
  const expected = timer as Timer<ExpectedBot>;
  return router.routesOf(expected.data.botId).some(isRouteOf(expected));
}

/** The times in milliseconds after which these routes tell that a run without a result is overdue, each once. */
export function overdueOf(routes: readonly Pick<RouteConfig, 'rules'>[]): readonly number[] {
  return [...new Set(routes.flatMap(({ rules }) => rules.overdueMs ?? []))];
}

export function watchedOf(settings: Watching, { callback }: CheckedCallback): Watched {
  const { bot_id: botId, job_id, message } = callback;
  const routes = settings.router.routesOf(botId);
  const isError = statusNameOf(callback) === 'error';
  const expected = routes.flatMap((route) => {
    const { expect: rule } = route.rules;
    return rule === undefined ? [] : { key: expectationKey(rule, botId), rule };
  });
  const isRemembered = routes.some(asksBack);
  return {
    timezone: settings.config.display.timezone,
    isRemembered,
    likeness: isError ? likenessOf(message ?? '', job_id) : '',
    expected: [...new Map(expected.map((each) => [each.key, each])).values()],
    overdueMs: overdueOf(routes),
  };
}
