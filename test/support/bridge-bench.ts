/** A bridge and a worker over a real SQLite ledger and remotes that fail and dawdle as a test says, in time moved by hand. */
import type { Callback } from '../../src/callback/callback.ts';
import type { Channel } from '../../src/channels/channel.ts';
import type { DeliveryFailure } from '../../src/channels/failure.ts';
import { Bridge, type Incoming } from '../../src/deliver/bridge.ts';
import { createCourier } from '../../src/deliver/courier.ts';
import { KeyedQueue } from '../../src/deliver/keyed-queue.ts';
import { createMessenger, type Errand } from '../../src/deliver/messenger.ts';
import { RemotePauses } from '../../src/deliver/remote-pauses.ts';
import type { DeliveryPolicy } from '../../src/deliver/outcome.ts';
import type { Plan, PlannedErrand } from '../../src/deliver/plan.ts';
import type { GivenUp } from '../../src/deliver/trouble.ts';
import type { Verdict } from '../../src/deliver/verdict.ts';
import { Worker, type WorkerDependencies } from '../../src/deliver/worker.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { target } from '../contract/ledger-contract.ts';
import { ManualClock } from './manual-clock.ts';
import { createSqliteStore, type SqliteStore } from './sqlite-store.ts';

export const ANSWER_WITHIN_MS = 8000;
const LEASE_MS = 18_000;

export class BridgeBench {
  readonly clock = new ManualClock();
  readonly store: SqliteStore = createSqliteStore(this.clock);
  /** Destinations of the attempts, in order of their beginning, and of those that succeeded, in order of their end. */
  readonly tried: string[] = [];
  readonly told: string[] = [];
  readonly errands: Errand[] = [];
  readonly unwritten: unknown[] = [];
  /** What was given up, as `<destination> <error code>`, and what the worker said of its ledger. */
  readonly givenUp: string[] = [];
  readonly troubles: unknown[] = [];
  recoveries = 0;
  /** How often the bridge had something for the worker. */
  nudges = 0;
  answerWhen: 'delivered' | 'accepted' = 'delivered';
  planned: readonly string[];
  /** The objects that the bridges look at, so that a test may change them at any time. */
  readonly policy: { -readonly [Key in keyof DeliveryPolicy]: DeliveryPolicy[Key] } = {
    permanentAttempts: 2,
    takeOverAfterMs: 120_000,
    giveUpAfterMs: 86_400_000,
  };
  bridge!: Bridge;
  ledger!: Ledger;
  readonly #pauses = new RemotePauses(this.clock);
  readonly #failures = new Map<string, DeliveryFailure[]>();
  readonly #durations = new Map<string, number>();

  private constructor(planned: readonly string[]) {
    this.planned = planned;
  }

  static async open(planned: readonly string[]): Promise<BridgeBench> {
    const bench = new BridgeBench(planned);
    bench.ledger = await bench.openLedger('first');
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

  openLedger(owner: string): Promise<Ledger> {
    const { clock } = this;
    return this.store.open({ clock, owner, leaseMs: LEASE_MS, takeOverAfterMs: 120_000 });
  }

  bridgeOn(ledger: Ledger): Bridge {
    const { clock } = this;
    return new Bridge({
      clock,
      ledger,
      queue: new KeyedQueue(),
      take: this.#courier(),
      answerWithinMs: ANSWER_WITHIN_MS,
      answerWhen: this.answerWhen,
      random: () => 0.5,
      onDue: () => void (this.nudges += 1),
      onGivenUp: (_callback, given) => this.#noteGivenUp(given),
      policy: this.policy,
      plan: () => this.#plan(),
      startedAt: (callback) => Date.parse(callback.start_time),
      onUnwritten: (error) => this.unwritten.push(error),
    });
  }

  workerOn(ledger: WorkerDependencies['ledger']): Worker {
    return new Worker({
      clock: this.clock,
      ledger,
      pauses: this.#pauses,
      take: this.#courier(),
      tripMs: ANSWER_WITHIN_MS,
      policy: this.policy,
      random: () => 0.5,
      plan: () => this.#plan(),
      onGivenUp: (_due, given) => this.#noteGivenUp(given),
      onTrouble: (error) => this.troubles.push(error),
      onRecovered: () => void (this.recoveries += 1),
    });
  }

  async close(): Promise<void> {
    await this.store.close();
  }

  #courier() {
    const { clock } = this;
    const send = createMessenger({
      clock,
      timeoutMs: 5000,
      // The channels here take as long as a test says.
      timers: { startTimer: () => () => undefined },
      channelOf: (name) => this.#channel(name),
      compose: (errand) => {
        this.errands.push(errand);
        return {};
      },
      keyOf: ({ destination }) => destination,
      redact: (text) => text,
      onAttempt: () => {},
      onLateResult: () => {},
      onUnforeseen: () => {},
    });
    return createCourier({ clock, pauses: this.#pauses, send, attemptsPerRequest: 2, random: () => 0.5 });
  }

  #plan(): Plan {
    return { errands: this.planned.map(errandTo), routing: [] };
  }

  #noteGivenUp({ destination, error }: GivenUp): void {
    this.givenUp.push(`${destination} ${error?.code}`);
  }

  #channel(name: string): Channel {
    return {
      send: async ({ address }) => {
        const destination = `${name}:${address}`;
        this.tried.push(destination);
        await this.clock.sleep(this.#durations.get(destination) ?? 0);
        const failure = this.#failures.get(destination)?.shift();
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
  return { callback, body: Buffer.from(JSON.stringify(callback)), receivedAt };
}

function errandTo(destination: string): PlannedErrand {
  return { ...target(destination), templateSet: undefined, options: {} };
}
