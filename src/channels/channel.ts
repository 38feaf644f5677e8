/**
 * The contract of a channel: what it is called, how its config reads, how it sends, and the shape of its messages. Retry,
 * pause, ledger, metrics and redaction live outside it.
 *
 * To add one: a folder beside `slack/` and a line in `registry.ts`; no template, and no other file
 * (`test/channels/third-channel.test.ts` is a whole one). The folder has
 * - the `ChannelType`: strict settings, addresses, options, pace, secrets, and `open`, which imports what sends lazily;
 * - the `MessageFormat`: `compose` draws a card within the remote's limits (`show-card.ts` cuts it to a room and gives its lines,
 *   `card-lines.ts` marks them up) and escapes all of it, `asText` and `asHtml` show the message (`shownBy` of `html-text.ts`
 *   reads one out of the other);
 * - a table of the remote's codes: class, whom it concerns, and words in both languages (`answers.ts`);
 * - `send`, by `openedChannel`, within `Outgoing.timeoutMs`: over HTTP by `hooks/remote.ts`, and `hooks/hook-channel.ts` is all
 *   of it for a webhook's URL; what is refused as a card goes out once more as plain text by `sendOrPlain`.
 * An address is what an operator may see: a webhook's URL stands in the settings under a name, which is the address, and in
 * `secretsOf`. Each runs `test/contract/channel-contract.ts` against a stand-in of its remote.
 */
import type { OpenPool } from '../outbound/exchange.ts';
import type { Schema } from 'yup';
import type { Callback } from '../callback/callback.ts';
import type { Card } from './card.ts';

/** One message for one address. */
export interface Outgoing {
  /** Canonical, as `parseAddress` returned it. */
  readonly address: string;
  /** What the channel's format composed. */
  readonly message: unknown;
  /** The destination's, as `ChannelType.optionsOf` checked them. */
  readonly options: DestinationOptions;
  /** Stable over retries of one (callback, destination); 64 lower-case hexadecimal digits. Not every channel asks for it. */
  readonly idempotencyKey: () => string;
  /** Messages of one job belong together; undefined where it tells of none. */
  readonly jobId?: string | undefined;
  /** Left out: the message stands alone. */
  readonly perJob?: PerJob | undefined;
  readonly timeoutMs: number;
}

/** How the messages of one job belong together at a destination, where the channel's type has the mode. */
export interface PerJob {
  /** `thread`: under the first one. `update`: the first one is edited. */
  readonly mode: 'thread' | 'update';
  /** Of the job's first message there; undefined: this one is it. */
  readonly root: Receipt | undefined;
  /** Not to be overlooked: a reply is shown in the channel, too, and an edit, which notifies nobody, is posted as well. */
  readonly isLoud: boolean;
}

/** The member of a receipt of a message whose root was gone, so that it was posted anew: the remote's code. */
export const ROOT_GONE = 'root_gone';

export type DestinationOptions = Readonly<Record<string, unknown>>;

/** What the remote said when it took the message, e.g. `{channel, ts}` or `{messageId}`: shown to operators, never secret. */
export type Receipt = Readonly<Record<string, string>>;

/** The member of a receipt with the whole message, which a channel keeps that sends it nowhere. */
export const KEPT_MESSAGE = 'message';

/** The member of a receipt of a remote that takes a message before it delivers it, and never says whether it did. */
export const ACCEPTED_AS = 'accepted';

/** What tells by which message somebody was told. */
export function idsIn(receipt: Receipt): readonly (readonly [key: string, value: string])[] {
  return Object.entries(receipt).filter(([key]) => key !== KEPT_MESSAGE);
}

/** An open channel: one Slack token or one SMTP pool. */
export interface Channel {
  /** @throws {DeliveryFailure} classed; the caller takes anything else for `transient`. */
  send(outgoing: Outgoing): Promise<Receipt>;
  /**
   * Checks with the remote that token or login are accepted, sending nothing; where it has no call for that, that it can be
   * reached. @throws {DeliveryFailure}
   */
  verify(): Promise<void>;
  /** Lets what is in flight finish, then frees every socket. */
  close(): Promise<void>;
}

/** What a channel may use of the process it runs in. */
export interface ChannelEnvironment {
  /** Where the outbox prints. */
  readonly print: (text: string) => void;
  /** Connections to a remote over HTTP, through the proxy that the config has for it; `outbound/exchange.ts` sends over them. */
  readonly openPool: OpenPool;
}

/** A setting that works but is probably a mistake; `key` names it, or leads to it. */
export interface SettingWarning {
  readonly key: string | readonly string[];
  readonly message: string;
}

/** How often the remote takes messages without limiting them: milliseconds between two. Kept to once it has limited the rate. */
export interface ChannelPace {
  /** To one address. */
  readonly addressMs: number;
  /** To all addresses together; 0: they share no limit, so that one that is limited holds up no other. */
  readonly channelMs: number;
}

