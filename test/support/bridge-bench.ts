/** A bridge and a worker over a real SQLite ledger and remotes that fail and dawdle as a test says, in time moved by hand. */
import type { Callback } from '../../src/callback/callback.ts';
import { decodeBody } from '../../src/callback/decode.ts';
import type { Channel } from '../../src/channels/channel.ts';
import { DeliveryFailure } from '../../src/channels/failure.ts';
import { Bridge } from '../../src/deliver/bridge.ts';
import type { Incoming } from '../../src/deliver/handling.ts';
import { createSender, createAttempt } from '../../src/deliver/sender.ts';
import { DeliveriesUnderWay, TurnsOfJobs } from '../../src/deliver/deliveries-under-way.ts';
import { Lanes } from '../../src/deliver/lanes.ts';
import { LargeNotices } from '../../src/deliver/large-notices.ts';
import { MemoryBudget, memoryFor } from '../../src/deliver/memory-budget.ts';
import type { Milestone } from '../../src/deliver/handling.ts';
import {
  type AddressedNotice,
  type DeliverySettings,
  type PlannedTarget,
  RunningSettings,
  type Settings,
} from '../../src/deliver/settings.ts';
import { Shares, Slots } from '../../src/deliver/capacity.ts';
import { Rerouter, type Revival, type RoutedAnew } from '../../src/deliver/rerouter.ts';
import type { Verdict } from '../../src/deliver/outcome.ts';
import { Worker, type WorkerDependencies } from '../../src/deliver/worker.ts';
import type { ConfigStore, OpenLedger, RunningConfig } from '../../src/ledger/configs/config-store.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { readKeptAlert } from '../../src/notice/alert-text.ts';
import { target } from '../contract/ledger-contract.ts';
import { ManualClock } from './manual-clock.ts';
import { createSqliteStore, type SqliteStore } from './sqlite-store.ts';
import { startOf } from './callbacks.ts';

export const ANSWER_WITHIN_MS = 8000;
const LEASE_MS = 18_000;

export class BridgeBench {
  readonly clock = new ManualClock();
  readonly store: SqliteStore = createSqliteStore(this.clock);
  /** Destinations of the attempts, in order of their beginning, and of those that succeeded, in order of their end. */
  readonly tried: string[] = [];
  readonly told: string[] = [];
  readonly addressed: AddressedNotice[] = [];
  readonly unwritten: unknown[] = [];
  /** What the worker said of its ledger. */
  readonly troubles: unknown[] = [];
  /** What bridges and workers said of deliveries beside their attempts, in order. */
  readonly milestones: Milestone[] = [];
  /** Whom the bridges and workers alert that are made from now on. */
  alertTargets: readonly string[] = ['email:operators@example.com'];
  recoveries = 0;
  /** Destinations for which the bridge had something for the worker. */
  readonly nudges: string[] = [];
  maxInFlight = 256;
  /** Of the processes' workers. */
  memory = new MemoryBudget(this.clock, memoryFor(1024 ** 3));
  answerWhen: 'delivered' | 'accepted' = 'delivered';
  planned: readonly string[];
  /** The settings look at these, so that a test may change them at any time. */
  readonly policy: { -readonly [Key in keyof DeliverySettings]: DeliverySettings[Key] } = {
    timeoutMs: 5000,
    attemptsPerRequest: 2,
    permanentAttempts: 2,
    takeOverAfterMs: 120_000,
    giveUpAfterMs: 86_400_000,
  };
  bridge!: Bridge;
  ledger!: OpenLedger;
  /** What its processes run with. */
  readonly config: RunningConfig = {
    hash: 'the config',
    channels: new Map([
      ['slack', 'slack'],
      ['email', 'email'],
    ]),
  };
  /** As the heartbeat has said. */
  mayRouteAnew = true;
  readonly reroutings: RoutedAnew[] = [];
  readonly revivals: Revival[] = [];
  readonly #processes = new Map<unknown, { readonly lanes: Lanes; readonly underWay: DeliveriesUnderWay }>();
  readonly settings = new RunningSettings(this.settingsWith(), (error) => void this.troubles.push(error));
  readonly #failures = new Map<string, DeliveryFailure[]>();
  readonly #durations = new Map<string, number>();
  readonly #intervals = new Map<string, number>();
  readonly #openFrom = new Map<string, number>();

