/** Converts route sections that have passed the schema to `RouteConfig`. */
import { hash } from 'node:crypto';
import { type Expectation, NO_RULES, OCCASIONS, type RouteRules } from '../signal/rules.ts';
import { cleanText } from '../text/clean.ts';
import { isJsonObject, type JsonObject } from '../text/json.ts';
import { calendarNamed, msOf, windowOf } from './config.ts';
import type { Calendars, Destination, RouteConfig } from './config.ts';
import { type Path, pathText } from './path.ts';
import type { NotifyReader } from './read-notify.ts';
import type { RouteSection } from './schema.ts';

/** Each route's destinations, by the `pathText` of the route. */
type DestinationsByRoute = ReadonlyMap<string, readonly Destination[]>;

/** Reads each route's destinations, even if the route has other errors, so that all are reported at once. */
export function readTold(
  { routes, default_route: last }: JsonObject,
  reader: NotifyReader,
): DestinationsByRoute {
  const told = new Map<string, readonly Destination[]>();
  const read = (route: unknown, path: Path) => {
    if (!isJsonObject(route)) return;
    told.set(pathText(path), reader.read(route['notify'], [...path, 'notify']));
    const { then } = route;
    if (Array.isArray(then)) then.forEach((step, index) => read(step, [...path, 'then', index]));
  };
  if (Array.isArray(routes)) routes.forEach((route, index) => read(route, ['routes', index]));
  read(last, ['default_route']);
  return told;
}

/** The name of the default route. */
export const DEFAULT_ROUTE = 'default_route';

const LONGEST_NAME = 80;

/**
 * What the ledger knows routes by, so that an edit elsewhere renames none: `name`, else the patterns, from the second route with the
 * same ones on with its number among them.
 */
export function routeNames(sections: readonly Pick<RouteSection, 'name' | 'bot_id'>[]): readonly string[] {
  const taken = new Set([DEFAULT_ROUTE, ...sections.flatMap(({ name }) => name ?? [])]);
  const counts = new Map<string, number>();
  return sections.map(({ name, bot_id: botId = [] }) => {
    if (name !== undefined) return name;
    const patterns = patternsName([botId].flat());
    let count = counts.get(patterns) ?? 0;
    let own: string;
    do {
      count += 1;
      own = count === 1 ? patterns : `${patterns} (${count})`;
    } while (taken.has(own));
    taken.add(own);
    counts.set(patterns, count);
    return own;
  });
}

function patternsName(botIds: readonly string[]): string {
  const all = cleanText(botIds.join(', ')).replaceAll(/\s+/g, ' ');
  if (all.length <= LONGEST_NAME) return all;
  const beginning = all.slice(0, LONGEST_NAME - 20).toWellFormed();
  return `${beginning}… ${hash('sha256', JSON.stringify(botIds), 'hex').slice(0, 8)}`;
}

export function routeOf(
  section: RouteSection,
  path: Path,
  { name, told, ...asRead }: { readonly name: string; readonly told: DestinationsByRoute } & RulesAsRead,
): RouteConfig {
  const { bot_id: botId = [], on, template_set: templateSet } = section;
  return {
    name,
    botIds: [botId].flat(),
    // In the order of the documentation.
    on: OCCASIONS.filter((occasion) => on.includes(occasion)),
    rules: rulesOf(section, asRead),
    notify: told.get(pathText(path)) ?? [],
    groups: [section.notify].flat().filter((entry) => typeof entry === 'string'),
    templateSet,
    steps: section.then?.map(({ after, unless }, index) => ({
      afterMs: msOf(after),
      unlessDelivered: unless === 'delivered',
      notify: told.get(pathText([...path, 'then', index])) ?? [],
    })),
  };
}

/** What rules are read with. */
interface RulesAsRead {
  readonly timezone: string;
  readonly calendars: Calendars;
}

function rulesOf(
  { when, after_failures, repeat = 'every', mute = [], overdue, expect }: RouteSection,
  { timezone, calendars }: RulesAsRead,
): RouteRules {
  return {
    when,
    afterFailures: after_failures ?? NO_RULES.afterFailures,
    repeat: repeat === 'every' || repeat === 'changes' ? repeat : msOf(repeat),
    mute: mute.map((entry) => ({ ...windowOf(entry, calendars), except: entry.except })),
    overdueMs: overdue === undefined ? undefined : msOf(overdue),
    expect: expect && expectationOf(expect, { timezone, calendars }),
  };
}

function expectationOf(
  { every, cron = '', grace, calendar: name }: NonNullable<RouteSection['expect']>,
  { timezone, calendars }: RulesAsRead,
): Expectation {
  const graceMs = msOf(grace);
  const calendar = calendarNamed(name, calendars);
  return every === undefined ? { cron, timezone, calendar, graceMs } : { everyMs: msOf(every), graceMs };
}
