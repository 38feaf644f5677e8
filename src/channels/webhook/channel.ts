/** Webhooks for programs: the data as JSON, signed by Standard Webhooks 1.0.0 (standardwebhooks.com). */
import { createHmac } from 'node:crypto';
import { boolean, mixed, string, type TestContext } from 'yup';
import { Fault, faultsOf } from '../../text/fault.ts';
import { isJsonObject, exactJson } from '../../text/json.ts';
import type { ChannelType, MessageFormat, Outgoing } from '../channel.ts';
import { HOURLY, means } from '../answers.ts';
import { chat } from '../chat/chat.ts';
import { headersOption } from '../headers-option.ts';
import { hooks, type HookSettings, hookUrl, NOT_OK } from '../chat/hooks.ts';
import { jsonHeaders } from '../chat/remote.ts';
import { rule, settingsOf } from '../settings.ts';
import { composeWebhook, ownBodies } from './compose.ts';

// prettier-ignore
const fault = faultsOf({
  secret: ['must begin with whsec_ and go on with 24 to 64 bytes in base64; several are a list', 'whsec_ の後に24〜64バイトのBase64を書いてください。複数ならリストにします'],
  header: ['a value of one line of Latin letters, and a name that HTTP allows', 'HTTPで使える名前と、欧文1行の値にしてください'],
  ok: ['must be a condition over status and answer, such as answer.errcode == 0', 'status と answer についての条件を書いてください（例：answer.errcode == 0）'],
  'ok wrong': ['is wrong: {what}', '条件が正しくありません：{what}'],
  body: ['must be a map or a list: the JSON to send, its strings in Liquid', '送るJSONを、マップかリストで書いてください（文字列はLiquid）'],
  notices: ['must be true or false', 'true か false にしてください'],
  unsigned: ['without a secret nothing is signed: whoever learns the URL can forge messages to it', 'secret がないと署名されません。URLを知った人は、偽のメッセージを送れます'],
  'needs ok': ['this host answers in the same way when it refuses: say what is a success by ok: "{ok}"', 'このホストは、拒否するときも同じ応答を返します。ok: "{ok}" と書いて、成功の条件を示してください'],
});

/** HTTP allows tokens as names, and visible Latin-1 as values. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\x20-\x7e\xa0-\xff]*$/;

/** Headers that Botbell or the connection sets, or that the HTTP client refuses to send. */
const TAKEN =
  /^(?:webhook-.*|content-.*|host|connection|transfer-encoding|user-agent|expect|keep-alive|upgrade)$/i;

const TEXT = { type: 'string' };

const hookSchema = settingsOf({
  url: hookUrl(),
  secret: mixed()
    .test('secret', (secret: unknown, { path, createError }) => {
      const wrong = [secret].flat().findIndex((each) => !isSecret(each));
      const at = Array.isArray(secret) ? `${path}[${wrong}]` : path;
      return wrong === -1 || createError({ path: at, message: () => fault('secret') });
    })
    .meta({
      example: `whsec_${'A'.repeat(32)}`,
      jsonSchema: { anyOf: [TEXT, { type: 'array', items: TEXT }] },
    }),
  headers: headersOption({ name: HEADER_NAME, value: HEADER_VALUE, taken: TAKEN, rule: fault('header') }),
  body: mixed()
    .test(rule(fault('body'), (body) => body === undefined || isJsonObject(body) || Array.isArray(body)))
    .meta({ jsonSchema: { anyOf: [{ type: 'object' }, { type: 'array' }] } }),
  ok: string()
    .strict()
    .typeError(() => fault('ok'))
    .test('ok', isCondition),
  notices: boolean()
    .strict()
    .typeError(() => fault('notices'))
    .meta({ jsonSchema: { type: 'boolean' } }),
});

interface Hook {
  readonly url: string;
  /** Each gives a signature, so that secrets can be rotated: the receiver accepts any of them. */
  readonly secret?: string | readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** A condition over `status` and `answer` that decides what is a success. */
  readonly ok?: string;
  /** Whether a hook with a body of its own gets the notices `taken_up` and `over`. */
  readonly notices?: boolean;
}

type Judge = (condition: string, names: readonly string[]) => Fault | undefined;

/** The reader of the config passes `conditionFault`, which judges conditions. */
function isCondition(condition: string | undefined, { options, createError }: TestContext) {
  const { conditionFault } = (options.context ?? {}) as { readonly conditionFault?: Judge };
  const what = condition === undefined ? undefined : conditionFault?.(condition, ['status', 'answer']);
  return what === undefined || createError({ message: () => fault('ok wrong', { what }) });
}

/** Hosts that answer 200 or redirect even if they refuse a message, each with the condition that holds on success. */
const NEED_OK: readonly (readonly [host: RegExp, ok: string])[] = [
  [/^(?:oapi\.dingtalk\.com|qyapi\.weixin\.qq\.com)$/, 'answer.errcode == 0'],
  [/^open\.(?:feishu\.cn|larksuite\.com)$/, 'answer.code == 0'],
  [/^(?:sctapi\.ftqq\.com|push\.showdoc\.com\.cn)$/, 'answer.code == 0'],
  [/^(?:www\.pushplus\.plus|api\.day\.app)$/, 'answer.code == 200'],
  [/^wxpusher\.zjiecode\.com$/, 'answer.code == 1000'],
  [/^(?:\w+\.)?slack(?:-gov)?\.com$/, 'answer.ok == true'],
  [/^script\.google\.com$/, 'status == 302'],
];

