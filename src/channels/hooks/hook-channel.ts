/**
 * Chats that are told by the URL of a webhook. A hook has a name in the config, which is its address and all that is ever
 * shown of it: whoever knows its URL can post there.
 */
import { lazy, object, type Schema, string } from 'yup';
import { isJsonObject } from '../../text/json-object.ts';
import { nearestOrAll } from '../../text/nearest.ts';
import type { HttpAnswer, OpenPool } from '../../outbound/exchange.ts';
import {
  AddressError,
  type Channel,
  type ChannelType,
  type MessageFormat,
  type Outgoing,
  type Receipt,
  type SettingWarning,
} from '../channel.ts';
import { type Answers, failureOfAnswer } from '../answers.ts';
import { isInClear } from '../api-url.ts';
import { openedChannel, sendOrPlain } from '../open-channel.ts';
import { type Call, JSON_HEADERS, Remote } from './remote.ts';

/** What a hook is in the config: its URL alone, or more. */
export interface HookEntry<Hook> {
  readonly schema: Schema<Hook>;
  readonly jsonSchema: object;
  urlOf(hook: Hook): string;
  /** Beside its URL. */
  secretsOf(hook: Hook): readonly string[];
}

/** A chat that takes messages at the URLs of webhooks. All functions but those of `format` are given what the config says. */
export interface HookChat<Message, Hook = string> extends Answers {
  /** `type:` in the config. */
  readonly type: string;
  /** Milliseconds between two messages to a hook whose rate is limited; one hook's limit is never another's. */
  readonly paceMs: number;
  readonly format: MessageFormat<Message>;
  /** Beside the address; `mention_on_error` where the chat can mention. */
  readonly options: Readonly<Record<string, Schema>>;
  readonly hook: HookEntry<Hook>;
  /** What may stand behind the name of a hook, after a slash; undefined: nothing. */
  readonly suffix?: RegExp;
  /** What is wrong with a hook that cannot work, or no longer does; undefined where it looks right. */
  warningOf(url: URL, hook: Hook): string | undefined;
  /** Where it is more than the message as JSON. */
  readonly callOf?: (url: URL, outgoing: Outgoing & { readonly message: Message }, hook: Hook) => HookCall;
  /** `ChannelType.perJob`; `callOf` is given what is asked for. */
  readonly perJob?: ChannelType['perJob'];
  /** Undefined: the answer is no success. */
  receiptOf(answer: HttpAnswer): Receipt | undefined;
  /** The same message as plain text, for where the chat refuses it; undefined where there is none. */
  plainOf(message: Message): Message | undefined;
  /** A call that sends nothing and is answered as a message would be; left out where the chat has none. */
  readonly checkOf?: (url: URL) => HookCall;
}

type HookCall = Omit<Call, 'deadline'>;

export function jsonCall(url: URL, message: unknown, headers: HookCall['headers'] = {}): HookCall {
  return { url, headers: { ...headers, ...JSON_HEADERS }, body: JSON.stringify(message) };
}

export interface HookSettings<Hook = string> {
  /** By name. */
  readonly hooks: Readonly<Record<string, Hook>>;
}

export function hookChannel<Message, Hook = string>(
  chat: HookChat<Message, Hook>,
): ChannelType<HookSettings<Hook>> {
  const { type, paceMs, format, hook } = chat;
  return {
    type,
    pace: { addressMs: paceMs, channelMs: 0 },
    ...(chat.perJob !== undefined && { perJob: chat.perJob }),
    settings: object({ hooks: hooksOf(hook) })
      .noUnknown()
      .strict() as unknown as Schema<HookSettings<Hook>>,
    optionsOf: () => chat.options,
    formatOf: () => format,
    parseAddress: (text, settings) => hookAddress(text, settings?.hooks, chat.suffix),
    secretsOf: ({ hooks }) =>
      Object.values(hooks).flatMap((entry) => [...secretsOfUrl(hook.urlOf(entry)), ...hook.secretsOf(entry)]),
    warningsOf: ({ hooks }) =>
      Object.entries(hooks).flatMap(([name, entry]) =>
        warningsOf(name, new URL(hook.urlOf(entry)), (url) => chat.warningOf(url, entry)),
      ),
    open: ({ hooks }, { openPool }) => Promise.resolve(openHooks(chat, hooks, openPool)),
  };
}

const HOOK_NAME = /^[\p{L}\p{N}][\p{L}\p{N}_.-]{0,79}$/u;

/** A schema of `hooks`. */
export function hooksOf<Hook>({ schema, jsonSchema }: HookEntry<Hook>) {
  const names = (hooks: unknown) => Object.keys(isJsonObject(hooks) ? hooks : {});
  return lazy((hooks: unknown) =>
    object(Object.fromEntries(names(hooks).map((name) => [name, schema])))
      .required('${path} is missing: a name for each webhook, with its URL')
      .test(
        'any',
        '${path} must name at least one webhook',
        (value: unknown) => value === undefined || names(value).length > 0,
      )
      .test('names', '${path} must have names of letters, digits, hyphens, underscores and dots', (value) =>
        names(value).every((name) => HOOK_NAME.test(name)),
      ),
  ).meta({ jsonSchema: { type: 'object', minProperties: 1, additionalProperties: jsonSchema } });
}

