/** Remotes that take every message at once, unless a test has them fail, dawdle or limit their rate. */
import type { Channel, JobMessages } from '../../src/channels/channel.ts';
import { DeliveryFailure, type FailureClass } from '../../src/channels/failure.ts';
import type { ManualClock } from '../support/manual-clock.ts';

export interface Arrived {
  readonly at: number;
  /** `slack:#ops` */
  readonly destination: string;
  readonly lines: readonly string[];
}

export class Remotes {
  readonly clock: ManualClock;
  /** Destinations of the attempts, in order of their beginning, and of those that succeeded, in order of their end. */
  readonly tried: string[] = [];
  readonly told: string[] = [];
  readonly arrived: Arrived[] = [];
  /** What the channels were told of the earlier messages of a job, as often as they were called. */
  readonly perJobs: (JobMessages | undefined)[] = [];
  /** Destinations whose remotes have the whole message before they answer. */
  readonly handedOver = new Set<string>();
  /** Channels that have no connection to spare. */
  readonly full = new Set<string>();
  readonly #failures = new Map<string, DeliveryFailure[]>();
  readonly #durations = new Map<string, number>();
  readonly #connecting = new Map<string, number>();
  readonly #intervals = new Map<string, number>();
  readonly #openFrom = new Map<string, number>();
  readonly #channels = new Map<string, Channel>();

  constructor(clock: ManualClock) {
    this.clock = clock;
  }

  /** The next attempts at the destination fail so, one after the other. */
  fails(destination: string, ...failures: DeliveryFailure[]): void {
    this.#failures.set(destination, failures);
  }

  takes(destination: string, ms: number): void {
    this.#durations.set(destination, ms);
  }

  /** From now on, so long passes at the destination until there is a connection, on which the message is handed over. */
  connectsIn(destination: string, ms: number): void {
    this.#connecting.set(destination, ms);
  }

  /** The destination takes one message in so many milliseconds, and limits whoever sends more. */
  limitRate(destination: string, ms: number): void {
    this.#intervals.set(destination, ms);
  }

  tries(destination: string): number {
    return this.tried.filter((each) => each === destination).length;
  }

  /** The same for as long as there are these remotes. */
  channelTo(name: string): Channel {
    const channel = this.#channels.get(name) ?? this.#open(name);
    this.#channels.set(name, channel);
    return channel;
  }

  /** As where its settings have changed. */
  opensAnew(name: string): void {
    this.#channels.delete(name);
  }

  #open(name: string): Channel {
    return {
      turn: (withinMs) =>
        this.full.has(name)
          ? this.clock.sleep(withinMs).then(() => undefined)
          : Promise.resolve(() => undefined),
      send: async ({ address, asText, onHandedOver, perJob }) => {
        const destination = `${name}:${address}`;
        this.tried.push(destination);
        this.perJobs.push(perJob);
        const connects = this.#connecting.get(destination);
        if (connects !== undefined) {
          await this.clock.sleep(connects);
          if (onHandedOver?.() === false) throw failure('transient');
        }
        if (this.handedOver.has(destination)) onHandedOver?.();
        const takes = this.#durations.get(destination);
        if (takes !== undefined) await this.clock.sleep(takes);
        const failed = this.#limitOf(destination) ?? this.#failures.get(destination)?.shift();
        if (failed !== undefined) throw failed;
        this.told.push(destination);
        const lines = asText()
          .split('\n')
          .flatMap((line) => line.trim() || []);
        this.arrived.push({ at: this.clock.now(), destination, lines });
        return { ts: '1.2' };
      },
      verify: () => Promise.resolve(),
      close: () => Promise.resolve(),
    };
  }

  #limitOf(destination: string): DeliveryFailure | undefined {
    const interval = this.#intervals.get(destination);
    if (interval === undefined) return undefined;
    const now = this.clock.monotonic();
    if (now < (this.#openFrom.get(destination) ?? 0)) return failure('rate_limited', 1000);
    this.#openFrom.set(destination, now + interval);
    return undefined;
  }
}

export function failure(failureClass: FailureClass, retryAfterMs?: number): DeliveryFailure {
  const message = `${failureClass} trouble`;
  const pause = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new DeliveryFailure({ class: failureClass, code: 'x', message, ...pause });
}

export function failures(count: number, failureClass: FailureClass): DeliveryFailure[] {
  return Array.from({ length: count }, () => failure(failureClass));
}
