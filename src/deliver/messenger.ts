/** One attempt at one destination: render, send, time it, cut it off where the channel does not, and class what went wrong. */
import { hash } from 'node:crypto';
import type { Receipt } from '../channels/channel.ts';
import { DeliveryFailure } from '../channels/failure.ts';
import { noticeId } from '../notice/notice.ts';
import type { Clock } from '../time/clock.ts';
import { unfailing } from '../time/under-way.ts';
import type { AddressedNotice } from './plan.ts';
import type { Settings } from './settings.ts';

export interface Delivered {
  readonly receipt: Receipt;
  /** Later messages of its job may refer to it. */
  readonly isFollowed?: boolean;
}

export interface AttemptResult {
  readonly startedAt: number;
  readonly durationMs: number;
  readonly outcome: Delivered | { readonly failure: DeliveryFailure };
}

type Outcome = AttemptResult['outcome'];

/** A channel keeps its time limit by itself and knows what it reached; whoever has said nothing this much later ignores it. */
const CUT_OFF_GRACE_MS = 250;

export interface MessengerDependencies {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** By the clock that the channels' own time limits run by: the system's. */
  readonly timers: Pick<Clock, 'startTimer'>;
  /** Of the job of the delivery, at its destination. @throws {LedgerUnavailable} */
  readonly earlierReceipts: (deliveryId: number, withinMs: number) => Promise<readonly Receipt[]>;
  readonly onAttempt: (addressed: AddressedNotice, result: AttemptResult) => void;
  /** What a channel came to whose attempt had been cut off, and reported, before. */
  readonly onLateResult: (addressed: AddressedNotice, result: AttemptResult) => void;
  /** A report threw. */
  readonly onUnforeseen: (error: unknown) => void;
}

/** What an attempt asks of the settings that it began with. */
export type AttemptSettings = Pick<Settings, 'channels' | 'compose' | 'redact'> & {
  readonly delivery: Pick<Settings['delivery'], 'timeoutMs'>;
};

/** Settles, whatever the channel does, soon after the time limit of an attempt. */
export type Messenger = (
  addressed: AddressedNotice,
  settings: AttemptSettings,
  deliveryId: number,
) => Promise<AttemptResult>;

/** The returned function never throws: whatever happens is an outcome. */
export function createMessenger(dependencies: MessengerDependencies): Messenger {
  const { clock, onUnforeseen } = dependencies;
  const report = unfailing(dependencies.onAttempt, onUnforeseen);
  const reportLate = unfailing(dependencies.onLateResult, onUnforeseen);
  return async (addressed, settings, deliveryId) => {
    const startedAt = clock.now();
    const since = clock.monotonic();
    const resultOf = (outcome: Outcome) => ({ startedAt, durationMs: clock.monotonic() - since, outcome });
    const onLate = (late: Outcome) => reportLate(addressed, resultOf(late));
    const begun = { addressed, settings, deliveryId };
    const outcome = await attempt(begun, dependencies, onLate);
    const result = resultOf(outcome);
    report(addressed, result);
    return result;
  };
}

interface Begun {
  readonly addressed: AddressedNotice;
  readonly settings: AttemptSettings;
  readonly deliveryId: number;
}

const NONE: readonly Receipt[] = [];

/** Never rejects. */
async function attempt(
  { addressed, settings, deliveryId }: Begun,
  { timers, earlierReceipts }: MessengerDependencies,
  onLate: (outcome: Outcome) => void,
): Promise<Outcome> {
  const { timeoutMs } = settings.delivery;
  const redact = (text: string) => settings.redact(text);
  try {
    const configured = settings.channels.get(addressed.channel);
    if (configured?.channel === undefined) throw unknownChannel(addressed);
    const isFollowed = configured.needsEarlier(addressed.options);
    const earlier = isFollowed ? await earlierReceipts(deliveryId, timeoutMs) : NONE;
    const message = await settings.compose(addressed);
    const { address, options } = addressed;
    const idempotencyKey = () => idempotencyKeyOf(addressed);
    const sending = configured.channel.send({
      address,
      message,
      options,
      earlier,
      timeoutMs,
      idempotencyKey,
    });
    return await cutOff(outcomeOf(sending, isFollowed, redact), addressed, { timeoutMs, timers }, onLate);
  } catch (error) {
    return { failure: classed(error, redact) };
  }
}

async function outcomeOf(
  sending: Promise<Receipt>,
  isFollowed: boolean,
  redact: (text: string) => string,
): Promise<Outcome> {
  try {
    const receipt = await sending;
    return isFollowed ? { receipt, isFollowed } : { receipt };
  } catch (error) {
    return { failure: classed(error, redact) };
  }
}

/** @param sent never rejects, but may never settle either */
function cutOff(
  sent: Promise<Outcome>,
  { channel }: AddressedNotice,
  { timeoutMs, timers }: { readonly timeoutMs: number; readonly timers: Pick<Clock, 'startTimer'> },
  onLate: (outcome: Outcome) => void,
): Promise<Outcome> {
  return new Promise((resolve) => {
    let end: (outcome: Outcome) => void = resolve;
    const stopTimer = timers.startTimer(timeoutMs + CUT_OFF_GRACE_MS, () => {
      end = onLate;
      resolve({ failure: ignoredTimeLimit(channel, timeoutMs) });
    });
    void sent.then((outcome) => end(outcome)).finally(stopTimer);
  });
}

function ignoredTimeLimit(channel: string, timeoutMs: number): DeliveryFailure {
  const message = `${channel} had not come to an end after ${timeoutMs} ms, so the message may have arrived`;
  return new DeliveryFailure({ class: 'transient', code: 'ETIMEDOUT', message });
}

/** Stable over all attempts to tell the same notice there. */
function idempotencyKeyOf({ notice, destination }: AddressedNotice): string {
  return hash('sha256', `${noticeId(notice)}\n${destination}`, 'hex');
}

function unknownChannel({ channel }: AddressedNotice): DeliveryFailure {
  const message = `the config no longer has a channel named ${channel}`;
  return new DeliveryFailure({ class: 'config', code: 'unknown_channel', message });
}

/** The cause stays behind: it may hold what the redaction cannot reach. */
function classed(error: unknown, redact: (text: string) => string): DeliveryFailure {
  if (error instanceof DeliveryFailure) {
    const { class: failureClass, code, retryAfterMs, quote } = error;
    const pause = retryAfterMs === undefined ? {} : { retryAfterMs };
    const quoted = quote === undefined ? {} : { quote: redact(quote) };
    const message = redact(error.message);
    return new DeliveryFailure({ class: failureClass, code: redact(code), message, ...pause, ...quoted });
  }
  const message = error instanceof Error ? error.message : `thrown: ${typeof error}`;
  return new DeliveryFailure({ class: 'transient', code: 'unexpected', message: redact(message) });
}
