/** The whole pipeline over a real ledger and a config as people write it, in time moved by hand; what arrives is kept as text. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pipeline } from '../../src/app/pipeline.ts';
import { Reports } from '../../src/app/reports.ts';
import { type AppSettings, openSettings } from '../../src/app/settings.ts';
import { type Callback, identityOf } from '../../src/callback/callback.ts';
import { channelTypes } from '../../src/channels/registry.ts';
import { loadProject } from '../../src/cli/load-config.ts';
import type { Verdict } from '../../src/deliver/outcome.ts';
import { RunningSettings } from '../../src/deliver/settings.ts';
import type { DatabaseLedger } from '../../src/ledger/database-ledger.ts';
import { destinationOf } from '../../src/ledger/signal/timers.ts';
import { createLogger, type Logger } from '../../src/observe/logger.ts';
import { createMetrics } from '../../src/observe/metrics.ts';
import { HiddenSecrets } from '../../src/text/hide-secrets.ts';
import type { Clock } from '../../src/time/clock.ts';
import { endOf } from '../contract/ledger-under-test.ts';
import { callbackWith, startOf } from '../support/callbacks.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { createSqliteStore } from '../support/sqlite-store.ts';
import type { StoreUnderTest } from '../support/store-under-test.ts';
import { tempFolder } from '../support/temp-folder.ts';

const SECOND = 1000;

/** A message that came to somebody. */
export interface Arrived {
  readonly at: number;
  /** `slack:#ops` */
  readonly destination: string;
  readonly lines: readonly string[];
}

interface Process {
  readonly pipeline: Pipeline;
  readonly ledger: DatabaseLedger;
  readonly settings: RunningSettings<AppSettings>;
}

/** Channels of type outbox are `slack` and `email`. */
export class SignalWorld {
  /** The store's. */
  readonly clock: ManualClock;
  readonly store: StoreUnderTest;
  readonly arrived: Arrived[] = [];
  /** Notices of Botbell's own that a rule has held: `missed slack:#ops mute`. */
  readonly held: string[] = [];
  /** What should never happen: templates that fail, a store that cannot be used. */
  readonly troubles: unknown[] = [];
  readonly processes: Process[] = [];
  readonly #isServer: boolean;
  #yaml: string;
  #started = 0;
  #jobs = 0;

  private constructor(yaml: string, clock: ManualClock, store: StoreUnderTest, isServer: boolean) {
    this.clock = clock;
    this.store = store;
    this.#yaml = yaml;
    this.#isServer = isServer;
  }

  /** @param now when it begins, with one process. @param onServer has the store on a database server */
  static async open(
    yaml: string,
    now: number,
    onServer?: (clock: ManualClock) => Promise<StoreUnderTest>,
  ): Promise<SignalWorld> {
    const clock = new ManualClock(now - SECOND);
    const store = await (onServer ?? createSqliteStore)(clock);
    const world = new SignalWorld(yaml, clock, store, onServer !== undefined);
    await world.start();
    await world.#advance(SECOND);
    return world;
  }

  async close(): Promise<void> {
    while (this.processes.length > 0) await this.stop();
    await this.store.close();
  }

  /** What people can do. */
  get actions(): DatabaseLedger['actions'] {
    const [process] = this.processes;
    if (process === undefined) throw new Error('no process runs');
    return process.ledger.actions;
  }

