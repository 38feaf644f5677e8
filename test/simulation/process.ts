/** One run of the program in virtual time: it dies when the world says so, and from then on nothing reaches it. */
import { type AppOptions, type RunningApp, startApp } from '../../src/app/app.ts';
import type { UsableConfig } from '../../src/app/settings.ts';
import type { Channel } from '../../src/channels/channel.ts';
import type { Handler } from '../../src/http/server.ts';
import type { Logger } from '../../src/observe/logger.ts';
import { HiddenSecrets } from '../../src/text/hide-secrets.ts';
import type { Clock } from '../../src/time/clock.ts';
import { simulatedTypes } from './config-text.ts';
import type { Observed, Run } from './observed.ts';
import { Random } from './random.ts';
import type { Scenario } from './scenario.ts';
import type { storeOf } from './store.ts';
import type { Timeline } from './timeline.ts';

export const RECEIVER_PORT = 8080;

/** What all who act in a world have of it. */
export interface WorldParts {
  readonly scenario: Scenario;
  readonly timeline: Timeline;
  readonly observed: Observed;
  readonly say: (line: string) => void;
  /** The processes that take requests. */
  readonly open: () => readonly Process[];
  /** The time of a clock now: milliseconds since 1970. @param slot -1: the store's clock */
  readonly clockOf: (slot: number) => number;
}

/** What a process needs of the world. */
export interface Surroundings extends WorldParts {
  /** The config with this number, with the file's readings as they are now. */
  readonly configured: (process: Process) => UsableConfig;
  readonly channelOf: (process: Process, name: string) => Channel;
  readonly storeOf: (process: Process) => ReturnType<typeof storeOf>;
  /** Called before something reaches the process, which the world may let die at that moment. */
  readonly onEvent: (process: Process, what: 'store' | 'any') => void;
}

export class Process implements Run {
  readonly name: string;
  readonly slot: number;
  isAlive = true;
  readonly died: Promise<undefined>;
  #die: () => void = () => undefined;
  isOpen = false;
  config: number;
  readonly store: ReturnType<typeof storeOf>;
  app: RunningApp | undefined;
  readonly handlers = new Map<number, Handler>();
  readonly #around: Surroundings;

  constructor(around: Surroundings, name: string, slot: number, config: number) {
    this.#around = around;
    this.name = name;
    this.slot = slot;
    this.config = config;
    this.store = around.storeOf(this);
    this.died = new Promise((resolve) => (this.#die = () => resolve(undefined)));
  }

  /** From now on, nothing reaches the process, and nothing that it does has an effect. */
  end(): void {
    this.isAlive = false;
    this.isOpen = false;
    this.#die();
  }

  /** Runs `work` now, unless the process is dead or dies at this moment. */
  reach(what: 'store' | 'any', work: () => void): void {
    if (this.isAlive) this.#around.onEvent(this, what);
    if (this.isAlive) work();
  }

  async start(): Promise<void> {
    const { scenario, configured, channelOf, say } = this.#around;
    const random = new Random(scenario.seed, `process ${this.name}`);
    const options: AppOptions = {
      ...configured(this),
      clock: this.clock(this.slot),
      random: () => random.next(),
      logger: this.#logger(),
      version: '0.0.0-simulated',
      readConfig: () => {
        const loaded = configured(this);
        return Promise.resolve({ loaded, problems: [], readings: loaded.readings, missing: [] });
      },
      channelTypes: simulatedTypes((name) => channelOf(this, name)),
      secrets: new HiddenSecrets(),
      print: () => undefined,
      listen: (handle, { host, port }) => {
        this.handlers.set(port, handle);
        const close = () => {
          this.handlers.delete(port);
          if (port === RECEIVER_PORT) this.isOpen = false;
          return Promise.resolve();
        };
        return Promise.resolve({ host, port, close });
      },
      store: { ...this.store.options, clock: this.clock(-1) },
    };
    const app = await startApp(options);
    this.app = app;
    this.isOpen = this.isAlive;
    say(`${this.name} serves`);
  }

  clock(slot: number): Clock {
    const { timeline, clockOf } = this.#around;
    return {
      now: () => clockOf(slot),
      monotonic: () => timeline.now,
      sleep: (ms) => new Promise((resolve) => void this.#later(ms, resolve)),
      startTimer: (ms, onTime) => this.#later(ms, onTime),
    };
  }

  #later(ms: number, run: () => void): () => void {
    return this.#around.timeline.after(ms, () => this.reach('any', run));
  }

  #logger(): Logger {
    const { observed, say } = this.#around;
    const ignore = () => undefined;
    const error = (about: { readonly err?: unknown }, line: string) => {
      if (!this.isAlive || line !== 'unforeseen error') return;
      say(`${this.name} meets the unforeseen: ${String(about.err)}`);
      observed.unforeseen.push(String(about.err));
    };
    return {
      info: ignore,
      warn: ignore,
      debug: ignore,
      isLevelEnabled: () => false,
      error,
    } as unknown as Logger;
  }
}
