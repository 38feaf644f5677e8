/**
 * Addresses of chats that post to the URLs of webhooks. The config names each hook, and only the name, which is the address, is
 * ever shown: anyone with the URL can post there.
 */
import { lazy, object, type Schema, string } from 'yup';
import { isJsonObject } from '../../text/json-object.ts';
import { nearestOrAll } from '../../text/nearest.ts';
import { secretsOfUrl } from '../../outbound/login.ts';
import { type Answers, failureOfAnswer } from '../answers.ts';
import { isInClear } from '../api-url.ts';
import { AddressError } from '../channel.ts';
import { DeliveryFailure, Failures } from '../failure.ts';
import { networkErrorOf, networkFailureOf } from '../network-error.ts';
import { type Address, type Call, receiptFrom } from './chat.ts';
import { type HttpCall, jsonCall, Remote, VERIFY_TIMEOUT_MS } from './remote.ts';

/** A hook's entry in the config. */
type Hook = string | { readonly url: string };

/** What the hooks of a chat have beyond a URL. */
export interface HookParts<Message, Entry extends Hook> {
  /** The schema of a hook's entry; left out if the entry is the URL. */
  readonly entry?: Schema;
  /** The secrets of a hook other than its URL. */
  secretsOf?(hook: Entry): readonly string[];
  /** What may follow the hook's name and a slash in an address; left out: nothing. */
  readonly suffix?: RegExp;
  /** A warning about a hook that cannot work, or no longer works; undefined if the hook looks right. */
  warningOf?(url: URL, hook: Entry): string | undefined;
  /** The request for a message; left out if it is a POST of the message as JSON. */
  readonly request?: (url: URL, call: Call<Message>, hook: Entry) => HttpCall;
  /** Whether a GET of the hook fails as a message would, so that `verify` can use it. */
  readonly isAsked?: boolean;
}

export interface HookSettings<Entry extends Hook = string> {
  /** The hooks by name. */
  readonly hooks: Readonly<Record<string, Entry>>;
}

export function hooks<Message, Entry extends Hook = string>(
  parts: HookParts<Message, Entry> = {},
): Address<Message, HookSettings<Entry>> {
  const { entry, suffix, request = (url, { message }) => jsonCall(url, message) } = parts;
  return {
    settings: object({ hooks: hooksOf(entry) })
      .noUnknown()
      .strict(),
    parse: (text, settings) => hookAddress(text, settings?.hooks, suffix),
    secretsOf: ({ hooks }) =>
      Object.values(hooks).flatMap((hook) => [
        ...secretsOfUrl(textOf(hook)),
        ...(parts.secretsOf?.(hook) ?? []),
      ]),
    warningsOf: ({ hooks }) =>
      Object.entries(hooks).flatMap(([name, hook]) =>
        [clearWarning(urlOf(hook)), parts.warningOf?.(urlOf(hook), hook)].flatMap((message) =>
          message === undefined ? [] : [{ key: ['hooks', name], message }],
        ),
      ),
    open: (chat, { hooks }, { openPool }) => {
      const remote = new Remote(chat.title, openPool);
      const { free, failureOf } = remote;
      return Promise.resolve({
        send: async (call) => {
          const name = call.address.replace(/\/.*/, '');
          const hook = hooks[name] as Entry;
          const asked = { ...request(urlOf(hook), call, hook), hook: name, deadline: call.deadline };
          return receiptFrom(await remote.call(asked), chat);
        },
        verify: () => verify(remote, { ...chat, isAsked: parts.isAsked === true }, hooks),
        free,
        failureOf,
      });
    },
  };
}

function textOf(hook: Hook): string {
  return typeof hook === 'string' ? hook : hook.url;
}

function urlOf(hook: Hook): URL {
  return new URL(textOf(hook));
}

const HOOK_NAME = /^[\p{L}\p{N}][\p{L}\p{N}_.-]{0,79}$/u;

