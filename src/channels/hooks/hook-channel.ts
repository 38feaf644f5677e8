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
} from '../channel.ts';
import { type Answers, failureOfAnswer } from '../answers.ts';
import { isInClear } from '../api-url.ts';
import { sendOrPlain } from '../open-channel.ts';
import { type Call, JSON_HEADERS, Remote } from './remote.ts';

/** What a hook is in the config. */
type Hook = string | { readonly url: string };

/** A chat that takes messages at the URLs of webhooks. All functions but those of `format` are given what the config says. */
export interface HookChat<Message, Entry extends Hook = string> extends Answers {
  /** `type:` in the config. */
  readonly type: string;
  /** Milliseconds between two messages to a hook whose rate is limited; one hook's limit is never another's. */
  readonly paceMs: number;
  readonly format: MessageFormat<Message>;
  /** Beside the address; `mention_on_error` where the chat can mention. */
  readonly options: Readonly<Record<string, Schema>>;
  /** Of a hook in the config; left out where it is its URL. */
  readonly entry?: Schema;
  /** Beside the URL of a hook. */
  secretsOf?(hook: Entry): readonly string[];
  /** What may stand behind the name of a hook, after a slash; undefined: nothing. */
  readonly suffix?: RegExp;
  /** What is wrong with a hook that cannot work, or no longer does; undefined where it looks right. */
  warningOf(url: URL, hook: Entry): string | undefined;
  /** Where it is more than the message as JSON. */
  readonly callOf?: (url: URL, outgoing: Outgoing & { readonly message: Message }, hook: Entry) => HookCall;
  /** `ChannelType.perJob`; `callOf` is given what is asked for. */
  readonly perJob?: ChannelType['perJob'];
  /** Undefined: the answer is no success. */
  receiptOf(answer: HttpAnswer): Receipt | undefined;
  /** The same message as plain text, for where the chat refuses it; undefined where there is none. */
  plainOf(message: Message): Message | undefined;
  /** Whether a GET of the hook is answered as a message would be. */
  readonly isAsked?: boolean;
}

type HookCall = Omit<Call, 'deadline'>;

export function jsonCall(url: URL, message: unknown, headers: HookCall['headers'] = {}): HookCall {
  return { url, headers: { ...headers, ...JSON_HEADERS }, body: JSON.stringify(message) };
}

export interface HookSettings<Entry extends Hook = string> {
  /** By name. */
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

/** A schema of `hooks`. */
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

/** @param hooks undefined where a channel is only posed as: whichever there are */
function hookAddress(text: string, hooks: HookSettings<Hook>['hooks'] | undefined, suffix?: RegExp): string {
  const address = text.trim().normalize('NFC');
  if (/^https?:/i.test(address))
    throw new AddressError(
      'this is a URL: write the name of a hook, and put its URL under hooks in the channel, for whoever knows it can post there',
    );
  const [name = '', ...rest] = address.split('/');
  const isKnown = hooks === undefined ? HOOK_NAME.test(name) : Object.hasOwn(hooks, name);
  if (!isKnown || (rest.length > 0 && suffix?.test(rest.join('/')) !== true))
    throw new AddressError(
      `${JSON.stringify(address)} is no hook of the channel${nearestOrAll(name, Object.keys(hooks ?? {}))}`,
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
    send: (outgoing) => tell(chat, remote, hooks[outgoing.address.replace(/\/.*/, '')] as Entry, outgoing),
    verify: () => verify(chat, remote, Object.values(hooks)),
  });
}

function tell<Message, Entry extends Hook>(
  chat: HookChat<Message, Entry>,
  remote: Remote,
  hook: Entry,
  outgoing: Outgoing,
): Promise<Receipt> {
  const deadline = performance.now() + outgoing.timeoutMs;
  const url = urlOf(hook);
  const send = async (message: Message): Promise<Receipt> => {
    const call = chat.callOf?.(url, { ...outgoing, message }, hook) ?? jsonCall(url, message);
    const answer = await remote.call({ ...call, deadline });
    const receipt = chat.receiptOf(answer);
    if (receipt === undefined) throw failureOfAnswer(answer, chat);
    return receipt;
  };
  const message = outgoing.message as Message;
  return sendOrPlain(send, message, chat.plainOf(message));
}

/** Where a chat has no call that sends nothing, whether its host can be reached and its certificate holds. */
async function verify(
  chat: Answers & { readonly isAsked?: boolean },
  remote: Remote,
  hooks: readonly Hook[],
): Promise<void> {
  const deadline = performance.now() + VERIFY_TIMEOUT_MS;
  for (const hook of hooks) {
    const url = chat.isAsked === true ? urlOf(hook) : new URL('/', urlOf(hook));
    const answer = await remote.call({ method: 'GET', url, deadline });
    if (chat.isAsked === true && answer.status > 299) throw failureOfAnswer(answer, chat);
  }
}
