/** Finds contradictions between settings that are each valid. */
import type { StatusName } from '../callback/callback.ts';
import { dayOf } from '../signal/calendar.ts';
import { holdAt } from '../signal/hold.ts';
import type { MuteEntry, Occasion } from '../signal/rules.ts';
import { areSameHost, isLoopback } from '../text/networks.ts';
import type { Config, ConfigSettings, EscalationStep, RouteConfig } from './config.ts';
import type { Path } from './path.ts';
import type { Problems } from './problems.ts';
import { calendarDoubts } from './read-calendars.ts';

/** The shortest time after which the service posts a callback again (callback interface, "Limits"). */
const SERVICE_RETRY_MS = 30_000;

/** The sections that `checkSettings` compares. */
export const TOGETHER = ['receiver', 'admin', 'delivery', 'display'];

/** Also where other sections have errors, so that all are reported at once. */
export function checkSettings(settings: ConfigSettings, problems: Problems): void {
  const { receiver, delivery } = settings;
  const { listen, tokens, allowFrom } = receiver;
  if (!isLoopback(listen.host) && tokens.length === 0 && allowFrom.length === 0) {
    const what = 'is open to everybody: set receiver.token or receiver.allow_from, or listen on 127.0.0.1';
    problems.error(['receiver', 'listen'], what);
  }
  if (receiver.answerWithinMs >= SERVICE_RETRY_MS) {
    const what = 'is so long that the service may post again (after 30s) before it is answered';
    problems.warning(['receiver', 'answer_within'], what);
  }
  if (delivery.giveUpAfterMs <= delivery.takeOverAfterMs) {
    const what = 'is not longer than delivery.take_over_after: nothing is ever taken over';
    problems.warning(['delivery', 'give_up_after'], what);
  }
  checkAdmin(settings, problems);
}

type OfAdmin = Pick<ConfigSettings, 'admin' | 'receiver' | 'display'>;

function checkAdmin({ admin, receiver, display: { pageUrl } }: OfAdmin, problems: Problems): void {
  if (admin === undefined) return;
  const { listen, password, hosts, trustProxy } = admin;
  const { host, port } = receiver.listen;
  if (listen.port === port && port !== 0 && areSameHost(listen.host, host))
    problems.error(['admin', 'listen'], 'has the port of receiver.listen: give each listener its own');
  if (password !== undefined) return;
  if (!isLoopback(listen.host)) {
    const what = 'is open beyond this machine: set admin.password, or listen on 127.0.0.1';
    problems.error(['admin', 'listen'], what);
  }
  if (pageUrl !== undefined || hosts.length > 0 || trustProxy !== false) {
    const what = 'is not set, and admin.url, hosts or trust_proxy say that others come: set it';
    problems.warning(['admin', 'password'], what);
  }
}

/** @param config each of its values is valid */
export function checkRoutes(config: Omit<Config, 'secrets'>, problems: Problems): void {
  const { routes, defaultRoute } = config;
  const all = defaultRoute ? [...routes, defaultRoute] : routes;
  if (all.length === 0) problems.error([], 'nobody would ever be told: add routes, or a default_route');
  const errorsReach = new Set(all.filter(({ on }) => on.includes('error')).flatMap(destinationsOf));
  for (const [index, route] of all.entries()) {
    const path = route === defaultRoute ? ['default_route'] : ['routes', index];
    const warn: Warn = (key, message) => problems.warning([...path, ...key], message);
    warnOfRoute(route, errorsReach, warn);
    if (route.steps !== undefined) warnOfSteps(route, config, warn);
  }
}

export function warnOfCalendars(
  { calendars, display }: Pick<Config, 'calendars' | 'display'>,
  problems: Problems,
  now: number,
): void {
  for (const { calendar, endsOn, file, year } of calendarDoubts(calendars, dayOf(now, display.timezone)))
    if (endsOn === undefined) problems.warning(['calendars', calendar], `: ${file} has no day of ${year}`);
    else
      problems.warning(
        ['calendars', calendar, 'until'],
        `is ${endsOn}: after it \`except\` counts no more; add the days that come, and set it later`,
      );
}

type Warn = (key: Path, message: string) => void;

/** What a route's `then` cannot mean. */
function warnOfSteps(route: RouteConfig, { admin, display }: Omit<Config, 'secrets'>, warn: Warn): void {
  const { on, rules, steps = [] } = route;
  if (display.pageUrl === undefined || admin?.password === undefined)
    warn(['then'], 'waits for somebody to take it up, which needs admin.url and admin.password');
  const isOfTrouble = on.includes('error') || rules.overdueMs !== undefined || rules.expect !== undefined;
  if (!isOfTrouble || route.notify.length === 0)
    warn(['then'], 'does nothing: the route tells nobody of errors');
  warnOfOrder(route, steps, warn);
}

function warnOfOrder(route: RouteConfig, steps: readonly EscalationStep[], warn: Warn): void {
  const known = new Set(destinationsOf(route));
  for (const [index, step] of steps.entries()) {
    const before = steps[index - 1];
    if (before !== undefined && step.afterMs < before.afterMs)
      warn(['then', index, 'after'], 'is sooner than the step before: write steps in their order');
    if (destinationsOf(step).every((destination) => known.has(destination)))
      warn(['then', index, 'notify'], 'tells nobody new: the route, or a step before, tells them already');
    for (const destination of destinationsOf(step)) known.add(destination);
  }
}

function destinationsOf({ notify }: Pick<RouteConfig, 'notify'>): string[] {
  return notify.map(({ destination }) => destination);
}

/** @param errorsReach the destinations that any route notifies of errors */
function warnOfRoute(route: RouteConfig, errorsReach: ReadonlySet<string>, warn: Warn): void {
  const { on, rules } = route;
  if (!on.includes('error')) {
    if (rules.afterFailures > 1) warn(['after_failures'], 'does nothing: the route is not told of errors');
    if (rules.repeat !== 'every') warn(['repeat'], 'does nothing: the route is not told of errors');
  }
  const statusOf = (occasion: Occasion) => (occasion === 'recovered' ? 'succeeded' : occasion);
  const muted = on.filter((occasion) => coversAllTimes(rules.mute, statusOf(occasion)));
  if (muted.length > 0)
    warn(
      ['mute'],
      `covers all times: ${muted.join(', ')} would be held for ever; leave it out of on instead`,
    );
  if (on.includes('recovered') && !destinationsOf(route).some((key) => errorsReach.has(key)))
    warn(['on'], 'tells of no recovery: whom it tells, no route tells of errors');
}

/** After all `dates` of a config. */
const ANY_TIME = Date.UTC(2999, 0);

/** Whether the entries hold messages of this status without an end. */
function coversAllTimes(mute: readonly MuteEntry[], status: StatusName): boolean {
  const hold = holdAt(ANY_TIME, { mute, status, snoozes: [], botId: '', destination: '', timezone: 'UTC' });
  return hold !== undefined && hold.until === undefined;
}