/** Schema of the setting `hooks`. */
export function hooksOf(entry: Schema = hookUrl()) {
  const names = (hooks: unknown) => Object.keys(isJsonObject(hooks) ? hooks : {});
  return lazy((hooks: unknown) =>
    object(Object.fromEntries(names(hooks).map((name) => [name, entry])))
      .required('${path} is missing: a name for each webhook, with its URL')
      .test(
        'any',
        '${path} must name at least one webhook',
        (value: unknown) => value === undefined || names(value).length > 0,
      )
      .test('names', '${path} must have names of letters, digits, hyphens, underscores and dots', (value) =>
        names(value).every((name) => HOOK_NAME.test(name)),
      ),
  ).meta({ jsonSchema: { type: 'object', minProperties: 1 }, members: entry });
}

/** Schema of a hook's URL; its errors never show the URL. */
export function hookUrl() {
  const rule = '${path} must be an http:// or https:// URL without a user or a fragment';
  return string()
    .strict()
    .typeError(rule)
    .required('${path} is missing: the URL of the webhook')
    .test('url', rule, (text) => URL.canParse(text) && isHookUrl(new URL(text)))
    .meta({ example: 'https://not-set-here.example/' });
}

function isHookUrl({ protocol, username, password, hash }: URL): boolean {
  return /^https?:$/.test(protocol) && username + password + hash === '';
}

/** @param hooks undefined if unknown, as for an outbox: any name is accepted */
function hookAddress(text: string, hooks: HookSettings<Hook>['hooks'] | undefined, suffix?: RegExp): string {
  const address = text.trim().normalize('NFC');
  if (/^https?:/i.test(address))
    throw new AddressError(
      'this is a URL: write the name of a hook, and put its URL under hooks in the channel, for whoever knows it can post there',
    );
  const [name = ''] = address.split('/', 1);
  const rest = address.slice(name.length);
  const isKnown = hooks === undefined ? HOOK_NAME.test(name) : Object.hasOwn(hooks, name);
  if (isKnown && (rest === '' || suffix?.test(rest.slice(1)) === true)) return address;
  if (isKnown && suffix !== undefined)
    throw new AddressError(`${JSON.stringify(address)} has no ID of digits behind the slash`);
  // What follows an unknown name may be the path of a URL, which is secret.
  const shown = JSON.stringify(isKnown ? address : name);
  throw new AddressError(`${shown} is no hook of the channel${nearestOrAll(name, Object.keys(hooks ?? {}))}`);
}

function clearWarning(url: URL): string | undefined {
  return isInClear(url) ? 'the message and its key cross the network in clear: use https://' : undefined;
}

/** Asks all hooks, side by side. */
async function verify(
  remote: Remote,
  chat: Answers & { readonly isAsked: boolean },
  hooks: HookSettings<Hook>['hooks'],
): Promise<void> {
  const asked = Object.entries(hooks).map(([name, hook]) => failureOfHook(remote, chat, name, urlOf(hook)));
  const failures = (await Promise.all(asked)).filter((failure) => failure !== undefined);
  const [first, ...others] = failures;
  if (first !== undefined) throw others.length === 0 ? first : new Failures(failures);
}

/** Asks the hook if a GET shows that it works; else only its host, which checks connection and certificate. */
async function failureOfHook(
  remote: Remote,
  chat: Answers & { readonly isAsked: boolean },
  hook: string,
  whole: URL,
): Promise<DeliveryFailure | undefined> {
  const url = chat.isAsked ? whole : new URL('/', whole);
  // A failure names the hook, since the channel may have many.
  const title = { en: `${chat.title.en} (${hook})`, ja: `${chat.title.ja}（${hook}）` };
  try {
    const deadline = performance.now() + VERIFY_TIMEOUT_MS;
    const answer = await remote.call({ method: 'GET', url, hook, deadline });
    return chat.isAsked && answer.status > 299 ? failureOfAnswer(answer, { ...chat, title }) : undefined;
  } catch (error) {
    return networkFailureOf(title, networkErrorOf(error));
  }
}
