/** Which routes have matched no callback for a long time. A timer for each looks, and keeps when the route matched last. */
import type { RouteConfig } from '../config/config.ts';
import type { ArchivedBot } from '../ledger/archive/archive.ts';
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import type { Fired } from '../ledger/signal/fire.ts';
import { type Timer, timerKey, type WatchedRoute } from '../ledger/signal/timers.ts';
import { routesOf } from '../route/router.ts';
import type { Firing } from './delivering.ts';
import type { Settings } from './settings.ts';

/** A route that has matched no callback for so long is logged, and again after each further week. */
const IDLE_MS = 30 * 86_400_000;
const SAID_AGAIN_MS = 7 * 86_400_000;
const LOOKED_AT_EVERY_MS = 86_400_000;

/** Most BOTs that are looked at together. */
const MOST_BOTS_KNOWN = 10_000;

export function knownBots({ archive }: Pick<DatabaseLedger, 'archive'>): Promise<readonly ArchivedBot[]> {
  return archive.bots('', MOST_BOTS_KNOWN);
}

function routeKey({ botIds }: RouteConfig): string {
  return timerKey('route', botIds);
}

/** @param now the store's time */
export function watchTimer(route: RouteConfig, now: number, data: WatchedRoute): Timer<WatchedRoute> {
  const dueAt = now + (data.isIdle ? SAID_AGAIN_MS : LOOKED_AT_EVERY_MS);
  return { key: routeKey(route), kind: 'route', dueAt, data };
}

export async function lookAtRoute(
  timer: Timer<WatchedRoute>,
  { settings, now, ledger, onIdleRoute }: Firing,
): Promise<Fired> {
  const route = routesOf(settings.config).find((each) => routeKey(each) === timer.key);
  if (route === undefined) return { timer };
  const lastAt = lastMatch(route, timer.data, settings, await knownBots(ledger));
  const isIdle = lastAt <= now - IDLE_MS;
  if (isIdle) onIdleRoute(route.name);
  return { timer, next: watchTimer(route, now, { lastAt, isIdle }) };
}

function lastMatch(
  route: RouteConfig,
  { lastAt }: WatchedRoute,
  { router }: Settings,
  bots: readonly ArchivedBot[],
): number {
  const matched = bots.filter(({ botId }) => router.routesOf(botId).includes(route));
  return Math.max(...matched.map(({ lastReceivedAt }) => lastReceivedAt), lastAt);
}

/** Their names in the order of the config; without those that a callback has matched since their timers looked. */
export async function idleRoutes(settings: Settings, ledger: DatabaseLedger): Promise<readonly string[]> {
  const timers = (await ledger.signals.timersOf(['route'])) as readonly Timer<WatchedRoute>[];
  const idle = new Map(timers.flatMap(({ key, data }) => (data.isIdle ? [[key, data]] : [])));
  if (idle.size === 0) return [];
  const bots = await knownBots(ledger);
  return routesOf(settings.config).flatMap((route) => {
    const watched = idle.get(routeKey(route));
    const isIdle = watched && lastMatch(route, watched, settings, bots) === watched.lastAt;
    return isIdle ? route.name : [];
  });
}
