/** One attempt to send one delivery: it ends within its time limit, whatever the channel does, and never rejects. */
import { hash } from 'node:crypto';
import {
  type Composed,
  idsIn,
  LONGEST_ANSWER_MS,
  type JobMessages,
  type Receipt,
} from '../channels/channel.ts';
import { DeliveryFailure } from '../channels/failure.ts';
import type { Config } from '../config/config.ts';
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import type { DeliveryRecord } from '../ledger/ledger.ts';
import { isAlert, jobIdOf, labelsOf, type Notice, noticeId, toldSo } from '../notice/notice.ts';
import { type Clock, Deadline, DeadlinePassed } from '../time/clock.ts';
import { type AddressedNotice, RESERVE_MS, type Settings, toldBy } from './settings.ts';
import type { PlannedTarget } from '../route/router.ts';

type Ending =
  | { readonly receipt: Receipt; readonly failure?: undefined }
  | { readonly failure: DeliveryFailure; readonly receipt?: undefined };

/** startedAt: milliseconds since 1970. */
export type AttemptResult = Ending & { readonly startedAt: number; readonly durationMs: number };

export interface Begun {
  readonly addressed: AddressedNotice;
  readonly settings: Pick<Settings, 'config' | 'channels' | 'compose' | 'redact'>;
  /** No POST waits for it. */
  readonly isOwn?: boolean;
  /** Called when it goes on past `delivery.timeout` for `ms`: its claim must last as long. Left out: it ends then. */
  readonly onLonger?: (ms: number) => void;
  /** The message, if it was made before; then the notice has no more of its callback than `afterRendering` leaves. */
  readonly composed?: Pick<Composed, 'message' | 'plain' | 'asText'> | undefined;
}

/** What an attempt of Botbell's own may take, which no POST waits for. */
const OWN_TIMEOUT_MS = 30_000;

export interface AttemptDependencies {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** The system's clock, by which the channels' own time limits run. */
  readonly timers: Pick<Clock, 'monotonic' | 'startTimer'>;
  /** Never throws. */
  readonly onAttempt: (addressed: AddressedNotice, result: AttemptResult) => void;
  /** Finds a job's earlier messages at a destination; left out: there is no ledger. */
  readonly jobMessages?: DatabaseLedger['jobMessages'];
}

/** Begins at once. */
export class Attempt {
  readonly result: Promise<AttemptResult>;
  /** Whether the whole message was sent, and its answer is waited for. */
  isHandedOver = false;
  /** Ends the attempt with the failure `cut_off`: the message may or may not have arrived. */
  cut = (): void => {};
  readonly #begun: Begun;
  readonly #dependencies: AttemptDependencies;

  constructor(begun: Begun, dependencies: AttemptDependencies) {
    this.#begun = begun;
    this.#dependencies = dependencies;
    const { clock, onAttempt } = dependencies;
    const startedAt = clock.now();
    const since = clock.monotonic();
    const wasCut = new Promise<Ending>((resolve) => (this.cut = () => resolve({ failure: CUT_OFF })));
    const sent = this.#send().then(
      (receipt): Ending => ({ receipt: withoutSecrets(receipt, begun) }),
      (error: unknown): Ending => ({ failure: classed(error, begun) }),
    );
    this.result = Promise.race([sent, wasCut]).then((ending) => {
      const made = { ...ending, startedAt, durationMs: clock.monotonic() - since };
      onAttempt(begun.addressed, made);
      return made;
    });
  }

  /** @throws {DeadlinePassed} the channel ignores its time limit */
  async #send(): Promise<Receipt> {
    const { addressed, settings, isOwn, onLonger, composed } = this.#begun;
    const { address, channel: name, notice } = addressed;
    const { channel } = settings.channels.get(name) ?? {};
    if (channel === undefined) throw unknownChannel(name);
    const perJob = await perJobOf(addressed, this.#dependencies.jobMessages);
    const { message, plain, asText } = composed ?? settings.compose(addressed);
    const { timeoutMs } = settings.config.delivery;
    const ownMs = isOwn === true ? Math.max(0, OWN_TIMEOUT_MS - timeoutMs) : 0;
    const sent = channel.send({
      address,
      message,
      plain,
      asText,
      timeoutMs: timeoutMs + ownMs,
      onHandedOver: onLonger && (() => (this.isHandedOver = true)),
      idempotencyKey: () => idempotencyKeyOf(addressed),
      jobId: jobIdOf(notice),
      labels: labelsOf(notice),
      perJob,
    });
    return this.#bounded(sent, timeoutMs, ownMs);
  }

  /** Ends at `delivery.timeout`, at the longer time limit of an own attempt, or when the answer to a message has been waited for. */
  async #bounded(sent: Promise<Receipt>, timeoutMs: number, ownMs: number): Promise<Receipt> {
    const within = (ms: number) =>
      new Deadline(this.#dependencies.timers, ms + RESERVE_MS).bound(sent).catch(unlessLate);
    const goOn = (ms: number) => {
      this.#begun.onLonger?.(ms);
      return within(ms);
    };
    let receipt = await within(timeoutMs);
    if (receipt === undefined && ownMs > 0) receipt = await goOn(ownMs);
    if (receipt === undefined && this.isHandedOver) receipt = await goOn(LONGEST_ANSWER_MS);
    if (receipt === undefined) throw new DeadlinePassed('the channel ignores its time limit');
    return receipt;
  }
}

