/** The forms of the config's values. */
import { isIP } from 'node:net';
import { hasWholeLogin, LOGIN_RULE } from '../../outbound/login.ts';
import { parseProxy } from '../../outbound/proxy.ts';
import { dayIn, type DayRange, daysIn } from '../../signal/calendar.ts';
import { cronFault } from '../../signal/expect.ts';
import type { Calendar } from '../../signal/rules.ts';
import { Fault, quoted } from '../../text/fault.ts';
import { didYouMean, faultOfOptions, nearestOrAll } from '../../text/nearest.ts';
import * as time from '../../time/display.ts';
import { botIdRule, doubtOfBotId } from '../bot-id-pattern.ts';
import { and, form, judged, matching, orElse, scalarSchema } from './form.ts';
import type { DaysOfFile, Form, Known, Rule } from './form.ts';
import { faultOfSecret } from '../read/interpolate.ts';
import { fault } from '../words.ts';

/** For a sentence that does not go on from the value's path. */
const ofItsOwn = (what: Fault | undefined) => what && fault('of its own', { what });

/** @param doubtOf why a text of this form is probably a mistake; undefined if it is none */
function doubted(of: Form, doubtOf: (text: string) => Fault | undefined): Form {
  return {
    ...of,
    read: (text, known, at = []) => {
      const value = of.read(text, known);
      const doubt = value instanceof Fault ? undefined : doubtOf(text);
      if (doubt !== undefined) known.doubt?.(at, doubt);
      return value;
    },
  };
}

/** In characters: about 96 random bits in a URL-safe alphabet. */
const LONG_ENOUGH = 16;

/** Empty: it is not set. */
const secret = (of: Form) =>
  doubted(of, ({ length }) =>
    length > 0 && length < LONG_ENOUGH ? fault('short', { count: LONG_ENOUGH }) : undefined,
  );

export const password = secret(judged(faultOfSecret));

const anyBotId = judged(botIdRule, /^(?:[^/]|\/(?!\/)[^]*\/i?$)/u);
export const botId = doubted(anyBotId, doubtOfBotId);
/** Without a doubt about `*`: a report on all BOTs is no mistake. */
export const botIdOfReport = doubted(anyBotId, (text) => (text === '*' ? undefined : doubtOfBotId(text)));

/** Names of channels, groups and template sets, which are used in destinations, metrics and folder names. */
export const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u;

/** The name of something that the config defines elsewhere. */
function naming(
  what: 'template set' | 'group' | 'calendar',
  namesIn: (known: Known) => readonly string[] | undefined,
  hintFor = nearestOrAll,
): Form {
  const rule: Rule = (text, known) => {
    const names = namesIn(known);
    return names === undefined || names.includes(text)
      ? undefined
      : fault(`no ${what}`, { name: quoted(text), hint: hintFor(text, names) });
  };
  return judged(rule, NAME);
}

export const templateSet = naming('template set', ({ templateSets }) => templateSets);

export const group = naming(
  'group',
  ({ groups }) => groups,
  (text, names) => (NAME.test(text) ? nearestOrAll(text, names) : fault('hint.address')),
);

const calendarName = naming('calendar', ({ calendars }) => [...calendars.keys()]);
export const calendar: Form<Calendar> = {
  ...calendarName,
  read: (text, known) => known.calendars.get(text)?.calendar ?? (calendarName.read(text, known) as Fault),
};

export const routeName = matching(/^[^\p{C}]{1,80}$/u, fault('one line'));

export const host = matching(/^[A-Za-z0-9.-]+$/u, fault('host'));

export const folder = matching(/[^]/u, fault('no value'));
const NO_FILE = fault('no value');
export const daysFile: Form<DaysOfFile> = {
  pattern: folder.pattern,
  read: (text, { daysOfFile }, at = []) => (text === '' ? NO_FILE : (daysOfFile?.(text, at) ?? NO_FILE)),
};

const PORT = String.raw`(?:\d{1,4}|[0-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])`;

/** With port 0 the system chooses. Does not check that the host exists. */
export const listen = form(
  new RegExp(String.raw`^(?:\[([\dA-Fa-f:.]+)\]|([\w.-]+)):(${PORT})$`, 'u'),
  fault('listen'),
  (_text, bracketed, plain, port) => ({ host: bracketed ?? plain ?? '', port: Number(port) }),
);

