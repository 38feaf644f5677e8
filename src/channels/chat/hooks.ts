/** Addresses of chats that are reached by the URLs of webhooks. Only a hook's name is ever shown: anyone with the URL can post there. */
import { lazy, object, type Schema, string } from 'yup';
import { type Fault, faultsOf } from '../../text/fault.ts';
import { isJsonObject, valueIn } from '../../text/json.ts';
import { nearestOrAll } from '../../text/nearest.ts';
import { secretsOfUrl } from '../../outbound/login.ts';
import { type Answers, failureOfAnswer } from '../answers.ts';
import { AddressError } from '../channel.ts';
import { networkErrorOf, networkFailureOf } from '../network-error.ts';
import { isHttpUrl, isInClear, rule, settingsOf } from '../settings.ts';
import { type Address, type Call, receiptFrom } from './chat.ts';
import { type HttpCall, jsonCall, openRemote, type Remote, VERIFY_TIMEOUT_MS } from './remote.ts';

type Hook = string | { readonly url: string };

interface HookParts<Message, Entry extends Hook> {
  /** The schema of a hook's entry; left out if the entry is the URL. */
  readonly entry?: Schema;
  /** The secrets of a hook other than its URL. */
  secretsOf?(hook: Entry): readonly string[];
  /** What may follow the hook's name and a slash in an address; left out: nothing. */
  readonly suffix?: RegExp;
  /** Tests for a whole URL, and an example of one; with `host` where the test only applies to the chat's own hosts. */
  readonly whole?: { is(url: URL): boolean; readonly like: string; readonly host?: RegExp };
  /** Why a hook cannot work otherwise, or no longer works; undefined if the hook looks right. */
  warningOf?(url: URL, hook: Entry): Fault | readonly Fault[] | undefined;
  /** A condition over `status` and `answer`, its JSON, that alone decides what is a success of the hook. */
  okOf?(hook: Entry): string | undefined;
  /** The request for a message; left out if it is a POST of the message as JSON. */
  readonly request?: (url: URL, call: Call<Message>, hook: Entry) => HttpCall;
  /** Whether a GET of the hook fails as a message would, so that `verify` can use it. */
  readonly isAsked?: boolean;
}

export interface HookSettings<Entry extends Hook = string> {
  readonly hooks: Readonly<Record<string, Entry>>;
}

export function hooks<Message, Entry extends Hook = string>(
  parts: HookParts<Message, Entry> = {},
): Address<Message, HookSettings<Entry>> {
  const { entry, suffix, request = (url, { message }) => jsonCall(url, message), isAsked = false } = parts;
  return {
    settings: settingsOf({ hooks: hooksOf(entry) }),
    parseAddress: (text, settings) => hookAddress(text, settings?.hooks, suffix),
    secretsOf: ({ hooks }) =>
      Object.values(hooks).flatMap((hook) => [
        ...secretsOfUrl(textOf(hook)),
        ...(parts.secretsOf?.(hook) ?? []),
      ]),
    warningsOf: ({ hooks }) =>
      Object.entries(hooks).flatMap(([name, hook]) => {
        const url = new URL(textOf(hook));
        const doubts = [...doubtsOf(url, parts), parts.warningOf?.(url, hook) ?? []].flat();
        return doubts.map((each) => ({ key: ['hooks', name], fault: each }));
      }),
    open: (chat, { hooks }, { openPool, meetsCondition }) => {
      const remote = openRemote(chat.title, openPool);
      return {
        ...remote,
        send: async (call) => {
          const hook = hooks[call.address.replace(/\/.*/, '')] as Entry;
          const asked = request(new URL(textOf(hook)), call, hook);
          const answer = await remote.call(asked, call.deadline, call.onHandedOver);
          const ok = parts.okOf?.(hook);
          if (ok === undefined) return receiptFrom(answer, chat);
          const { status } = answer;
          if (meetsCondition(ok, { status, answer: valueIn(answer.body) }))
            return { answered: String(status) };
          throw failureOfAnswer(answer, { ...chat, kindOf: () => (status <= 299 ? NOT_OK : undefined) });
        },
        verify: () => verify(remote, chat, hooks, isAsked),
      };
    },
  };
}

/** The key of the meaning of a 2xx answer for which the hook's condition does not hold. */
export const NOT_OK = 'not_ok';

