/** Makes of what has passed the schema the routes, and whom they tell, as the rest of the program works with them. */
import { type Expectation, NO_RULES, OCCASIONS, type RouteRules, WEEKDAYS } from '../signal/rules.ts';
import { type Destination, type DigestConfig, msOf, type RouteConfig } from './config.ts';
import { type Known, parseTimeOfDay } from './field-rules.ts';
import { type GroupSection, namesIn } from './notify-schema.ts';
import { type Path, pathText } from './path.ts';
import type { RootSection, RouteSection } from './schema.ts';

type Groups = ReadonlyMap<string, readonly Destination[]>;

interface Routing {
  /** Told of dead letters and refused bodies. */
  readonly alerts: readonly Destination[];
  readonly digests: readonly DigestConfig[];
  readonly routes: readonly RouteConfig[];
  readonly defaultRoute: RouteConfig | undefined;
}

export function readRouting(
  { groups: written, delivery, routes = [], default_route: defaultRoute }: RootSection,
  channels: Known['channels'],
): Routing {
  const sections = Object.entries(written);
  const addresses = (group: GroupSection) => ('notify' in group ? group.notify : group);
  const groups: Groups = new Map(
    sections.map(([name, group]) => [name, toldBy(addresses(group), channels, new Map())]),
  );
  const route = (section: RouteSection, path: Path): RouteConfig => ({
    ...routeOf(section, path),
    notify: toldBy(section.notify, channels, groups),
  });
  return {
    alerts: toldBy(delivery.alerts, channels, groups),
    digests: sections.flatMap(([name, group]) => digestOf(name, group, groups.get(name) ?? [])),
    routes: routes.map((section, index) => route(section, ['routes', index])),
    defaultRoute: defaultRoute && route(defaultRoute, ['default_route']),
  };
}

/** The destinations of a list, each once, in their order; the first entry that names one gives its options. */
function toldBy(entries: unknown, channels: Known['channels'], groups: Groups): readonly Destination[] {
  const all = new Map<string, Destination>();
  for (const { name, told } of namesIn(entries, channels))
    for (const each of told ? [told] : (groups.get(name) ?? []))
      if (!all.has(each.destination)) all.set(each.destination, each);
  return [...all.values()];
}

function digestOf(group: string, section: GroupSection, notify: readonly Destination[]): DigestConfig[] {
  if (!('digest' in section) || section.digest === undefined) return [];
  const { at, days = WEEKDAYS } = section.digest;
  return [{ group, notify, at: parseTimeOfDay(at) ?? 0, days }];
}

function routeOf(section: RouteSection, path: Path) {
  const { name = pathText(path), bot_id: botId = [], on, notify, template_set: templateSet } = section;
  return {
    name,
    botIds: [botId].flat(),
    // In the order of the documentation.
    on: OCCASIONS.filter((occasion) => on.includes(occasion)),
    rules: rulesOf(section),
    groups: notify.filter((entry) => typeof entry === 'string'),
    templateSet,
  };
}

function rulesOf({
  when,
  after_failures,
  repeat = 'every',
  mute = [],
  overdue,
  expect,
}: RouteSection): RouteRules {
  return {
    when,
    afterFailures: after_failures ?? NO_RULES.afterFailures,
    repeat: repeat === 'every' || repeat === 'changes' ? repeat : msOf(repeat),
    mute: mute.map(({ days, dates, from, to, except }) => ({
      days,
      dates,
      from: from === undefined ? undefined : parseTimeOfDay(from),
      // Midnight ends the day.
      to: to === undefined ? undefined : parseTimeOfDay(to) || 1440,
      except,
    })),
    overdueMs: overdue === undefined ? undefined : msOf(overdue),
    expect: expect && expectationOf(expect),
  };
}

function expectationOf({ every, cron = '', grace }: NonNullable<RouteSection['expect']>): Expectation {
  const graceMs = msOf(grace);
  return every === undefined ? { cron, graceMs } : { everyMs: msOf(every), graceMs };
}
