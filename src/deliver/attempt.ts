/** Sends a message to one destination, and says what came of it. */
import { hash } from 'node:crypto';
import {
  type Composed,
  KEPT_MESSAGE,
  LONGEST_ANSWER_MS,
  type JobMessages,
  type Receipt,
} from '../channels/channel.ts';
import { DeliveryFailure } from '../channels/failure.ts';
import type { Config } from '../config/config.ts';
import type { AttemptRecord, DeliveryRecord } from '../ledger/ledger.ts';
import { isAlert, jobIdOf, labelsOf, type Notice, noticeId, withTelling } from '../notice/notice.ts';
import type { Clock } from '../time/clock.ts';
import { withRouteOptions } from './plan.ts';
import { type AddressedNotice, RESERVE_MS, type Settings } from './settings.ts';
import type { PlannedTarget } from '../route/router.ts';

type Ending =
  | { readonly receipt: Receipt; readonly failure?: undefined }
  | { readonly failure: DeliveryFailure; readonly receipt?: undefined };

export type AttemptResult = Ending & Pick<AttemptRecord, 'durationMs' | 'endedAt'>;

export type SendingSettings = Pick<Settings, 'config' | 'channels' | 'compose' | 'redact'>;

/** Time limit of an attempt that no POST waits for, unless `delivery.timeout` is longer. */
const OWN_TIMEOUT_MS = 30_000;

export interface AttemptDependencies {
  readonly clock: Pick<Clock, 'monotonic' | 'startTimer'>;
  /** Never throws. */
  readonly onAttempt: (addressed: AddressedNotice, result: AttemptResult) => void;
}

/** Sends one message, one attempt at a time. An attempt ends within its time limit, whatever the channel does, and never rejects. */
export class Sending {
  readonly settings: SendingSettings;
  /** Whether the attempt under way goes on past its time limit. */
  isPastTime = false;
  /** Whether the whole message was sent, and its answer is waited for. */
  isHandedOver = false;
  /** Whether the message was not sent, since another process may be sending it. */
  isWithheld = false;
  readonly #dependencies: AttemptDependencies;
  #composed: Message | undefined;
  #end: ((ending: Ending) => void) | undefined;
  #stopTimer: (() => void) | undefined;

  constructor(settings: SendingSettings, dependencies: AttemptDependencies) {
    this.settings = settings;
    this.#dependencies = dependencies;
  }

  get isAttempted(): boolean {
    return this.#end !== undefined;
  }

  /** Begins the attempt at once. @param isOwn no POST waits for it, so it may take 30 s @param perJob undefined: the message stands alone */
  async attempt(addressed: AddressedNotice, isOwn = false, perJob?: JobMessages): Promise<AttemptResult> {
    const { clock, onAttempt } = this.#dependencies;
    const since = clock.monotonic();
    this.isPastTime = false;
    this.isHandedOver = false;
    // Whichever comes first: what the channel says, the time limit, or a cut.
    const { receipt, failure } = await new Promise<Ending>((end) => {
      this.#end = end;
      void this.#send(addressed, isOwn, perJob, end);
    });
    this.#end = undefined;
    this.#stopTimer?.();
    const endedAt = clock.monotonic();
    const durationMs = endedAt - since;
    const made = receipt === undefined ? { durationMs, endedAt, failure } : { durationMs, endedAt, receipt };
    onAttempt(addressed, made);
    return made;
  }

  /** Ends the attempt under way with the failure `cut_off`: the message may or may not have arrived. */
  cutOff(): void {
    this.#end?.({ failure: CUT_OFF });
  }

  /** Called when an attempt continues past its time limit. Without this method, the attempt ends at the limit. */
  protected onPastTime?(): void;

  /** Asked when the message is connected and about to be sent. */
  protected maySend(): boolean {
    return true;
  }

  /** The message, which is the same in every attempt. */
  protected compose(addressed: AddressedNotice): Message {
    this.#composed ??= this.settings.compose(addressed);
    return this.#composed;
  }

  /** Makes the message before the attempt, so that it no longer needs the notice. */
  protected composeAhead(addressed: AddressedNotice): void {
    const { message, plain, asText } = this.compose(addressed);
    this.#composed = { message, plain: plain && keptFrom(plain), asText: keptFrom(asText) };
  }

  /** Never rejects. */
  async #send(
    addressed: AddressedNotice,
    isOwn: boolean,
    perJob: JobMessages | undefined,
    end: (ending: Ending) => void,
  ): Promise<void> {
    const { address, channel: name, notice } = addressed;
    const { channels, config, redact } = this.settings;
    const { timeoutMs } = config.delivery;
    const isLonger = isOwn && timeoutMs < OWN_TIMEOUT_MS;
    try {
      const { channel } = channels.get(name) ?? {};
      if (channel === undefined) throw unknownChannel(name);
      const { message, plain, asText } = this.compose(addressed);
      const longer = isLonger ? [OWN_TIMEOUT_MS - timeoutMs, LONGEST_ANSWER_MS] : [LONGEST_ANSWER_MS];
      this.#endIn(timeoutMs, longer, () => ignoredTimeLimit(name, timeoutMs));
      const receipt = await channel.send({
        address,
        message,
        plain,
        asText,
        timeoutMs: isLonger ? OWN_TIMEOUT_MS : timeoutMs,
        onHandedOver: this.onPastTime && (() => this.#handOver(end)),
        idempotencyKey: () => idempotencyKeyOf(addressed),
        jobId: jobIdOf(notice),
        labels: labelsOf(notice),
        perJob: asReply(notice) ?? perJob,
      });
      end({ receipt: withoutSecrets(receipt, redact) });
    } catch (error) {
      end({ failure: this.isWithheld ? WITHHELD : classed(error, redact) });
    }
  }

  /** @returns whether the message may be sent: not once its attempt has ended */
  #handOver(end: (ending: Ending) => void): boolean {
    this.isWithheld = this.#end === end && !this.maySend();
    return (this.isHandedOver = this.#end === end && !this.isWithheld);
  }

  /** @param longer extensions of the limit, one after the other; the last one only for a message that was handed over */
  #endIn(ms: number, longer: readonly number[], failure: () => DeliveryFailure): void {
    this.#stopTimer = this.#dependencies.clock.startTimer(ms + RESERVE_MS, () => {
      const [more, ...rest] = longer;
      const hasTime = more !== undefined && (rest.length > 0 || this.isHandedOver);
      if (!hasTime || this.onPastTime === undefined) return this.#end?.({ failure: failure() });
      this.isPastTime = true;
      this.onPastTime();
      this.#endIn(more, rest, failure);
    });
  }
}

