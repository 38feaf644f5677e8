/** What a seed decides in advance, as plain data that can be shrunk: configs, what the service posts, what people do, and what goes wrong when. */
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export type Status = 0 | 1 | 2;
export type On = 'succeeded' | 'error' | 'executing' | 'recovered';
export const STATUS_NAMES = ['succeeded', 'error', 'executing'] as const;

type Numbers<Name extends string> = Readonly<Record<Name, number>>;

export type ExpectPlan = Numbers<'everyMin' | 'graceMin'>;

export interface StepPlan {
  readonly afterMin: number;
  readonly isUnlessDelivered: boolean;
  readonly notify: readonly string[];
}

export interface RoutePlan {
  readonly bots: readonly string[];
  readonly on: readonly On[];
  /** `<channel>:<address>` */
  readonly notify: readonly string[];
  readonly perJob?: 'thread' | 'update';
  readonly afterFailures?: number;
  /** `changes`, or minutes. */
  readonly repeat?: 'changes' | number;
  readonly unlessCode?: number;
  /** In minutes of the day (UTC). */
  readonly mute?: Numbers<'from' | 'to'> & { readonly exceptErrors: boolean };
  readonly overdueMin?: number;
  readonly expect?: ExpectPlan;
  readonly steps?: readonly StepPlan[];
}

export type BurstPlan = Numbers<'max' | 'perMs'>;

export interface ConfigPlan {
  readonly routes: readonly RoutePlan[];
  readonly takeOverAfterMs: number;
  readonly giveUpAfterMs: number;
  readonly timeoutMs: number;
  readonly attemptsPerRequest: number;
  readonly permanentAttempts: number;
  readonly isAccepting: boolean;
  readonly maxInFlight: number;
  /** The burst of the channel `chat`. */
  readonly burst?: BurstPlan;
  /** Minute of the day (UTC) at which the group `team` gets its digest. */
  readonly digestAt?: number;
}

export interface Send {
  /** Also its `elapsed_time`, by which messages and listings of it are recognised. */
  readonly nth: number;
  readonly at: number;
  readonly job: string;
  readonly bot: string;
  readonly status: Status;
  /** Milliseconds since the world began; may be negative. */
  readonly startedAt: number;
  readonly message: string;
  readonly code: number;
  /** How often the service posts it at the most. */
  readonly tries: number;
  /** Posted a second time this long after the first, whatever the answer was. */
  readonly againAfter?: number;
}

const FAILING = ['error', 'limit', 'permanent', 'config', 'hang', 'reset-before', 'reset-after'] as const;
/** Those among which a mix changes with each call. */
export const MIXED = [...FAILING, 'unsure', 'strange', 'later', 'slow'] as const;
export const WEATHERS = [...MIXED, 'dawdle', 'full'] as const;
export type Weather = (typeof WEATHERS)[number] | 'mixed';

interface Lasting {
  readonly at: number;
  readonly for: number;
}

export interface StoreFault extends Lasting {
  readonly kind: 'store';
  /** -1: all slots. */
  readonly slot: number;
  readonly mode: 'slow' | 'fails' | 'lost';
  /** Which quarter of the operations is hit, by a hash of their names; left out: all. */
  readonly only?: number;
}

export interface WeatherFault extends Lasting {
  readonly kind: 'weather';
  readonly destination: string;
  readonly mode: Weather;
  /** It never heals: messages that wait there are to be given up. */
  readonly isForGood?: true;
}

export type Fault =
  | WeatherFault
  | StoreFault
  | ({ readonly kind: 'kill' | 'stop' } & Numbers<'at' | 'slot' | 'downFor'>)
  /** The slot's process dies when the n-th event since then would reach it: an answer of the store or a remote, or a timer. */
  | ({ readonly kind: 'killAt'; readonly what: 'store' | 'any' } & Numbers<'at' | 'slot' | 'downFor' | 'n'>)
  | ({ readonly kind: 'reload' } & Numbers<'at' | 'slot' | 'config'>)
  /** The clock of a process, or with -1 those of the store and of all, is set by so much. */
  | ({ readonly kind: 'clock' } & Numbers<'at' | 'slot' | 'by'>);

/** `for` is left out for a snooze until the next success. */
export interface Snoozing {
  readonly bot?: string;
  readonly destination?: string;
  readonly for?: number;
}

/** One open incident, or all. `by`: a name that no other take-up has; `isQuiet`: snoozes their BOTs until the next success. */
interface TakingUp {
  readonly by: string;
  readonly isAll: boolean;
  readonly isQuiet: boolean;
}

/** What a person asks for. `pick`: which of the items that the API lists, in [0, 1). */
export type Act =
  | ({ readonly kind: 'redeliver' | 'dismiss' | 'route' | 'wake' | 'release' | 'close' } & Numbers<
      'at' | 'pick'
    >)
  | { readonly kind: 'bulk'; readonly at: number }
  | { readonly kind: 'test'; readonly at: number; readonly destination: string }
  | ({ readonly kind: 'snooze'; readonly at: number } & Snoozing)
  | ({ readonly kind: 'takeUp' } & Numbers<'at' | 'pick'> & TakingUp);

export interface Scenario {
  readonly seed: number;
  /** Milliseconds since 1970 at which it begins. */
  readonly epoch: number;
  readonly replicas: number;
  /** How far the clock of each process is ahead of the store's. */
  readonly skews: readonly number[];
  /** Whether the store begins a process's calls in their order, as SQLite does; a pool of connections to a server does not. */
  readonly isOrdered: boolean;
  readonly configs: readonly ConfigPlan[];
  readonly sends: readonly Send[];
  readonly acts: readonly Act[];
  readonly faults: readonly Fault[];
  /** When all faults are over. */
  readonly healedAt: number;
  /** How long the world goes on after that, at the least, for what is due later. */
  readonly tailMs: number;
}

export const OPERATORS = 'chat:#operators';
/** The destination of the group `team`, which may have a digest. */
export const TEAM = 'other:#team';
/** Destinations of the channels `chat` and `other`, whose type has threads, and of `mail`, which hands messages over. */
export const DESTINATIONS = ['chat:#a', 'chat:#b', 'mail:x@example.com', 'mail:y@example.com', 'other:#c'];
export const BOTS = ['alpha', 'beta', 'gamma'];

/** Destinations that only steps tell, no route. */
export const DUTY = ['mail:duty@example.com', 'other:#duty'];

export const isMail = (destination: string) => destination.startsWith('mail:');

/** The routes of a BOT; if there are none, the default route applies. */
export function routesOf({ routes }: ConfigPlan, bot: string): readonly RoutePlan[] {
  return routes.filter(({ bots }) => bots.includes(bot));
}

/** The destinations that a config names for a callback, before its rules. */
export function namedBy(
  config: ConfigPlan,
  { bot, status }: Pick<Send, 'bot' | 'status'>,
): readonly string[] {
  const named = routesOf(config, bot);
  if (named.length === 0) return status === 1 ? [OPERATORS] : [];
  const name = STATUS_NAMES[status];
  const isOn = ({ on }: RoutePlan) => on.includes(name) || (status === 0 && on.includes('recovered'));
  return [...new Set(named.filter(isOn).flatMap(({ notify }) => notify))];
}
