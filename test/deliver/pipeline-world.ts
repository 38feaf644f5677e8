/** The whole pipeline in this process, over a real ledger and a config as people write it, in time moved by hand. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { Pipeline } from '../../src/app/pipeline.ts';
import { Reports } from '../../src/app/reports.ts';
import { type AppSettings, openSettings } from '../../src/app/settings.ts';
import type { Callback } from '../../src/callback/callback.ts';
import { channelTypes } from '../../src/channels/registry.ts';
import { loadProject, type Project } from '../../src/cli/load-config.ts';
import type { Config } from '../../src/config/config.ts';
import type { Milestone } from '../../src/deliver/alerts.ts';
import type { Verdict } from '../../src/deliver/outcome.ts';
import type { Incoming } from '../../src/deliver/post.ts';
import { type AddressedNotice, RunningSettings } from '../../src/deliver/settings.ts';
import type { DatabaseLedger } from '../../src/ledger/database-ledger.ts';
import { createMetrics } from '../../src/observe/metrics.ts';
import type { ReportedAction } from '../../src/people/actions.ts';
import { HiddenSecrets } from '../../src/text/hide-secrets.ts';
import { adopting, TOGETHER } from '../contract/ledger-bench.ts';
import { callbackWith, startOf } from '../support/callbacks.ts';
import { SECOND, ManualClock } from '../support/manual-clock.ts';
import { createSqliteStore } from '../support/sqlite-store.ts';
import type { StoreUnderTest } from '../support/store-under-test.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { Remotes } from './remotes.ts';

export interface PipelineProcess {
  readonly pipeline: Pipeline;
  readonly ledger: DatabaseLedger;
  readonly settings: RunningSettings<AppSettings>;
  readonly handle: (callback: Callback) => Promise<Verdict>;
}

/** Channels are called as the type that they are. */
export class PipelineWorld<Store extends StoreUnderTest = StoreUnderTest> extends Remotes {
  readonly store: Store;
  readonly processes: PipelineProcess[] = [];
  /** What was sent, or was to be. */
  readonly addressed: AddressedNotice[] = [];
  /** Notices of Botbell's own that a rule has held: `missed slack:#ops mute`. */
  readonly held: string[] = [];
  readonly milestones: Milestone[] = [];
  readonly actions: ReportedAction[] = [];
  /** What should never happen: templates that fail, a store that cannot be used, outcomes that cannot be written. */
  readonly troubles: unknown[] = [];
  readonly unwritten: unknown[] = [];
  recoveries = 0;
  /** As the heartbeat says it, where no other process has another config. */
  mayRouteAnew = true;
  isHeard = true;
  #yaml: string;
  #started = 0;
  #jobs = 0;

  constructor(yaml: string, store: Store) {
    super(store.clock);
    this.#yaml = yaml;
    this.store = store;
  }

  /** @param now when it begins, with one process */
  static async begin(yaml: string, now: number): Promise<PipelineWorld> {
    const world = new PipelineWorld(yaml, createSqliteStore(new ManualClock(now - SECOND)));
    await world.start();
    await world.clock.advance(SECOND);
    return world;
  }

  async close(): Promise<void> {
    while (this.processes.length > 0) await this.stop();
    await this.store.close();
  }

  /** The process that has run for longest. */
  get first(): PipelineProcess {
    const [process] = this.processes;
    if (process === undefined) throw new Error('no process runs');
    return process;
  }

