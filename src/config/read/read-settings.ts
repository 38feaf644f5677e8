/** Turns the checked sections that hold plain settings into typed ones, in base units. */
import { parseDuration, parseSize } from '../../time/duration.ts';
import type { AdminConfig, DisplayConfig, ListenAddress, ReceiverConfig, StoreConfig } from '../config.ts';
import type { DeliveryConfig, Destination } from '../config.ts';
import { parseCidr, parseListenAddress } from '../listen-address.ts';
import type {
  AdminSection,
  DeliverySection,
  DisplaySection,
  ReceiverSection,
  StoreSection,
} from '../schema/schema.ts';

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
