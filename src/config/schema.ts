/** What each section of the config may hold: shape, defaults and documentation in one place. */
import { array, mixed, type InferType } from 'yup';
import { ALL_STATUSES } from '../callback/callback.ts';
import { OCCASIONS } from '../signal/rules.ts';
import { isJsonObject } from '../text/json-object.ts';
import type { Language } from '../time/display.ts';
import { botIdRule } from './bot-id-pattern.ts';
import * as rule from './field-rules.ts';
import { expectField, rulesFields } from './rules-schema.ts';
import {
  choice,
  duration,
  filled,
  flagOrTexts,
  integer,
  ruled,
  section,
  someOf,
  text,
  texts,
  textOrTexts,
} from './schema-fields.ts';

export const LANGUAGES = ['en', 'ja'] as const satisfies readonly Language[];

const UNSET_NETWORK = { example: '192.0.2.0/24' };
const UNSET = { example: 'not-set-where-this-is-checked' };

function trustProxy(doc: string) {
  const wanted = 'true, false, or a list of the proxies’ addresses and CIDRs, such as [10.0.0.0/8]';
  return flagOrTexts(false, rule.cidrRule, wanted, doc);
}

export const receiverSchema = section('Where callbacks come in.', {
  listen: ruled(rule.listenRule, 'host:port that callbacks are sent to.').default('127.0.0.1:8080'),
  path: ruled(rule.pathRule, 'Path that callbacks are posted to.').default('/callbacks'),
  token: textOrTexts(
    rule.tokenRule,
    'Secret last part of the URL; a list while rotating. Empty: no token.',
    UNSET,
  ).default(''),
  allow_from: texts(rule.cidrRule, 'Addresses or CIDRs that may send. Empty: anyone.', UNSET_NETWORK),
  trust_proxy: trustProxy(
    "Take the sender's address from X-Forwarded-For: true for its rightmost entry; addresses or CIDRs of the proxies for the rightmost one outside them.",
  ),
  max_body: ruled(rule.bodySizeRule, 'Largest body, also after decompression; then 413.').default('8mb'),
  max_nodes: integer(500_000, 1000, 100_000_000, 'Most JSON values in one callback; then 413.'),
  answer_within: duration(
    '8s',
    'For the whole answer, every destination included; then 504.',
    rule.timerRule,
  ),
  answer_when: choice(
    ['delivered', 'accepted'],
    'delivered',
    'delivered: answered 200 when everybody has been told. accepted: answered 200 once written down.',
  ),
  max_in_flight: integer(256, 1, 65_536, 'Callbacks handled at once; more wait a moment, then 503.'),
});

const adminSchema = section('Health, metrics and the web page.', {
  listen: ruled(rule.adminListenRule, 'host:port of the admin listener, or off.').default('127.0.0.1:8081'),
  password: text('Asked for (user admin); required to listen beyond loopback.', UNSET).default(''),
  url: ruled(
    rule.pageUrlRule,
    'URL at which people reach the page: alerts link to it. Empty: no links.',
  ).default(''),
  hosts: texts(rule.hostRule, 'Further host names that may be asked for on a loopback listener.'),
  metrics_token: ruled(rule.bearerRule, 'A bearer token that opens /metrics alone.', UNSET).default(''),
  trust_proxy: trustProxy(
    'Take the address of who asks from X-Forwarded-For: true for its rightmost entry; addresses or CIDRs of the proxies for the rightmost one outside them.',
  ),
});

export const storeSchema = section('Where what happened is written down.', {
  url: ruled(rule.storeUrlRule, 'sqlite:PATH, or postgres://user:password@host/name.').default(
    'sqlite:data/botbell.db',
  ),
  keep: duration('30d', 'How long callbacks are kept; what reached nobody, 3 days at most.'),
  max_size: ruled(
    rule.storeSizeRule,
    'Of a SQLite ledger. Before it is reached, what is done is forgotten early; what is undelivered, never: then 503.',
  ).default('2gb'),
});

const deliverySchema = section('How deliveries are tried, and given up.', {
  timeout: duration('5s', 'Time for one attempt.', rule.timerRule),
  attempts_per_request: integer(2, 1, 100, 'Attempts inside one callback’s answer_within.'),
  take_over_after: duration('2m', 'Without a retry from the service for so long, Botbell retries by itself.'),
  give_up_after: duration('24h', 'From then on, what is undelivered is a dead letter.'),
  permanent_attempts: integer(
    2,
    0,
    100,
    'Non-2xx answers that a failure is worth which no retry soon cures.',
  ),
  alerts: texts(rule.anyText, 'Groups told of dead letters, of settings to mend, and of refused bodies.'),
});

