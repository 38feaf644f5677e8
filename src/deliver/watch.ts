/** The BOTs that routes expect, and the times after which their runs are overdue. */
import type { Expectation } from '../signal/rules.ts';
import { isPattern } from '../config/bot-id-pattern.ts';
import type { ArchivedBot } from '../ledger/archive/archive.ts';
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import { keyOf } from '../ledger/keys.ts';
import type { ExpectedBot } from '../ledger/signal/judge.ts';
import { type Timer, timerKey } from '../ledger/signal/timers.ts';
import { routesOf } from '../route/router.ts';
import { beginToExpect, missedFrom } from '../signal/expect.ts';
import type { RouteConfig } from '../config/config.ts';
import type { Settings } from './settings.ts';

/** Routes with equal rules share a BOT's timer. Another rule has another one, which begins anew. */
export function expectationKey(rule: Expectation, botId: string): string {
  return timerKey('expect', rule) + keyOf(botId);
}

/** Most BOTs that are looked at together. */
const MOST_BOTS_KNOWN = 10_000;

export function knownBots({ archive }: Pick<DatabaseLedger, 'archive'>): Promise<readonly ArchivedBot[]> {
  return archive.bots('', MOST_BOTS_KNOWN);
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
