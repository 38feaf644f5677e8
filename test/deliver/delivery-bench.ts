/** What delivers, over a real SQLite ledger and remotes that fail and dawdle as a test says, in time moved by hand. */
import type { Callback } from '../../src/callback/callback.ts';
import { identityOf } from '../../src/callback/callback.ts';
import type { Channel } from '../../src/channels/channel.ts';
import { DeliveryFailure, type FailureClass } from '../../src/channels/failure.ts';
import type { Milestone } from '../../src/deliver/alerts.ts';
import { createAttempt } from '../../src/deliver/attempt.ts';
import { type Chore, Chores } from '../../src/deliver/chores.ts';
import { Claims } from '../../src/deliver/claims.ts';
import { Dispatcher } from '../../src/deliver/dispatcher.ts';
import { DueDestinations } from '../../src/deliver/due.ts';
import { ConfigFollower } from '../../src/deliver/follow-config.ts';
import type { Verdict } from '../../src/deliver/outcome.ts';
import { Paces } from '../../src/deliver/pace.ts';
import { createPost, type Incoming } from '../../src/deliver/post.ts';
import {
  type AddressedNotice,
  type DeliverySettings,
  type PlannedTarget,
  RunningSettings,
  type Settings,
} from '../../src/deliver/settings.ts';
import type { ConfigStore, DatabaseLedger } from '../../src/ledger/database-ledger.ts';
import type { DeliveryTarget } from '../../src/ledger/ledger.ts';
import type { RaisedAlert } from '../../src/notice/notice.ts';
import { startOf } from '../support/callbacks.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { createSqliteStore } from '../support/sqlite-store.ts';

export const ANSWER_WITHIN_MS = 8000;

/** So long after a swap, nothing is under way by the settings before. */
export const LEASE_MS = 18_000;

/** One process: what it has in hand is its own. */
export interface Process {
  readonly handle: (callback: Callback) => Promise<Verdict>;
  readonly dispatcher: Dispatcher;
  readonly claims: Claims;
  readonly chores: Chores;
  readonly paces: Paces;
  readonly follower: ConfigFollower;
  readonly ledger: DatabaseLedger;
  /** Has it look for what is due from now on. */
  start(): void;
  hurryBulk(): void;
  stop(): Promise<unknown>;
}

export class DeliveryBench {
  readonly clock = new ManualClock();
  readonly store = createSqliteStore(this.clock);
  /** As the heartbeat says it. */
  mayRouteAnew = true;
  /** Destinations of the attempts, in order of their beginning, and of those that succeeded, in order of their end. */
  readonly tried: string[] = [];
  readonly told: string[] = [];
  readonly addressed: AddressedNotice[] = [];
  readonly unwritten: unknown[] = [];
  readonly troubles: unknown[] = [];
  readonly milestones: Milestone[] = [];
  recoveries = 0;
  alertTargets: readonly string[] = ['email:operators@example.com'];
  maxInFlight = 256;
  answerWhen: 'delivered' | 'accepted' = 'delivered';
  planned: readonly string[];
  readonly policy: { -readonly [Key in keyof DeliverySettings]: DeliverySettings[Key] } = {
    timeoutMs: 5000,
    attemptsPerRequest: 2,
    permanentAttempts: 2,
    takeOverAfterMs: 120_000,
    giveUpAfterMs: 86_400_000,
  };
  first!: Process;
  readonly settings: RunningSettings;
  readonly #failures = new Map<string, DeliveryFailure[]>();
  readonly #durations = new Map<string, number>();
  readonly #intervals = new Map<string, number>();
  readonly #openFrom = new Map<string, number>();

  private constructor(planned: readonly string[]) {
    this.planned = planned;
    this.settings = new RunningSettings(
      this.#settings(),
      this.clock,
      (error) => void this.troubles.push(error),
    );
  }

  static async open(planned: readonly string[]): Promise<DeliveryBench> {
    const bench = new DeliveryBench(planned);
    bench.first = await bench.another('first');
    return bench;
  }

  async close(): Promise<void> {
    await this.clock.runUntil(this.first.stop());
    await this.store.close();
  }

  post(callback: Callback): Promise<Verdict> {
    return this.clock.runUntil(this.first.handle(callback));
  }

