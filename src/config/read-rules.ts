/** Makes of what a route says about being told less the rules that decide, and finds what of it can never happen. */
import { ALL_STATUSES, type StatusName } from '../callback/callback.ts';
import {
  type Expectation,
  type MuteEntry,
  NO_RULES,
  OCCASIONS,
  type RouteRules,
  WEEKDAYS,
} from '../signal/rules.ts';
import { isPattern } from './bot-id-pattern.ts';
import { type DigestConfig, msOf, type RouteConfig } from './config.ts';
import { parseTimeOfDay } from './field-rules.ts';
import type { Path } from './path.ts';
import type { Problems } from './problems.ts';
import type { RouteSection } from './schema.ts';

const DEFAULT_GRACE = '5m';

export function rulesOf({ when, after_failures, repeat, mute, overdue, expect }: RouteSection): RouteRules {
  return {
    when,
    afterFailures: after_failures ?? NO_RULES.afterFailures,
    repeat: repeatOf(repeat),
    mute: (mute ?? []).map(muteOf),
    overdueMs: overdue === undefined ? undefined : msOf(overdue),
    expect: expect && expectationOf(expect),
  };
}

function repeatOf(text: RouteSection['repeat'] = 'every'): RouteRules['repeat'] {
  return text === 'every' || text === 'changes' ? text : msOf(text);
}

function muteOf({ days, from, to, dates, except }: NonNullable<RouteSection['mute']>[number]): MuteEntry {
  return {
    days,
    dates,
    from: from === undefined ? undefined : parseTimeOfDay(from),
    to: to === undefined ? undefined : parseTimeOfDay(to) || DAY_MINUTES,
    except,
  };
}

function expectationOf({
  every,
  cron = '',
  grace = DEFAULT_GRACE,
}: NonNullable<RouteSection['expect']>): Expectation {
  const graceMs = msOf(grace);
  return every === undefined ? { cron, graceMs } : { everyMs: msOf(every), graceMs };
}

/**
 * What of the rules can never happen, and what they mean where that may surprise.
 * @param all the default route last
 */
export function warnOfRules(
  all: readonly RouteConfig[],
  digests: readonly DigestConfig[],
  problems: Problems,
): void {
  const errorsReach = new Set(all.filter(({ on }) => on.includes('error')).flatMap(keysOf));
  for (const [index, route] of all.entries())
    warnOfRoute(
      route,
      route.botIds.length === 0 ? ['default_route'] : ['routes', index],
      errorsReach,
      problems,
    );
  for (const { group } of digests)
    if (!all.some(({ groups }) => groups.includes(group)))
      problems.warning(['groups', group, 'digest'], 'has nothing to tell: no route names the group');
}

function keysOf({ notify }: RouteConfig): string[] {
  return notify.map(({ destination }) => destination);
}

/** @param errorsReach keys of the destinations that some route tells of errors */
function warnOfRoute(
  route: RouteConfig,
  path: Path,
  errorsReach: ReadonlySet<string>,
  problems: Problems,
): void {
  const { on, rules, botIds } = route;
  const warn = (key: string, message: string) => problems.warning([...path, key], message);
  if (!on.includes('error')) {
    if (rules.afterFailures > 1) warn('after_failures', 'does nothing: the route is not told of errors');
    if (rules.repeat !== 'every') warn('repeat', 'does nothing: the route is not told of errors');
  }
  const muted = ALL_STATUSES.filter((status) => on.includes(status) && coversAllTimes(rules.mute, status));
  if (muted.length > 0)
    warn('mute', `covers all times: ${muted.join(', ')} would be held for ever; leave it out of on instead`);
  if (on.includes('recovered') && !keysOf(route).some((key) => errorsReach.has(key)))
    warn('on', 'tells of no recovery: whom it tells, no route tells of errors');
  if (rules.expect !== undefined && botIds.some(isPattern))
    warn('expect', 'stands for a pattern: each BOT that it matches is expected from its first callback on');
}

const DAY_MINUTES = 1440;
const WEEK_MINUTES = WEEKDAYS.length * DAY_MINUTES;

/** Whether the entries hold messages of that status in every minute of a week. */
function coversAllTimes(mute: readonly MuteEntry[], status: StatusName): boolean {
  const windows = mute
    .filter(({ dates, except }) => dates === undefined && except?.includes(status) !== true)
    .flatMap(({ days = WEEKDAYS, from = 0, to = DAY_MINUTES }) => {
      const minutes = to > from ? to - from : to - from + DAY_MINUTES;
      return days.map((day) => ({ from: WEEKDAYS.indexOf(day) * DAY_MINUTES + from, minutes }));
    });
  // Most are short, and a config may have thousands of routes.
  if (windows.reduce((sum, { minutes }) => sum + minutes, 0) < WEEK_MINUTES) return false;
  const held = new Set<number>();
  for (const { from, minutes } of windows)
    for (let minute = 0; minute < minutes; minute += 1) held.add((from + minute) % WEEK_MINUTES);
  return held.size === WEEK_MINUTES;
}

/** What is told, in the order of the documentation. */
export function occasionsOf({ on }: RouteSection): RouteConfig['on'] {
  return OCCASIONS.filter((occasion) => on.includes(occasion));
}
