/** The checked config: every value typed, in base units, groups expanded, nothing left to interpret. */
import type { StatusName } from '../callback/callback.ts';
import type { ChannelType, MessageFormat } from '../channels/channel.ts';
import type { Proxies } from '../outbound/proxy.ts';
import type { Path } from './path.ts';
import { parseDuration, parseSize } from '../time/display.ts';
import { parseCidr, parseListenAddress } from './field-rules.ts';
import type {
  AdminSection,
  DeliverySection,
  DisplaySection,
  HeartbeatSection,
  ReceiverSection,
  StoreSection,
} from './schema.ts';

/** Where in which file a value stands; line and column count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export type ReceiverConfig = Readonly<ReturnType<typeof receiverOf>>;

export function receiverOf(section: ReceiverSection) {
  const tokens = [section.token].flat().filter((token) => token !== '');
  return {
    listen: addressOf(section.listen),
    /** To the letter; with tokens, what stands before `/<token>`. */
    path: tokens.length > 0 ? section.path.replace(/\/$/, '') : section.path,
    /** Empty: no token. */
    tokens,
    /** CIDRs; empty: anyone. */
    allowFrom: cidrsOf(section.allow_from),
    trustProxy: trustedIn(section.trust_proxy),
    maxBodyBytes: bytesOf(section.max_body),
    /** JSON values in one callback. */
    maxNodes: section.max_nodes,
    answerWithinMs: msOf(section.answer_within),
    answerWhen: section.answer_when,
    maxInFlight: section.max_in_flight,
  };
}

export type AdminConfig = Readonly<NonNullable<ReturnType<typeof adminOf>>>;

/** Undefined: `listen: off`. */
export function adminOf(section: AdminSection) {
  const { listen, password, hosts } = section;
  if (listen === 'off') return undefined;
  return {
    listen: addressOf(listen),
    password: password === '' ? undefined : password,
    /** Host names that may be asked for on a loopback listener, beside the loopback names. */
    hosts,
    /** Opens /metrics, and nothing else. */
    metricsToken: section.metrics_token === '' ? undefined : section.metrics_token,
    trustProxy: trustedIn(section.trust_proxy),
  };
}

export type StoreConfig = Readonly<ReturnType<typeof storeOf>>;

export function storeOf(section: StoreSection) {
  return {
    /** `sqlite:<path>` or `postgres://…`. */
    url: section.url,
    keepMs: msOf(section.keep),
    /** Of a SQLite ledger: pages in use, and its log. */
    maxSizeBytes: bytesOf(section.max_size),
  };
}

export type DeliveryConfig = Readonly<ReturnType<typeof deliveryOf>>;

/** @param alerts destinations told of dead letters and refused bodies */
export function deliveryOf(section: DeliverySection, alerts: readonly Destination[]) {
  return {
    /** One attempt. */
    timeoutMs: msOf(section.timeout),
    attemptsPerRequest: section.attempts_per_request,
    /** How long the service may take to retry before Botbell does. */
    takeOverAfterMs: msOf(section.take_over_after),
    /** Of a delivery's age: from the first time the callback came, without what it only waited for its turn. */
    giveUpAfterMs: msOf(section.give_up_after),
    /** Non-2xx answers that a `permanent` or `config` failure is worth. */
    permanentAttempts: section.permanent_attempts,
    alerts,
  };
}

export type HeartbeatConfig = Readonly<NonNullable<ReturnType<typeof heartbeatOf>>>;

/** Undefined: none is asked for. */
export function heartbeatOf({ url, every }: HeartbeatSection) {
  return url === '' ? undefined : { url, everyMs: msOf(every) };
}

/** Every value has passed the section's schema, so that none of these can fail for what a user writes. */
function checked<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a value was used before its schema had passed it');
  return value;
}

const addressOf = (text: string) => checked(parseListenAddress(text));
const msOf = (text: string) => checked(parseDuration(text));
const bytesOf = (text: string) => checked(parseSize(text));
/** Whose X-Forwarded-For is believed: nobody's, whoever connects, or that of the proxies in these CIDRs. */
const trustedIn = (proxies: boolean | readonly string[]) =>
  typeof proxies === 'boolean' ? proxies : cidrsOf(proxies);
const cidrsOf = (texts: readonly string[]) => texts.map((text) => checked(parseCidr(text)));

export type DisplayConfig = DisplaySection;

/** The place of a line and column (from 1) within the string at `path` of a config file. */
export type PlaceInConfig = (path: Path, line: number, column: number) => Place;

export interface ChannelConfig {
  readonly name: string;
  readonly type: string;
  /** Checked by the channel type's own schema. */
  readonly settings: unknown;
}

/** One address on one channel; `key` is `<channel>:<address>`. */
export interface Destination {
  readonly key: string;
  readonly channel: string;
  readonly address: string;
  readonly options: Readonly<Record<string, unknown>>;
}

export interface RouteConfig {
  /** `routes[0]`, … or `default_route`. */
  readonly name: string;
  /** Exact names, globs (`invoice-*`) and `/regular expressions/` (RE2 syntax), as written; empty for the default route. */
  readonly botIds: readonly string[];
  readonly on: readonly StatusName[];
  /** Empty: nobody, on purpose, not even by the default route. */
  readonly notify: readonly Destination[];
  readonly templateSet: string | undefined;
  readonly place: Place;
}

export interface Config {
  readonly file: string;
  readonly receiver: ReceiverConfig;
  /** Undefined: `listen: off`. */
  readonly admin: AdminConfig | undefined;
  readonly store: StoreConfig;
  readonly delivery: DeliveryConfig;
  /** The links are Liquid templates of URLs. */
  readonly display: DisplayConfig;
  /** Undefined: none is asked for. */
  readonly heartbeat: HeartbeatConfig | undefined;
  /** Folder of the user's own template sets. */
  readonly templates: string | undefined;
  /** What channels over HTTP go through. */
  readonly proxies: Proxies;
  readonly channels: ReadonlyMap<string, ChannelConfig>;
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
