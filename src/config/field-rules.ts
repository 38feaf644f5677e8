/** Rules for single values of the config: each returns what is wrong with a text, or undefined. */
import { hasWholeLogin, LOGIN_RULE } from '../outbound/login.ts';
import { parseProxy } from '../outbound/proxy.ts';
import { didYouMean, nearestOrAll, faultOfOptions } from '../text/nearest.ts';
import { dayIn, daysIn } from '../signal/calendar.ts';
import { cronFault } from '../signal/expect.ts';
import { networkFilter } from '../text/networks.ts';
import { isTimezone, parseDuration, parseSize } from '../time/display.ts';
import { isIP, isIPv6 } from 'node:net';

/** What the values of a config may refer to. */
export interface Known {
  readonly groups: readonly string[];
  readonly calendars: readonly string[];
  readonly templateSets: readonly string[];
  /** What is wrong with a Liquid condition; left out: no condition is checked. */
  readonly conditionFault?: ((text: string, names?: readonly string[]) => string | undefined) | undefined;
  readonly linkFault?: ((link: 'job' | 'file', template: string) => string | undefined) | undefined;
}

export const NOTHING_KNOWN: Known = { groups: [], calendars: [], templateSets: [] };

/** @returns what is wrong, to be read after the value's path; undefined if nothing is */
export type Rule = (text: string, known: Known) => string | undefined;

type PlainRule = (text: string) => string | undefined;

function holding(sentence: string, holds: (text: string) => boolean): PlainRule {
  return (text) => (holds(text) ? undefined : sentence);
}

function matching(pattern: RegExp, sentence: string): PlainRule {
  return holding(sentence, (text) => pattern.test(text));
}

function every(...rules: readonly Rule[]): Rule {
  return (text, known) => rules.map((rule) => rule(text, known)).find((wrong) => wrong !== undefined);
}

/** Names of channels, groups and template sets, which are used in destinations, metrics and folder names. */
const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u;

export const nameRule = matching(NAME, 'must be a name of letters, digits, ".", "_" and "-"');

export const templateSetRule = every(nameRule, (name, { templateSets }) =>
  templateSets.includes(name)
    ? undefined
    : `: there is no template set ${JSON.stringify(name)}${nearestOrAll(name, templateSets)}`,
);

export const routeNameRule = matching(/^[^\p{C}]{1,80}$/u, 'must be one line of 1 to 80 characters');

export const hostRule = matching(
  /^[A-Za-z0-9.-]+$/,
  'must be a host name without port, such as botbell.internal',
);

export const folderRule = matching(/./s, 'must name a folder');

export const fileRule = matching(/./s, 'must name a file');

export const groupRule = (name: string, { groups }: Pick<Known, 'groups'>): string | undefined => {
  if (groups.includes(name)) return undefined;
  const hint = NAME.test(name) ? nearestOrAll(name, groups) : '; an address is written { slack: "#ops" }';
  return `: there is no group ${JSON.stringify(name)}${hint}`;
};

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

/** RFC 3986, unreserved characters, which need no encoding. Clients resolve segments `.` and `..`, so these are refused. */
export const pathRule = matching(
  /^(?!\/healthz\/?$)(?:\/|(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+\/?)$/,
  'must be a path such as /callbacks: letters, digits, ".", "_", "~" and "-" between single slashes, and not /healthz',
);

/** Empty means no token, so that `${TOKEN:-}` turns it off. */
export const tokenRule = matching(
  /^(?!\.{1,2}$)[A-Za-z0-9._~-]*$/,
  'must hold only letters, digits, ".", "_", "~" and "-", since it is a part of the URL',
);

/** RFC 6750, 2.1. Empty means no token. */
export const bearerRule = matching(
  /^(?:[A-Za-z0-9._~+/-]+=*)?$/,
  'must hold only letters, digits, "-", ".", "_", "~", "+" and "/", since it is sent as a bearer token',
);

export const cidrRule = holding(
  'must be an address or a CIDR, such as 203.0.113.7, 10.0.0.0/8 or 2001:db8::/32',
  isNetwork,
);

/** Also says what to do about a user name or a password that ends the URL's login too early. */
function withLogin(rule: PlainRule): PlainRule {
  return (text) => {
    const wrong = rule(text);
    if (wrong !== undefined) return text.includes('@') ? `${wrong}; ${LOGIN_RULE}` : wrong;
    return hasWholeLogin(text) ? undefined : `cannot be read: ${LOGIN_RULE}`;
  };
}

/** Of pg's and libpq's, as a URL takes them: what a provider's URL has for others is no slip. */
const POSTGRES_OPTIONS =
  'host port user password dbname ssl sslmode sslcert sslkey sslrootcert sslnegotiation uselibpqcompat application_name fallback_application_name client_encoding options channel_binding target_session_attrs gssencmode connect_timeout connectionTimeoutMillis statement_timeout query_timeout lock_timeout idle_in_transaction_session_timeout keepAlive keepAliveInitialDelayMillis'.split(
    ' ',
  );

export const storeUrlRule = every(
  withLogin(
    holding(
      'must be sqlite:PATH, such as sqlite:data/botbell.db, or postgres://user:password@host/name',
      (text) => /^sqlite:(?!\/\/)./.test(text) || (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text)),
    ),
  ),
  holding('keeps nothing: name a file, such as sqlite:data/botbell.db', (text) => text !== 'sqlite::memory:'),
  (text) => (text.startsWith('sqlite:') ? undefined : faultOfOptions(text, POSTGRES_OPTIONS)),
);

