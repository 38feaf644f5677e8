/** The schema of each section of the config: shape, defaults and documentation. */
import { array, type InferType, lazy, type MixedSchema, type Schema } from 'yup';
import { ALL_STATUSES } from '../../callback/callback.ts';
import { MENTION_OPTION } from '../../channels/mention-option.ts';
import { OCCASIONS, PER_JOB, type PerJob, WEEKDAYS } from '../../signal/rules.ts';
import { isJsonObject } from '../../text/json.ts';
import type { Language } from '../../time/display.ts';
import { memberOf, whole } from './form.ts';
import { fault } from '../words.ts';
import * as form from './forms.ts';
import * as days from './days.ts';
import {
  either,
  eachOnce,
  faultOf,
  listOf,
  missing,
  notifyList,
  optionalNotifyList,
  readApart,
  section,
  someOf,
  text,
  texts,
  textOrTexts,
} from './fields.ts';

export const LANGUAGES = ['en', 'ja'] as const satisfies readonly Language[];

const SPAN = { example: '1h' };
const UNSET = { example: 'not-set-where-this-is-checked' };

const PROXIES =
  'Take the address of who asks from X-Forwarded-For: true for its rightmost entry; addresses or CIDRs of the proxies for the rightmost one outside them.';
const trustProxy = either(text(form.isTrusted, PROXIES), texts(form.network, PROXIES), { doc: PROXIES });

const TOKEN = 'Secret last part of the URL; a list while rotating. Empty: none.';
const token = text(form.token, TOKEN, UNSET);

export const receiverSchema = section('Where callbacks come in.', {
  listen: text(form.listen, 'host:port that callbacks are sent to.', '127.0.0.1:8080'),
  path: text(form.path, 'Path that callbacks are posted to.', '/callbacks'),
  // The list may hold duplicates and empty tokens, since during a rotation two variables may be equal, or one empty.
  token: either(token, array(token.defined()).strict(), { doc: TOKEN }),
  allow_from: texts(form.network, 'Addresses, CIDRs that may send. Empty: all.', {
    example: '192.0.2.0/24',
  }).default([]),
  trust_proxy: trustProxy,
  max_body: text(form.size, 'Largest body, also after decompression; then 413.', '8mb'),
  max_nodes: text(whole(1000, 100_000_000), 'Most JSON values in one callback; then 413.', '500000'),
  answer_within: text(form.answerTime, 'Whole answer, every destination included; then 504.', '8s'),
  answer_when: text(
    memberOf(['delivered', 'accepted']),
    'delivered: answered 200 when everybody has been told. accepted: answered 200 once written down.',
    'delivered',
  ),
  max_in_flight: text(whole(1, 65_536), 'Callbacks handled at once; more wait a moment, then 503.', '256'),
});

const adminSchema = section('Health, metrics and the web page.', {
  listen: text(form.listenOrOff, 'host:port of the admin listener, or off.', '127.0.0.1:8081'),
  password: text(form.password, 'Of the user admin; required to listen beyond loopback.', {
    ...UNSET,
    byDefault: '',
  }),
  url: text(form.pageUrl, 'URL of the page for people: alerts link to it. Empty: no links.', ''),
  hosts: texts(form.host, 'Further host names that may be asked for on a loopback listener.').default([]),
  metrics_token: text(form.bearer, 'A bearer token that opens /metrics alone.', { ...UNSET, byDefault: '' }),
  trust_proxy: trustProxy,
});

const storeSchema = section('Where what happened is written down.', {
  url: text(form.storeUrl, 'sqlite:PATH, or postgres://user:password@host/name.', {
    example: 'sqlite:store.url is not set here',
    byDefault: 'sqlite:data/botbell.db',
  }),
  keep: text(form.keeping, 'How long callbacks are kept; what reached nobody, 3 days.', '30d'),
  max_size: text(
    form.storeSize,
    'Of a SQLite ledger. Before it is reached, what is done is forgotten early; what is undelivered, never: then 503.',
    '2gb',
  ),
});

const deliverySchema = section('How deliveries are tried, and given up.', {
  timeout: text(form.timer, 'Time for one attempt.', '5s'),
  attempts_per_request: text(whole(1, 100), 'Attempts inside one callback’s answer_within.', '2'),
  take_over_after: text(form.duration, 'After so long without a retry, Botbell retries.', '2m'),
  give_up_after: text(form.duration, 'After it, what is undelivered is a dead letter.', '24h'),
  permanent_attempts: text(whole(0, 100), 'Non-2xx answers to what no retry soon cures.', '2'),
  alerts: optionalNotifyList('Whom to tell of dead letters, settings to mend, refused bodies.'),
});