  private constructor(planned: readonly string[]) {
    this.planned = planned;
  }

  static async open(planned: readonly string[]): Promise<BridgeBench> {
    const bench = new BridgeBench(planned);
    bench.ledger = await bench.openLedger('first');
    await bench.ledger.configs.heartbeat(bench.config);
    bench.bridge = bench.bridgeOn(bench.ledger);
    return bench;
  }

  handle(callback: Callback): Promise<Verdict> {
    return this.bridge.handle(incomingAt(callback, this.clock.now()));
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

  /** Nobody else can write the store until the returned function is called. */
  lock(): () => void {
    const connection = this.store.connect();
    connection.exec('begin immediate');
    return () => connection.exec('rollback');
  }

  /** Nothing that is to do with deliveries works until the returned function is called. */
  breakStore(): () => void {
    const connection = this.store.connect();
    connection.exec('alter table deliveries rename to deliveries_elsewhere');
    return () => connection.exec('alter table deliveries_elsewhere rename to deliveries');
  }

  /** The bridge of another process on the same store and the same remotes. */
  async another(owner: string): Promise<Bridge> {
    return this.bridgeOn(await this.openLedger(owner));
  }

  openLedger(owner: string): Promise<OpenLedger> {
    const { clock } = this;
    return this.store.open({ clock, owner, leaseMs: LEASE_MS, takeOverAfterMs: 120_000 });
  }

  /** What the bridge and the worker of one process share. */
  processOn(ledger: Pick<Ledger, 'paces'>): { readonly lanes: Lanes; readonly underWay: DeliveriesUnderWay } {
    const known = this.#processes.get(ledger);
    if (known !== undefined) return known;
    const { clock } = this;
    const onTrouble = (error: unknown) => void this.troubles.push(error);
    const lanes = new Lanes({
      clock,
      store: ledger.paces,
      paceOf: () => ({ addressMs: 1000, channelMs: 200 }),
      onTrouble,
    });
    const process = { lanes, underWay: new DeliveriesUnderWay() };
    this.#processes.set(ledger, process);
    return process;
  }

  bridgeOn(
    ledger: Ledger,
    onDue: (destinations: readonly string[]) => void = (destinations) =>
      void this.nudges.push(...destinations),
  ): Bridge {
    const { clock } = this;
    const { lanes, underWay } = this.processOn(ledger);
    return new Bridge({
      clock,
      ledger,
      underWay,
      turns: new TurnsOfJobs({ clock, ledger, underWay }),
      capacity: {
        slots: new Slots(clock, this.maxInFlight),
        shares: new Shares(this.maxInFlight),
        waitingShares: new Shares(this.maxInFlight),
      },
      send: this.#sender(lanes),
      rerouter: this.rerouterOn(this.ledger.configs),
      settings: this.settings,
      random: () => 0.5,
      onDue,
      onMilestone: (milestone) => void this.milestones.push(milestone),
      onUnwritten: (error) => this.unwritten.push(error),
    });
  }

  workerOn(ledger: WorkerDependencies['ledger'], process = this.processOn(this.ledger)): Worker {
    return new Worker({
      clock: this.clock,
      ledger,
      ...process,
      largeNotices: new LargeNotices({
        clock: this.clock,
        ledger: this.ledger,
        budget: this.memory,
        readLarge: (json) => Promise.resolve(decodeBody(json).value as Callback),
      }),
      send: this.#sender(process.lanes),
      rerouter: this.rerouterOn(this.ledger.configs),
      settings: this.settings,
      random: () => 0.5,
      onMilestone: (milestone) => void this.milestones.push(milestone),
      onTrouble: (error) => this.troubles.push(error),
      onRecovered: () => void (this.recoveries += 1),
    });
  }

  rerouterOn(ledger: ConfigStore): Rerouter {
    return new Rerouter({
      ledger,
      settings: this.settings,
      mayRouteAnew: () => this.mayRouteAnew,
      onReroute: (rerouting) => void this.reroutings.push(rerouting),
      onRevival: (revival) => void this.revivals.push(revival),
    });
  }

  /** They say what the bench's properties say at that moment. */
  settingsWith(overrides: Partial<Settings> = {}): Settings {
    // eslint-disable-next-line @typescript-eslint/no-this-alias -- getters have a `this` of their own
    const bench = this;
    const channels = ['slack', 'email'].map((name) => {
      const pace = { addressMs: 1000, channelMs: 200 };
      return [name, { pace, needsEarlier: () => false, channel: this.#channel(name) }] as const;
    });
    const settings: Settings = {
      config: this.config,
      get answer() {
        const { answerWhen, maxInFlight } = bench;
        return { answerWithinMs: ANSWER_WITHIN_MS, answerWhen, maxInFlight };
      },
      delivery: this.policy,
      get alerts() {
        const targets = bench.alertTargets.map(plannedTo);
        return { targets, language: 'en' as const, giveUpAfterMs: bench.policy.giveUpAfterMs };
      },
      get destinations() {
        const targets = [...bench.planned, ...bench.alertTargets];
        return new Map(targets.map((key) => [key, plannedTo(key)]));
      },
      channels: new Map(channels),
      resources: [],
      route: () => ({ destinations: this.planned.map(routedTo), explanations: [] }),
      compose: (addressed) => {
        this.addressed.push(addressed);
        return {};
      },
      redact: (text) => text,
    };
    return Object.defineProperties(settings, Object.getOwnPropertyDescriptors(overrides));
  }

  /** As `<template> <destination> <error code>`, in the order in which they were raised. */
  async alerts(): Promise<string[]> {
    const rows = await this.store.rows('callbacks');
    return rows
      .filter(({ kind }) => kind === 'alert')
      .map(({ body }) => readKeptAlert(String(body), '').subject)
      .map((subject) =>
        'error' in subject
          ? `${subject.template} ${subject.destination} ${subject.error.code}`
          : `${subject.template} ${'httpStatus' in subject ? subject.httpStatus : ''}`,
      );
  }

  async close(): Promise<void> {
    await this.store.close();
  }

  #sender(lanes: Lanes) {
    const { clock } = this;
    const attempt = createAttempt({
      clock,
      // The channels here take as long as a test says.
      timers: { startTimer: () => () => undefined },
      earlierReceipts: (id) => this.ledger.turns.earlierReceipts(id),
      onAttempt: () => {},
      onLateResult: () => {},
      onUnforeseen: () => {},
    });
    return createSender({ clock, lanes, attempt, random: () => 0.5 });
  }

  #limitOf(destination: string): DeliveryFailure | undefined {
    const interval = this.#intervals.get(destination);
    if (interval === undefined) return undefined;
    const now = this.clock.monotonic();
    if (now < (this.#openFrom.get(destination) ?? 0)) {
      const details = {
        class: 'rate_limited',
        code: '429',
        message: 'too many',
        retryAfterMs: 1000,
      } as const;
      return new DeliveryFailure(details);
    }
    this.#openFrom.set(destination, now + interval);
    return undefined;
  }

  #channel(name: string): Channel {
    return {
      send: async ({ address }) => {
        const destination = `${name}:${address}`;
        this.tried.push(destination);
        await this.clock.sleep(this.#durations.get(destination) ?? 0);
        const failure = this.#limitOf(destination) ?? this.#failures.get(destination)?.shift();
        if (failure !== undefined) throw failure;
        this.told.push(destination);
        return { ts: '1.2' };
      },
      verify: () => Promise.resolve(),
      close: () => Promise.resolve(),
    };
  }
}

export function incomingAt(callback: Callback, receivedAt: number): Incoming {
  const body = Buffer.from(JSON.stringify(callback));
  const at = { startedAt: startOf(callback), receivedAt, arrivedAt: receivedAt };
  return { callback, body, ...at, keepUntil: () => undefined };
}

function plannedTo(destination: string): PlannedTarget {
  return { ...target(destination), templateSet: undefined, options: {} };
}

function routedTo(destination: string) {
  const { channel, address } = target(destination);
  return { destination: { key: destination, channel, address, options: {} }, templateSet: undefined };
}