/** Empty means no URL. */
export const webUrlRule = withLogin(
  holding(
    'must be an http:// or https:// URL, such as https://botbell.example.com',
    (text) => text === '' || (/^https?:\/\/\S+$/.test(text) && URL.canParse(text)),
  ),
);

/** The page's links and cookies begin at the root of its host. */
export const pageUrlRule = every(
  webUrlRule,
  holding(
    'must have no path: the page is served at the root of its host, such as https://botbell.example.com',
    (text) => !URL.canParse(text) || new URL(text).href === `${new URL(text).origin}/`,
  ),
);

export const PROXY_RULE = `must be the URL of an HTTP proxy, such as http://proxy.example.com:3128 or http://user:password@proxy.example.com:3128; ${LOGIN_RULE}`;

/** Empty means the proxy of the environment variables. */
export const proxyRule = orElse(
  'off',
  holding(PROXY_RULE, (text) => text === '' || (parseProxy(text) !== undefined && hasWholeLogin(text))),
);

export const timezoneRule: Rule = (text) => {
  if (isTimezone(text)) return undefined;
  return `must be an IANA time zone such as UTC or Asia/Tokyo${didYouMean(text, Intl.supportedValuesOf('timeZone'))}`;
};

/** A Liquid template of a URL, checked also with `x` in place of each tag. */
export const linkRule = (link: 'job' | 'file'): Rule =>
  every(
    holding(
      'must be an http:// or https:// URL, with {{ … }} where values go in',
      (text) => /^https?:\/\/./.test(text) && URL.canParse(text.replaceAll(/\{\{.*?\}\}|\{%.*?%\}/g, 'x')),
    ),
    (text, { linkFault }) => withSubject(linkFault?.(link, text)),
  );

function durationFrom(least: string, most: string): Rule {
  const [from = 0, to = 0] = [parseDuration(least), parseDuration(most)];
  return holding(`must be a duration from ${least} to ${most}, such as 30s or 5m`, (text) => {
    const ms = parseDuration(text) ?? -1;
    return ms >= from && ms <= to;
  });
}

export const durationRule = durationFrom('1ms', '3660d');

/** How long something is kept, or waited for by rows. */
export const keepRule = durationFrom('1m', '3660d');

/** So that nobody is asked without a pause. */
export const intervalRule = durationFrom('1s', '1h');

/** setTimeout takes at most 2^31 - 1 ms; the limit of one hour also catches mistakes. */
export const timerRule = durationFrom('1ms', '1h');

/** For waits that are rows of the ledger, not timers in memory. */
export const spanRule = durationFrom('1s', '366d');

export const repeatRule = orElse('every', orElse('changes', spanRule));

export const conditionRule = every(
  matching(/\S/, 'must be a Liquid condition, such as output.count == 0'),
  (text, { conditionFault }) => withSubject(conditionFault?.(text)),
);

/** For a message that does not go on from the value's path. */
function withSubject(message: string | undefined): string | undefined {
  return message && `: ${message}`;
}

/** @returns minutes since midnight; undefined if `text` is no time of day */
export function parseTimeOfDay(text: string): number | undefined {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}

export const timeOfDayRule = holding(
  'must be a time of day, such as "22:00"',
  (text) => parseTimeOfDay(text) !== undefined,
);

export const dateRule = holding(
  'must be a day that there is, such as 2026-12-29',
  (text) => dayIn(text) !== undefined,
);

export const dayRangeRule = holding(
  'must be a day that there is, such as 2026-12-29, or days from one to another, such as 2026-12-29..2027-01-03',
  (text) => daysIn(text) !== undefined,
);

export const calendarRule = (name: string, { calendars }: Pick<Known, 'calendars'>): string | undefined =>
  calendars.includes(name)
    ? undefined
    : `: there is no calendar ${JSON.stringify(name)}${nearestOrAll(name, calendars)}`;

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

/** `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`; with port 0 the system chooses. Does not check that the host exists. */
export function parseListenAddress(text: string) {
  const [, bracketed, plain, digits] = ADDRESS.exec(text) ?? [];
  const [host, port] = [bracketed ?? plain, Number(digits)];
  return host !== undefined && port <= MAX_PORT ? { host, port } : undefined;
}

const isLoopbackAddress = networkFilter(['127.0.0.0/8', '::1']);

/** Whether the host is this machine: a loopback address, or a name under `localhost` (RFC 6761, 6.3). */
export function isLoopback(host: string): boolean {
  return isIP(host) === 0 ? /^(?:.+\.)?localhost$/i.test(host) : isLoopbackAddress(host);
}

/** Whether two listeners at one port take it from each other: `::` has all addresses, `0.0.0.0` those of IPv4, `localhost` one of either. */
export function areSameHost(one: string, other: string): boolean {
  const hosts = [one.toLowerCase(), other.toLowerCase()];
  if (hosts[0] === hosts[1] || hosts.includes('::')) return true;
  if (hosts.includes('0.0.0.0')) return !hosts.some(isIPv6);
  return hosts.includes('localhost') && hosts.some((host) => host === '127.0.0.1' || host === '::1');
}

/** Whether the text is an IP address, or a network such as `10.0.0.0/8`. */
function isNetwork(text: string): boolean {
  const [address = '', length = '0', ...rest] = text.split('/');
  const longest = isIPv6(address) ? 128 : 32;
  return isIP(address) !== 0 && rest.length === 0 && /^\d{1,3}$/.test(length) && Number(length) <= longest;
}