export interface ChannelType<Settings = unknown> {
  /** `type:` in the config. */
  readonly type: string;
  /** Strict schema of the channel's config keys beside `type`. */
  readonly settings: Schema<Settings>;
  /**
   * Strict schemas of the options a destination on this channel may carry beside its address, by key.
   * @param settings undefined: whatever they are
   */
  optionsOf(settings?: Settings): Readonly<Record<string, Schema>>;
  readonly pace: ChannelPace;
  /** What it can make of a job's messages beside one each: replies under the first, one that is edited. Left out: nothing. */
  readonly perJob?: readonly ('thread' | 'update')[] | undefined;
  /** @param settings undefined: whatever they are, as for an outbox */
  formatOf(settings?: Settings): MessageFormat;
  /**
   * Canonical form of an address.
   * @param settings undefined: whatever they are, as for an outbox
   * @throws {AddressError} a sentence for the reader
   */
  parseAddress(text: string, settings?: Settings): string;
  /** Strings that no log, answer, error or page may show. */
  secretsOf(settings: Settings): readonly string[];
  warningsOf(settings: Settings): readonly SettingWarning[];
  /** Loads the client library, which a config without this channel need not; connects when it is first used. */
  open(settings: Settings, environment: ChannelEnvironment): Promise<Channel>;
}

export class AddressError extends Error {
  override readonly name = 'AddressError';
}

/** A value of a parsed or rendered template: YAML's data, nothing else. */
export type TemplateValue =
  string | number | boolean | null | readonly TemplateValue[] | { readonly [key: string]: TemplateValue };

/** The top-level values of a rendered template file by key, every string leaf rendered and escaped in its markup. */
export type RenderedParts = Readonly<Record<string, TemplateValue>>;

export interface ComposeContext {
  /** The destination's, as `ChannelType.optionsOf` checked them. */
  readonly options: DestinationOptions;
  /** Whether it is something that somebody may be called for. */
  readonly isError: boolean;
  /** `<channel>:<address>`; a name alone where it is drawn for nobody in particular. */
  readonly destination: string;
  /** Of the template: `error`, `dead_letter`. */
  readonly template: string;
  /** When what it tells of happened: milliseconds since 1970. */
  readonly at: number;
  /** What it is about, for who sends the data itself; undefined for what Botbell says by itself. */
  readonly callback: Callback | undefined;
}

/**
 * One kind of message. Channel types name the format that they send. All functions are pure. Whatever the foreign text,
 * `compose` yields a well-formed message within the remote's limits.
 */
export interface MessageFormat<Message = unknown> {
  /** Also the folder of its own messages: `templates/<set>/<name>/<template>.yaml`. */
  readonly name: string;
  compose(card: Card, context: ComposeContext): Message;
  /** Left out where templates cannot write messages of the format. */
  readonly own?: OwnMessages<Message>;
  /** The message as a person would read it on a terminal: several lines, no colours. */
  asText(message: Message): string;
  /**
   * The message as its reader would see it, to be shown in a frame of its own: an HTML document, or a fragment that
   * carries its own styles. Left out where its text says as much.
   */
  asHtml?(message: Message): string;
  /** What its reader sees above it, such as a mail's subject. */
  titleOf?(message: Message): string;
}

/** Messages that a template writes itself, instead of a card. */
export interface OwnMessages<Message> {
  /** Top-level keys of a template file. */
  readonly parts: Readonly<Record<string, MessagePart>>;
  /** What kind of text the string at `path` is; `parent` is the object or list that holds it, before rendering. */
  textAt(path: readonly (string | number)[], parent: TemplateValue): TextKind;
  /** What of a card a template may place in the part, `{{ drawn.outputs }}`: already escaped, by name. Left out: nothing. */
  drawnIn?(part: string, card: Card): Readonly<Record<string, string>>;
  /** Puts the rendered parts together: cuts what is too long so that it shows, drops what is empty, adds mentions. */
  compose(parts: RenderedParts, card: Card, context: ComposeContext): Message;
  /** What the remote would refuse of rendered parts. */
  inspect(parts: RenderedParts): readonly PartFault[];
}

export interface MessagePart {
  readonly required: boolean;
  /** Of a list or an object, every string in it is rendered. */
  readonly kind: 'string' | 'list' | 'object' | 'boolean';
}

/** How a foreign value is printed in a string of a template. Instances are shared: each gets one Liquid engine. */
export interface TextKind {
  /** Cleans and escapes: the value is shown as it is and does nothing. Never applied to its own result. */
  readonly escape: (text: string) => string;
  /** Characters that one value takes at the most once it is escaped: a longer one loses its middle. */
  readonly most: number;
  /** By the template's own markup before and behind a value, in which a `\u0001` stands for each other value. */
  placeOf(before: string, behind: string): ValuePlace;
}

/**
 * `address`: only an address that Botbell made may stand there, `job_url` or a file's `url`, and it alone.
 * `nowhere`: no escaping makes a value harmless there, so that the template is refused.
 */
export type ValuePlace = 'text' | 'address' | 'nowhere';

export interface PartFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}
