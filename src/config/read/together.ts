/** Finds contradictions between settings that are each valid. */
import type { StatusName } from '../../callback/callback.ts';
import { dayOf } from '../../signal/calendar.ts';
import { holdAt } from '../../signal/hold.ts';
import type { MuteEntry, Occasion } from '../../signal/rules.ts';
import type { Fault } from '../../text/fault.ts';
import { areSameHost, isLoopback } from '../../text/networks.ts';
import type { AdminConfig, Config, ConfigSettings, RouteConfig } from '../config.ts';
import type { Path } from '../path.ts';
import type { Problems } from '../problems.ts';
import { fault } from '../words.ts';
import { calendarDoubts } from './calendars.ts';

/** Where receiver or admin have errors, these come first. */
export function checkListeners(settings: ConfigSettings, problems: Problems): void {
  if (problems.hasErrors(['receiver', 'admin'])) return;
  const { listen, tokens, allowFrom } = settings.receiver;
  if (!isLoopback(listen.host) && tokens.length === 0 && allowFrom.length === 0)
    problems.error(['receiver', 'listen'], fault('open.receiver'));
  if (settings.admin !== undefined) checkAdmin(settings.admin, settings, problems);
}

function checkAdmin(admin: AdminConfig, { receiver, display }: ConfigSettings, problems: Problems): void {
  const { listen, password, hosts, trustProxy } = admin;
  const { host, port } = receiver.listen;
  if (listen.port === port && port !== 0 && areSameHost(listen.host, host))
    problems.error(['admin', 'listen'], fault('same port'));
  if (password !== undefined) return;
  if (!isLoopback(listen.host)) problems.error(['admin', 'listen'], fault('open.admin'));
  if (display.pageUrl !== undefined || hosts.length > 0 || trustProxy !== false)
    problems.warning(['admin', 'password'], fault('no password'));
}

type Together = Pick<Config, 'routes' | 'defaultRoute' | 'display' | 'admin'>;

/** @param config what is sound of it @param paths of its routes */
export function checkRoutes(config: Together, paths: readonly Path[], problems: Problems): void {
  const { routes, defaultRoute } = config;
  const all = defaultRoute ? [...routes, defaultRoute] : routes;
  const areAllSound = !problems.hasErrors(['channels', 'groups', 'routes', 'default_route']);
  if (all.length === 0 && areAllSound) problems.error([], fault('nobody'));
  const errorsReach = new Set(all.filter(({ on }) => on.includes('error')).flatMap(destinationsOf));
  for (const [index, route] of all.entries()) {
    const warn: Warn = (key, what) =>
      problems.warning([...(paths[index] ?? ['default_route']), ...key], what);
    warnOfRoute(route, warn);
    // Of a calendar with errors nobody knows its days.
    if (!problems.hasErrors(['calendars'])) warnOfMute(route, warn);
    if (areAllSound) warnOfWhom(route, errorsReach, warn);
    const canBeTakenUp = config.display.pageUrl !== undefined && config.admin?.password !== undefined;
    if (route.steps !== undefined && !canBeTakenUp && !problems.hasErrors(['admin']))
      warn(['then'], fault('then.taken up'));
  }
}

export function warnOfCalendars(
  { calendars, display }: Pick<Config, 'calendars' | 'display'>,
  problems: Problems,
  now: number,
): void {
  for (const { calendar, endsOn, file, year } of calendarDoubts(calendars, dayOf(now, display.timezone)))
    if (endsOn === undefined)
      problems.warning(['calendars', calendar], fault('calendar.old', { file, year: String(year) }));
    else problems.warning(['calendars', calendar, 'until'], fault('calendar.ends', { day: endsOn }));
}

type Warn = (key: Path, what: Fault) => void;

/** What a route cannot mean, given whom it and the others tell. @param errorsReach the destinations that any route notifies of errors */
function warnOfWhom(route: RouteConfig, errorsReach: ReadonlySet<string>, warn: Warn): void {
  const isTold = destinationsOf(route).some((destination) => errorsReach.has(destination));
  if (route.on.includes('recovered') && !isTold) warn(['on'], fault('no recovery'));
}

function destinationsOf({ notify }: Pick<RouteConfig, 'notify'>): string[] {
  return notify.map(({ destination }) => destination);
}

function warnOfRoute({ on, rules }: RouteConfig, warn: Warn): void {
  if (on.includes('error')) return;
  if (rules.afterFailures > 1) warn(['after_failures'], fault('no errors'));
  if (rules.repeat !== 'every') warn(['repeat'], fault('no errors'));
}

function warnOfMute({ on, rules }: RouteConfig, warn: Warn): void {
  const statusOf = (occasion: Occasion) => (occasion === 'recovered' ? 'succeeded' : occasion);
  const muted = on.filter((occasion) => coversAllTimes(rules.mute, statusOf(occasion)));
  if (muted.length > 0) warn(['mute'], fault('mute.always', { statuses: muted.join(', ') }));
}

/** After all `dates` of a config. */
const ANY_TIME = Date.UTC(2999, 0);

/** Whether the entries hold messages of this status without an end. */
function coversAllTimes(mute: readonly MuteEntry[], status: StatusName): boolean {
  const hold = holdAt(ANY_TIME, { mute, status, snoozes: [], botId: '', destination: '', timezone: 'UTC' });
  return hold !== undefined && hold.until === undefined;
}