function warningsOf({ hostname, pathname }: URL, hook: Hook): readonly Fault[] {
  const [, ok] = NEED_OK.find(([host]) => host.test(hostname) && !pathname.startsWith('/services/')) ?? [];
  const unclear = ok !== undefined && hook.ok === undefined;
  return [
    ...(signingSecretsOf(hook).length === 0 ? [fault('unsigned')] : []),
    ...(unclear ? [fault('needs ok', { ok })] : []),
  ];
}

/** Undefined is accepted: a secret is optional, and its variable may not be set when the config is checked. */
function isSecret(secret: unknown): boolean {
  if (typeof secret !== 'string') return secret === undefined;
  const bytes = keyOf(secret).length;
  return /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret) && bytes >= 24 && bytes <= 64;
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice('whsec_'.length), 'base64');
}

function signingSecretsOf({ secret }: Hook): readonly string[] {
  return secret === undefined ? [] : [secret].flat();
}

/** Names of headers, or of keys in a body, whose value is a credential. */
const CREDENTIAL = /authorization|token|secret|signature|cookie|passw|credential|key$/i;
/** Names of keys that tell one thing from another. */
const IDENTIFIES =
  /(?:dedup\w*|idempotency|message|thread|group|order|event|incident|alert|partition|issue|project|sort|correlation)[-_]?key$/i;

function isCredential(name: string): boolean {
  return CREDENTIAL.test(name) && !IDENTIFIES.test(name);
}

/** A credential as written, and without its scheme. Other headers' values are no secrets, whatever they look like: a BOT's id may contain them. */
function secretsInHeader([name, value]: readonly [string, string]): readonly string[] {
  return isCredential(name) ? [value, ...value.split(/[\s;,=]+/).slice(1)] : [];
}

/** @param name the key of the value, or of the list around it */
function secretsInBody(value: unknown, name = ''): readonly string[] {
  if (typeof value === 'string') return isCredential(name) && !value.includes('{') ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item) => secretsInBody(item, name));
  return Object.entries(value ?? {}).flatMap(([key, item]) => secretsInBody(item, key));
}

const FORMAT: MessageFormat = { name: 'webhook', namesDestination: true, compose: composeWebhook };

/** One format for each channel's settings, since templates are compiled once for each format. */
const FORMATS = new WeakMap<object, MessageFormat>();

function formatOf(settings?: HookSettings<Hook>): MessageFormat {
  if (settings === undefined) return FORMAT;
  const format = FORMATS.get(settings) ?? formatWith(settings.hooks);
  FORMATS.set(settings, format);
  return format;
}

function formatWith(hooks: HookSettings<Hook>['hooks']): MessageFormat {
  const own = Object.entries(hooks).filter(([, { body }]) => body !== undefined);
  if (own.length === 0) return FORMAT;
  const parts = new Map(own.map(([name, { body }]) => [name, { body }]));
  const templateAt = (destination: string) => {
    const [channel = '', name = ''] = destination.split(/:(.*)/s);
    const data = parts.get(name);
    return data && { path: ['channels', channel, 'hooks', name], data };
  };
  const spared = new Set(own.filter(([, { notices }]) => notices !== true).map(([name]) => name));
  const isSpared = (destination: string) => spared.has(destination.split(/:(.*)/s)[1] ?? '');
  return { ...FORMAT, own: ownBodies, templateAt, isSpared };
}

const byCallback = chat({
  type: 'webhook',
  title: { en: 'The webhook', ja: 'Webhook' },
  about: {
    settings: "hooks: { erp: { url: '${ERP_URL}', secret: '${ERP_SECRET}' } }",
    address: 'erp',
    en: { from: 'no account: it posts the callback to your program', mentions: 'none' },
    ja: { from: 'アカウント不要（お手元のプログラムにコールバックを渡します）', mentions: 'なし' },
  },
  pace: { addressMs: 100, channelMs: 0 },
  format: FORMAT,
  address: hooks<unknown, Hook>({
    entry: hookSchema,
    secretsOf: (hook) => [
      ...signingSecretsOf(hook),
      ...Object.entries(hook.headers ?? {}).flatMap(secretsInHeader),
      ...secretsInBody(hook.body),
    ],
    warningOf: warningsOf,
    okOf: ({ ok }) => ok,
    request: (url, outgoing, hook) => {
      const body = exactJson(outgoing.message);
      const signed = signedHeaders(outgoing, body, signingSecretsOf(hook));
      return { url, headers: jsonHeaders({ ...hook.headers, ...signed }), body };
    },
  }),
  meanings: {
    410: means.config(
      'the receiver asks never to be called again; take the hook out of the routes, or mend the receiver',
      '受信側が今後の送信を拒否しています。ルートから外すか、受信側を修正してください',
      HOURLY,
    ),
    [NOT_OK]: means.config(
      'by the `ok` of the hook this is no success: mend what the receiver says, or the condition',
      'Webhookの ok の条件では成功ではありません。受信側の示す原因か、条件を修正してください',
    ),
    // Not `permanent`: the receiver can be fixed, and the message is still valid then.
    '4xx': means.config(
      'the receiver refuses the message; see its log, and mend it or its address',
      '受信側がメッセージを拒否しました。受信側のログを確認し、受信側または宛先を修正してください',
    ),
  },
  receiptOf: ({ status }) => (status >= 200 && status <= 299 ? { answered: String(status) } : undefined),
});

export const webhookChannel: ChannelType<HookSettings<Hook>> = { ...byCallback, formatOf };

/** Standard Webhooks, "Webhook headers": an ID for all attempts, the time of this attempt, a signature for each secret. */
function signedHeaders(
  { idempotencyKey }: Pick<Outgoing, 'idempotencyKey'>,
  body: string,
  secrets: readonly string[],
) {
  const id = idempotencyKey();
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signatures = secrets.map(
    (secret) =>
      `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
  };
}