  /** One more process. @param aheadMs how far its machine's clock is ahead of the store's */
  async start(aheadMs = 0): Promise<void> {
    const clock = skewed(this.clock, aheadMs);
    this.#started += 1;
    const settings = new RunningSettings(
      await this.#settings(),
      clock,
      (error) => void this.troubles.push(error),
    );
    const ledger = await this.store.open({ clock: this.clock, owner: `process ${this.#started}` });
    const logger = await createLogger('silent', false, (line) => line);
    const parts = { clock, logger, settings, ledger, reports: this.#reports(logger) };
    const pipeline = new Pipeline(parts, () => 0.5);
    this.processes.push({ pipeline, ledger, settings });
    await this.#along(pipeline.start());
  }

  /** The one that has run for longest ends. */
  async stop(): Promise<void> {
    const process = this.processes.shift();
    if (process === undefined) throw new Error('no process runs');
    await this.#along(process.pipeline.stop());
    await this.#along(process.pipeline.leave());
    await process.settings.close();
    await process.ledger.close();
  }

  /** All of them go on with another config. */
  async reload(yaml: string): Promise<void> {
    this.#yaml = yaml;
    for (const { settings } of this.processes) settings.swap(await this.#settings());
  }

  /** The service posts it to the process. */
  async post(fields: Partial<Callback>, process = this.processes.at(-1)): Promise<Verdict> {
    if (process === undefined) throw new Error('no process runs');
    this.#jobs += 1;
    const now = this.clock.now();
    const own = { job_id: `job-${this.#jobs}`, start_time: new Date(now).toISOString() };
    const callback = callbackWith({ ...own, ...fields });
    const incoming = {
      callback,
      identity: identityOf(callback),
      body: Buffer.from(JSON.stringify(callback)),
      startedAt: startOf(callback),
      receivedAt: now,
      arrivedAt: this.clock.monotonic(),
    };
    return this.#along(process.pipeline.post(incoming));
  }

  /** Has summaries written of all that a mute window or a snooze holds, which nobody tells yet. */
  async endHolds(): Promise<void> {
    const [process] = this.processes;
    if (process === undefined) throw new Error('no process runs');
    const { ledger } = process;
    await ledger.signals.adoptTimers([], []);
    const { tick } = await ledger.claim({
      tick: { timers: 64, configHash: process.settings.current.configHash },
    });
    for (const timer of tick?.timers ?? []) {
      const { held } = await ledger.signals.endedHolds(destinationOf(timer));
      await ledger.signals.endHolds(endOf(timer, held, () => 'summary'));
    }
  }

  /** So much later, with all done that was due by then: between two steps nothing is looked at, as on a machine that slept. */
  async pass(ms: number): Promise<void> {
    const working = Math.min(ms, (this.#isServer ? 1.5 : 3) * SECOND);
    this.clock.setBy(ms - working);
    await this.#advance(working);
  }

  #advance(ms: number): Promise<void> {
    return this.#isServer ? this.#along(this.clock.sleep(ms)) : this.clock.advance(ms);
  }

  /** What a database server is asked for takes time of its own. */
  #along<T>(work: Promise<T>): Promise<T> {
    return this.#isServer ? this.clock.runAlong(work) : this.clock.runUntil(work);
  }

  /** Passes a time by steps. */
  async passBy(ms: number, step: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += step) await this.pass(step);
  }

  async #settings(): Promise<AppSettings> {
    const folder = tempFolder();
    const file = join(folder, 'botbell.yaml');
    writeFileSync(
      file,
      `store: { url: 'sqlite:${folder}/unused.db' }\nadmin: { listen: off }\n${this.#yaml}`,
    );
    return openSettings(await loadProject({ variables: {}, configFile: file }), {
      channelTypes,
      print: (text) => this.#print(text),
      onTemplateError: (failure) => void this.troubles.push(failure),
      secrets: new HiddenSecrets(),
    });
  }

  #print(text: string): void {
    const [first = '', ...lines] = text.split('\n').filter((line) => line.trim() !== '');
    const [, channel = '', address = ''] = /outbox \((.*?)\): (.*)/.exec(first) ?? [];
    const trimmed = lines.map((line) => line.trim());
    this.arrived.push({ at: this.clock.now(), destination: `${channel}:${address}`, lines: trimmed });
  }

  #reports(logger: Logger): Reports {
    const trouble = (error: unknown) => void this.troubles.push(error);
    const reports = new Reports(logger, createMetrics('0.0.0-test'), this.clock);
    const onHeld: Reports['onHeld'] = (rule, own) =>
      void (own && this.held.push(`${own.kind} ${own.destination} ${rule}`));
    return Object.assign(reports, {
      onHeld,
      onStoreTrouble: trouble,
      onUnwritten: trouble,
      onUnforeseen: trouble,
    });
  }
}

/** A machine's clock: what it shows differs, and time passes alike. */
function skewed(clock: ManualClock, aheadMs: number): Clock {
  return {
    now: () => clock.now() + aheadMs,
    monotonic: () => clock.monotonic(),
    sleep: (ms) => clock.sleep(ms),
    startTimer: (ms, onTime) => clock.startTimer(ms, onTime),
  };
}
