/** Sends one notice to one destination: its turn in the lane, attempts, and waits between them, as far as the deadline allows. */
import { DeliveryFailure, type FailureClass, UNSPECIFIED_PAUSE_MS } from '../channels/failure.ts';
import { type Clock, unfailing } from '../time/clock.ts';
import type { DeliveryUnderWay } from './deliveries-under-way.ts';
import { type Deferral, fits, type Lanes, type Rank } from './lanes.ts';
import type { AddressedNotice, DeliverySettings, Settings } from './settings.ts';
import { hash } from 'node:crypto';
import type { Receipt } from '../channels/channel.ts';
import { noticeId } from '../notice/notice.ts';

export interface SenderDependencies {
  readonly clock: Clock;
  readonly lanes: Lanes;
  readonly attempt: Attempt;
  /** In [0, 1). */
  readonly random: () => number;
}

/** What came of it: each attempt, and the last outcome, or why none was made. */
export interface SendResult {
  readonly attempts: readonly AttemptResult[];
  readonly outcome: AttemptResult['outcome'] | { readonly deferred: Deferral };
}

export interface Sending {
  readonly addressed: AddressedNotice;
  /** With which the whole began. */
  readonly settings: AttemptSettings & { readonly delivery: Pick<DeliverySettings, 'attemptsPerRequest'> };
  readonly delivery: DeliveryUnderWay;
  /** By the monotonic clock: no attempt begins after it; one that was begun before it is seen through. */
  readonly deadline: number;
  readonly rank: Rank;
}

/** Never throws. */
export type Send = (sending: Sending) => Promise<SendResult>;

export function createSender(dependencies: SenderDependencies): Send {
  const { clock, lanes, random } = dependencies;
  return async (sending) => {
    const { addressed, delivery, deadline } = sending;
    const { attemptsPerRequest } = sending.settings.delivery;
    const attempts: AttemptResult[] = [];
    let failures = 0;
    let { rank } = sending;
    for (;;) {
      const entry = lanes.enter(addressed, deadline, rank);
      const refusal = entry instanceof Promise ? await entry : entry;
      if (refusal !== undefined) return { attempts, outcome: { deferred: refusal } };
      const startedAt = clock.monotonic();
      const result = await attemptNow(dependencies, sending);
      attempts.push(result);
      const { outcome } = result;
      if (!('failure' in outcome)) return { attempts, outcome };
      delivery.stall();
      // Having been let in, it stays before what comes now.
      rank = 'next';
      if (outcome.failure.class === 'rate_limited') {
        lanes.limited(addressed, pauseAfter(outcome.failure), startedAt);
        continue;
      }
      failures += 1;
      const timeLeftMs = deadline - clock.monotonic();
      const step = nextStep(outcome.failure, failures, attemptsPerRequest, timeLeftMs, random());
      if (step.kind === 'stop') return { attempts, outcome };
      await lanes.waitToRetry(step.ms);
    }
  };
}

async function attemptNow(
  { clock, lanes, attempt }: SenderDependencies,
  { addressed, delivery, settings }: Sending,
): Promise<AttemptResult> {
  lanes.started(addressed.destination);
  const startedAt = clock.now();
  const since = clock.monotonic();
  const result = await new Promise<AttemptResult>((resolve) => {
    delivery.cut = () =>
      resolve({ startedAt, durationMs: clock.monotonic() - since, outcome: { failure: CUT_OFF } });
    void attempt(addressed, settings, delivery.id).then(resolve);
  });
  delivery.cut = undefined;
  return result;
}

const CUT_OFF = new DeliveryFailure({
  class: 'transient',
  code: 'cut_off',
  message: 'Botbell was stopped before the remote had answered: the message may have arrived',
});

/** First wait after a transient failure; doubles with each further attempt, with full jitter. */
const BACKOFF_BASE_MS = 400;

export type NextStep = { readonly kind: 'wait'; readonly ms: number } | { readonly kind: 'stop' };

const STOP: NextStep = { kind: 'stop' };

/** How long the remote wants to be left alone; 0 for whatever is no rate limit. */
export function pauseAfter(failure: Pick<DeliveryFailure, 'class' | 'retryAfterMs'>): number {
  return failure.class === 'rate_limited' ? (failure.retryAfterMs ?? UNSPECIFIED_PAUSE_MS) : 0;
}

/**
 * @param attempt the attempt that failed, counted from 1 within this request
 * @param timeLeftMs until the request must be answered
 * @param random in [0, 1)
 */
export function nextStep(
  failure: Pick<DeliveryFailure, 'class' | 'retryAfterMs'>,
  attempt: number,
  attemptsPerRequest: number,
  timeLeftMs: number,
  random: number,
): NextStep {
  if (attempt >= attemptsPerRequest || !mayPassSoon(failure.class)) return STOP;
  const ms = failure.class === 'rate_limited' ? pauseAfter(failure) : jittered(attempt, random);
  return fits(ms, timeLeftMs) ? { kind: 'wait', ms } : STOP;
}

/** What no retry within seconds can cure is not worth the BOT's running time. */
function mayPassSoon(failureClass: FailureClass): boolean {
  return failureClass === 'transient' || failureClass === 'rate_limited';
}

function jittered(attempt: number, random: number): number {
  return Math.round(BACKOFF_BASE_MS * 2 ** (attempt - 1) * random);
}

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

export interface AttemptDependencies {
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
export type Attempt = (
  addressed: AddressedNotice,
  settings: AttemptSettings,
  deliveryId: number,
) => Promise<AttemptResult>;

/** The returned function never throws: whatever happens is an outcome. */
export function createAttempt(dependencies: AttemptDependencies): Attempt {
  const { clock, onUnforeseen } = dependencies;
  const report = unfailing(dependencies.onAttempt, onUnforeseen);
  const reportLate = unfailing(dependencies.onLateResult, onUnforeseen);
  return async (addressed, settings, deliveryId) => {
    const startedAt = clock.now();
    const since = clock.monotonic();
    const resultOf = (outcome: Outcome) => ({ startedAt, durationMs: clock.monotonic() - since, outcome });
    const onLate = (late: Outcome) => reportLate(addressed, resultOf(late));
    const begun = { addressed, settings, deliveryId };
    const outcome = await outcomeOfAttempt(begun, dependencies, onLate);
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

/** Comes on top of the time limit of an attempt, and must fit into the margin that a claim has beyond that. */
const EARLIER_WITHIN_MS = 500;

/** Never rejects. */
async function outcomeOfAttempt(
  { addressed, settings, deliveryId }: Begun,
  { timers, earlierReceipts }: AttemptDependencies,
  onLate: (outcome: Outcome) => void,
): Promise<Outcome> {
  const { timeoutMs } = settings.delivery;
  const redact = (text: string) => settings.redact(text);
  try {
    const configured = settings.channels.get(addressed.channel);
    if (configured?.channel === undefined) throw unknownChannel(addressed);
    const isFollowed = configured.needsEarlier(addressed.options);
    const earlier = isFollowed ? await earlierReceipts(deliveryId, EARLIER_WITHIN_MS) : NONE;
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
