/** The settings in force: what one config says about delivering, whom it plans to tell, and the change to the next one. */
import type { Callback } from '../callback/callback.ts';
import type { DeliveryTarget } from '../ledger/ledger.ts';
import type { Notice } from '../notice/notice.ts';
import type { Channel, ChannelPace } from '../channels/channel.ts';
import type { DeliveryConfig, Destination, ReceiverConfig } from '../config/config.ts';
import type { Language } from '../time/display.ts';
import type { Clock } from '../time/clock.ts';
import type { AlertSettings } from './alerts.ts';

/**
 * Milliseconds kept free before any deadline: for an outcome to be written down and answered, for an attempt to begin, for
 * a channel that keeps its time limit to say what it reached.
 */
export const RESERVE_MS = 250;

/** A destination, and how it should be told. */
export interface PlannedTarget extends DeliveryTarget {
  readonly templateSet: string | undefined;
  readonly options: Readonly<Record<string, unknown>>;
}

/** One notice for one destination. */
export interface AddressedNotice extends PlannedTarget {
  readonly notice: Notice;
  /** It was told there before, and a person wants it told again; unlike for each time. */
  readonly anew?: string | undefined;
}

export interface Plan {
  readonly targets: readonly PlannedTarget[];
  /** Why each route matched or not, for the ledger. */
  readonly routing: unknown;
}

interface RoutedDestination {
  readonly destination: Destination;
  readonly templateSet: string | undefined;
}

type Routed = Pick<Callback, 'bot_id' | 'status'>;

/** Plans of each config that were made before, by BOT and status; so many, of ids that are no longer than this. */
const plans = new WeakMap<Settings['route'], Map<string, Plan>>();
const MOST_PLANS = 1000;
const LONGEST_ID = 200;

/** @param callback undefined: of an alert */
export function planFor(
  { route, alerts }: Pick<Settings, 'route' | 'alerts'>,
  callback: Routed | undefined,
): Plan {
  if (callback === undefined) return { targets: alerts.targets, routing: [] };
  if (callback.bot_id.length > LONGEST_ID) return planBy(route, callback);
  const made = plans.get(route) ?? new Map<string, Plan>();
  const key = `${callback.status} ${callback.bot_id}`;
  const plan = made.get(key) ?? planBy(route, callback);
  if (made.size >= MOST_PLANS) made.clear();
  plans.set(route, made.set(key, plan));
  return plan;
}

function planBy(route: Settings['route'], callback: Routed): Plan {
  const { destinations, explanations } = route(callback);
  return { targets: destinations.map(plannedTarget), routing: explanations };
}

export function plannedTarget({
  destination: { key, channel, address, options },
  templateSet,
}: RoutedDestination): PlannedTarget {
  return { destination: key, channel, address, options, templateSet };
}

/** Undefined: the plan does not name the destination (any more). */
export function plannedFor(
  { destination }: Pick<DeliveryTarget, 'destination'>,
  { targets }: Plan,
): PlannedTarget | undefined {
  return targets.find((target) => target.destination === destination);
}

/** Of `delivery:`. */
export type DeliverySettings = Omit<DeliveryConfig, 'alerts'>;

export interface ConfiguredChannel {
  readonly pace: ChannelPace;
  /** Undefined: nobody is told by it, so it was not opened. */
  readonly channel: Channel | undefined;
}

/** Everything that one config decides about delivering; it never changes. */
export interface Settings {
  /** As the ledger knows it: its hash, and the type of each channel by its name. */
  readonly config: { readonly hash: string; readonly channels: ReadonlyMap<string, string> };
  readonly answer: Pick<ReceiverConfig, 'answerWithinMs' | 'answerWhen' | 'maxInFlight'>;
  readonly delivery: DeliverySettings;
  readonly alerts: AlertSettings & { readonly targets: readonly PlannedTarget[] };
  /** The display's. */
  readonly language: Language;
  readonly route: (callback: Routed) => {
    readonly destinations: readonly RoutedDestination[];
    readonly explanations: readonly unknown[];
  };
  /** Each that may be told of anything, by its name, as the first route that names it has it told. */
  readonly destinations: ReadonlyMap<string, PlannedTarget>;
  readonly channels: ReadonlyMap<string, ConfiguredChannel>;
  /** Longer than anything that begins with these settings takes, and so how long a claim lasts. */
  readonly leaseMs: number;
  /** The message, or a promise of it: a large one is made elsewhere. */
  compose(addressed: AddressedNotice): unknown;
  /** An error's text, fit to be logged, answered, stored and shown. */
  redact(text: string): string;
}

/** A channel that several settings share is open once. */
export function openIn({ channels }: Pick<Settings, 'channels'>): readonly Channel[] {
  return [...channels.values()].flatMap(({ channel }) => channel ?? []);
}

/** @returns the names of channels that are not the same in both, so that nothing known of them holds any more */
export function changedChannels(before: Settings, after: Settings): readonly string[] {
  return [...before.channels]
    .filter(([name, { channel }]) => channel !== undefined && channel !== after.channels.get(name)?.channel)
    .map(([name]) => name);
}

/**
 * Holds the settings in force. Whatever decides asks for them once, when it begins, and keeps them to its end: so they can
 * be swapped between two callbacks.
 */
export class RunningSettings<S extends Settings = Settings> {
  #current: S;
  #leaseMs: number;
  readonly #clock: Pick<Clock, 'startTimer'>;
  readonly #onError: (error: unknown) => void;
  /** Channels that the settings in force do not have, but something under way may, and what stops the wait for its end. */
  readonly #leaving = new Map<Channel, () => void>();
  readonly #onSwap: ((next: S, previous: S) => void)[] = [];

  /** @param onError a channel could not be closed */
  constructor(first: S, clock: Pick<Clock, 'startTimer'>, onError: (error: unknown) => void) {
    this.#current = first;
    this.#leaseMs = first.leaseMs;
    this.#clock = clock;
    this.#onError = onError;
  }

  get current(): S {
    return this.#current;
  }

  /** How long a claim must last, whichever settings it was made by. */
  get leaseMs(): number {
    return this.#leaseMs;
  }

  /** What begins from now on, begins with the next ones. */
  swap(next: S): void {
    const previous = this.#current;
    const kept = openIn(next);
    this.#current = next;
    this.#leaseMs = Math.max(this.#leaseMs, next.leaseMs);
    for (const channel of openIn(previous)) if (!kept.includes(channel)) this.#leave(channel);
    for (const swapped of this.#onSwap) swapped(next, previous);
  }

  /** Called at each swap, in the order of their registration. */
  onSwap(swapped: (next: S, previous: S) => void): void {
    this.#onSwap.push(swapped);
  }

  /** Closes whatever is open, used or not. */
  async close(): Promise<void> {
    await Promise.all(
      [...this.#leaving.keys(), ...openIn(this.#current)].map((channel) => this.#close(channel)),
    );
  }

  #leave(channel: Channel): void {
    const stopTimer = this.#clock.startTimer(this.#leaseMs, () => void this.#close(channel));
    this.#leaving.set(channel, stopTimer);
  }

  async #close(channel: Channel): Promise<void> {
    this.#leaving.get(channel)?.();
    this.#leaving.delete(channel);
    await channel.close().catch(this.#onError);
  }
}
