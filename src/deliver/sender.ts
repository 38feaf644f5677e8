/** Sends one notice to one destination: its turn in the lane, attempts, and waits between them, as far as the deadline allows. */
import { DeliveryFailure, UNSPECIFIED_PAUSE_MS } from '../channels/failure.ts';
import { type Clock, unfailing } from '../time/clock.ts';
import type { DeliveryUnderWay } from './deliveries-under-way.ts';
import { type Deferral, fits, type Lanes, type Rank } from './lanes.ts';
import type { AddressedNotice, Settings } from './settings.ts';
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
  readonly settings: Pick<Settings, 'channels' | 'compose' | 'redact' | 'delivery'>;
  readonly delivery: DeliveryUnderWay;
  /** By the monotonic clock: no attempt begins after it; one that was begun before it is seen through. */
  readonly deadline: number;
  readonly rank: Rank;
}

/** Never throws. */
export type Send = (sending: Sending) => Promise<SendResult>;

/** First wait after a transient failure; doubles with each further attempt, with full jitter. */
const BACKOFF_BASE_MS = 400;

export function createSender(dependencies: SenderDependencies): Send {
  const { clock, lanes, random } = dependencies;
  return async (sending) => {
    const { addressed, delivery, deadline, settings } = sending;
    const attempts: AttemptResult[] = [];
    let failures = 0;
    let { rank } = sending;
    for (;;) {
      const refusal = await lanes.enter(addressed, deadline, rank);
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
        lanes.limited(addressed, outcome.failure.retryAfterMs ?? UNSPECIFIED_PAUSE_MS, startedAt);
        continue;
      }
      failures += 1;
      const isLast = failures >= settings.delivery.attemptsPerRequest;
      // What no retry within seconds can cure is not worth the BOT's running time.
      if (isLast || outcome.failure.class !== 'transient') return { attempts, outcome };
      const waitMs = Math.round(BACKOFF_BASE_MS * 2 ** (failures - 1) * random());
      if (!fits(waitMs, deadline - clock.monotonic())) return { attempts, outcome };
      await lanes.waitToRetry(waitMs);
    }
  };
}

async function attemptNow(
  { clock, lanes, attempt }: SenderDependencies,
  sending: Sending,
): Promise<AttemptResult> {
  const { addressed, delivery } = sending;
  lanes.started(addressed.destination);
  const startedAt = clock.now();
  const since = clock.monotonic();
  const result = await new Promise<AttemptResult>((resolve) => {
    delivery.cut = () =>
      resolve({ startedAt, durationMs: clock.monotonic() - since, outcome: { failure: CUT_OFF } });
    void attempt(sending).then(resolve);
  });
  delivery.cut = undefined;
  return result;
}

const CUT_OFF = new DeliveryFailure({
  class: 'transient',
  code: 'cut_off',
  message: 'Botbell was stopped before the remote had answered: the message may have arrived',
});

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

/** Settles, whatever the channel does, soon after the time limit of an attempt. */
export type Attempt = (begun: Pick<Sending, 'addressed' | 'settings' | 'delivery'>) => Promise<AttemptResult>;

/** The returned function never throws: whatever happens is an outcome. */
export function createAttempt(dependencies: AttemptDependencies): Attempt {
  const { clock, onUnforeseen } = dependencies;
  const report = unfailing(dependencies.onAttempt, onUnforeseen);
  const reportLate = unfailing(dependencies.onLateResult, onUnforeseen);
  return async (begun) => {
    const { addressed } = begun;
    const startedAt = clock.now();
    const since = clock.monotonic();
    const resultOf = (outcome: Outcome) => ({ startedAt, durationMs: clock.monotonic() - since, outcome });
    const onLate = (late: Outcome) => reportLate(addressed, resultOf(late));
    const result = resultOf(await outcomeOfAttempt(begun, dependencies, onLate));
    report(addressed, result);
    return result;
  };
}

/** Comes on top of the time limit of an attempt, and must fit into the margin that a claim has beyond that. */
const EARLIER_WITHIN_MS = 500;

/** Never rejects. */
async function outcomeOfAttempt(
  { addressed, settings, delivery }: Parameters<Attempt>[0],
  { timers, earlierReceipts }: AttemptDependencies,
  onLate: (outcome: Outcome) => void,
): Promise<Outcome> {
  const { address, channel, options } = addressed;
  const { timeoutMs } = settings.delivery;
  const failed = (error: unknown): Outcome => ({ failure: classed(error, (text) => settings.redact(text)) });
  try {
    const configured = settings.channels.get(channel);
    if (configured?.channel === undefined) throw unknownChannel(channel);
    const isFollowed = configured.needsEarlier(options);
    const earlier = isFollowed ? await earlierReceipts(delivery.id, EARLIER_WITHIN_MS) : [];
    const message = await settings.compose(addressed);
    const idempotencyKey = () => idempotencyKeyOf(addressed);
    const sent = configured.channel
      .send({ address, message, options, earlier, timeoutMs, idempotencyKey })
      .then((receipt): Outcome => (isFollowed ? { receipt, isFollowed } : { receipt }), failed);
    return await cutOff(sent, channel, timeoutMs, timers, onLate);
  } catch (error) {
    return failed(error);
  }
}

/** @param sent never rejects, but may never settle either */
function cutOff(
  sent: Promise<Outcome>,
  channel: string,
  timeoutMs: number,
  timers: Pick<Clock, 'startTimer'>,
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

/** Stable over all attempts to tell the same notice there; what is wanted anew must not be taken for what is there. */
function idempotencyKeyOf({ notice, destination, anew }: AddressedNotice): string {
  const told = `${noticeId(notice)}\n${destination}`;
  return hash('sha256', anew === undefined ? told : `${told}\n${anew}`, 'hex');
}

function unknownChannel(channel: string): DeliveryFailure {
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
