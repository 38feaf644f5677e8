/** What delivers, over a real SQLite ledger and remotes that fail and dawdle as a test says, in time moved by hand. */
import { renameSync } from 'node:fs';
import { pino } from 'pino';
import { Pipeline } from '../../src/app/pipeline.ts';
import type { Reports } from '../../src/app/reports.ts';
import type { AppSettings } from '../../src/app/settings.ts';
import type { Callback } from '../../src/callback/callback.ts';
import { identityOf } from '../../src/callback/callback.ts';
import type { Channel } from '../../src/channels/channel.ts';
import type { Config } from '../../src/config/config.ts';
import { DeliveryFailure, type FailureClass } from '../../src/channels/failure.ts';
import type { Milestone } from '../../src/deliver/alerts.ts';
import type { ReportedAction } from '../../src/people/actions.ts';
import type { Verdict } from '../../src/deliver/outcome.ts';
import type { Incoming } from '../../src/deliver/post.ts';
import {
  type AddressedNotice,
  RunningSettings,
  type Settings,
  type PlanFor,
} from '../../src/deliver/settings.ts';
import type { DatabaseLedger } from '../../src/ledger/database-ledger.ts';
import type { DeliveryTarget } from '../../src/ledger/ledger.ts';
import type { PlannedTarget, Router } from '../../src/route/router.ts';
import type { RaisedAlert } from '../../src/notice/notice.ts';
import { composedOf } from '../support/composed.ts';
import { startOf } from '../support/callbacks.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { createSqliteStore } from '../support/sqlite-store.ts';
import { askingOf } from '../support/store-under-test.ts';

export const ANSWER_WITHIN_MS = 8000;

/** So long after a swap, nothing is under way by the settings before. */
export const LEASE_MS = 18_000;

