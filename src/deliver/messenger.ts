/** One attempt at one destination: render, send, time it, cut it off where the channel does not, and class what went wrong. */
import type { Channel, Receipt } from '../channels/channel.ts';
import { DeliveryFailure } from '../channels/failure.ts';
import type { Notice } from '../notice/notice.ts';
import type { Clock } from '../time/clock.ts';
import { unfailing } from '../time/unfailing.ts';

/** One destination of one notice, as the config in force wants it told. */
export interface Errand {
  readonly notice: Notice;
  readonly destination: string;
  readonly channel: string;
  readonly address: string;
  readonly templateSet: string | undefined;
  readonly options: Readonly<Record<string, unknown>>;
}

export interface AttemptResult {
  readonly startedAt: number;
  readonly durationMs: number;
  readonly outcome: { readonly receipt: Receipt } | { readonly failure: DeliveryFailure };
}

type Outcome = AttemptResult['outcome'];

/** A channel keeps its time limit by itself and knows what it reached; whoever has said nothing this much later ignores it. */
const CUT_OFF_GRACE_MS = 250;

export interface MessengerDependencies {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly timeoutMs: number;
  /** By the clock that the channels' own time limits run by: the system's. */
  readonly timers: Pick<Clock, 'startTimer'>;
  readonly channelOf: (name: string) => Channel | undefined;
  /** The message, or a promise of it: a large one is made elsewhere. */
  readonly compose: (errand: Errand) => unknown;
  /** Stable over retries of one (notice, destination). */
  readonly keyOf: (errand: Errand) => string;
  readonly redact: (text: string) => string;
  readonly onAttempt: (errand: Errand, result: AttemptResult) => void;
  /** What a channel came to whose attempt had been cut off, and reported, before. */
  readonly onLateResult: (errand: Errand, result: AttemptResult) => void;
  /** A report threw. */
  readonly onUnforeseen: (error: unknown) => void;
}

/** Settles, whatever the channel does, soon after the time limit of an attempt. */
export type Messenger = (errand: Errand) => Promise<AttemptResult>;

/** The returned function never throws: whatever happens is an outcome. */
export function createMessenger(dependencies: MessengerDependencies): Messenger {
  const { clock, onUnforeseen } = dependencies;
  const report = unfailing(dependencies.onAttempt, onUnforeseen);
  const reportLate = unfailing(dependencies.onLateResult, onUnforeseen);
  return async (errand) => {
    const startedAt = clock.now();
    const since = clock.monotonic();
    const resultOf = (outcome: Outcome) => ({ startedAt, durationMs: clock.monotonic() - since, outcome });
    const outcome = await attempt(errand, dependencies, (late) => reportLate(errand, resultOf(late)));
    const result = resultOf(outcome);
    report(errand, result);
    return result;
  };
}

/** Never rejects. */
async function attempt(
  errand: Errand,
  dependencies: MessengerDependencies,
  onLate: (outcome: Outcome) => void,
): Promise<Outcome> {
  const { timeoutMs, channelOf, compose, keyOf, redact } = dependencies;
  try {
    const channel = channelOf(errand.channel);
    if (channel === undefined) throw unknownChannel(errand);
    const message = await compose(errand);
    const { address, options } = errand;
    const idempotencyKey = () => keyOf(errand);
    const sending = channel.send({ address, message, options, earlier: [], timeoutMs, idempotencyKey });
    return await cutOff(outcomeOf(sending, redact), errand, dependencies, onLate);
  } catch (error) {
    return { failure: classed(error, redact) };
  }
}

async function outcomeOf(sending: Promise<Receipt>, redact: (text: string) => string): Promise<Outcome> {
  try {
    return { receipt: await sending };
  } catch (error) {
    return { failure: classed(error, redact) };
  }
}

/** @param sent never rejects, but may never settle either */
function cutOff(
  sent: Promise<Outcome>,
  errand: Errand,
  { timers, timeoutMs }: MessengerDependencies,
  onLate: (outcome: Outcome) => void,
): Promise<Outcome> {
  return new Promise((resolve) => {
    let end: (outcome: Outcome) => void = resolve;
    const stopTimer = timers.startTimer(timeoutMs + CUT_OFF_GRACE_MS, () => {
      end = onLate;
      resolve({ failure: ignoredTimeLimit(errand, timeoutMs) });
    });
    void sent.then((outcome) => end(outcome)).finally(stopTimer);
  });
}

function ignoredTimeLimit({ channel }: Errand, timeoutMs: number): DeliveryFailure {
  const message = `${channel} had not come to an end after ${timeoutMs} ms, so the message may have arrived`;
  return new DeliveryFailure({ class: 'transient', code: 'ETIMEDOUT', message });
}

function unknownChannel({ channel }: Errand): DeliveryFailure {
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
