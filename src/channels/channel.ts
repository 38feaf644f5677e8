/** The contract of a channel: what it is called, how its config reads, how it sends. Retry, ledger and metrics live outside it. */
import type { Schema } from 'yup';
import { UnderWay } from '../time/clock.ts';
import { DeliveryFailure } from './failure.ts';
import type { MessageFormat } from './format.ts';

/** One message for one address. */
export interface Outgoing {
  /** Canonical, as `parseAddress` returned it. */
  readonly address: string;
  /** What the channel's format composed. */
  readonly message: unknown;
  /** The destination's, as `ChannelType.options` checked them. */
  readonly options: DestinationOptions;
  /**
   * Receipts of the first and the last message of the same job before this one at this address, so that this one can reply
   * to them or replace them. Empty unless `ChannelType.needsEarlier` asks for them, and for the job's first message.
   */
  readonly earlier: readonly Receipt[];
  /** Stable over retries of one (callback, destination); 64 lower-case hexadecimal digits. Not every channel asks for it. */
  readonly idempotencyKey: () => string;
  readonly timeoutMs: number;
}

export type DestinationOptions = Readonly<Record<string, unknown>>;

/** Proof that the remote took the message, e.g. `{channel, ts}` or `{messageId}`: shown to operators, never secret. */
export type Receipt = Readonly<Record<string, string>>;

/** An open channel: one Slack token or one SMTP pool. */
export interface Channel {
  /** @throws {DeliveryFailure} classed; the caller takes anything else for `transient`. */
  send(outgoing: Outgoing): Promise<Receipt>;
  /** Checks with the remote that token or login are accepted, sending nothing. @throws {DeliveryFailure} */
  verify(): Promise<void>;
  /** Lets what is in flight finish, then frees every socket. */
  close(): Promise<void>;
}

/** What a channel may use of the process it runs in. */
export interface ChannelEnvironment {
  /** Where the outbox prints. */
  readonly print: (text: string) => void;
}

/** A setting that works but is probably a mistake; `key` names it. */
export interface SettingWarning {
  readonly key: string;
  readonly message: string;
}

/** How often the remote takes messages without limiting them: milliseconds between two. */
export interface ChannelPace {
  /** To one address. */
  readonly addressMs: number;
  /** To all addresses together. */
  readonly channelMs: number;
}

/** What the remote can do with the messages of one job, beside showing each by itself. */
export interface Capabilities {
  /** A message can reply to an earlier one. */
  readonly thread: boolean;
  /** A message that was sent can be replaced. */
  readonly update: boolean;
}

export interface ChannelType<Settings = unknown> {
  /** `type:` in the config. */
  readonly type: string;
  /** Strict schema of the channel's config keys beside `type`. */
  readonly settings: Schema<Settings>;
  /** Strict schemas of the options a destination on this channel may carry beside its address, by key. */
  readonly options: Readonly<Record<string, Schema>>;
  /** Kept to where the remote has limited the rate. */
  readonly pace: ChannelPace;
  formatOf(settings: Settings): MessageFormat;
  capabilitiesOf(settings: Settings): Capabilities;
  /** Whether a message with these options replies to earlier ones, or replaces one; otherwise none does. */
  needsEarlier?(options: DestinationOptions): boolean;
  /** Canonical form of an address. @throws {AddressError} a sentence for the reader */
  parseAddress(text: string, settings: Settings): string;
  /** Strings that no log, answer, error or page may show. */
  secretsOf(settings: Settings): readonly string[];
  warningsOf(settings: Settings): readonly SettingWarning[];
  /** Loads the client library, which a config without this channel need not; connects when it is first used. */
  open(settings: Settings, environment: ChannelEnvironment): Promise<Channel>;
}

export class AddressError extends Error {
  override readonly name = 'AddressError';
}

/** What an open channel is sending, so that closing it interrupts nothing. */
export class InFlight {
  readonly #underWay = new UnderWay();
  #isClosed = false;

  /**
   * Runs `work` and remembers it until it settles.
   * @throws {DeliveryFailure} `channel_closed` after `close`, as a rejection
   */
  run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(closedFailure());
    const running = work();
    this.#underWay.until(running);
    return running;
  }

  /** Refuses new work, then resolves once all that was begun has settled. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#underWay.idle();
  }
}

function closedFailure(): DeliveryFailure {
  return new DeliveryFailure({
    class: 'transient',
    code: 'channel_closed',
    message:
      'The channel was being closed, so nothing was sent; the next attempt uses the one that replaces it.',
  });
}
