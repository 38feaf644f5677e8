/** What single values of the config must look like: each rule says what is wrong with a text, or nothing. */
import { parseProxy } from '../outbound/proxy.ts';
import { didYouMean, nearestOrAll } from '../text/nearest.ts';
import { cronFault } from '../signal/expect.ts';
import { networkFilter } from '../text/networks.ts';
import { isTimezone, parseDuration, parseSize } from '../time/display.ts';
import { isIP, isIPv6 } from 'node:net';

/** What values may refer to, for who judges them. */
export interface Known {
  /** Names. */
  readonly groups: readonly string[];
  /** Names of the folders that are there. */
  readonly templateSets: readonly string[];
  /** What is wrong with a Liquid condition; undefined: nothing. */
  readonly conditionFault: (condition: string) => { readonly message: string } | undefined;
}

/** What is wrong, to be read after the value's path; undefined: nothing. */
export type Rule = (text: string, known: Known) => string | undefined;

/** Of the text alone. */
type PlainRule = (text: string) => string | undefined;

function holding(sentence: string, holds: (text: string) => boolean): PlainRule {
  return (text) => (holds(text) ? undefined : sentence);
}

function matching(pattern: RegExp, sentence: string): PlainRule {
  return holding(sentence, (text) => pattern.test(text));
}

/** The first that is broken. */
function every(...rules: readonly Rule[]): Rule {
  return (text, known) => rules.map((rule) => rule(text, known)).find((wrong) => wrong !== undefined);
}

export const anyText: Rule = () => undefined;

/** Names of channels, groups and template sets: they stand in destinations, metrics and folders. */
const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u;

export const nameRule = matching(NAME, 'must be a name of letters, digits, ".", "_" and "-"');

export const templateSetRule = every(nameRule, (name, { templateSets }) =>
  templateSets.includes(name)
    ? undefined
    : `: there is no template set ${JSON.stringify(name)}${nearestOrAll(name, templateSets)}`,
);

/** Of a route, for people to read. */
export const routeNameRule = matching(/^[^\p{C}]{1,80}$/u, 'must be one line of 1 to 80 characters');

export const hostRule = matching(
  /^[A-Za-z0-9.-]+$/,
  'must be a host name without port, such as botbell.internal',
);

export const folderRule = matching(/./s, 'must name a folder');

export const groupRule = (name: string, { groups }: Pick<Known, 'groups'>): string | undefined => {
  if (groups.includes(name)) return undefined;
  const hint = NAME.test(name) ? nearestOrAll(name, groups) : '; an address is written { slack: "#ops" }';
  return `: there is no group ${JSON.stringify(name)}${hint}`;
};

/** Whether `text` is one of `names`. */
export function memberRule(text: string, names: readonly string[]): string | undefined {
  if (names.includes(text)) return undefined;
  const known = new Intl.ListFormat('en', { type: 'disjunction' }).format(names.map((name) => `"${name}"`));
  return `must be ${known.replace(', or ', ' or ')}${didYouMean(text, names)}`;
}

export const listenRule = holding(
  'must be host:port, such as 127.0.0.1:8080, 0.0.0.0:8080 or [::1]:8080',
  (text) => parseListenAddress(text) !== undefined,
);

export const adminListenRule = orElse('off', listenRule);

function orElse(word: string, rule: Rule): Rule {
  return (text, known) => {
    const wrong = text === word ? undefined : rule(text, known);
    return wrong && `${wrong}; or ${word}`;
  };
}

/** RFC 3986, unreserved: what stands in a URL as it is; a lone dot or two would be resolved away. */
export const pathRule = matching(
  /^(?!\/healthz\/?$)(?:\/|(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+\/?)$/,
  'must be a path such as /callbacks: letters, digits, ".", "_", "~" and "-" between single slashes, and not /healthz',
);

/** The empty token is none, so that `${TOKEN:-}` turns it off. */
export const tokenRule = matching(
  /^(?!\.{1,2}$)[A-Za-z0-9._~-]*$/,
  'must hold only letters, digits, ".", "_", "~" and "-", since it is a part of the URL',
);

/** RFC 6750, 2.1; the empty one is none. */
export const bearerRule = matching(
  /^(?:[A-Za-z0-9._~+/-]+=*)?$/,
  'must hold only letters, digits, "-", ".", "_", "~", "+" and "/", since it is sent as a bearer token',
);

export const cidrRule = holding(
  'must be an address or a CIDR, such as 203.0.113.7, 10.0.0.0/8 or 2001:db8::/32',
  isNetwork,
);

export const storeUrlRule = holding(
  'must be sqlite:PATH, such as sqlite:data/botbell.db, or postgres://user:password@host/name',
  (text) => /^sqlite:(?!\/\/)./.test(text) || (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text)),
);

