/** The checked config: every value typed, in base units, groups expanded, nothing left to interpret. */
import type { StatusName } from '../callback/callback.ts';
import type { Language, MessageFormat } from '../channels/format.ts';
import type { Path } from './path.ts';
import type { ChannelType } from '../channels/channel.ts';

/** Where in which file a value stands; line and column count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export interface ReceiverConfig {
  readonly listen: ListenAddress;
  /** To the letter; with tokens, what stands before `/<token>`. */
  readonly path: string;
  /** Empty: no token. */
  readonly tokens: readonly string[];
  /** CIDRs; empty: anyone. */
  readonly allowFrom: readonly string[];
  /** Whose X-Forwarded-For is believed: nobody's, whoever connects, or that of the proxies in these CIDRs. */
  readonly trustProxy: boolean | readonly string[];
  readonly maxBodyBytes: number;
  /** JSON values in one callback. */
  readonly maxNodes: number;
  readonly answerWithinMs: number;
  readonly answerWhen: 'delivered' | 'accepted';
  readonly maxInFlight: number;
}

export interface AdminConfig {
  readonly listen: ListenAddress;
  readonly password: string | undefined;
  /** Host names that may be asked for on a loopback listener, beside the loopback names. */
  readonly hosts: readonly string[];
}

export interface StoreConfig {
  /** `sqlite:<path>` or `postgres://…`. */
  readonly url: string;
  readonly keepMs: number;
  /** Of a SQLite ledger: pages in use, and its log. */
  readonly maxSizeBytes: number;
}

export interface DeliveryConfig {
  /** One attempt. */
  readonly timeoutMs: number;
  readonly attemptsPerRequest: number;
  /** How long the service may take to retry before Botbell does. */
  readonly takeOverAfterMs: number;
  /** Of a delivery's age: from the first time the callback came, without what it only waited for its turn. */
  readonly giveUpAfterMs: number;
  /** Non-2xx answers that a `permanent` or `config` failure is worth. */
  readonly permanentAttempts: number;
  /** Destinations told of dead letters and refused bodies. */
  readonly alerts: readonly Destination[];
}

/** The place of a line and column (from 1) within the string at `path` of a config file. */
export type PlaceInConfig = (path: Path, line: number, column: number) => Place;

export interface DisplayConfig {
  /** IANA name. */
  readonly timezone: string;
  readonly language: Language;
  /** Liquid templates of URLs. */
  readonly links: { readonly job?: string; readonly file?: string };
}

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
  readonly display: DisplayConfig;
  /** Folder of the user's own template sets. */
  readonly templates: string | undefined;
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