  /** Has the ledger admit it, due at once and claimed by nobody. */
  accept(callback: Callback, destinations: readonly string[] = this.planned) {
    const incoming = incomingAt(callback, this.clock.now());
    const planned = destinations.map(target);
    return this.first.ledger.admit({ ...incoming, planned, routing: [], isAccepted: true });
  }

  /** The next attempts at the destination fail so, one after the other. */
  fails(destination: string, ...failures: DeliveryFailure[]): void {
    this.#failures.set(destination, failures);
  }

  /** Attempts at the destination take so long from now on. */
  takes(destination: string, ms: number): void {
    this.#durations.set(destination, ms);
  }

  /** The destination takes one message in so many milliseconds, and limits whoever sends more. */
  limitRate(destination: string, ms: number): void {
    this.#intervals.set(destination, ms);
  }

  /** How often the destination was attempted. */
  tries(destination: string): number {
    return this.tried.filter((each) => each === destination).length;
  }

  /** As `<template> <destination> <error code>`, in the order in which they were raised. */
  async alerts(): Promise<readonly string[]> {
    const alerts = (await this.store.rows('callbacks')).filter(({ kind }) => kind === 'alert');
    const ids = new Set(alerts.map(({ id }) => id));
    const raised = (await this.store.rows('bodies', 'callback_id'))
      .filter(({ callback_id }) => ids.has(callback_id))
      .map(({ body }) => Buffer.from(body as Uint8Array).toString());
    return raised
      .map((body) => (JSON.parse(body) as RaisedAlert).subject)
      .map((subject) =>
        'error' in subject
          ? `${subject.template} ${subject.destination} ${subject.error.code}`
          : subject.template,
      );
  }

  /** The first delivery to the destination, as the ledger has it. */
  async row(destination: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    return (await this.store.rows('deliveries')).find((row) => row['destination'] === destination);
  }

  /** What was written into the history, by what it was: `attempt`, `answered`. */
  async results(what: string): Promise<readonly unknown[]> {
    const rows = await this.store.rows('history');
    return rows.filter((row) => row['what'] === what).map(({ result }) => result);
  }

  /** Nothing that is to do with deliveries works until the returned function is called. */
  breakStore(): () => void {
    const connection = this.store.connect();
    connection.exec('alter table deliveries rename to deliveries_elsewhere');
    return () => connection.exec('alter table deliveries_elsewhere rename to deliveries');
  }

  get milestonesReached(): readonly string[] {
    return this.milestones.map(({ name, record }) => `${name} ${record.destination}`);
  }