const displaySchema = section('How times, durations and links are shown.', {
  timezone: ruled(
    rule.timezoneRule,
    'IANA time zone of times shown, and of a start_time without an offset.',
  ).default('UTC'),
  language: choice(LANGUAGES, 'en', 'Built-in template set; also the language of dates and durations.'),
  links: section('URLs as Liquid templates.', {
    job: ruled(rule.linkRule, 'URL of a job, e.g. https://example.com/jobs/{{ job_id }}.'),
    file: ruled(rule.linkRule, 'URL of an output file, e.g. https://example.com/{{ ref }}.'),
  }),
});

const heartbeatSchema = section('Tells a watcher elsewhere that all is well.', {
  url: ruled(rule.heartbeatUrlRule, 'URL that is asked (GET) while all is well. Empty: none.').default(''),
  every: duration('1m', 'How often it is asked.', rule.beatRule),
});

const templatesSchema = ruled(
  rule.folderRule,
  'Folder of your own template sets, looked up before the built-in ones.',
);

const proxySchema = ruled(
  rule.proxyRule,
  'URL of the proxy that channels over HTTP (Slack) and the heartbeat go through, but for the hosts in NO_PROXY; off for none. Empty: what HTTPS_PROXY and HTTP_PROXY say.',
).default('');

const onSchema = someOf(
  OCCASIONS,
  'What is told: succeeded, error, executing; recovered is the first success after an error. Default: the three statuses.',
).default([...ALL_STATUSES]);

const templateSetSchema = ruled(rule.nameRule, 'Folder of templates to use instead of the language’s.');

/** Read apart, entry by entry, since its keys are the names of channels. */
const notifySchema = mixed()
  .defined('${path} is missing: name whom to tell, such as [operators], or [] for nobody')
  .meta({
    doc: 'Whom to tell: names of groups, and addresses on channels. Empty: nobody, not even by default_route.',
    jsonSchema: { $ref: '#/$defs/notify' },
  });

const routing = { on: onSchema, notify: notifySchema, template_set: templateSetSchema, ...rulesFields };

const routeSchema = section('Whom to tell of which BOT’s results. Every route that matches applies.', {
  bot_id: textOrTexts(
    botIdRule,
    'An exact bot_id, a glob (invoice-*) or a /regular expression/ (RE2 syntax); or a list of them.',
    { example: 'sample' },
  )
    .defined('${path} is missing: give a bot_id, a glob (invoice-*) or a /regular expression/')
    .test(filled('bot_id')),
  name: ruled(rule.routeNameRule, 'What the route is called wherever it is named, instead of routes[0].'),
  ...routing,
  expect: expectField,
});

const defaultRouteSchema = section('Whom to tell of a BOT that no route names.', routing);

/** Read apart, entry by entry, as their keys are names. */
function mapOf(
  what: string,
  doc: string,
  { least, rule }: { readonly least: number; readonly rule: string },
) {
  const more = least > 0 && { minProperties: least };
  const jsonSchema = { type: 'object', ...more, additionalProperties: { $ref: `#/$defs/${what}` } };
  return mixed()
    .test('map', `\${path} ${rule}`, (value: unknown) =>
      value === undefined ? true : isJsonObject(value) && Object.keys(value).length >= least,
    )
    .meta({ doc, jsonSchema });
}

export const rootSchema = section('Configuration of Botbell.', {
  receiver: receiverSchema,
  admin: adminSchema,
  store: storeSchema,
  delivery: deliverySchema,
  display: displaySchema,
  heartbeat: heartbeatSchema,
  templates: templatesSchema,
  channels: mapOf('channel', 'The ways to reach people, by a name of your choice.', {
    least: 1,
    rule: 'must name one, such as outbox: { type: outbox, as: slack }',
  }).defined('${path} is missing: name one, such as outbox: { type: outbox, as: slack }'),
  proxy: proxySchema,
  groups: mapOf('group', 'Addresses that are told together, by a name of your choice.', {
    least: 0,
    rule: 'must be a map of names and addresses',
  }),
  routes: array(routeSchema)
    .strict()
    .typeError('${path} must be a list: begin each route with "- bot_id:"')
    .meta({ doc: 'Whom to tell of which BOT’s results.' }),
  default_route: defaultRouteSchema.default(undefined),
});

export type RootSection = InferType<typeof rootSchema>;
export type RouteSection = InferType<typeof defaultRouteSchema> &
  Partial<Pick<InferType<typeof routeSchema>, 'bot_id' | 'name' | 'expect'>>;
