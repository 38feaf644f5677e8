/** One attempt at one destination: render, send, time it, and class what went wrong. */
import type { Channel, Receipt } from '../channels/channel.ts';
import { DeliveryFailure } from '../channels/failure.ts';
import type { Notice } from '../notice/notice.ts';
import type { Clock } from '../time/clock.ts';
import { Convoy } from '../time/convoy.ts';

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

export interface MessengerDependencies {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly channelOf: (name: string) => Channel | undefined;
  readonly compose: (errand: Errand) => unknown;
  /** Stable over retries of one (notice, destination). */
  readonly keyOf: (errand: Errand) => string;
  readonly redact: (text: string) => string;
  readonly onAttempt: (errand: Errand, result: AttemptResult) => void;
}

export type Messenger = (errand: Errand) => Promise<AttemptResult>;

/** The returned function never throws: whatever happens is an outcome. */
export function createMessenger(dependencies: MessengerDependencies): Messenger {
  const { clock, timeoutMs, channelOf, compose, keyOf, redact, onAttempt } = dependencies;
  const convoy = new Convoy();
  return async (errand) => {
    const { address } = errand;
    const startedAt = clock.now();
    const since = clock.monotonic();
    let outcome: AttemptResult['outcome'];
    try {
      const channel = channelOf(errand.channel);
      if (channel === undefined) throw unknownChannel(errand);
      // Whoever came together goes on stage by stage: all plan, all render, all send.
      await nextStage();
      const message = compose(errand);
      await nextStage();
      const receipt = await channel.send({
        address,
        message,
        timeoutMs,
        idempotencyKey: () => keyOf(errand),
      });
      outcome = { receipt };
    } catch (error) {
      outcome = { failure: classed(error, redact) };
    }
    const result = { startedAt, durationMs: clock.monotonic() - since, outcome };
    await convoy.join();
    onAttempt(errand, result);
    return result;
  };
}

const nextStage = (): Promise<void> => Promise.resolve();

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