const displaySchema = section('How times, durations and links are shown.', {
  timezone: text(form.timezone, 'IANA zone of times, also of a start_time without offset.', 'UTC'),
  language: text(memberOf(LANGUAGES), 'Built-in template set; language of dates and durations.', 'en'),
  links: section('URLs as Liquid templates.', {
    job: text(form.link('job'), 'URL of a job, e.g. https://example.com/jobs/{{ job_id }}.'),
    file: text(form.link('file'), 'URL of an output file, e.g. https://example.com/{{ ref }}.'),
  }),
});

/** The fields of a `notify` entry beside its channel's name. @param options of the channel's type */
export function optionFields(
  { [MENTION_OPTION]: mentioned, ...others }: Readonly<Record<string, Schema>>,
  modes: readonly PerJob[] = PER_JOB,
) {
  const perJob =
    'A job’s messages: one each (message, the default), replies under the first one, or one that is edited.';
  return {
    ...others,
    ...(mentioned && { [MENTION_OPTION]: mentionField(mentioned) }),
    per_job: text(memberOf(modes), perJob),
  };
}

const WHO = 'Whom errors and alerts mention there, as the channel writes it: one, or a list.';
const HOURS = 'with `from`, `to`, `days` or `dates`, the hours in which they are mentioned.';

function mentionField(who: Schema) {
  const timed = timedMention(who);
  return lazy((value: unknown) => (isJsonObject(value) ? timed : who)).meta({
    doc: `${WHO} Or a map: who, and ${HOURS}`,
    jsonSchema: { $ref: '#/$defs/mention' },
  });
}

/** @param who one or more people or groups, as a channel takes them */
export function timedMention(who: Schema) {
  const meta = { doc: WHO, jsonSchema: { $ref: '#/$defs/mentioned' }, required: true };
  const whom = (who as MixedSchema).defined().meta(meta);
  return section(`Whom to mention, and ${HOURS} ${days.WINDOW}`, { who: whom, ...days.windowFields });
}

export const groupSchema = section('Addresses that are told together, and now and then how their BOTs did.', {
  notify: readApart('Addresses on channels.', { $ref: '#/$defs/addresses' }, true),
  digest: section('What ran, failed or was missed since the last one, also where all is well.', {
    at: text(form.timeOfDay, 'Time of day, in the display’s timezone.', '09:00'),
    days: someOf(WEEKDAYS, 'Weekdays. Default: all.').default([...WEEKDAYS]),
    calendar: days.calendarName,
  })
    .default(undefined)
    .optional(),
});

const stepSchema = section('Whom to tell, too, while the incident is not over.', {
  after: text(
    form.span,
    'How long after the route’s first message about it; steps do not add up.',
    SPAN,
  ).required(missing('10m')),
  unless: text(
    memberOf(['delivered']),
    'delivered: not where one destination of the route has got it. Left out: not where somebody has taken it up.',
  ),
  notify: notifyList('Whom to tell: groups, and addresses.'),
});

/** Keys that the default route has, too. */
const routing = {
  on: someOf(
    OCCASIONS,
    'What is told: succeeded, error, executing; recovered is the first success after an error. Default: the three statuses.',
  ).default([...ALL_STATUSES]),
  notify: notifyList(
    'Whom to tell: names of groups, and addresses on channels. Empty: nobody, not even by default_route.',
  ),
  template_set: text(form.templateSet, 'Folder of templates to use instead of the language’s.'),
  when: text(form.condition, 'A Liquid condition over the templates’ variables: output.count == 0.'),
  after_failures: text(whole(1, 1000), 'From which error in a row on errors are told. Default: 1.'),
  repeat: text(
    form.repeat,
    'While a BOT keeps failing: every error, only one that changes, or one in a duration such as 1h. Default: every.',
  ),
  mute: listOf(
    days.muteSchema,
    'When messages are held back, and then told as one summary.',
    '[{ days: [sat, sun] }]',
  ),
  overdue: text(form.span, 'How long a job may be executing before that is told.', SPAN),
  // oxlint-disable-next-line unicorn/no-thenable -- a key of the config, and no function
  then: listOf(
    stepSchema,
    'Whom to tell, too, of a BOT’s incident that lasts.',
    '[{ after: 10m, notify: [operators] }]',
  ),
};

