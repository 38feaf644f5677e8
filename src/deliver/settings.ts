/** The settings in force: what one config says about delivering, whom it plans to tell, and the change to the next one. */
import type { Callback } from '../callback/callback.ts';
import type { DeliveryTarget } from '../ledger/ledger.ts';
import { isAlert, type Notice } from '../notice/notice.ts';
import type { Channel, ChannelPace } from '../channels/channel.ts';
import type { DeliveryConfig, Destination, ReceiverConfig } from '../config/config.ts';
import type { Language } from '../time/display.ts';
import type { AlertSettings } from './alerts.ts';

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

/** Of a notice, by the config. */
export function planOf(settings: Pick<Settings, 'route' | 'alerts'>, notice: Notice): Plan {
  return planFor(settings, isAlert(notice) ? undefined : notice.callback);
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

/** What is open for one config, or for several. */
export interface Resource {
  close(): Promise<void>;
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
  /** Closed once no settings that have them are used any more. */
  readonly resources: readonly Resource[];
  /** The message, or a promise of it: a large one is made elsewhere. */
  compose(addressed: AddressedNotice): unknown;
  /** An error's text, fit to be logged, answered, stored and shown. */
  redact(text: string): string;
}

/** @returns the names of channels that are not the same in both, so that nothing known of them holds any more */
export function changedChannels(before: Settings, after: Settings): readonly string[] {
  return [...before.channels]
    .filter(([name, { channel }]) => channel !== undefined && channel !== after.channels.get(name)?.channel)
    .map(([name]) => name);
}

type Swapped<S> = (next: S, previous: S) => void;

/**
 * Holds the settings in force. Whatever decides asks for them once, when it begins, and keeps them to its end: so they can
 * be swapped between two callbacks.
 */
export class RunningSettings<S extends Settings = Settings> {
  #current: S;
  readonly #onError: (error: unknown) => void;
  /** Settings that something is under way with, and how much. */
  readonly #used = new Map<S, number>();
  readonly #open: Set<Resource>;
  readonly #onSwap: Swapped<S>[] = [];
  #isClosed = false;

  /** @param onError a resource could not be closed */
  constructor(first: S, onError: (error: unknown) => void) {
    this.#current = first;
    this.#open = new Set(first.resources);
    this.#onError = onError;
  }

  get current(): S {
    return this.#current;
  }

  /** Those in force, and those that something is still under way with. */
  get live(): readonly S[] {
    return [...new Set([this.#current, ...this.#used.keys()])];
  }

  /** What begins from now on, begins with the next ones. */
  swap(next: S): void {
    const previous = this.#current;
    this.#current = next;
    for (const resource of next.resources) this.#open.add(resource);
    for (const swapped of this.#onSwap) swapped(next, previous);
    void this.#closeUnused();
  }

  /** Called at each swap, in the order of their registration. */
  onSwap(swapped: Swapped<S>): void {
    this.#onSwap.push(swapped);
  }

  /** Nothing of the settings is closed before the work has settled. */
  keepUntil(settings: S, work: Promise<unknown>): void {
    this.#used.set(settings, (this.#used.get(settings) ?? 0) + 1);
    const end = () => this.#release(settings);
    work.then(end, end);
  }

  /** Closes whatever is open, used or not; what is swapped in later is closed at once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#closeUnused();
  }

  #release(settings: S): void {
    const left = (this.#used.get(settings) ?? 0) - 1;
    if (left > 0) this.#used.set(settings, left);
    else this.#used.delete(settings);
    if (left <= 0 && settings !== this.#current) void this.#closeUnused();
  }

  async #closeUnused(): Promise<void> {
    const needed = new Set(this.#isClosed ? [] : this.live.flatMap(({ resources }) => resources));
    const unused = [...this.#open].filter((resource) => !needed.has(resource));
    for (const resource of unused) this.#open.delete(resource);
    await Promise.all(unused.map((resource) => resource.close().catch(this.#onError)));
  }
}
