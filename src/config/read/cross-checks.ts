/** Finds contradictions between settings that are each valid. */
import type { StatusName } from '../../callback/callback.ts';
import { dayOf, NEVER, nextDigest, reportDue } from '../../signal/calendar.ts';
import { beginToExpect } from '../../signal/expect.ts';
import { holdAt } from '../../signal/hold.ts';
import type { MuteEntry, Occasion } from '../../signal/rules.ts';
import type { Fault } from '../../text/fault.ts';
import { isLoopback } from '../../text/networks.ts';
import {
  type Config,
  type ConfigSettings,
  type EscalationStep,
  type RouteConfig,
  tellsTroubles,
} from '../config.ts';
import type { Path } from '../path.ts';
import type { Problems } from '../problems.ts';
import { fault } from '../words.ts';
import { calendarDoubts } from './calendars.ts';

/** The shortest time after which the service posts a callback again (callback interface, "Limits"). */
const SERVICE_RETRY_MS = 30_000;

/** Checks settings even if others have errors, so that all problems are reported at once. Each check needs only its own keys to be sound. */
export function checkSettings(settings: ConfigSettings, problems: Problems): void {
  const { receiver, delivery } = settings;
  if (!problems.hasErrors(['admin.listen', 'admin.password'])) checkAdmin(settings, problems);
  if (isOpenToAll(receiver) && !problems.hasErrors(['receiver.token', 'receiver.allow_from']))
    problems.error(['receiver', 'listen'], fault('open.receiver'));
  if (receiver.answerWithinMs >= SERVICE_RETRY_MS)
    problems.warning(['receiver', 'answer_within'], fault('answer_within'));
  const isNeverTakenOver = delivery.giveUpAfterMs <= delivery.takeOverAfterMs;
  if (isNeverTakenOver && !problems.hasErrors(['delivery.give_up_after', 'delivery.take_over_after']))
    problems.warning(['delivery', 'give_up_after'], fault('give_up_after'));
}

/** Whether anybody on the network may post. */
export function isOpenToAll({ listen, tokens, allowFrom }: Config['receiver']): boolean {
  return !isLoopback(listen.host) && tokens.length === 0 && allowFrom.length === 0;
}

type Together = Pick<Config, 'routes' | 'defaultRoute' | 'display' | 'admin'>;
type OfAdmin = Pick<ConfigSettings, 'admin' | 'receiver' | 'display'>;

function checkAdmin({ admin, receiver, display: { pageUrl } }: OfAdmin, problems: Problems): void {
  if (admin === undefined) return;
  const { listen, password, hosts, trustProxy } = admin;
  const isSame = listen.port === receiver.listen.port && listen.port !== 0;
  if (isSame && !problems.hasErrors(['receiver.listen']))
    problems.error(['admin', 'listen'], fault('same port'));
  if (password !== undefined) return;
  if (!isLoopback(listen.host)) problems.error(['admin', 'listen'], fault('open.admin'));
  if (pageUrl !== undefined || hosts.length > 0 || trustProxy !== false)
    problems.warning(['admin', 'password'], fault('no password'));
}

/** The settings that must be sound to say whether anybody can take an incident up. */
const OF_PAGE = ['admin.listen', 'admin.url', 'admin.password'];

/** @param config its sound part @param paths the paths of its routes */
export function checkRoutes(config: Together, paths: readonly Path[], problems: Problems, now: number): void {
  const { routes, defaultRoute } = config;
  const all = defaultRoute ? [...routes, defaultRoute] : routes;
  const areAllSound = !problems.hasErrors(['channels', 'groups', 'routes', 'default_route']);
  if (all.length === 0 && areAllSound) problems.error([], fault('nobody'));
  const errorsReach = new Set(all.filter(({ on }) => on.includes('error')).flatMap(destinationsOf));
  for (const [index, route] of all.entries()) {
    const warn: Warn = (key, what) =>
      problems.warning([...(paths[index] ?? ['default_route']), ...key], what);
    warnOfRoute(route, warn);
    // The days of a calendar with errors are not known.
    if (!problems.hasErrors(['calendars'])) {
      warnOfMute(route, warn);
      warnOfExpectation(route, warn, now);
    }
    if (areAllSound) warnOfWhom(route, errorsReach, warn);
    const canBeTakenUp = config.display.pageUrl !== undefined && config.admin?.password !== undefined;
    if (route.steps !== undefined && !canBeTakenUp && !problems.hasErrors(OF_PAGE))
      warn(['then'], fault('then.taken up'));
  }
}

export function warnOfCalendars(
  { calendars, digests, reports, display }: Pick<Config, 'calendars' | 'digests' | 'reports' | 'display'>,
  problems: Problems,
  now: number,
): void {
  const { timezone } = display;
  const today = dayOf(now, timezone);
  if (!problems.hasErrors(['calendars'])) {
    for (const { group, ...digest } of digests)
      if (nextDigest(digest, now, timezone) === NEVER)
        problems.warning(['groups', group, 'digest', 'calendar'], fault('calendar.never'));
    for (const [index, report] of reports.entries())
      if (reportDue(report, today, timezone) === NEVER)
        problems.warning(['reports', index, 'calendar'], fault('calendar.never'));
  }
  for (const { calendar, endsOn, file, year } of calendarDoubts(calendars, today))
    if (endsOn === undefined)
      problems.warning(['calendars', calendar], fault('calendar.old', { file, year: String(year) }));
    else problems.warning(['calendars', calendar, 'until'], fault('calendar.ends', { day: endsOn }));
}

type Warn = (key: Path, what: Fault) => void;

/** Warns of what cannot be meant, given the destinations of all routes. @param errorsReach the destinations that any route notifies of errors */
function warnOfWhom(route: RouteConfig, errorsReach: ReadonlySet<string>, warn: Warn): void {
  const { on, steps } = route;
  if (on.includes('recovered') && !destinationsOf(route).some((key) => errorsReach.has(key)))
    warn(['on'], fault('no recovery'));
  if (steps === undefined) return;
  if (!tellsTroubles(route)) warn(['then'], fault('then.nothing'));
  warnOfOrder(route, steps, warn);
}

function warnOfOrder(route: RouteConfig, steps: readonly EscalationStep[], warn: Warn): void {
  const known = new Set(destinationsOf(route));
  for (const [index, step] of steps.entries()) {
    const before = steps[index - 1];
    if (before !== undefined && step.afterMs < before.afterMs)
      warn(['then', index, 'after'], fault('then.order'));
    if (destinationsOf(step).every((destination) => known.has(destination)))
      warn(['then', index, 'notify'], fault('then.known'));
    for (const destination of destinationsOf(step)) known.add(destination);
  }
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

function warnOfExpectation({ rules: { expect } }: RouteConfig, warn: Warn, now: number): void {
  const begun = expect && beginToExpect(expect, { at: now, hasCome: false, lastResultAt: undefined });
  if (begun?.dueAt === NEVER) warn(['expect', 'calendar'], fault('calendar.never'));
}

/** After all `dates` of a config. */
const ANY_TIME = Date.UTC(2999, 0);

/** Whether the entries hold messages of this status without an end. */
function coversAllTimes(mute: readonly MuteEntry[], status: StatusName): boolean {
  const hold = holdAt(ANY_TIME, { mute, status, snoozes: [], botId: '', destination: '', timezone: 'UTC' });
  return hold !== undefined && hold.until === undefined;
}