/** Takes `false`, too: what is written in YAML 1.1 has it for `off`. */
function orOff<Value>(of: Form<Value>): Form<'off' | Value> {
  const orWord = orElse('off', of);
  const pattern = new RegExp(`^false$|${orWord.pattern.source}`, 'u');
  return {
    pattern,
    jsonSchema: { ...scalarSchema({ pattern }), type: ['string', 'boolean'], not: { const: true } },
    read: (text, known) => orWord.read(text === 'false' ? 'off' : text, known),
  };
}

export const listenOrOff = orOff(listen);

/** RFC 3986, unreserved characters, which need no encoding. Clients resolve segments `.` and `..`, so these are refused. */
export const path = matching(
  /^(?!\/healthz\/?$)(?:\/|(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+\/?)$/u,
  fault('path'),
);

/** Empty means no token, so that `${TOKEN:-}` turns it off. */
export const token = secret(matching(/^(?!\.{1,2}$)[A-Za-z0-9._~-]*$/u, fault('token')));

/** RFC 6750, 2.1. Empty means no token. */
export const bearer = secret(matching(/^(?:[A-Za-z0-9._~+/-]+=*)?$/u, fault('bearer')));

const BYTE = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;

/** For IPv6, the pattern checks the characters alone. */
export const network = form(
  new RegExp(
    String.raw`^(?:(?:${BYTE}\.){3}${BYTE}(?:\/0{0,2}(?:\d|[12]\d|3[0-2])$|$)|[\dA-Fa-f.]*:[\dA-Fa-f:.]*(?:%[\w.:-]+)?(?:\/\d{1,3})?$)`,
    'u',
  ),
  fault('network'),
  (text) => {
    const [address = '', length = '0'] = text.split('/');
    return isIP(address) !== 0 && Number(length) <= 128 ? text : undefined;
  },
);

/** The values of `trust_proxy` that are no list of networks. */
export const isTrusted = form(/^(?:[Tt]rue|TRUE|1|[Ff]alse|FALSE|0)$/u, fault('trusted'), (text) =>
  /^[t1]/iu.test(text),
);

/** Also says what to do about a user name or a password that ends the URL's login too early. */
function withLogin(of: Form): Form {
  const whole = and(of, (text) => (hasWholeLogin(text) ? undefined : fault('unread', { rule: LOGIN_RULE })));
  const read: Form['read'] = (text, known) => {
    const value = of.read(text, known);
    const isOfLogin = value instanceof Fault && text.includes('@');
    return isOfLogin ? fault('and', { what: value, rule: LOGIN_RULE }) : whole.read(text, known);
  };
  return { ...of, read };
}

/** The options of pg and of libpq in a URL. Those that only one of them has are no slips in a provider's URL. */
const POSTGRES_OPTIONS = {
  'disable allow prefer require verify-ca verify-full no-verify': 'sslmode',
  '0…65535': 'port',
  '': 'host user password dbname ssl sslcert sslkey sslrootcert sslnegotiation uselibpqcompat application_name fallback_application_name client_encoding options channel_binding target_session_attrs gssencmode connect_timeout connectionTimeoutMillis statement_timeout query_timeout lock_timeout idle_in_transaction_session_timeout keepAlive keepAliveInitialDelayMillis',
};

const isUrl = (text: string) => (text === '' || URL.canParse(text) ? text : undefined);

/** A SQLite file is named by its path alone: whatever else a URL of SQLite may have would become a part of the file's name. */
const STORE = /^(?:sqlite:(?!\/\/|file:|~|\s|:memory:)[^?]*[^?\s]$|postgres(?:ql)?:\/\/)/u;

export const storeUrl = {
  ...and(
    withLogin(form(/^(?:sqlite:(?!\/\/)[^]|postgres(?:ql)?:\/\/)/u, fault('store'), isUrl)),
    (text) => (/^sqlite:(?:file:)?:memory:|[?&]mode=memory/.test(text) ? fault('store.memory') : undefined),
    (text) => (STORE.test(text) ? undefined : fault('store.path')),
    (text) => (text.startsWith('sqlite:') ? undefined : faultOfOptions(text, POSTGRES_OPTIONS)),
  ),
  pattern: STORE,
};

/** Empty means no URL. */
export const webUrl = withLogin(form(/^(?:https?:\/\/\S+)?$/u, fault('url'), isUrl));

/** The page's links and cookies begin at the root of its host. */
const PAGE = /^(?:https?:\/\/[^\s\\/?#@]+\/?)?$/u;
export const pageUrl = {
  ...and(webUrl, (text) => (PAGE.test(text) ? undefined : fault('url.page'))),
  pattern: PAGE,
};

export const PROXY_RULE = fault('proxy', { rule: LOGIN_RULE });

/** Empty means the proxy of the environment variables. */
export const proxy = orOff(
  form(/^(?:[Hh][Tt][Tt][Pp][Ss]?:\/\/[^]+)?$/u, PROXY_RULE, (text) =>
    text === '' || (parseProxy(text) !== undefined && hasWholeLogin(text)) ? text : undefined,
  ),
);

export const timezone = judged(
  (text) =>
    time.isTimezone(text)
      ? undefined
      : fault('timezone', { hint: didYouMean(text, Intl.supportedValuesOf('timeZone')) }),
  time.TIMEZONE,
);

/** Without Liquid before the path, since a value there would decide whose page opens. */
const LINK = /^https?:\/\/[^/?#\\{]+(?:[/?#]|$)/u;

/** Liquid's tags and outputs, with the blanks that they strip. */
const LIQUID = /(?:(?<!\s)\s*\{\{-|\{\{).*?(?:-\}\}\s*|\}\})|(?:(?<!\s)\s*\{%-|\{%).*?(?:-%\}\s*|%\})/gsu;

function isUnbroken(text: string): boolean {
  return URL.canParse(text) && !/\s/u.test(text);
}

/** A Liquid template of a URL, checked also with `x` in place of each tag. */
export const link = (of: 'job' | 'file'): Form => ({
  ...and(
    form(/^https?:\/\/[^]/u, fault('link'), (text) =>
      isUnbroken(text.replaceAll(LIQUID, 'x')) ? text : undefined,
    ),
    (text) => (LINK.test(text) ? undefined : fault('link.host')),
    (text, { linkFault }) => ofItsOwn(linkFault?.(of, text)),
  ),
  pattern: LINK,
});

/** In milliseconds. The bounds are checked as the text is read, since no pattern says them. */
function durationFrom(least: string, most: string): Form<number> {
  const [from = 0, to = 0] = [time.parseDuration(least), time.parseDuration(most)];
  return form(time.DURATION, fault('duration', { from: least, to: most }), (text) => {
    const ms = time.parseDuration(text) ?? -1;
    return ms >= from && ms <= to ? ms : undefined;
  });
}

export const duration = durationFrom('1ms', '3660d');
export const keeping = durationFrom('1m', '3660d');
/** At least 1 s, so that no remote is asked without a pause. */
export const interval = durationFrom('1s', '1h');
/** setTimeout takes at most 2^31 - 1 ms; the limit of one hour also catches mistakes. */
export const timer = durationFrom('1ms', '1h');
/** At least 100 ms, or the time would be over before anybody is told. */
export const answerTime = durationFrom('100ms', '1h');
/** For waits that are rows of the ledger, not timers in memory. */
export const span = durationFrom('1s', '366d');
export const repeat = orElse('every', orElse('changes', span));

export const condition = and(matching(/\S/u, fault('condition')), (text, { conditionFault }) =>
  ofItsOwn(conditionFault?.(text)),
);

const TIME = [time.TIME_OF_DAY, fault('time of day')] as const;
/** In minutes since midnight. */
export const timeOfDay = form(...TIME, time.parseTimeOfDay);
/** As an end, 00:00 is the end of the day. */
export const endOfDay = form(...TIME, (text) => time.parseTimeOfDay(text) || 1440);

const DATE = String.raw`(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`;
export const date = form(new RegExp(`^${DATE}$`, 'u'), fault('date'), (text) =>
  dayIn(text) === undefined ? undefined : text,
);

/** As `dayIn` gives it. */
export const day = form(date.pattern, fault('date'), dayIn);
export const dayRange: Form<DayRange> = form(
  new RegExp(String.raw`^${DATE}(?:\.\.${DATE})?$`, 'u'),
  fault('date range'),
  daysIn,
);

export const cron = judged((text) => {
  const why = cronFault(text);
  if (why === undefined) return undefined;
  const known = why === 'never' || why === 'fields';
  return fault('cron', { why: known ? fault(`cron.${why}`) : why });
}, /\S/u);

/** In bytes. */
export const size = form(time.SIZE, fault('size'), time.parseSize);
const LEAST_STORE = 2 ** 20;
/** An empty ledger and its log take a good part of that; with less, each callback would be answered 503. */
export const storeSize = form(time.SIZE, fault('size.least', { least: '1mb' }), (text) => {
  const bytes = time.parseSize(text) ?? 0;
  return bytes >= LEAST_STORE ? bytes : undefined;
});
