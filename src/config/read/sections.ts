/** Converts sections of routes that have passed the schema. */
import { hash } from 'node:crypto';
import { outside } from '../../signal/calendar.ts';
import { type Calendar, type Expectation, NO_RULES, OCCASIONS, type RouteRules } from '../../signal/rules.ts';
import { cleanText } from '../../text/clean.ts';
import type { RouteConfig } from '../config.ts';
import type { RouteSection } from '../schema/schema.ts';

/** The name of the default route. */
export const DEFAULT_ROUTE = 'default_route';

const LONGEST_NAME = 80;

/**
 * The names by which the ledger knows routes: `name`, else the patterns; from the second route with the same patterns on, with its number
 * among these. An edit elsewhere in the config renames no route.
 */
export function routeNames(sections: readonly Pick<RouteSection, 'name' | 'bot_id'>[]): readonly string[] {
  const taken = new Set([DEFAULT_ROUTE, ...sections.flatMap(({ name }) => name ?? [])]);
  const counts = new Map<string, number>();
  return sections.map(({ name, bot_id: botId = [] }) => {
    if (name !== undefined) return name;
    const patterns = patternsName([botId].flat());
    let [own, count] = [patterns, counts.get(patterns) ?? 2];
    for (; taken.has(own); count += 1) own = `${patterns} (${count})`;
    counts.set(patterns, count);
    taken.add(own);
    return own;
  });
}

function patternsName(botIds: readonly string[]): string {
  const all = cleanText(botIds.join(', ')).replaceAll(/\s+/g, ' ');
  if (all.length <= LONGEST_NAME) return all;
  const beginning = all.slice(0, LONGEST_NAME - 20).toWellFormed();
  return `${beginning}… ${hash('sha256', JSON.stringify(botIds), 'hex').slice(0, 8)}`;
}

export function routeOf(section: RouteSection, name: string, timezone: string): RouteConfig {
  const { bot_id: botId = [], on, notify, template_set: templateSet } = section;
  return {
    name,
    botIds: [botId].flat(),
    // In the order of the documentation.
    on: OCCASIONS.filter((occasion) => on.includes(occasion)),
    rules: rulesOf(section, timezone),
    notify: notify.told,
    groups: notify.groups,
    templateSet,
    steps: section.then?.map((step) => ({
      afterMs: step.after,
      unlessDelivered: step.unless === 'delivered',
      notify: step.notify.told,
    })),
  };
}

function rulesOf(
  { when, after_failures, repeat = 'every', mute = [], overdue, expect }: RouteSection,
  timezone: string,
): RouteRules {
  return {
    when,
    afterFailures: after_failures ?? NO_RULES.afterFailures,
    repeat,
    mute: mute.map(({ calendar, ...entry }) => ({ ...entry, calendar: daysOf(calendar) })),
    overdueMs: overdue,
    expect: expect && expectationOf(expect, timezone),
  };
}

/** @returns undefined also if the calendar's name is a reference that is not set here */
function daysOf(calendar: Calendar | { readonly outside?: Calendar } | undefined): Calendar | undefined {
  if (calendar === undefined || 'has' in calendar) return calendar;
  return calendar.outside && outside(calendar.outside);
}

function expectationOf(
  { every, cron = '', grace: graceMs, calendar }: NonNullable<RouteSection['expect']>,
  timezone: string,
): Expectation {
  return every === undefined ? { cron, timezone, calendar, graceMs } : { everyMs: every, graceMs };
}