/** The empty one is none. */
export const webUrlRule = holding(
  'must be an http:// or https:// URL, such as https://botbell.example.com',
  (text) => text === '' || (/^https?:\/\/\S+$/.test(text) && URL.canParse(text)),
);

export const PROXY_RULE =
  'must be the URL of an HTTP proxy, such as http://proxy.example.com:3128 or http://user:password@proxy.example.com:3128, user and password percent-encoded';

/** The empty one is that of the environment. */
export const proxyRule = orElse(
  'off',
  holding(PROXY_RULE, (text) => text === '' || parseProxy(text) !== undefined),
);

export const timezoneRule: Rule = (text) => {
  if (isTimezone(text)) return undefined;
  return `must be an IANA time zone such as UTC or Asia/Tokyo${didYouMean(text, Intl.supportedValuesOf('timeZone'))}`;
};

/** A Liquid template of a URL; only its fixed beginning can be judged here. */
export const linkRule = holding(
  'must be an http:// or https:// URL, with {{ … }} where values go in',
  (text) => /^https?:\/\/./.test(text) && URL.canParse(text.replaceAll(/\{\{.*?\}\}|\{%.*?%\}/g, 'x')),
);

function durationFrom(least: string, most: string): Rule {
  const [from = 0, to = 0] = [parseDuration(least), parseDuration(most)];
  return holding(`must be a duration from ${least} to ${most}, such as 30s or 5m`, (text) => {
    const ms = parseDuration(text) ?? -1;
    return ms >= from && ms <= to;
  });
}

export const durationRule = durationFrom('1ms', '3660d');

/** setTimeout takes no more than 2^31 - 1 ms; an answer or an attempt that takes an hour is a mistake long before. */
export const timerRule = durationFrom('1ms', '1h');

/** Of what is waited for by rows of the ledger. */
export const spanRule = durationFrom('1s', '366d');

export const repeatRule = orElse('every', orElse('changes', spanRule));

export const conditionRule = every(
  matching(/\S/, 'must be a Liquid condition, such as output.count == 0'),
  (text, { conditionFault }) => {
    const fault = conditionFault(text);
    return fault && `: ${fault.message}`;
  },
);

/** In minutes; undefined for anything else. */
export function parseTimeOfDay(text: string): number | undefined {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}

export const timeOfDayRule = holding(
  'must be a time of day, such as "22:00"',
  (text) => parseTimeOfDay(text) !== undefined,
);

export const dateRule = holding('must be a day that there is, such as 2026-12-29', (text) => {
  const day = new Date(`${text}T00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(text) && day.getTime() > 0 && day.toISOString().startsWith(text);
});

export const cronRule: Rule = (text) => {
  const fault = cronFault(text);
  return fault && `must be a cron expression, such as "0 9 * * 1-5": ${fault}`;
};

export const sizeRule = holding(
  'must be a size such as 512kb, 8mb or 2gb',
  (text) => (parseSize(text) ?? 0) > 0,
);

const ADDRESS = /^(?:\[([\da-f:.]+)\]|([\w.-]+)):(\d{1,5})$/i;
const MAX_PORT = 65_535;

/** `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`; port 0 lets the system choose. Whether there is such a host, it knows. */
export function parseListenAddress(text: string) {
  const [, bracketed, plain, digits] = ADDRESS.exec(text) ?? [];
  const [host, port] = [bracketed ?? plain, Number(digits)];
  return host !== undefined && port <= MAX_PORT ? { host, port } : undefined;
}

const isLoopbackAddress = networkFilter(['127.0.0.0/8', '::1']);

/** Whether only this machine can reach it, or is reached by it (RFC 6761, 6.3). */
export function isLoopback(host: string): boolean {
  return isIP(host) === 0 ? /^(?:.+\.)?localhost$/i.test(host) : isLoopbackAddress(host);
}

/** Whether it is an address, or a network such as `10.0.0.0/8`. */
function isNetwork(text: string): boolean {
  const [address = '', length = '0', ...rest] = text.split('/');
  const longest = isIPv6(address) ? 128 : 32;
  return isIP(address) !== 0 && rest.length === 0 && /^\d{1,3}$/.test(length) && Number(length) <= longest;
}
