/**
 * Channels that post to the URLs of webhooks. The config names each hook, and only the name, which is the address, is ever
 * shown: anyone with the URL can post there.
 */
import { lazy, object, type Schema, string } from 'yup';
import { isJsonObject } from '../../text/json-object.ts';
import { nearestOrAll } from '../../text/nearest.ts';
import type { HttpAnswer, OpenPool } from '../../outbound/exchange.ts';
import { percentDecoded } from '../../outbound/login.ts';
import {
  AddressError,
  type Channel,
  type ChannelType,
  type MessageFormat,
  type Outgoing,
  type Receipt,
} from '../channel.ts';
import { type Answers, failureOfAnswer } from '../answers.ts';
import { isInClear } from '../api-url.ts';
import { networkErrorOf, networkFailureOf } from '../network-error.ts';
import { sendOrPlain } from '../open-channel.ts';
import { type Call, JSON_HEADERS, Remote } from './remote.ts';

/** A hook's entry in the config. */
type Hook = string | { readonly url: string };

/** A chat that takes messages at the URLs of webhooks. Each parameter `hook` is the hook's entry in the config. */
export interface HookChat<Message, Entry extends Hook = string> extends Answers {
  /** `type:` in the config. */
  readonly type: string;
  /** Milliseconds between two messages to one hook after a rate limit; hooks share no limit. */
  readonly paceMs: number;
  readonly format: MessageFormat<Message>;
  /** The options of a destination: `mention_on_error` if the chat supports mentions. */
  readonly options: Readonly<Record<string, Schema>>;
  /** The schema of a hook's entry; left out if the entry is the URL. */
  readonly entry?: Schema;
  /** The secrets of a hook other than its URL. */
  secretsOf?(hook: Entry): readonly string[];
  /** What may follow the hook's name and a slash in an address; left out: nothing. */
  readonly suffix?: RegExp;
  /** A warning about a hook that cannot work, or no longer works; undefined if the hook looks right. */
  warningOf(url: URL, hook: Entry): string | undefined;
  /** The request for a message; left out if it is a POST of the message as JSON. */
  readonly callOf?: (url: URL, outgoing: Outgoing & { readonly message: Message }, hook: Entry) => HookCall;
  /** As in `ChannelType.perJob`; `callOf` reads the mode from `Outgoing.perJob`. */
  readonly perJob?: ChannelType['perJob'];
  /** Undefined for an error answer. */
  receiptOf(answer: HttpAnswer): Receipt | undefined;
  /** The message as plain text, which is sent if the chat refuses the message; undefined if there is none. */
  plainOf(message: Message): Message | undefined;
  /** Whether a GET of the hook fails as a message would, so that `verify` can use it. */
  readonly isAsked?: boolean;
}

type HookCall = Omit<Call, 'deadline'>;

export function jsonCall(url: URL, message: unknown, headers: HookCall['headers'] = {}): HookCall {
  return { url, headers: { ...headers, ...JSON_HEADERS }, body: JSON.stringify(message) };
}

export interface HookSettings<Entry extends Hook = string> {
  /** The hooks by name. */
  readonly hooks: Readonly<Record<string, Entry>>;
}

