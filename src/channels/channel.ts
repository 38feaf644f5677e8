/**
 * The contract of a channel: its config, how it sends, and the shape of its messages. Retries, pauses, the ledger, metrics and
 * redaction are handled outside it.
 *
 * A chat is one definition (`chat/chat.ts`; `mattermost/channel.ts` is a complete one) and a line in `registry.ts`. Operators see
 * addresses, so a webhook's URL, which is secret, is no address: the settings map a name, which is the address, to the URL.
 */
import { hash } from 'node:crypto';
import type { OpenPool } from '../outbound/exchange.ts';
import { shortLine } from '../text/cut.ts';
import { type Fault, FaultError, faultSaid, quoted } from '../text/fault.ts';
import type { AnyObject, ObjectSchema, Schema } from 'yup';
import type { Callback } from '../callback/callback.ts';
import type { About } from './about.ts';
import type { Card } from './card.ts';

export interface Composed<Message = unknown> {
  /** As the channel sends it, and as `preview --format json` shows it. */
  readonly message: Message;
  /** The message in plain text, for a remote that refuses it; left out if there is no plainer form. */
  readonly plain?: (() => Message) | undefined;
  /** The message for a terminal: several lines, no colours. */
  readonly asText: () => string;
  /** The message as the recipient sees it, for an iframe: an HTML document, or a fragment with its own styles. */
  readonly asHtml: () => string;
  readonly title?: string;
}

export interface Outgoing extends Pick<Composed, 'message' | 'plain' | 'asText'> {
  /** Canonical, as `parseAddress` returned it. */
  readonly address: string;
  /** Stable over retries of one (callback, destination); 64 lower-case hexadecimal digits. A function, as few channels need it. */
  readonly idempotencyKey: () => string;
  readonly jobId?: string | undefined;
  readonly labels?: Labels | undefined;
  /** Undefined: the message is neither a reply nor an edit. */
  readonly perJob?: JobMessages | undefined;
  readonly timeoutMs: number;
  /**
   * Called when the message is handed over as a whole; on `false`, nothing of it may arrive. A channel whose remote may answer much
   * later then waits up to `LONGEST_ANSWER_MS`.
   */
  readonly onHandedOver?: (() => unknown) | undefined;
}

/** The longest wait for an answer to a message that was handed over: to the end of a mail, ten minutes (RFC 5321, 4.5.3.2.6). */
export const LONGEST_ANSWER_MS = 600_000;

export interface Labels {
  /** The BOT's id; '' if the message is about none, or several. */
  readonly bot: string;
  /** `succeeded`, `error`, `executing`; or the notice's name: `overdue`, `digest`, `dead_letter`. */
  readonly status: string;
  readonly isError: boolean;
}

/** The same for all messages of a job, by which remotes keep them together, and for no other: BOTs may call their jobs the same. 64 hexadecimal digits; undefined: it is of none. */
export function jobKeyOf({ jobId, labels }: Partial<Outgoing>): string | undefined {
  return jobId === undefined ? undefined : hash('sha256', JSON.stringify([labels?.bot, jobId]), 'hex');
}

/** How a destination groups the messages of one job; only for the modes in `ChannelType.perJob`. */
export interface JobMessages {
  /** `thread`: later messages reply to the first one. `update`: later messages edit the first one. */
  readonly mode: 'thread' | 'update';
  /** The receipt of the job's first message there; undefined: this message is the first. */
  readonly root: Receipt | undefined;
  /** Must notify people: a reply is also shown in the channel, and an edit, which notifies nobody, is also posted. */
  readonly isLoud: boolean;
}

/** Key in a receipt: the remote's error code for a root that was gone, so that the message was posted on its own. */
export const ROOT_GONE = 'root_gone';

/** The remote's answer on accepting a message, e.g. `{channel, ts}` or `{messageId}`: shown to operators, never secret. */
export type Receipt = Readonly<Record<string, string>>;

/** Key in a receipt: the whole message, kept by a channel that sends nothing (the outbox). */
export const KEPT_MESSAGE = 'message';

/** Key in a receipt: the status of a remote that accepts a message before it delivers it and never reports the delivery. */
export const ACCEPTED_AS = 'accepted';

export function idsIn(receipt: Receipt): readonly (readonly [key: string, value: string])[] {
  return Object.entries(receipt).filter(([key]) => key !== KEPT_MESSAGE);
}

/** An open channel, such as one Slack token or one SMTP pool. */
export interface Channel {
  /**
   * Takes one of the channel's connections, within the channel's rate, or waits for one; no destination gets all of them.
   * @returns a function that gives the connection back; undefined if none was free within so many milliseconds
   */
  readonly turn?:
    ((withinMs: number, destination: string) => Promise<(() => void) | undefined> | (() => void)) | undefined;
  /** @throws {DeliveryFailure}; the caller treats any other error as `transient`. */
  send(outgoing: Outgoing): Promise<Receipt>;
  /** Checks, without a message, that the remote accepts the token or login, or at least can be reached. @throws {DeliveryFailure | AggregateError} */
  verify(): Promise<void>;
  close(): Promise<void>;
}

export interface ChannelEnvironment {
  readonly print: (text: string) => void;
  readonly openPool: OpenPool;
  readonly meetsCondition: MeetsCondition;
}

/** Whether a condition in the config, such as `when`, holds for these values; a condition whose evaluation fails does not hold. */
export type MeetsCondition = (condition: string, values: object) => boolean;

/** A setting that is valid but probably a mistake; `key` is its key or path. */
export interface SettingWarning {
  readonly key: string | readonly string[];
  readonly fault: Fault;
}