/** Of a hook's URL; its errors never show it. */
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

/** A hook that is its URL. */
export const URL_ALONE: HookEntry<string> = {
  schema: hookUrl(),
  jsonSchema: { type: 'string' },
  urlOf: (url) => url,
  secretsOf: () => [],
};

/** @param hooks undefined where a channel is only posed as: whichever there are */
function hookAddress(
  text: string,
  hooks: HookSettings<unknown>['hooks'] | undefined,
  suffix?: RegExp,
): string {
  const address = text.trim().normalize('NFC');
  if (/^https?:/i.test(address))
    throw new AddressError(
      'this is a URL: write the name of a hook, and put its URL under hooks in the channel, for whoever knows it can post there',
    );
  const [name = '', ...rest] = address.split('/');
  const isKnown = hooks === undefined ? HOOK_NAME.test(name) : Object.hasOwn(hooks, name);
  if (!isKnown)
    throw new AddressError(
      `${JSON.stringify(name)} is no hook of the channel${nearestOrAll(name, Object.keys(hooks ?? {}))}`,
    );
  if (rest.length > 0 && suffix?.test(rest.join('/')) !== true)
    throw new AddressError(
      `${JSON.stringify(address)} is no address of the channel: write ${JSON.stringify(name)}`,
    );
  return address;
}

/** A part of a path or a query that nobody writes by hand: a key, a token, an id. */
const KEY = /^(?:.{16,}|(?=.*\d)[\w.~-]{8,})$/;

/** The whole URL, and its keys alone, since remotes repeat them in their answers: they stand in its query, or else in its path. */
function secretsOfUrl(text: string): readonly string[] {
  const url = new URL(text);
  const [inQuery, inPath] = [[...url.searchParams.values()], url.pathname.split('/')].map((parts) =>
    parts.filter((part) => KEY.test(part)),
  );
  return [text, url.href, url.pathname + url.search, ...(inQuery?.length ? inQuery : (inPath ?? []))];
}

function warningsOf(
  name: string,
  url: URL,
  warningOf: (url: URL) => string | undefined,
): readonly SettingWarning[] {
  const clear = isInClear(url)
    ? 'the message and its key cross the network in clear: use https://'
    : undefined;
  const messages = [clear, warningOf(url)];
  return messages.flatMap((message) => (message === undefined ? [] : [{ key: ['hooks', name], message }]));
}

const VERIFY_TIMEOUT_MS = 5_000;

function openHooks<Message, Hook>(
  chat: HookChat<Message, Hook>,
  hooks: HookSettings<Hook>['hooks'],
  openPool: OpenPool,
): Channel {
  const remote = new Remote(chat.title, openPool);
  return openedChannel({
    send: (outgoing) => tell(chat, remote, hooks[outgoing.address.replace(/\/.*/, '')] as Hook, outgoing),
    verify: () => verify(chat, remote, Object.values(hooks)),
    free: () => remote.close(),
    failureOf: (error) => remote.failureOf(error),
  });
}

function tell<Message, Hook>(
  chat: HookChat<Message, Hook>,
  remote: Remote,
  hook: Hook,
  outgoing: Outgoing,
): Promise<Receipt> {
  const deadline = performance.now() + outgoing.timeoutMs;
  const url = new URL(chat.hook.urlOf(hook));
  const send = async (message: Message): Promise<Receipt> => {
    const call = chat.callOf?.(url, { ...outgoing, message }, hook) ?? jsonCall(url, message);
    const answer = await remote.call({ ...call, deadline });
    const receipt = chat.receiptOf(answer);
    if (receipt === undefined) throw failureOfAnswer(answer, chat);
    return receipt;
  };
  const message = outgoing.message as Message;
  const plain = chat.plainOf(message);
  return sendOrPlain(() => send(message), plain === undefined ? undefined : () => send(plain));
}

/** Where a chat has no call that sends nothing, whether its host can be reached and its certificate holds. */
async function verify<Message, Hook>(
  chat: HookChat<Message, Hook>,
  remote: Remote,
  hooks: readonly Hook[],
): Promise<void> {
  const deadline = performance.now() + VERIFY_TIMEOUT_MS;
  for (const hook of hooks) {
    const url = new URL(chat.hook.urlOf(hook));
    if (chat.checkOf === undefined) {
      await remote.call({ method: 'GET', url: new URL('/', url), deadline });
      continue;
    }
    const answer = await remote.call({ ...chat.checkOf(url), deadline });
    if (answer.status > 299) throw failureOfAnswer(answer, chat);
  }
}