export function hookChannel<Message, Entry extends Hook = string>(
  chat: HookChat<Message, Entry>,
): ChannelType<HookSettings<Entry>> {
  return {
    type: chat.type,
    pace: { addressMs: chat.paceMs, channelMs: 0 },
    perJob: chat.perJob,
    settings: object({ hooks: hooksOf(chat.entry) })
      .noUnknown()
      .strict(),
    optionsOf: () => chat.options,
    formatOf: () => chat.format,
    parseAddress: (text, settings) => hookAddress(text, settings?.hooks, chat.suffix),
    secretsOf: ({ hooks }) =>
      Object.values(hooks).flatMap((hook) => [
        ...secretsOfUrl(textOf(hook)),
        ...(chat.secretsOf?.(hook) ?? []),
      ]),
    warningsOf: ({ hooks }) =>
      Object.entries(hooks).flatMap(([name, hook]) =>
        [clearWarning(urlOf(hook)), chat.warningOf(urlOf(hook), hook)].flatMap((message) =>
          message === undefined ? [] : [{ key: ['hooks', name], message }],
        ),
      ),
    open: ({ hooks }, { openPool }) => Promise.resolve(openHooks(chat, hooks, openPool)),
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

/** A part of a path or a query that looks generated: a key, a token, an ID. */
const KEY = /^(?:.{16,}|(?=.*\d)[\w.~-]{8,})$/;

/** A query that authorises by itself: the path then holds IDs only, which people are shown. */
const AUTHORISES = /[?&](?:key|token|sig)=/;

/** The whole URL, and the keys in it, as written and decoded, since remotes repeat the keys in their answers. */
function secretsOfUrl(text: string): readonly string[] {
  const { href, pathname, search, searchParams } = new URL(text);
  const path = AUTHORISES.test(search) ? [] : pathname.split('/');
  const query = search.split(/[?&]/).map((parameter) => parameter.replace(/^[^=]*=/, ''));
  const parts = [...path, ...path.map(percentDecoded), ...query, ...searchParams.values()];
  return [text, href, pathname + search, ...parts.filter((part) => KEY.test(part))];
}

function clearWarning(url: URL): string | undefined {
  return isInClear(url) ? 'the message and its key cross the network in clear: use https://' : undefined;
}

const VERIFY_TIMEOUT_MS = 5_000;

function openHooks<Message, Entry extends Hook>(
  chat: HookChat<Message, Entry>,
  hooks: HookSettings<Entry>['hooks'],
  openPool: OpenPool,
): Channel {
  const remote = new Remote(chat.title, openPool);
  return remote.channel({
    send: (outgoing) => tell(chat, remote, hooks, outgoing),
    verify: () => verify(chat, remote, hooks),
  });
}

function tell<Message, Entry extends Hook>(
  chat: HookChat<Message, Entry>,
  remote: Remote,
  hooks: HookSettings<Entry>['hooks'],
  outgoing: Outgoing,
): Promise<Receipt> {
  const deadline = performance.now() + outgoing.timeoutMs;
  const name = outgoing.address.replace(/\/.*/, '');
  const hook = hooks[name] as Entry;
  const url = urlOf(hook);
  const send = async (message: Message): Promise<Receipt> => {
    const call = chat.callOf?.(url, { ...outgoing, message }, hook) ?? jsonCall(url, message);
    const answer = await remote.call({ ...call, hook: name, deadline });
    const receipt = chat.receiptOf(answer);
    if (receipt === undefined) throw failureOfAnswer(answer, chat);
    return receipt;
  };
  const message = outgoing.message as Message;
  return sendOrPlain(send, message, chat.plainOf(message));
}

/** Asks each hook if a GET shows that it works; else asks only its host, which checks connection and certificate. */
async function verify(
  chat: Answers & { readonly isAsked?: boolean },
  remote: Remote,
  hooks: HookSettings<Hook>['hooks'],
): Promise<void> {
  for (const [name, hook] of Object.entries(hooks)) {
    const deadline = performance.now() + VERIFY_TIMEOUT_MS;
    const url = chat.isAsked === true ? urlOf(hook) : new URL('/', urlOf(hook));
    // A failure names the hook, since the channel may have many.
    const title = { en: `${chat.title.en} (${name})`, ja: `${chat.title.ja}（${name}）` };
    const answer = await remote.call({ method: 'GET', url, deadline }).catch((error: unknown) => {
      throw networkFailureOf(title, networkErrorOf(error));
    });
    if (chat.isAsked === true && answer.status > 299) throw failureOfAnswer(answer, { ...chat, title });
  }
}
