/** The BOTs that routes expect, and the times after which their runs are overdue. */
import type { Expectation } from '../signal/rules.ts';
import { isPattern } from '../config/bot-id-pattern.ts';
import type { ArchivedBot } from '../ledger/archive/archive.ts';
import { keyOf } from '../ledger/callbacks/keys.ts';
import type { ExpectedBot } from '../ledger/timers/admission.ts';
import { type Timer, timerKey } from '../ledger/timers/timers.ts';
import { routesOf } from '../route/router.ts';
import { beginToExpect, isSameRule, missedFrom, underRule } from '../signal/expect.ts';
import type { RouteConfig } from '../config/config.ts';
import type { Settings } from './settings.ts';

export interface ExpectationOfRoutes {
  /** The key of its timer: of the BOT, and of the first route's name, so that neither another route nor an edited rule begins the timer anew. */
  readonly key: string;
  readonly rule: Expectation;
  readonly routes: readonly RouteConfig[];
}

/** Routes with equal rules share an expectation, so that a destination that several of them name is told once. */
export function expectationsOf(
  routes: readonly RouteConfig[],
  botId: string,
): readonly ExpectationOfRoutes[] {
  const found = new Map<string, ExpectationOfRoutes & { routes: RouteConfig[] }>();
  for (const route of routes) {
    const { expect: rule } = route.rules;
    if (rule === undefined) continue;
    const known = found.get(JSON.stringify(rule));
    const key = timerKey('expect', route.name) + keyOf(botId);
    if (known === undefined) found.set(JSON.stringify(rule), { key, rule, routes: [route] });
    else known.routes.push(route);
  }
  return [...found.values()];
}

/**
 * Timers for the BOTs that a route names exactly, and for those that the ledger knows.
 * @param begun the timers that the ledger holds
 */
export function expectTimers(
  settings: Pick<Settings, 'config' | 'router'>,
  known: readonly ArchivedBot[],
  begun: readonly Timer[],
  at: number,
): readonly Timer<ExpectedBot>[] {
  const asked = expectedBots(settings, known);
  const left = new Map(begun.map(({ key, data }) => [key, data as ExpectedBot]));
  const held = new Map(asked.flatMap(({ key }) => (left.has(key) ? [[key, left.get(key)]] : [])));
  for (const key of held.keys()) left.delete(key);
  return asked.map(({ key, rule, botId, bot }) => {
    const was = held.get(key);
    const { botName = '', lastResultAt } = bot ?? {};
    const kept = (was ?? leftOf(botId, rule, left))?.expected;
    const expected =
      kept === undefined
        ? beginToExpect(rule, { at, hasCome: bot !== undefined, lastResultAt })
        : underRule(rule, kept, at);
    const data = { botId, botName: was?.botName ?? botName, expected };
    return { key, kind: 'expect', dueAt: missedFrom(rule, expected), data };
  });
}

/** What the config expects of each BOT that it names exactly or that is known. */
function expectedBots(
  { config, router }: Pick<Settings, 'config' | 'router'>,
  known: readonly ArchivedBot[],
) {
  const heardOf = new Map(known.map((bot) => [bot.botId, bot]));
  const named = routesOf(config).flatMap(({ botIds }) => botIds.filter((botId) => !isPattern(botId)));
  return [...new Set([...named, ...heardOf.keys()])].flatMap((botId) => {
    const bot = heardOf.get(botId);
    return expectationsOf(router.routesOf(botId), botId)
      .filter(({ routes }) => bot !== undefined || routes.some(({ botIds }) => botIds.includes(botId)))
      .map(({ key, rule }) => ({ key, rule, botId, bot }));
  });
}

/** What was expected of the BOT under a route's former name, which may have been its patterns. Each is taken once. */
function leftOf(botId: string, rule: Expectation, left: Map<string, ExpectedBot>): ExpectedBot | undefined {
  const own = [...left].filter(([, data]) => data.botId === botId);
  const [key, data] = own.find(([, { expected }]) => isSameRule(expected.rule, rule)) ?? own[0] ?? [];
  if (key !== undefined) left.delete(key);
  return data;
}

/** What a timer of kind `expect` stands for today; undefined: no route expects it any more. */
export function expectationOf(
  { key, data: { botId } }: Timer<ExpectedBot>,
  { router }: Pick<Settings, 'router'>,
): ExpectationOfRoutes | undefined {
  return expectationsOf(router.routesOf(botId), botId).find((each) => each.key === key);
}

/** True even for a BOT that the config names only by a pattern, and whose callbacks have been deleted. */
export function isStillExpected(timer: Timer, settings: Pick<Settings, 'router'>): boolean {
  return timer.kind === 'expect' && expectationOf(timer as Timer<ExpectedBot>, settings) !== undefined;
}

/** The times in milliseconds after which these routes tell that a run without a result is overdue, each once. */
export function overdueOf(routes: readonly Pick<RouteConfig, 'rules'>[]): readonly number[] {
  return [...new Set(routes.flatMap(({ rules }) => rules.overdueMs ?? []))];
}
