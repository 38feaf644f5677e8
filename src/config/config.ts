/** The checked config: every value typed and in base units, groups expanded. */
import type { ChannelType, MessageFormat } from '../channels/channel.ts';
import type { Proxies } from '../outbound/proxy.ts';
import type { Fault } from '../text/fault.ts';
import type { Burst, Calendar, Digest, Occasion, RouteRules } from '../signal/rules.ts';
import type { Destination } from './destination.ts';
import type { RootSection } from './schema/schema.ts';

/** The file, line and column of a value; line and column count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export type ConfigSettings = Readonly<ReturnType<typeof settingsOf>>;
export type ReceiverConfig = Readonly<ConfigSettings['receiver']>;
export type AdminConfig = Readonly<NonNullable<ConfigSettings['admin']>>;
export type DeliveryConfig = Readonly<ConfigSettings['delivery']>;
export type DisplayConfig = ConfigSettings['display'];

/**
 * `schema.ts` documents each setting.
 * @param alerts destinations notified of dead letters and refused bodies
 */
export function settingsOf(sections: RootSection, alerts: readonly Destination[]) {
  const { receiver, admin, store, delivery, display, heartbeat } = sections;
  return {
    receiver: receiverOf(receiver),
    admin: adminOf(admin),
    store: {
      /** `sqlite:<path>` or `postgres://…`. */
      url: store.url,
      keepMs: store.keep,
      /** Limit of a SQLite ledger: its pages in use and its write-ahead log. */
      maxSizeBytes: store.max_size,
    },
    delivery: {
      timeoutMs: delivery.timeout,
      attemptsPerRequest: delivery.attempts_per_request,
      takeOverAfterMs: delivery.take_over_after,
      /** Limit of a delivery's age, which counts from the callback's first arrival, less the time that the delivery only waited. */
      giveUpAfterMs: delivery.give_up_after,
      permanentAttempts: delivery.permanent_attempts,
      alerts,
    },
    /** Links are Liquid templates of URLs; alerts link to the page if `admin.url` is set. */
    display: { ...display, ...(admin.url !== '' && { pageUrl: admin.url }) },
    /** Undefined if no URL is set. */
    heartbeat: heartbeat.url === '' ? undefined : { url: heartbeat.url, everyMs: heartbeat.every },
  };
}

export function receiverOf(section: RootSection['receiver']) {
  const tokens = [section.token ?? []].flat().filter((token) => token !== '');
  return {
    listen: section.listen,
    /** Compared exactly; if there are tokens, the part before `/<token>`. */
    path: tokens.length > 0 ? section.path.replace(/\/$/, '') : section.path,
    tokens,
    /** Addresses and networks that may send; empty for anyone. */
    allowFrom: section.allow_from,
    /** Which peers' X-Forwarded-For is trusted: none (false), all (true), or the proxies in these networks. */
    trustProxy: section.trust_proxy ?? false,
    maxBodyBytes: section.max_body,
    maxNodes: section.max_nodes,
    answerWithinMs: section.answer_within,
    answerWhen: section.answer_when,
    maxInFlight: section.max_in_flight,
  };
}

/** Undefined with `listen: off`. */
function adminOf({ listen, password, hosts, ...section }: RootSection['admin']) {
  if (listen === 'off') return undefined;
  const metricsToken = section.metrics_token || undefined;
  return {
    listen,
    password: password || undefined,
    hosts,
    metricsToken,
    trustProxy: section.trust_proxy ?? false,
  };
}

/** The reports. They name BOTs as routes do. */
export function reportsOf({ reports }: RootSection) {
  return reports.map(({ bots = [], notify, ...report }) => ({
    ...report,
    /** Empty: all. */
    botIds: [bots].flat(),
    notify: notify.told,
  }));
}

