/** One attempt to tell one destination: it ends within its time limit, whatever the channel does, and never throws. */
import { hash } from 'node:crypto';
import type { Outgoing, Receipt } from '../channels/channel.ts';
import { DeliveryFailure } from '../channels/failure.ts';
import type { DeliveryRecord } from '../ledger/ledger.ts';
import { isAlert, jobIdOf, type Notice, noticeId } from '../notice/notice.ts';
import { type Clock, unfailing } from '../time/clock.ts';
import type { AddressedNotice, PlannedTarget, Settings } from './settings.ts';

export interface Delivered {
  readonly receipt: Receipt;
}

export interface AttemptResult {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly outcome: Delivered | { readonly failure: DeliveryFailure };
}

export interface Begun {
  readonly addressed: AddressedNotice;
  readonly settings: Pick<Settings, 'channels' | 'compose' | 'redact' | 'delivery'>;
}

export interface RunningAttempt {
  readonly result: Promise<AttemptResult>;
  /** Ends it as one of which nobody knows what came of it. */
  cut(): void;
}

export type Attempt = (begun: Begun) => RunningAttempt;

export interface AttemptDependencies {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** By the clock that the channels' own time limits run by: the system's. */
  readonly timers: Pick<Clock, 'startTimer'>;
  readonly onAttempt: (addressed: AddressedNotice, result: AttemptResult) => void;
  /** A report threw. */
  readonly onUnforeseen: (error: unknown) => void;
}

/** A channel keeps its time limit by itself and knows what it reached; one that is silent so much longer ignores it. */
const GRACE_MS = 250;

export function createAttempt(dependencies: AttemptDependencies): Attempt {
  const { clock, timers, onUnforeseen } = dependencies;
  const report = unfailing(dependencies.onAttempt, onUnforeseen);
  return (begun) => {
    const { addressed, settings } = begun;
    const { timeoutMs } = settings.delivery;
    const startedAt = clock.now();
    const since = clock.monotonic();
    let stopTimer = () => {};
    let end!: (outcome: AttemptResult['outcome']) => void;
    const result = new Promise<AttemptResult>((resolve) => {
      let isOver = false;
      end = (outcome) => {
        stopTimer();
        if (isOver) return;
        isOver = true;
        const ended = { startedAt, durationMs: clock.monotonic() - since, outcome };
        report(addressed, ended);
        resolve(ended);
      };
    });
    const onSending = () => {
      stopTimer = timers.startTimer(timeoutMs + GRACE_MS, () =>
        end({ failure: ignoredTimeLimit(addressed.channel, timeoutMs) }),
      );
    };
    void send(begun, onSending).then(end, (error: unknown) => end({ failure: classed(error, settings) }));
    return { result, cut: () => end({ failure: CUT_OFF }) };
  };
}

async function send({ addressed, settings }: Begun, onSending: () => void): Promise<Delivered> {
  const { address, channel: name, options } = addressed;
  const { channel } = settings.channels.get(name) ?? {};
  if (channel === undefined) throw unknownChannel(name);
  const message = await settings.compose(addressed);
  const { timeoutMs } = settings.delivery;
  const idempotencyKey = () => idempotencyKeyOf(addressed);
  const jobId = jobIdOf(addressed.notice);
  const outgoing: Outgoing = { address, message, options, timeoutMs, idempotencyKey, jobId };
  onSending();
  return { receipt: await channel.send(outgoing) };
}

const CUT_OFF = new DeliveryFailure({
  class: 'transient',
  code: 'cut_off',
  message: 'Botbell was stopped before the remote had answered: the message may have arrived',
  japanese: '応答の前にBotbellが停止されました。メッセージは届いている可能性があります。',
});

function ignoredTimeLimit(channel: string, timeoutMs: number): DeliveryFailure {
  const message = `${channel} had not come to an end after ${timeoutMs} ms, so the message may have arrived`;
  const japanese = `${channel} への送信が${timeoutMs}ミリ秒で終わりませんでした。メッセージは届いている可能性があります。`;
  return new DeliveryFailure({ class: 'transient', code: 'ETIMEDOUT', message, japanese });
}

function unknownChannel(channel: string): DeliveryFailure {
  const message = `the config no longer has a channel named ${channel}`;
  const japanese = `設定に通知チャネル ${channel} がありません。channels と宛先を確認してください。`;
  return new DeliveryFailure({ class: 'config', code: 'unknown_channel', message, japanese });
}

/** Stable over all attempts to tell the same there; what a person wants told anew must differ from what was told before. */
function idempotencyKeyOf({ notice, destination, anew }: AddressedNotice): string {
  const told = `${noticeId(notice)}\n${destination}`;
  return hash('sha256', anew === undefined ? told : `${told}\n${anew}`, 'hex');
}

/** The cause stays behind: it may hold what the redaction cannot reach. */
function classed(error: unknown, settings: Begun['settings']): DeliveryFailure {
  const redact = (text: string) => settings.redact(text);
  if (error instanceof DeliveryFailure) {
    const { class: failureClass, code, japanese, concerns, retryAfterMs } = error;
    return new DeliveryFailure({
      class: failureClass,
      code: redact(code),
      message: redact(error.message),
      japanese: redact(japanese),
      concerns,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  }
  const message = error instanceof Error ? error.message : `thrown: ${typeof error}`;
  return new DeliveryFailure({ class: 'transient', code: 'unexpected', message: redact(message) });
}

/** A message that a person had sent again says how late it is from here on. */
const LATE_AFTER_MS = 60_000;

/** What is sent for one delivery. @param at milliseconds since 1970 */
export function addressedTo(
  notice: Notice,
  planned: PlannedTarget,
  { givenBackAt, receipt }: Pick<DeliveryRecord, 'givenBackAt' | 'receipt'>,
  at: { readonly firstReceivedAt: number; readonly now: number },
): AddressedNotice {
  if (givenBackAt === undefined) return { notice, ...planned };
  const delayedMs = at.now - at.firstReceivedAt;
  const isLate = !isAlert(notice) && delayedMs >= LATE_AFTER_MS;
  const anew = receipt === undefined ? {} : { anew: String(givenBackAt) };
  return { notice: isLate ? { ...notice, delayedMs } : notice, ...planned, ...anew };
}
