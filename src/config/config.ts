/** The checked config: every value typed, in base units, groups expanded, nothing left to interpret. */
import type { ChannelType, MessageFormat } from '../channels/channel.ts';
import type { Proxies } from '../outbound/proxy.ts';
import type { Burst, Digest, Occasion, PerJob, RouteRules } from '../signal/rules.ts';
import type { Path } from './path.ts';
import { parseDuration, parseSize } from '../time/display.ts';
import { parseListenAddress } from './field-rules.ts';
import type { RootSection } from './schema.ts';

/** Where in which file a value stands; line and column count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export type Settings = Readonly<ReturnType<typeof settingsOf>>;
export type ReceiverConfig = Readonly<Settings['receiver']>;
export type AdminConfig = Readonly<NonNullable<Settings['admin']>>;
export type DeliveryConfig = Readonly<Settings['delivery']>;
export type DisplayConfig = Settings['display'];

/**
 * In base units; what each means is said by its schema.
 * @param alerts destinations told of dead letters and refused bodies
 */
export function settingsOf(sections: RootSection, alerts: readonly Destination[]) {
  const { receiver, admin, store, delivery, display, heartbeat } = sections;
  return {
    receiver: receiverOf(receiver),
    /** Undefined: `listen: off`. */
    admin: admin.listen === 'off' ? undefined : adminOf(admin),
    store: {
      /** `sqlite:<path>` or `postgres://…`. */
      url: store.url,
      keepMs: msOf(store.keep),
      /** Of a SQLite ledger: pages in use, and its log. */
      maxSizeBytes: bytesOf(store.max_size),
    },
    delivery: {
      timeoutMs: msOf(delivery.timeout),
      attemptsPerRequest: delivery.attempts_per_request,
      takeOverAfterMs: msOf(delivery.take_over_after),
      /** Of a delivery's age: from the first time the callback came, without what it only waited for its turn. */
      giveUpAfterMs: msOf(delivery.give_up_after),
      permanentAttempts: delivery.permanent_attempts,
      alerts,
    },
    /** The links are Liquid templates of URLs; alerts link to the page where it has a URL. */
    display: { ...display, ...(admin.url !== '' && { pageUrl: admin.url }) },
    /** Undefined: none is asked for. */
    heartbeat: heartbeat.url === '' ? undefined : { url: heartbeat.url, everyMs: msOf(heartbeat.every) },
  };
}

export function receiverOf(section: RootSection['receiver']) {
  const tokens = [section.token ?? []].flat().filter((token) => token !== '');
  return {
    listen: addressOf(section.listen),
    /** To the letter; with tokens, what stands before `/<token>`. */
    path: tokens.length > 0 ? section.path.replace(/\/$/, '') : section.path,
    /** Empty: no token. */
    tokens,
    /** Addresses and networks; empty: anyone. */
    allowFrom: section.allow_from,
    /** Whose X-Forwarded-For is believed: nobody's, whoever connects, or that of the proxies in these networks. */
    trustProxy: section.trust_proxy ?? false,
    maxBodyBytes: bytesOf(section.max_body),
    maxNodes: section.max_nodes,
    answerWithinMs: msOf(section.answer_within),
    answerWhen: section.answer_when,
    maxInFlight: section.max_in_flight,
  };
}

function adminOf(section: RootSection['admin']) {
  return {
    listen: addressOf(section.listen),
    password: section.password || undefined,
    hosts: section.hosts,
    metricsToken: section.metrics_token || undefined,
    trustProxy: section.trust_proxy ?? false,
  };
}

// Every value has passed its schema, so that none of these can fail for what a user writes.
const addressOf = (text: string) => parseListenAddress(text) as { host: string; port: number };
export const msOf = (text: string) => parseDuration(text) as number;
const bytesOf = (text: string) => parseSize(text) as number;

/** Where the value at `path` of a config file stands. */
export type PlaceInConfig = (path: Path) => Place;

export interface ChannelConfig {
  readonly name: string;
  readonly type: string;
  /** Checked by the channel type's own schema. */
  readonly settings: unknown;
  /** Undefined: each message is sent, however many there are. */
  readonly burst: Burst | undefined;
}

/** One address on one channel. */
export interface Destination {
  /** `<channel>:<address>` */
  readonly destination: string;
  readonly channel: string;
  readonly address: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly perJob: PerJob;
}

/** A group that is told, beside what its routes tell it, what became of their BOTs. */
export interface DigestConfig extends Digest {
  readonly group: string;
  readonly notify: readonly Destination[];
}

export interface RouteConfig {
  /** As the config names it; else `routes[0]`, … or `default_route`. */
  readonly name: string;
  /** Exact names, globs (`invoice-*`) and `/regular expressions/` (RE2 syntax), as written; empty for the default route. */
  readonly botIds: readonly string[];
  readonly on: readonly Occasion[];
  /** What is held back of it; the default route expects nothing. */
  readonly rules: RouteRules;
  /** Empty: nobody, on purpose, not even by the default route. */
  readonly notify: readonly Destination[];
  /** Names of the groups in `notify`. */
  readonly groups: readonly string[];
  readonly templateSet: string | undefined;
}

export interface Config extends Settings {
  readonly file: string;
  /** Folder of the user's own template sets. */
  readonly templates: string | undefined;
  /** What channels over HTTP go through. */
  readonly proxies: Proxies;
  readonly channels: ReadonlyMap<string, ChannelConfig>;
  readonly digests: readonly DigestConfig[];
  readonly routes: readonly RouteConfig[];
  readonly defaultRoute: RouteConfig | undefined;
  /** Every string that no log, answer, error or page may show. */
  readonly secrets: readonly string[];
}

/** One thing wrong (or, as a warning, doubtful) with a config or template file. */
export interface Problem {
  readonly place: Place;
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

/** By the channel's name. */
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