/** One process: what it has in hand is its own. */
export interface Process {
  readonly pipeline: Pipeline;
  readonly ledger: DatabaseLedger;
  readonly handle: (callback: Callback) => Promise<Verdict>;
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
  readonly actions: ReportedAction[] = [];
  recoveries = 0;
  random = () => 0.5;
  alertTargets: readonly string[] = ['email:operators@example.com'];
  maxInFlight = 256;
  answerWhen: 'delivered' | 'accepted' = 'delivered';
  planned: readonly string[];
  readonly policy = {
    timeoutMs: 5000,
    attemptsPerRequest: 2,
    permanentAttempts: 2,
    takeOverAfterMs: 120_000,
    giveUpAfterMs: 86_400_000,
  };
  first!: Process;
  readonly settings: RunningSettings<AppSettings>;
  readonly #failures = new Map<string, DeliveryFailure[]>();
  readonly #durations = new Map<string, number>();
  /** Destinations whose remotes have the whole message before they answer. */
  readonly handedOver = new Set<string>();
  /** Channels that have no connection to spare. */
  readonly full = new Set<string>();
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
    await this.clock.runUntil(this.first.pipeline.stop());
    await this.store.close();
  }

  post(callback: Callback): Promise<Verdict> {
    return this.clock.runUntil(this.first.handle(callback));
  }

  /** Has the ledger admit it, due at once and claimed by nobody. */
  accept(callback: Callback, destinations: readonly string[] = this.planned) {
    const incoming = incomingAt(callback, this.clock.now());
    const planned = destinations.map(target);
    return this.first.ledger.admit({
      ...incoming,
      asking: askingOf(planned),
      routing: '[]',
      likeness: '',
      unmet: [],
      isAccepted: true,
    });
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
    const { file } = this.store;
    renameSync(file, `${file}.elsewhere`);
    return () => renameSync(`${file}.elsewhere`, file);
  }

  get milestonesReached(): readonly string[] {
    return this.milestones.map(({ name, record }) => `${name} ${record.destination}`);
  }

  /** Everything that the config decides is asked for anew, as after a reload. */
  async reload(): Promise<void> {
    this.settings.swap(this.#settings());
    await this.clock.advance(0);
  }

  /** Has everything go on by settings that differ from the bench's. */
  swap(overrides: Partial<Settings>): void {
    this.settings.swap({ ...this.#settings(), ...overrides });
  }

  /** Another process on the same store and the same remotes. */
  async another(owner: string, watch = (ledger: DatabaseLedger) => ledger): Promise<Process> {
    const { clock, settings } = this;
    const ledger = watch(await this.store.open({ clock, owner }));
    // As other processes let this one route anew.
    const heartbeat = ledger.heartbeat.bind(ledger);
    ledger.heartbeat = async (config) => (await heartbeat(config)) && this.mayRouteAnew;
    const pipeline = new Pipeline(
      { clock, logger: pino({ level: 'silent' }), settings, ledger, reports: this.#reports() },
      () => this.random(),
    );
    return { pipeline, ledger, handle: (callback) => pipeline.post(incomingAt(callback, clock.now())) };
  }

  #reports(): Reports {
    const said = {
      onStoreTrouble: (error: unknown) => void this.troubles.push(error),
      onStoreRecovered: () => void (this.recoveries += 1),
      onMilestone: (milestone: Milestone) => void this.milestones.push(milestone),
      onUnwritten: (error: unknown) => void this.unwritten.push(error),
      onAction: (action: ReportedAction) => void this.actions.push(action),
      onAttempt: () => {},
      onBulkEnded: () => {},
    };
    return said as unknown as Reports;
  }

  #settings(): AppSettings {
    const { answerWhen, maxInFlight, alertTargets, planned } = this;
    const pace = { addressMs: 1000, channelMs: 200 };
    const channels = ['slack', 'email'].map(
      (name) => [name, { pace, channel: this.#channel(name) }] as const,
    );
    const config = {
      file: 'botbell.yaml',
      store: { keepMs: 30 * 86_400_000 },
      receiver: { answerWithinMs: ANSWER_WITHIN_MS, answerWhen, maxInFlight },
      delivery: Object.assign(this.policy, { alerts: alertTargets.map(plannedTo) }),
      display: { language: 'en', timezone: 'UTC' },
      channels: new Map([['slack', { type: 'slack' }]]),
      routes: [],
      digests: [],
    } as unknown as Config;
    const settings: Settings = {
      config,
      configHash: 'the config',
      router: routerTo(planned),
      planFor: planTo(planned),
      destinations: new Map([...planned, ...alertTargets].map((key) => [key, plannedTo(key)])),
      channels: new Map(channels),
      meets: () => true,
      compose: (addressed) => {
        this.addressed.push(addressed);
        return composedOf({});
      },
      redact: (text) => text,
    };
    return settings as AppSettings;
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
      turn: (withinMs) =>
        this.full.has(name)
          ? this.clock.sleep(withinMs).then(() => undefined)
          : Promise.resolve(() => undefined),
      send: async ({ address, onHandedOver }) => {
        const destination = `${name}:${address}`;
        this.tried.push(destination);
        if (this.handedOver.has(destination)) onHandedOver?.();
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

export function plannedTo(destination: string): PlannedTarget {
  return { ...target(destination), perJob: 'message', options: {} };
}

/** Has each callback told there, whatever it is. */
export function planTo(destinations: readonly string[]): PlanFor {
  const { route } = routerTo(destinations);
  const decided = {
    conditions: [],
    comparesErrors: false,
    routing: '[]',
    asking: askingOf(destinations.map(target)),
  };
  return (callback) => ({ ...route(callback), ...decided });
}

export function routerTo(destinations: readonly string[]): Router {
  const decision = { destinations: destinations.map(plannedTo), perhaps: [], explanations: [] };
  const router = { route: () => decision, routesOf: () => [], watchersOf: () => [], explainAll: () => [] };
  return router;
}