/** `fromDay`: of the month; `warn`: percentages, ascending. */
export function budgetOf({ budget }: RootSection) {
  if (budget === undefined) return undefined;
  const { hours, from_day: fromDay, warn, calendar, notify } = budget;
  return { hours, fromDay, calendar, warn: warn.toSorted((a, b) => a - b), notify: notify.told };
}

/** The days that a file has, each once. */
export type DatesOfFile = ReadonlySet<number>;

export interface NamedCalendar {
  readonly calendar: Calendar;
  /** The last day on which `except` counts; undefined: no end is set. */
  readonly until: number | undefined;
  /** The paths of its files. */
  readonly files: readonly string[];
}

export interface Calendars {
  readonly named: ReadonlyMap<string, NamedCalendar>;
  /** By path. */
  readonly files: ReadonlyMap<string, DatesOfFile>;
}

export interface ChannelConfig {
  readonly name: string;
  readonly type: string;
  /** As the channel type's schema returned them. */
  readonly settings: unknown;
  /** Undefined if the number of messages is not limited. */
  readonly burst: Burst | undefined;
}

/** A group's digest of its BOTs, sent beside the group's notifications. */
export interface DigestConfig extends Digest {
  readonly group: string;
  readonly notify: readonly Destination[];
}

/** Whom a route tells of an incident that lasts, and how long after the first message about it. */
export interface EscalationStep {
  readonly afterMs: number;
  /** true: told unless a destination of the route has got a message of the incident. false: told unless somebody has taken the incident up. */
  readonly unlessDelivered: boolean;
  readonly notify: readonly Destination[];
}

export interface RouteConfig {
  /** Unique: the name given in the config, or else its patterns (`routeNames`), or `default_route`. The ledger keeps it. */
  readonly name: string;
  /** Exact ids, globs (`invoice-*`) and `/regular expressions/` (RE2 syntax), as written; empty for the default route. */
  readonly botIds: readonly string[];
  readonly on: readonly Occasion[];
  /** The default route has no `expect`. */
  readonly rules: RouteRules;
  /** Empty if the config notifies nobody on purpose; then the default route does not apply either. */
  readonly notify: readonly Destination[];
  readonly groups: readonly string[];
  readonly templateSet: string | undefined;
  /** Its `then`; undefined: it has none. */
  readonly steps?: readonly EscalationStep[] | undefined;
}

/** Whether a route tells anybody of the troubles of its BOTs: an error, an overdue run or a missed result. */
export function tellsTroubles({ on, rules, notify }: RouteConfig): boolean {
  const isAny = on.includes('error') || rules.overdueMs !== undefined || rules.expect !== undefined;
  return isAny && notify.length > 0;
}

export interface Config extends ConfigSettings {
  readonly file: string;
  readonly templates: string | undefined;
  readonly proxies: Proxies;
  readonly channels: ReadonlyMap<string, ChannelConfig>;
  readonly calendars: Calendars;
  readonly digests: readonly DigestConfig[];
  readonly reports: ReturnType<typeof reportsOf>;
  readonly budget: ReturnType<typeof budgetOf>;
  readonly routes: readonly RouteConfig[];
  readonly defaultRoute: RouteConfig | undefined;
  /** Strings that no log, answer, error or page may show. */
  readonly secrets: readonly string[];
}

/** An error or a warning about a config or template file. */
export interface Problem {
  readonly place: Place;
  /** The path of the value that it is about, as `pathText` writes it; left out: the fault says what it is about. */
  readonly path?: string;
  readonly fault: Fault;
  readonly severity: 'error' | 'warning';
}

/** @returns each channel's message format, by the channel's name */
export function formatsOf(
  { channels }: Pick<Config, 'channels'>,
  channelTypes: ReadonlyMap<string, ChannelType>,
): ReadonlyMap<string, MessageFormat> {
  const formats = new Map<string, MessageFormat>();
  for (const { name, type, settings } of channels.values()) {
    const format = channelTypes.get(type)?.formatOf(settings);
    if (format !== undefined) formats.set(name, format);
  }
  return formats;
}
