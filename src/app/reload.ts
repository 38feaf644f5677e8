/**
 * Loads the config again while Botbell runs, for whoever asks: SIGHUP, the admin listener, its files. Everything is built first,
 * then swapped; a bad one changes nothing.
 */
import type { Reloading, ReloadPreview, ReloadResult, ReloadStatus } from '../admin/services.ts';
import type { Problem } from '../config/config.ts';
import type { RunningSettings } from '../deliver/settings.ts';
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import { createRouter } from '../route/router.ts';
import type { Clock } from '../time/clock.ts';
import { watchConfig } from './config-watch.ts';
import { asItCanRun } from './fixed-settings.ts';
import type { ConfigReading } from './read-config.ts';
import { LOOKED_BACK_MS, routingChanges } from './routing-changes.ts';
import type { AppSettings, LoadedConfig } from './settings.ts';

export interface ReloaderDependencies {
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'startTimer'>;
  readonly settings: RunningSettings<AppSettings>;
  readonly ledger: Pick<DatabaseLedger, 'archive'>;
  /** Never rejects for what the files hold. */
  readonly readConfig: () => Promise<ConfigReading>;
  /** @throws {Error} a channel that cannot be opened; then nothing is */
  readonly open: (next: LoadedConfig) => Promise<AppSettings>;
  /** Nothing has changed, but what is undelivered may be worth another attempt now. */
  readonly tryAgain: () => void;
  readonly onReload: (result: ReloadResult, cause: string) => void;
}

type Loaded = Extract<ReloadResult, { readonly isLoaded: true }>;

export class Reloader implements Reloading {
  readonly #dependencies: ReloaderDependencies;
  #stopWatching = () => {};
  #loadedAt: number;
  /** What the last try was read from, whatever came of it. */
  #readings: LoadedConfig['readings'];
  #failure: ReloadStatus['failure'];
  #unchanged: readonly string[] = [];
  /** Settles when the last one that was asked for is over. */
  #last: Promise<unknown> = Promise.resolve();
  #isStopped = false;

  constructor(dependencies: ReloaderDependencies) {
    this.#dependencies = dependencies;
    this.#readings = this.#loaded.readings;
    this.#loadedAt = dependencies.clock.now();
  }

  get status(): ReloadStatus {
    const { config, configHash, warnings } = this.#loaded;
    const [loadedAt, failure, unchanged] = [this.#loadedAt, this.#failure, this.#unchanged];
    return { file: config.file, configHash, loadedAt, warnings, failure, unchanged };
  }

  configText(): string {
    return this.#loaded.text;
  }

  /** From now on, a change of the config's files is followed. */
  watch(): void {
    this.#stopWatching = watchConfig({
      clock: this.#dependencies.clock,
      watched: () => this.#readings,
      onChange: () => this.reloadIfChanged('a change of its files'),
    });
  }

  reload(cause: string): Promise<ReloadResult> {
    if (this.#isStopped)
      return Promise.resolve({ isLoaded: false, problems: [this.#problem('Botbell is stopping')] });
    const result = this.#last.then(() => this.#begin(cause));
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** What came of the last try would come again, as long as nothing has been written. */
  async reloadIfChanged(cause: string): Promise<void> {
    if (!this.#readings.areCurrent()) await this.reload(cause);
  }

  async preview(): Promise<ReloadPreview> {
    const { clock, settings, readConfig, ledger } = this.#dependencies;
    const { router, config: running } = settings.current;
    const from = clock.now() - LOOKED_BACK_MS;
    const since = new Date(from).toISOString();
    const { loaded: next, problems } = await readConfig();
    const refused = { problems, configHash: undefined, since, unchanged: [], changes: [], isComplete: true };
    if (next === undefined) return refused;
    const { unchanged } = asItCanRun(next.config, running);
    const nextRouter = createRouter(next.config.routes, next.config.defaultRoute);
    const found = await routingChanges(ledger.archive, from, router.route, nextRouter.route);
    return { problems, configHash: next.configHash, since, ...found, unchanged };
  }

  /** Ends with the last one that was asked for; none is taken any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopWatching();
    await this.#last;
  }

  get #loaded(): LoadedConfig {
    return this.#dependencies.settings.current;
  }

  /** Whether what is on the disk is what is in force; reads it. */
  get #isInForce(): boolean {
    return this.#failure === undefined && this.#readings.areCurrent();
  }

  async #begin(cause: string): Promise<ReloadResult> {
    const result = await this.#reload();
    this.#dependencies.onReload(result, cause);
    return result;
  }

  async #reload(): Promise<ReloadResult> {
    if (this.#isInForce) {
      // Cheap, so that whoever is not sure may ask again.
      this.#dependencies.tryAgain();
      return this.#result(false);
    }
    try {
      const { loaded, problems, readings } = await this.#dependencies.readConfig();
      this.#readings = readings;
      return loaded === undefined ? this.#refused(problems) : await this.#put(loaded);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return this.#refused([this.#problem(`the config cannot be used: ${reason}`)]);
    }
  }

  async #put(loaded: LoadedConfig): Promise<Loaded> {
    const { settings, open, clock } = this.#dependencies;
    const { config, unchanged } = asItCanRun(loaded.config, this.#loaded.config);
    const next = await open({ ...loaded, config });
    settings.swap(next);
    this.#loadedAt = clock.now();
    this.#failure = undefined;
    this.#unchanged = unchanged;
    return this.#result(true);
  }

  #result(hasChanged: boolean): Loaded {
    const { configHash, warnings } = this.#loaded;
    return { isLoaded: true, hasChanged, configHash, warnings, unchanged: this.#unchanged };
  }

  #refused(problems: readonly Problem[]): ReloadResult {
    this.#failure = { at: this.#dependencies.clock.now(), problems };
    return { isLoaded: false, problems };
  }

  #problem(message: string): Problem {
    const place = { file: this.#loaded.config.file, line: 1, column: 1 };
    return { place, message: this.#dependencies.settings.current.redact(message), severity: 'error' };
  }
}