  /** One more process, which does nothing by itself. */
  async another(owner: string): Promise<PipelineProcess> {
    const { clock } = this;
    const onTrouble = (error: unknown) => void this.troubles.push(error);
    const settings = new RunningSettings(await this.#settings(), clock, onTrouble);
    const ledger = await this.store.open({ clock, owner });
    const { upkeep } = ledger;
    const heartbeat = upkeep.heartbeat.bind(upkeep);
    upkeep.heartbeat = async (config) => (await heartbeat(config)) && this.mayRouteAnew;
    // It counts as alive although it does nothing by itself.
    Object.defineProperty(upkeep, 'isHeard', { get: () => this.isHeard });
    const logger = pino({ level: 'silent' });
    const reports = this.#reports(new Reports(logger, createMetrics('0.0.0-test'), clock));
    const random = () => 0.5;
    const pipeline = new Pipeline({ clock, random, logger, channelTypes, settings, ledger, reports });
    const handle = (callback: Callback) => pipeline.posts.post(incomingAt(callback, this.clock));
    const process = { pipeline, ledger, settings, handle };
    this.processes.push(process);
    return process;
  }

  /** One more process, which delivers by itself. */
  async start(): Promise<void> {
    const { pipeline } = await this.another(`process ${(this.#started += 1)}`);
    await this.clock.runUntil(pipeline.start());
  }

  /** The one that has run for longest ends. */
  async stop(): Promise<void> {
    const { pipeline, settings, ledger } = this.first;
    this.processes.shift();
    await this.clock.runUntil(pipeline.stop());
    await this.clock.runUntil(pipeline.signOff());
    await settings.close();
    await ledger.close();
  }

  async reload(yaml = this.#yaml): Promise<void> {
    this.#yaml = yaml;
    for (const { settings } of this.processes) settings.swap(await this.#settings());
  }

  /** The service posts it, as of another job each time, to the process that began last. */
  post(fields: Partial<Callback>, process = this.processes.at(-1) ?? this.first): Promise<Verdict> {
    this.#jobs += 1;
    const start_time = new Date(this.clock.now()).toISOString();
    const callback = callbackWith({ job_id: `job-${this.#jobs}`, start_time, ...fields });
    return this.clock.runUntil(process.handle(callback));
  }

  /** Of the deliveries, in the order of their ids. */
  async states(of = 'deliveries'): Promise<readonly unknown[]> {
    return (await this.store.rows(of)).map(({ state }) => state);
  }

  /** Has summaries written of all that a mute window or a snooze holds, which nobody tells yet. */
  async endHolds(): Promise<void> {
    const { ledger, settings } = this.first;
    await adopting(ledger, { reasked: 'all' });
    const { tick } = await ledger.claim({ tick: { timers: 64, configHash: settings.current.configHash } });
    for (const timer of tick?.timers ?? []) await ledger.endHolds(timer, TOGETHER);
  }

  /** So much later, with all done that was due by then: between two steps nothing is looked at, as on a machine that slept. */
  async pass(ms: number): Promise<void> {
    const working = Math.min(ms, 3 * SECOND);
    this.clock.setBy(ms - working);
    await this.clock.advance(working);
  }

  async passBy(ms: number, step: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += step) await this.pass(step);
  }

  /** What the processes go by beside the text of the config. */
  protected configured(config: Config): Config {
    return config;
  }

  async #settings(): Promise<AppSettings> {
    const project = await projectOf(this.#yaml);
    const loaded = { ...project, config: this.configured(project.config) };
    const onTemplateError = (failure: unknown) => void this.troubles.push(failure);
    const kept = { channelTypes, print: () => undefined, secrets: new HiddenSecrets() };
    const settings = await openSettings(loaded, { ...kept, onTemplateError });
    const channels = [...settings.channels].map(
      ([name, { pace }]) => [name, { pace, channel: this.channelTo(name) }] as const,
    );
    const compose: AppSettings['compose'] = (addressed) => {
      this.addressed.push(addressed);
      return settings.compose(addressed);
    };
    return { ...settings, channels: new Map(channels), compose };
  }

  #reports(reports: Reports): Reports {
    const trouble = (error: unknown) => void this.troubles.push(error);
    const said: Partial<Reports> = {
      onHeld: (rule, own) => void (own && this.held.push(`${own.kind} ${own.destination} ${rule}`)),
      onMilestone: (milestone) => void this.milestones.push(milestone),
      onAction: (action) => void this.actions.push(action),
      onStoreTrouble: trouble,
      onStoreRecovered: () => void (this.recoveries += 1),
      onUnwritten: (error) => {
        trouble(error);
        this.unwritten.push(error);
      },
      onUnforeseen: trouble,
    };
    return Object.assign(reports, said);
  }
}

const projects = new Map<string, Promise<Project>>();

function projectOf(yaml: string): Promise<Project> {
  const known = projects.get(yaml);
  if (known !== undefined) return known;
  const folder = tempFolder();
  const configFile = join(folder, 'botbell.yaml');
  const unused = `store: { url: 'sqlite:${folder}/unused.db' }\nadmin: { listen: off }`;
  writeFileSync(configFile, `${unused}\n${yaml}`);
  const project = loadProject({ variables: {}, configFile });
  projects.set(yaml, project);
  return project;
}

function incomingAt(callback: Callback, clock: ManualClock): Incoming {
  const body = Buffer.from(JSON.stringify(callback));
  return { callback, body, startedAt: startOf(callback), arrivedAt: clock.monotonic() };
}
