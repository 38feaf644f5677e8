/** Turns the checked sections of plain settings into typed ones, in base units, and finds what contradicts itself among them. */
import { parseDuration, parseSize } from '../time/display.ts';
import type {
  AdminConfig,
  DisplayConfig,
  ListenAddress,
  ReceiverConfig,
  StoreConfig,
  DeliveryConfig,
  Destination,
} from './config.ts';
import { parseCidr, parseListenAddress, isLoopback } from './field-rules.ts';
import {
  type AdminSection,
  type DeliverySection,
  type DisplaySection,
  type ReceiverSection,
  type StoreSection,
  storeSchema,
} from './schema.ts';
import type { Problems } from './problems.ts';
import type { Directory } from './read-destinations.ts';

/** Every value has passed the section's schema, so that nothing below can fail for what a user writes. */
class UncheckedValue extends Error {
  override readonly name = 'UncheckedValue';
}

export function receiverOf(section: ReceiverSection): ReceiverConfig {
  const tokens = [section.token].flat().filter((token) => token !== '');
  return {
    listen: listenAddress(section.listen),
    path: tokens.length > 0 ? section.path.replace(/\/$/, '') : section.path,
    tokens,
    allowFrom: cidrs(section.allow_from),
    trustProxy: typeof section.trust_proxy === 'boolean' ? section.trust_proxy : cidrs(section.trust_proxy),
    maxBodyBytes: parsed(parseSize(section.max_body)),
    maxNodes: section.max_nodes,
    answerWithinMs: milliseconds(section.answer_within),
    answerWhen: section.answer_when,
    maxInFlight: section.max_in_flight,
  };
}

/** Undefined: `listen: off`. */
export function adminOf(section: AdminSection): AdminConfig | undefined {
  if (section.listen === 'off') return undefined;
  return {
    listen: listenAddress(section.listen),
    password: section.password === '' ? undefined : section.password,
    hosts: section.hosts,
  };
}

export function storeOf(section: StoreSection): StoreConfig {
  return {
    url: section.url,
    keepMs: milliseconds(section.keep),
    maxSizeBytes: parsed(parseSize(section.max_size)),
  };
}

export function deliveryOf(section: DeliverySection, alerts: readonly Destination[]): DeliveryConfig {
  return {
    timeoutMs: milliseconds(section.timeout),
    attemptsPerRequest: section.attempts_per_request,
    takeOverAfterMs: milliseconds(section.take_over_after),
    giveUpAfterMs: milliseconds(section.give_up_after),
    permanentAttempts: section.permanent_attempts,
    alerts,
  };
}

export function displayOf(section: DisplaySection): DisplayConfig {
  const { job, file } = section.links;
  return {
    timezone: section.timezone,
    language: section.language,
    links: { ...(job !== undefined && { job }), ...(file !== undefined && { file }) },
  };
}

function cidrs(texts: readonly string[]): readonly string[] {
  return texts.map((text) => parseCidr(text) ?? text);
}

function listenAddress(text: string): ListenAddress {
  return parsed(parseListenAddress(text));
}

function milliseconds(text: string): number {
  return parsed(parseDuration(text));
}

function parsed<T>(value: T | undefined): T {
  if (value === undefined) throw new UncheckedValue('a value was used before its schema had passed it');
  return value;
}

/** The service never posts a callback again sooner (callback interface, "Limits"). */
const SERVICE_RETRY_MS = 30_000;

/** About 96 random bits in a URL-safe alphabet. */
const MIN_TOKEN_LENGTH = 16;

/** In SQLite a body is written to the log first, beside what the ledger holds already. */
const BODIES_THAT_FIT = 4;

const DEFAULT_MAX_SIZE_BYTES = parseSize(storeSchema.getDefault().max_size);

/** Sections that are wrong by themselves are undefined. */
export interface Settings {
  readonly receiver: ReceiverConfig | undefined;
  readonly admin: AdminConfig | undefined;
  readonly store: StoreConfig | undefined;
  readonly delivery: DeliveryConfig | undefined;
}

export function checkTogether(settings: Settings, problems: Problems): void {
  const { receiver, admin, store, delivery } = settings;
  if (receiver) warnOfReceiver(receiver, problems);
  if (admin) checkAdmin(admin, receiver, problems);
  if (store) checkStore(store, receiver, problems);
  if (delivery) warnOfDelivery(delivery, receiver, problems);
}

function warnOfReceiver(receiver: ReceiverConfig, problems: Problems): void {
  const { tokens, allowFrom, listen, answerWithinMs } = receiver;
  const warn = (key: string, what: string) => problems.warning(['receiver', key], what);
  if (tokens.some((token) => token.length < MIN_TOKEN_LENGTH))
    warn('token', `is short: take ${MIN_TOKEN_LENGTH} random characters or more`);
  if (!isLoopback(listen.host) && tokens.length === 0 && allowFrom.length === 0)
    warn('listen', 'is open to everybody: set receiver.token or receiver.allow_from');
  if (answerWithinMs >= SERVICE_RETRY_MS)
    warn('answer_within', 'is so long that the service may post again (after 30s) before it is answered');
}

function checkAdmin(admin: AdminConfig, receiver: ReceiverConfig | undefined, problems: Problems): void {
  const path = ['admin', 'listen'];
  if (!isLoopback(admin.listen.host) && admin.password === undefined)
    problems.error(path, 'is open beyond this machine: set admin.password, or listen on 127.0.0.1');
  if (receiver && isSameAddress(admin.listen, receiver.listen))
    problems.error(path, 'is the address of receiver.listen: take another port');
}

function checkStore(
  { url, maxSizeBytes }: StoreConfig,
  receiver: ReceiverConfig | undefined,
  problems: Problems,
): void {
  if (url === 'sqlite::memory:')
    problems.warning(['store', 'url'], 'keeps everything in memory: a restart forgets who has been told');
  const path = ['store', 'max_size'];
  if (!url.startsWith('sqlite:')) {
    if (maxSizeBytes !== DEFAULT_MAX_SIZE_BYTES)
      problems.warning(path, 'is for SQLite alone: bound the disk of the PostgreSQL server');
  } else if (receiver && maxSizeBytes < BODIES_THAT_FIT * receiver.maxBodyBytes) {
    const rule = `must be ${BODIES_THAT_FIT} times receiver.max_body or more, for one callback to fit`;
    problems.error(path, rule);
  }
}

function isSameAddress(one: ListenAddress, other: ListenAddress): boolean {
  return one.port !== 0 && one.port === other.port && one.host === other.host;
}

function warnOfDelivery(
  { timeoutMs, giveUpAfterMs, takeOverAfterMs }: DeliveryConfig,
  receiver: ReceiverConfig | undefined,
  problems: Problems,
): void {
  const warn = (key: string, what: string) => problems.warning(['delivery', key], what);
  if (receiver && timeoutMs > receiver.answerWithinMs)
    warn('timeout', 'is longer than receiver.answer_within, which ends an attempt before it');
  if (giveUpAfterMs <= takeOverAfterMs)
    warn('give_up_after', 'is not longer than delivery.take_over_after: nothing is ever taken over');
}

/** Groups and channels that nothing names. */
export function warnOfUnused(directory: Directory, problems: Problems): void {
  const warn = (kind: 'group' | 'channel', all: ReadonlyMap<string, unknown>, used: ReadonlySet<string>) => {
    for (const name of all.keys())
      if (!used.has(name)) problems.warningAtKey([`${kind}s`, name], `the ${kind} ${name} is never used`);
  };
  warn('group', directory.groups, directory.usedGroups);
  warn('channel', directory.channels, directory.usedChannels);
}