  /** Everything that the config decides is asked for anew, as after a reload. */
  reload(process = this.first): Promise<void> {
    this.settings.swap(this.#settings());
    process.follower.reload();
    return process.follower.beat();
  }

  /** Has everything go on by settings that differ from the bench's. */
  swap(overrides: Partial<Settings>): void {
    this.settings.swap({ ...this.#settings(), ...overrides });
  }

  /** Another process on the same store and the same remotes. */
  async another(owner: string): Promise<Process> {
    const { clock, settings } = this;
    const ledger = await this.store.open({ clock, owner });
    const random = () => 0.5;
    const onTrouble = (error: unknown) => void this.troubles.push(error);
    const due = new DueDestinations();
    const onMilestone = (milestone: Milestone) => void this.milestones.push(milestone);
    const onUnwritten = (error: unknown) => void this.unwritten.push(error);
    const chores = new Chores({ clock, onTrouble, onRecovered: () => void (this.recoveries += 1) });
    const claiming: Chore = { everyMs: 1000, work: () => claims.work() };
    const bulks: Chore = { everyMs: 1000, work: () => continueBulk(ledger, () => claims.look()) };
    const onMore = () => chores.hurry(claiming);
    const paces = new Paces({
      clock,
      store: ledger.paces,
      paceOf: () => ({ addressMs: 1000, channelMs: 200 }),
      onTrouble,
    });
    const follower = new ConfigFollower({
      ledger: { settle: (...settled) => ledger.settle(...settled), configs: this.#configsOf(ledger) },
      settings,
      random,
      onDue: () => claims.look(),
      onMilestone,
      onUnwritten,
    });
    const onDue = (destinations: readonly string[]) => claims.nudge(destinations);
    const shared = { clock, ledger, settings, random, onMilestone, onUnwritten, onDue };
    const dispatcher = new Dispatcher({
      ...shared,
      paces,
      attempt: this.#attempt(),
      isBehind: (destination, isPaced) => due.isBehind(destination, isPaced),
      onRoom: onMore,
    });
    const claims: Claims = new Claims({ ...shared, due, paces, dispatcher, follower, onMore });
    const post = createPost({ ...shared, dispatcher });
    await follower.beat();
    return {
      handle: (callback) => post(incomingAt(callback, clock.now())),
      dispatcher,
      claims,
      chores,
      paces,
      follower,
      ledger,
      start: () => chores.start([claiming, bulks, { everyMs: 5000, work: () => follower.review() }]),
      hurryBulk: () => chores.hurry(bulks),
      stop: () => {
        dispatcher.stop();
        return Promise.all([chores.stop(), claims.idle(), dispatcher.idle()]);
      },
    };
  }

  /** As other processes let this one route anew. */
  #configsOf({ configs }: DatabaseLedger): ConfigStore {
    const mayRouteAnew = () => this.mayRouteAnew;
    return {
      heartbeat: async (config) => (await configs.heartbeat(config)) && mayRouteAnew(),
      processes: () => configs.processes(),
      leave: () => configs.leave(),
      routeAnew: (rerouting) => configs.routeAnew(rerouting),
      hasten: () => configs.hasten(),
      unroutedAfter: (id) => configs.unroutedAfter(id),
      revive: (routed) => configs.revive(routed),
    };
  }

  #attempt() {
    return createAttempt({
      clock: this.clock,
      // The channels here take as long as a test says.
      timers: { startTimer: () => () => undefined },
      onAttempt: () => {},
      onUnforeseen: () => {},
    });
  }

  #settings(): Settings {
    const { answerWhen, maxInFlight, alertTargets, planned } = this;
    const pace = { addressMs: 1000, channelMs: 200 };
    const channels = ['slack', 'email'].map(
      (name) => [name, { pace, channel: this.#channel(name) }] as const,
    );
    return {
      config: { hash: 'the config', channels: new Map([['slack', 'slack']]) },
      answer: { answerWithinMs: ANSWER_WITHIN_MS, answerWhen, maxInFlight },
      delivery: this.policy,
      alerts: { targets: alertTargets.map(plannedTo), giveUpAfterMs: this.policy.giveUpAfterMs },
      language: 'en',
      leaseMs: LEASE_MS,
      destinations: new Map([...planned, ...alertTargets].map((key) => [key, plannedTo(key)])),
      channels: new Map(channels),
      resources: [],
      route: () => ({ destinations: planned.map(routedTo), explanations: [] }),
      compose: (addressed) => {
        this.addressed.push(addressed);
        return {};
      },
      redact: (text) => text,
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

  #channel(name: string): Channel {
    return {
      send: async ({ address }) => {
        const destination = `${name}:${address}`;
        this.tried.push(destination);
        await this.clock.sleep(this.#durations.get(destination) ?? 0);
        const failed = this.#limitOf(destination) ?? this.#failures.get(destination)?.shift();
        if (failed !== undefined) throw failed;
        this.told.push(destination);
        return { ts: '1.2' };
      },
      verify: () => Promise.resolve(),
      close: () => Promise.resolve(),
    };
  }
}

async function continueBulk({ actions }: DatabaseLedger, onDue: () => void): Promise<boolean> {
  const { isMore, given } = await actions.continueBulk();
  if (given > 0) onDue();
  return isMore;
}

export function failure(failureClass: FailureClass, retryAfterMs?: number): DeliveryFailure {
  const message = `${failureClass} trouble`;
  const pause = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new DeliveryFailure({ class: failureClass, code: 'x', message, ...pause });
}

export function failures(count: number, failureClass: FailureClass): DeliveryFailure[] {
  return Array.from({ length: count }, () => failure(failureClass));
}

function incomingAt(callback: Callback, at: number): Incoming {
  const body = Buffer.from(JSON.stringify(callback));
  const identity = identityOf(callback);
  return { callback, identity, body, startedAt: startOf(callback), receivedAt: at, arrivedAt: at };
}

export function target(destination: string): DeliveryTarget {
  const [channel = '', address = ''] = destination.split(':');
  return { destination, channel, address };
}

function plannedTo(destination: string): PlannedTarget {
  return { ...target(destination), templateSet: undefined, options: {} };
}

function routedTo(destination: string) {
  const { channel, address } = target(destination);
  return { destination: { key: destination, channel, address, options: {} }, templateSet: undefined };
}