// prettier-ignore
const fault = faultsOf({
  clear: ['the message and its key cross the network in clear: use https://', 'メッセージとキーが暗号化されずにネットワークを流れます。https:// にしてください'],
  'not whole': ['this is not the whole URL of a webhook, which looks like {like}: copy all of it', 'WebhookのURL全体ではありません（{like} の形です）。全体をコピーしてください'],
  'missing hooks': ['is missing: a name for each webhook, with its URL', 'Webhookごとに、名前とURLを書いてください'],
  'no hooks': ['must name at least one webhook', 'Webhookを1つ以上書いてください'],
  names: ['must have names of letters, digits, hyphens, underscores and dots', '名前に使えるのは、文字、数字、「-」「_」「.」です'],
  url: ['must be an http:// or https:// URL without a user or a fragment', 'http:// か https:// のURLにしてください。ユーザー名とフラグメント（#）はつけられません'],
  'missing url': ['is missing: the URL of the webhook', 'WebhookのURLを書いてください'],
  'url as address': ['this is a URL: write the name of a hook, and put its URL under hooks in the channel, for whoever knows it can post there', 'これはURLです。ここにはWebhookの名前を書き、URLはチャネルの hooks に書いてください（URLを知っていれば誰でも送れるためです）'],
  'no hook': ['{name} is no hook of the channel{hint}', 'このチャネルにWebhook {name} はありません{hint}'],
});

function doubtsOf(url: URL, { whole }: Pick<HookParts<never, never>, 'whole'>): readonly Fault[] {
  const isOther = whole?.host?.test(url.hostname) === false;
  return [
    ...(isInClear(url) ? [fault('clear')] : []),
    ...(whole === undefined || isOther || whole.is(url) ? [] : [fault('not whole', { like: whole.like })]),
  ];
}

function textOf(hook: Hook): string {
  return typeof hook === 'string' ? hook : hook.url;
}

const HOOK_NAME = /^[\p{L}\p{N}][\p{L}\p{N}_.-]{0,79}$/u;

export function hooksOf(entry: Schema = hookUrl()) {
  const names = (hooks: unknown) => Object.keys(isJsonObject(hooks) ? hooks : {});
  return lazy((hooks: unknown) =>
    object(Object.fromEntries(names(hooks).map((name) => [name, entry])))
      .required(() => fault('missing hooks'))
      .test(rule(fault('no hooks'), () => hooks === undefined || names(hooks).length > 0))
      .test(rule(fault('names'), () => names(hooks).every((name) => HOOK_NAME.test(name))))
      .meta({ example: {} }),
  ).meta({ jsonSchema: { type: 'object', minProperties: 1 }, members: entry });
}

/** Schema of a hook's URL; its errors never show the URL. */
export function hookUrl() {
  return string()
    .strict()
    .typeError(() => fault('url'))
    .required(() => fault('missing url'))
    .test(rule(fault('url'), isHttpUrl))
    .meta({ example: 'https://not-set-here.example/' });
}

/** @param hooks none if they are unknown, as for an outbox: any name is accepted */
function hookAddress(text: string, hooks: HookSettings<Hook>['hooks'] | undefined, suffix?: RegExp): string {
  const address = text.trim().normalize('NFC');
  if (/^https?:/i.test(address)) throw new AddressError(fault('url as address'));
  const [name = ''] = address.split('/', 1);
  const rest = address.slice(name.length);
  const names = Object.keys(hooks ?? {});
  const isKnown = names.length === 0 ? HOOK_NAME.test(name) : names.includes(name);
  if (isKnown && (rest === '' || suffix?.test(rest.slice(1)) === true)) return address;
  // What follows an unknown name may be the path of a URL, which is secret.
  const shown = JSON.stringify(isKnown ? address : name);
  const hint = nearestOrAll(name, names);
  throw new AddressError(fault('no hook', { name: shown, hint }));
}

/** Asks each hook if `isAsked`, else only its host, which checks connection and certificate. A failure names its hook. */
async function verify(
  remote: Remote,
  chat: Answers,
  hooks: HookSettings<Hook>['hooks'],
  isAsked: boolean,
): Promise<void> {
  const deadline = performance.now() + VERIFY_TIMEOUT_MS;
  const asked = Object.entries(hooks).map(async ([name, hook]) => {
    const title = { en: `${chat.title.en} (${name})`, ja: `${chat.title.ja}（${name}）` };
    const url = new URL(isAsked ? '' : '/', textOf(hook));
    const answer = await remote.call({ method: 'GET', url }, deadline).catch((error: unknown) => {
      throw networkFailureOf(title, networkErrorOf(error));
    });
    if (isAsked && answer.status > 299) throw failureOfAnswer(answer, { ...chat, title, hasNoMessage: true });
  });
  const outcomes = await Promise.allSettled(asked);
  const failures = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures);
}
