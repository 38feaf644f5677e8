/** The settings in force: what one config says about delivering, whom it plans to tell, and the change to the next one. */
import type { Callback, CheckedCallback, StatusCode } from '../callback/callback.ts';
import type { CallbackKind, DeliveryTarget } from '../ledger/ledger.ts';
import { isAlert, type Notice } from '../notice/notice.ts';
import type { Channel, ChannelPace } from '../channels/channel.ts';
import type {
  DeliveryConfig,
  Destination,
  DigestConfig,
  ReceiverConfig,
  RouteConfig,
} from '../config/config.ts';
import type { Burst, PerJob } from '../signal/rules.ts';
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
  /** Default: a message for each callback. */
  readonly perJob?: PerJob | undefined;
  /** The routes that may tell it, each asked by its rules; undefined: it is told. */
  readonly asked?: readonly AskableRoute[] | undefined;
}

export type AskableRoute = Pick<RouteConfig, 'name' | 'on' | 'rules' | 'botIds'>;

/** One notice for one destination. */
export interface AddressedNotice extends PlannedTarget {
  readonly notice: Notice;
  /** The ledger's; undefined: it knows nothing of it. */
  readonly callbackId?: number | undefined;
  /** It was told there before, and a person wants it told again; unlike for each time. */
  readonly anew?: string | undefined;
}

export interface Plan {
  readonly targets: readonly PlannedTarget[];
  /** Told only of a recovery, or of a result that was missed. */
  readonly perhaps: readonly PlannedTarget[];
  /** Why each route matched or not, for the ledger. */
  readonly routing: unknown;
}

interface RoutedDestination {
  readonly destination: Destination;
  readonly templateSet: string | undefined;
  readonly asked?: readonly AskableRoute[];
}

type Routed = Pick<Callback, 'bot_id' | 'status'>;

/** Plans of each config that were made before, by BOT and status; so many, of ids that are no longer than this. */
const plans = new WeakMap<Settings['route'], Map<string, Plan>>();
const MOST_PLANS = 1000;
const LONGEST_ID = 200;

export function planFor({ route }: Pick<Settings, 'route'>, callback: Routed): Plan {
  if (callback.bot_id.length > LONGEST_ID) return planBy(route, callback);
  const made = plans.get(route) ?? new Map<string, Plan>();
  const key = `${callback.status} ${callback.bot_id}`;
  const plan = made.get(key) ?? planBy(route, callback);
  if (made.size >= MOST_PLANS) made.clear();
  plans.set(route, made.set(key, plan));
  return plan;
}

function planBy(route: Settings['route'], callback: Routed): Plan {
  const { destinations, perhaps = [], explanations } = route(callback);
  return {
    targets: destinations.map(plannedTarget),
    perhaps: perhaps.map(plannedTarget),
    routing: explanations,
  };
}

export function plannedTarget({
  destination: { key, channel, address, options, perJob },
  templateSet,
  asked,
}: RoutedDestination): PlannedTarget {
  return { destination: key, channel, address, options, perJob, templateSet, asked };
}

type Planning = Pick<Settings, 'route' | 'routesOf' | 'alerts' | 'digests' | 'destinations'>;

/** What of a notice says whom it is for: a row of the ledger's callbacks. */
export interface KindOfNotice {
  readonly kind: CallbackKind;
  readonly botId: string;
  readonly status: StatusCode;
  /** Of a summary: whom it is for, as long as the config names that. */
  readonly destination?: string | undefined;
}

/** Of what Botbell says by itself, whom the config names today. */
export function planOfKind(
  settings: Planning,
  { kind, botId, status, destination = '' }: KindOfNotice,
): Plan {
  switch (kind) {
    case 'callback':
      return planFor(settings, { bot_id: botId, status });
    case 'alert':
      return planOfTargets(settings.alerts.targets);
    case 'overdue':
      return planOfTargets(watchersOf(settings, botId, ({ rules }) => rules.overdueMs !== undefined));
    case 'missed':
      return planOfTargets(watchersOf(settings, botId, ({ rules }) => rules.expect !== undefined));
    case 'summary': {
      const target = settings.destinations.get(destination);
      return planOfTargets(target === undefined ? [] : [target]);
    }
    case 'digest':
      return planOfTargets([]);
  }
}

export function planOf(settings: Planning, notice: Notice): Plan {
  if (!isAlert(notice)) {
    const { bot_id: botId, status } = notice.callback;
    const kind = notice.template === 'overdue' ? notice.template : 'callback';
    return planOfKind(settings, { kind, botId, status });
  }
  const { subject } = notice.alert;
  if (subject.template === 'missed')
    return planOfKind(settings, { kind: 'missed', botId: subject.botId, status: 1 });
  if (subject.template === 'summary')
    return planOfKind(settings, { kind: 'summary', botId: '', status: 1, destination: subject.destination });
  if (subject.template === 'digest') {
    const digest = settings.digests.find(({ group }) => group === subject.group);
    return planOfTargets((digest?.notify ?? []).map(asTarget));
  }
  return planOfTargets(settings.alerts.targets);
}

function planOfTargets(targets: readonly PlannedTarget[]): Plan {
  return { targets, perhaps: [], routing: [] };
}

export function asTarget(destination: Destination): PlannedTarget {
  return plannedTarget({ destination, templateSet: undefined });
}

/** Whom the routes of a BOT tell that watch it so; each once. */
export function watchersOf(
  { routesOf }: Pick<Settings, 'routesOf'>,
  botId: string,
  watches: (route: RouteConfig) => boolean,
): readonly PlannedTarget[] {
  const targets = new Map<string, PlannedTarget>();
  for (const route of routesOf(botId).filter(watches))
    for (const destination of route.notify) {
      const { templateSet } = route;
      const known = targets.get(destination.key) ?? plannedTarget({ destination, templateSet });
      targets.set(destination.key, { ...known, asked: [...(known.asked ?? []), route] });
    }
  return [...targets.values()];
}

/** Undefined: the plan does not name the destination (any more). */
export function plannedFor(
  { destination }: Pick<DeliveryTarget, 'destination'>,
  { targets, perhaps }: Plan,
): PlannedTarget | undefined {
  const isIt = (target: PlannedTarget) => target.destination === destination;
  return targets.find(isIt) ?? perhaps.find(isIt);
}

/** Of `delivery:`. */
export type DeliverySettings = Omit<DeliveryConfig, 'alerts'>;

export interface ConfiguredChannel {
  readonly pace: ChannelPace;
  /** Undefined: nobody is told by it, so it was not opened. */
  readonly channel: Channel | undefined;
  readonly burst?: Burst | undefined;
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
    readonly perhaps?: readonly RoutedDestination[];
    readonly explanations: readonly unknown[];
  };
  /** The routes that name a BOT, or else the default one. */
  readonly routesOf: (botId: string) => readonly RouteConfig[];
  /** Every route, the default one last. */
  readonly routes: readonly RouteConfig[];
  readonly digests: readonly DigestConfig[];
  /** The display's. */
  readonly timezone: string;
  /** Each that may be told of anything, by its name, as the first route that names it has it told. */
  readonly destinations: ReadonlyMap<string, PlannedTarget>;
  readonly channels: ReadonlyMap<string, ConfiguredChannel>;
  /** Longer than anything that begins with these settings takes, and so how long a claim lasts. */
  readonly leaseMs: number;
  /** The message, or a promise of it: a large one is made elsewhere. */
  compose(addressed: AddressedNotice): unknown;
  /** Whether a route's condition `when` holds of a callback. */
  meets(condition: string, checked: CheckedCallback): boolean;
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