const expectSchema = section('When a result is due: either `every` or `cron`.', {
  every: text(form.span, 'A result at least so often.', SPAN),
  cron: text(form.cron, 'Cron expression, such as "0 9 * * 1-5", in the display’s timezone.', {
    example: '0 9 * * *',
  }),
  grace: text(form.span, 'How much later it may come.', { ...SPAN, byDefault: '5m' }),
  calendar: text(form.calendar, 'Name of a calendar: due times of `cron` on other days do not count.'),
}).test('either', (value: Partial<Record<'every' | 'cron' | 'calendar', unknown>> | undefined, context) => {
  // The test also runs if `expect` is missing.
  if (value === undefined) return true;
  const { every, cron, calendar } = value;
  if ((every === undefined) === (cron === undefined)) return faultOf(context, fault('every or cron'));
  const isPlain = every === undefined || calendar === undefined;
  return isPlain || faultOf(context, fault('calendar of every'), ['calendar']);
});

const routeSchema = section('Whom to tell of which BOT’s results. Every route that matches applies.', {
  bot_id: textOrTexts(
    form.botId,
    'An exact bot_id, a glob (invoice-*) or a /regular expression/ (RE2 syntax); or a list of them.',
    { example: 'sample' },
    'invoice-*',
  ),
  name: text(form.routeName, 'What the route is called wherever it is named, instead of its patterns.'),
  ...routing,
  expect: expectSchema.default(undefined).optional(),
});

const defaultRouteSchema = section('Whom to tell of a BOT that no route names.', routing);

export const burstSchema = section('Past it, one summary tells the rest, for each destination.', {
  max: text(whole(1, 1000), 'Messages in a window.').required(),
  per: text(form.span, 'The window, from its first message on.', SPAN).required(),
});

const routesSchema = listOf(
  routeSchema,
  'Whom to tell of which BOT’s results.',
  '[{ bot_id: invoice-*, notify: [] }]',
).test('names', (routes: readonly ({ readonly name?: unknown } | null)[] = [], context) => {
  const names = routes.map((route) => route?.name);
  const isAgain = (name: unknown, index: number) =>
    typeof name === 'string' && (name === 'default_route' || names.indexOf(name) < index);
  return eachOnce(names, isAgain, context, ['name']);
});

export const rootSchema = section('Configuration of Botbell.', {
  receiver: receiverSchema,
  admin: adminSchema,
  store: storeSchema,
  delivery: deliverySchema,
  display: displaySchema,
  heartbeat: section('Tells a watcher elsewhere that all is well.', {
    url: text(form.webUrl, 'URL that is asked (GET) while all is well. Empty: none.', ''),
    every: text(form.interval, 'How often it is asked.', '1m'),
  }),
  templates: text(form.folder, 'Folder of your own template sets, looked up before the built-in ones.'),
  channels: readApart(
    'The ways to reach people, by a name of your choice.',
    { type: 'object', minProperties: 1, additionalProperties: { $ref: '#/$defs/channel' } },
    true,
  ),
  proxy: text(
    form.proxy,
    'URL of the proxy that channels over HTTP (Slack) and the heartbeat go through, but for the hosts in NO_PROXY; off for none. Empty: what HTTPS_PROXY and HTTP_PROXY say.',
    '',
  ),
  calendars: readApart('Days that rules and reports name, by a name of your choice.', {
    type: 'object',
    additionalProperties: { $ref: '#/$defs/calendar' },
  }),
  groups: readApart('Addresses that are told together, by a name of your choice.', {
    type: 'object',
    additionalProperties: { $ref: '#/$defs/group' },
  }),
  reports: days.reportsSchema,
  budget: days.budgetSchema.default(undefined).optional(),
  routes: routesSchema,
  default_route: defaultRouteSchema.default(undefined).optional(),
});

export type RootSection = InferType<typeof rootSchema>;
/** The default route has no `bot_id` and no name, and expects nothing. */
export type RouteSection = InferType<typeof defaultRouteSchema> &
  Partial<Pick<InferType<typeof routeSchema>, 'bot_id' | 'name' | 'expect'>>;