/** Calls `make` now and keeps its result, since `make` keeps the callback in memory until it is called. */
function keptFrom<Made>(make: () => Made): () => Made {
  const made = make();
  return () => made;
}

type Message = Pick<Composed, 'message' | 'plain' | 'asText'>;

/** Makes an alert that answers a message a reply to it. */
function asReply(notice: Notice): JobMessages | undefined {
  const { repliesTo: root } = isAlert(notice) ? notice : {};
  return root && { mode: 'thread', root, isLoud: true };
}

const CUT_OFF = new DeliveryFailure({
  class: 'transient',
  code: 'cut_off',
  message: 'Botbell was stopped before the remote had answered: the message may have arrived',
  japanese: '応答の前にBotbellが停止されました。メッセージは届いている可能性があります。',
  mayHaveArrived: true,
});

const WITHHELD = new DeliveryFailure({
  class: 'transient',
  code: 'withheld',
  message: 'Botbell stood still for so long that another replica may be sending it: nothing was sent',
  japanese: 'Botbellが長く停止していたため、別のレプリカが送信している可能性があります。送信していません。',
});

function ignoredTimeLimit(channel: string, timeoutMs: number): DeliveryFailure {
  const message = `${channel} had not come to an end after ${timeoutMs} ms, so the message may have arrived`;
  const japanese = `${channel} への送信が${timeoutMs}ミリ秒で終わりませんでした。メッセージは届いている可能性があります。`;
  return new DeliveryFailure({
    class: 'transient',
    code: 'ETIMEDOUT',
    message,
    japanese,
    mayHaveArrived: true,
  });
}

function unknownChannel(channel: string): DeliveryFailure {
  const message = `the config no longer has a channel named ${channel}`;
  const japanese = `設定に通知チャネル ${channel} がありません。channels と宛先を確認してください。`;
  return new DeliveryFailure({ class: 'config', code: 'unknown_channel', message, japanese });
}

/** The same for all attempts of a delivery; another one each time a person has a delivered message sent again. */
function idempotencyKeyOf({ notice, destination, anew }: AddressedNotice): string {
  const told = `${noticeId(notice)}\n${destination}`;
  return hash('sha256', anew === undefined ? told : `${told}\n${anew}`, 'hex');
}

/** A receipt may quote why a card was refused, in the remote's words. */
function withoutSecrets(receipt: Receipt, redact: Settings['redact']): Receipt {
  const shown: Record<string, string> = { ...receipt };
  for (const key in shown) if (key !== KEPT_MESSAGE) shown[key] = redact(receipt[key] ?? '');
  return shown;
}

/** Leaves out the error's `cause`, which may hold secrets that `redact` does not see. */
function classed(error: unknown, redact: Settings['redact']): DeliveryFailure {
  const failure = error instanceof DeliveryFailure ? error : unexpected(error);
  const { class: failureClass, concerns, retryAfterMs, mayHaveArrived, isForLater } = failure;
  return new DeliveryFailure({
    class: failureClass,
    concerns,
    retryAfterMs,
    mayHaveArrived,
    isForLater,
    code: redact(failure.code),
    message: redact(failure.message),
    japanese: redact(failure.japanese),
  });
}

function unexpected(error: unknown): DeliveryFailure {
  const message = error instanceof Error ? error.message : `thrown: ${typeof error}`;
  return new DeliveryFailure({ class: 'transient', code: 'unexpected', message });
}

/** From this delay on, a message that a person had delivered again says how late it is. */
const LATE_AFTER_MS = 60_000;

/** What is sent for one delivery. @param at milliseconds since 1970, by the store's clock */
export function addressedTo(
  notice: Notice,
  planned: PlannedTarget,
  record: Pick<DeliveryRecord, 'callbackId' | 'receivedAt' | 'givenBackAt' | 'receipt' | 'telling'>,
  at: { readonly now: number; readonly config: Config },
): AddressedNotice {
  const { callbackId, receivedAt, givenBackAt, receipt, telling } = record;
  const told = withTelling(notice, telling);
  const to = withRouteOptions(planned, telling, at);
  if (givenBackAt === undefined) return { notice: told, callbackId, ...to };
  const delayedMs = at.now - receivedAt;
  const isLate = !isAlert(told) && delayedMs >= LATE_AFTER_MS;
  const anew = receipt === undefined ? {} : { anew: String(givenBackAt) };
  return { notice: isLate ? { ...told, delayedMs } : told, callbackId, ...to, ...anew };
}