/** Milliseconds between two messages that the remote takes without limiting the rate. Applies only after a rate limit. */
export interface ChannelPace {
  readonly addressMs: number;
  /** Between messages to any address; 0: addresses share no limit, so a limited one does not delay the others. */
  readonly channelMs: number;
}

export interface ChannelType<Settings = unknown> {
  /** `type:` in the config. */
  readonly type: string;
  /** Left out if each document describes the type in words of its own. */
  readonly about?: About | undefined;
  readonly settings: Schema<Settings>;
  readonly pace: ChannelPace;
  /** The modes of `JobMessages` that the channel supports; left out: none. */
  readonly perJob?: readonly ('thread' | 'update')[] | undefined;
  /** What its addresses and options are depends on its settings; of other types these are known whatever is wrong with the settings. */
  readonly needsSettings?: true;
  /** @param settings undefined if unknown, as for an outbox */
  formatOf(settings?: Settings): MessageFormat;
  /** The canonical form of an address. @param settings undefined if unknown, as for an outbox @throws {AddressError} */
  parseAddress(text: string, settings?: Settings): string;
  /** Strings that no log, answer, error or page may show. */
  secretsOf(settings: Settings): readonly string[];
  warningsOf(settings: Settings): readonly SettingWarning[];
  /** Imports the client library, so that only configs with this channel load it. Connects on first use. */
  open(settings: Settings, environment: ChannelEnvironment): Promise<Channel>;
}

/** An address that the config's author has to correct. */
export class AddressError extends FaultError {
  override readonly name = 'AddressError';
}

/** The error for a text that is no address. @param en what is wrong: the rest of a sentence that begins with the quoted text; so is `ja` */
export function noAddress(text: string, en: string, ja: string): AddressError {
  const shown = quoted(shortLine(text, 80));
  return new AddressError(faultSaid(`${shown} ${en}`, `${shown} ${ja}`));
}

export type TemplateValue =
  string | number | boolean | null | readonly TemplateValue[] | { readonly [key: string]: TemplateValue };

export function isList(value: unknown): value is readonly TemplateValue[] {
  return Array.isArray(value);
}

/** The top-level values of a rendered template file by key. Each string in them is rendered and escaped for its markup. */
export type RenderedParts = Readonly<Record<string, TemplateValue>>;

export interface ComposeContext {
  readonly options: Readonly<Record<string, unknown>>;
  /** Whether `mention_on_error` applies: the message is an error or an alert. */
  readonly isError: boolean;
  /** `<channel>:<address>`; only a name if the message is for no configured destination. */
  readonly destination: string;
  readonly template: string;
  /** When the notice's event happened: milliseconds since 1970. */
  readonly at: number;
  /** The notice's callback, for channels that send the data itself; undefined for an alert. */
  readonly callback: Callback | undefined;
}

/** One kind of message. For any foreign text, `compose` returns a well-formed message within the remote's limits. All is pure. */
export interface MessageFormat<Message = unknown> {
  /** Also the folder of templates for this format: `templates/<set>/<name>/<template>.yaml`. */
  readonly name: string;
  readonly options?: Readonly<Record<string, Schema>>;
  /** Whether a message names its destination; left out: destinations with the same options share one composed message. */
  readonly namesDestination?: boolean;
  compose(card: Card, context: ComposeContext): Composed<Message>;
  readonly own?: OwnMessages<Message>;
  /** The destination's template, if the config itself holds it in place of a file; its parts are those of `own`. */
  readonly templateAt?: (destination: string) => TemplateInConfig | undefined;
  /** Whether the destination gets no notices that an incident was taken up or is over; left out: every destination gets them. */
  readonly isSpared?: (destination: string) => boolean;
}

export interface TemplateInConfig {
  /** Where in the config the map is whose keys include the template's parts. */
  readonly path: readonly string[];
  readonly data: object;
}

export interface OwnMessages<Message> {
  /** Every string inside a list or an object is rendered. */
  readonly parts: ObjectSchema<AnyObject>;
  /** What kind of text the string at `path` is; `parent` is the object or list that holds it, before rendering. */
  textAt(path: readonly (string | number)[], parent: TemplateValue): TextKind;
  /** Whether templates may also use the card: `{{ card.title }}`. */
  readonly showsCard?: boolean;
  /** Whether the remote takes no other message: if such a message cannot be made, the card is not sent in its place. */
  readonly isOnlyShape?: boolean;
  /** Assembles the rendered parts: cuts long texts with a visible mark, drops empty ones, adds mentions. */
  compose(parts: RenderedParts, card: Card, context: ComposeContext): Composed<Message>;
}

/** How a template string prints a foreign value. Instances are shared, since each gets a Liquid engine of its own. */
export interface TextKind {
  /** Cleans and escapes the value, so that it is shown literally. Never applied to its own result. */
  readonly escape: (text: string) => string;
  /** The most characters of one value after escaping; a longer value loses its middle. */
  readonly most: number;
  /** Judges by the template's own markup before and after the value; there, `\u0001` stands for each other value. */
  placeOf(before: string, behind: string): ValuePlace;
}

/**
 * `address`: only a URL that Botbell made, `job_url` or a file's `url`, may stand there, and nothing else beside it.
 * `nowhere`: no escaping makes a value safe there, so the template is refused.
 */
export type ValuePlace = 'text' | 'address' | 'nowhere';

/** A string that is an address: a value must be the whole string, else the template is refused. */
export const ADDRESS_TEXT: TextKind = {
  escape: (text) => text,
  most: Infinity,
  placeOf: (before, behind) => (before + behind === '' ? 'address' : 'nowhere'),
};