function unlessLate(error: unknown): undefined {
  if (!(error instanceof DeadlinePassed)) throw error;
}

/** @returns undefined: the message stands alone, also where an edit would overwrite what a later callback said */
async function perJobOf(
  { perJob: mode, notice, destination, callbackId }: AddressedNotice,
  jobMessages: AttemptDependencies['jobMessages'],
): Promise<JobMessages | undefined> {
  const jobId = jobIdOf(notice);
  if (mode === 'message' || jobId === undefined || callbackId === undefined) return undefined;
  const told = await jobMessages?.({ jobId, destination, callbackId });
  if (told === undefined) return undefined;
  const { root, isOvertaken } = told;
  return mode === 'update' && isOvertaken ? undefined : { mode, root, isLoud: isLoud(notice) };
}

/** An error, or a run that takes too long, must not be overlooked in a thread or an edit. */
function isLoud(notice: Notice): boolean {
  return notice.template === 'overdue' || (!isAlert(notice) && notice.callback.status === 1);
}

const CUT_OFF = new DeliveryFailure({
  class: 'transient',
  code: 'cut_off',
  message: 'Botbell was stopped before the remote had answered: the message may have arrived',
  japanese: '応答の前にBotbellが停止されました。メッセージは届いている可能性があります。',
  mayHaveArrived: true,
});

function ignoredTimeLimit({ addressed: { channel }, settings }: Begun): DeliveryFailure {
  const { timeoutMs } = settings.config.delivery;
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
function withoutSecrets(receipt: Receipt, { settings: { redact } }: Begun): Receipt {
  return { ...receipt, ...Object.fromEntries(idsIn(receipt).map(([key, value]) => [key, redact(value)])) };
}

/** Leaves out the error's `cause`, which may hold secrets that `redact` does not see. */
function classed(error: unknown, begun: Begun): DeliveryFailure {
  if (error instanceof DeadlinePassed) return ignoredTimeLimit(begun);
  const { redact } = begun.settings;
  const failure = error instanceof DeliveryFailure ? error : unexpected(error);
  const { class: failureClass, concerns, retryAfterMs, mayHaveArrived } = failure;
  return new DeliveryFailure({
    class: failureClass,
    concerns,
    retryAfterMs,
    mayHaveArrived,
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
  record: Pick<DeliveryRecord, 'callbackId' | 'givenBackAt' | 'receipt' | 'telling'>,
  at: { readonly firstReceivedAt: number; readonly now: number; readonly config: Config },
): AddressedNotice {
  const { callbackId, givenBackAt, receipt, telling } = record;
  const told = toldSo(notice, telling);
  const to = toldBy(planned, telling, at);
  if (givenBackAt === undefined) return { notice: told, callbackId, ...to };
  const delayedMs = at.now - at.firstReceivedAt;
  const isLate = !isAlert(told) && delayedMs >= LATE_AFTER_MS;
  const anew = receipt === undefined ? {} : { anew: String(givenBackAt) };
  return { notice: isLate ? { ...told, delayedMs } : told, callbackId, ...to, ...anew };
}
