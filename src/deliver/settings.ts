/** The settings in force: what one config says about delivering, whom it plans to tell, and the change to the next one. */
import type { CheckedCallback, StatusCode } from '../callback/callback.ts';
import type { CallbackKind, DeliveryTarget } from '../ledger/ledger.ts';
import type { Notice } from '../notice/notice.ts';
import type { Channel, ChannelPace } from '../channels/channel.ts';
import type { Config, Destination, RouteConfig } from '../config/config.ts';
import type { Router } from '../route/router.ts';
import type { Clock } from '../time/clock.ts';

/**
 * Milliseconds kept free before any deadline: for an outcome to be written down and answered, for an attempt to begin, for
 * a channel that keeps its time limit to say what it reached.
 */
export const RESERVE_MS = 250;

/** A destination, and how it should be told. */
export interface PlannedTarget extends Destination {
  readonly templateSet?: string | undefined;
  /** The routes that may tell it, each asked by its rules; undefined: it is told. */
  readonly asked?: readonly RouteConfig[] | undefined;
}

/** One notice for one destination. */
export interface AddressedNotice extends PlannedTarget {
  readonly notice: Notice;
  /** The ledger's; undefined: it knows nothing of it. */
  readonly callbackId?: number | undefined;
  /** It was told there before, and a person wants it told again; unlike for each time. */
  readonly anew?: string | undefined;
}

/** Whom something is for; `explanations` are for the ledger. */
export interface Plan {
  readonly destinations: readonly PlannedTarget[];
  /** Told only of a recovery, or of a result that was missed. */
  readonly perhaps: readonly PlannedTarget[];
  readonly explanations: readonly unknown[];
}

/** What a config decides without anything that is open. */
export interface Planning {
  readonly config: Config;
  /** The same for processes that run with the same. */
  readonly configHash: string;
  readonly router: Router;
  /** Each that may be told of anything, by its name, as the first route that names it has it told. */
  readonly destinations: ReadonlyMap<string, PlannedTarget>;
}

/** What of a notice says whom it is for. */
export interface KindOfNotice {
  readonly kind: CallbackKind;
  readonly botId: string;
  readonly status: StatusCode;
  /** Of what is told of BOTs at one place: where, as long as the config names that. */
  readonly destination?: string | undefined;
}

export function planOf(
  { config, router, destinations }: Planning,
  { kind, botId, status, destination = '' }: KindOfNotice,
): Plan {
  switch (kind) {
    case 'callback':
      return router.route({ bot_id: botId, status });
    case 'alert':
      return planOfTargets(config.delivery.alerts);
    case 'overdue':
      return planOfTargets(watchersOf(router, botId, ({ rules }) => rules.overdueMs !== undefined));
    case 'missed':
      return planOfTargets(watchersOf(router, botId, ({ rules }) => rules.expect !== undefined));
    case 'summary':
    case 'digest':
      return planOfTargets([destinations.get(destination) ?? []].flat());
  }
}

function planOfTargets(destinations: readonly PlannedTarget[]): Plan {
  return { destinations, perhaps: [], explanations: [] };
}

/** Whom the routes of a BOT tell that watch it so; each once. */
export function watchersOf(
  router: Router,
  botId: string,
  watches: (route: RouteConfig) => boolean,
): readonly PlannedTarget[] {
  const targets = new Map<string, PlannedTarget>();
  for (const route of router.routesOf(botId).filter(watches))
    for (const told of route.notify) {
      const known = targets.get(told.destination) ?? { ...told, templateSet: route.templateSet };
      targets.set(told.destination, { ...known, asked: [...(known.asked ?? []), route] });
    }
  return [...targets.values()];
}

/** Undefined: the plan does not name the destination (any more). */
export function plannedFor(
  { destination }: Pick<DeliveryTarget, 'destination'>,
  { destinations, perhaps }: Plan,
): PlannedTarget | undefined {
  const isIt = (target: PlannedTarget) => target.destination === destination;
  return destinations.find(isIt) ?? perhaps.find(isIt);
}

/** One by which somebody is told. */
export interface OpenChannel {
  readonly channel: Channel;
  readonly pace: ChannelPace;
}

/** Everything that one config decides about delivering; it never changes. */
export interface Settings extends Planning {
  readonly channels: ReadonlyMap<string, OpenChannel>;
  compose(addressed: AddressedNotice): unknown;
  /** Whether a route's condition `when` holds of a callback. */
  meets(condition: string, checked: CheckedCallback): boolean;
  /** An error's text, fit to be logged, answered, stored and shown. */
  redact(text: string): string;
}

/** As the ledger knows a config: its hash, and the type of each channel by its name. */
export function runningConfig({ config, configHash: hash }: Pick<Planning, 'config' | 'configHash'>) {
  return { hash, channels: new Map([...config.channels].map(([name, { type }]) => [name, type])) };
}

/** Longer than any attempt that outlives its answer, so that a claim never ends before its attempt. */
const LEASE_MARGIN_MS = 5000;

function leaseOf({ config: { receiver, delivery } }: Planning): number {
  return receiver.answerWithinMs + delivery.timeoutMs + LEASE_MARGIN_MS;
}

export function openIn({ channels }: Pick<Settings, 'channels'>): readonly Channel[] {
  return [...channels.values()].map(({ channel }) => channel);
}

/** @returns the names of channels that are not the same in both, so that nothing known of them holds any more */
export function changedChannels(before: Settings, after: Settings): readonly string[] {
  return [...before.channels]
    .filter(([name, { channel }]) => channel !== after.channels.get(name)?.channel)
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
    this.#leaseMs = leaseOf(first);
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
    this.#leaseMs = Math.max(this.#leaseMs, leaseOf(next));
    for (const channel of openIn(previous).filter((each) => !kept.includes(each)))
      this.#leaving.set(
        channel,
        this.#clock.startTimer(this.#leaseMs, () => void this.#close(channel)),
      );
    for (const swapped of this.#onSwap) swapped(next, previous);
  }

  /** Called at each swap, in the order of their registration. */
  onSwap(swapped: (next: S, previous: S) => void): void {
    this.#onSwap.push(swapped);
  }

  /** Closes whatever is open, used or not. */
  async close(): Promise<void> {
    const open = [...this.#leaving.keys(), ...openIn(this.#current)];
    await Promise.all(open.map((channel) => this.#close(channel)));
  }

  async #close(channel: Channel): Promise<void> {
    this.#leaving.get(channel)?.();
    this.#leaving.delete(channel);
    await channel.close().catch(this.#onError);
  }
}
