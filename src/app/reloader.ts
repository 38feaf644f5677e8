/** Loads the config again while Botbell runs: everything is built first, then swapped; a bad one changes nothing. */
import type { ReloadResult, ReloadStatus } from '../admin/services.ts';
import type { Problem } from '../config/config.ts';
import type { RunningSettings } from '../deliver/settings.ts';
import type { Clock } from '../time/clock.ts';
import { asItCanRun } from './fixed-settings.ts';
import type { ConfigReading } from './read-config.ts';
import type { AppSettings, LoadedConfig } from './settings.ts';

export interface ReloaderDependencies {
  readonly clock: Pick<Clock, 'now'>;
  readonly settings: RunningSettings<AppSettings>;
  /** Never rejects for what the files hold. */
  readonly readConfig: () => Promise<ConfigReading>;
  /** @throws {Error} a channel that cannot be opened; then nothing is */
  readonly open: (next: LoadedConfig) => Promise<AppSettings>;
  /** Nothing has changed, but what is undelivered may be worth another attempt now. */
  readonly tryAgain: () => void;
  /** Must not throw. */
  readonly onReload: (result: ReloadResult, cause: string) => void;
}

type Loaded = Extract<ReloadResult, { readonly isLoaded: true }>;

export class Reloader {
  readonly #dependencies: ReloaderDependencies;
  readonly #file: string;
  #previousRoute: AppSettings['route'] | undefined;
  #loadedAt: number;
  #readings: LoadedConfig['readings'];
  #failure: ReloadStatus['failure'];
  #unchanged: readonly string[] = [];
  #running: Promise<ReloadResult> | undefined;
  #next: Promise<ReloadResult> | undefined;
  #isStopped = false;

  constructor(dependencies: ReloaderDependencies) {
    this.#dependencies = dependencies;
    const { config, readings } = dependencies.settings.current.loaded;
    this.#file = config.file;
    this.#readings = readings;
    this.#loadedAt = dependencies.clock.now();
  }

  get status(): ReloadStatus {
    const { configHash, warnings } = this.#dependencies.settings.current.loaded;
    return {
      file: this.#file,
      configHash,
      loadedAt: this.#loadedAt,
      warnings,
      failure: this.#failure,
      unchanged: this.#unchanged,
    };
  }

  /** What the last try was read from, whatever came of it. */
  get readings(): LoadedConfig['readings'] {
    return this.#readings;
  }

  /** How was routed before the last reload; undefined: there was none. */
  get previousRoute(): AppSettings['route'] | undefined {
    return this.#previousRoute;
  }

  /** Whether what is on the disk is what is in force; reads it. */
  get isInForce(): boolean {
    return this.#failure === undefined && this.#readings.areCurrent();
  }

  /** @see Reloading.reload */
  reload(cause: string): Promise<ReloadResult> {
    if (this.#running === undefined) return this.#begin(cause);
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      return this.#begin(cause);
    });
    return this.#next;
  }

  /** What came of the last try would come again, as long as nothing has been written. */
  async reloadIfChanged(cause: string): Promise<void> {
    if (this.#running === undefined && !this.#readings.areCurrent()) await this.reload(cause);
  }

  /** Ends with the one that is under way; none begins any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await (this.#next ?? this.#running);
  }

  #begin(cause: string): Promise<ReloadResult> {
    if (this.#isStopped) return Promise.resolve(this.#stopping());
    const running = this.#reload().then((result) => {
      this.#running = undefined;
      this.#dependencies.onReload(result, cause);
      return result;
    });
    this.#running = running;
    return running;
  }

  async #reload(): Promise<ReloadResult> {
    if (this.isInForce) return this.#nothingNew();
    try {
      const { loaded, problems, readings } = await this.#dependencies.readConfig();
      this.#readings = readings;
      return loaded === undefined ? this.#refused(problems) : await this.#put(loaded);
    } catch (error) {
      return this.#refused([this.#problem(`the config cannot be used: ${messageOf(error)}`)]);
    }
  }

  async #put(loaded: LoadedConfig): Promise<Loaded> {
    const { settings, open, clock } = this.#dependencies;
    const { config, unchanged } = asItCanRun(loaded.config, settings.current.loaded.config);
    const next = await open({ ...loaded, config });
    this.#previousRoute = settings.current.route;
    settings.swap(next);
    this.#loadedAt = clock.now();
    this.#failure = undefined;
    this.#unchanged = unchanged;
    return this.#loaded(true);
  }

  /** Cheap, so that whoever is not sure may ask again. */
  #nothingNew(): Loaded {
    this.#dependencies.tryAgain();
    return this.#loaded(false);
  }

  #loaded(hasChanged: boolean): Loaded {
    const { configHash, warnings } = this.#dependencies.settings.current.loaded;
    return { isLoaded: true, hasChanged, configHash, warnings, unchanged: this.#unchanged };
  }

  #stopping(): ReloadResult {
    return { isLoaded: false, problems: [this.#problem('Botbell is stopping')] };
  }

  #refused(problems: readonly Problem[]): ReloadResult {
    this.#failure = { at: this.#dependencies.clock.now(), problems };
    return { isLoaded: false, problems };
  }

  #problem(message: string): Problem {
    const place = { file: this.#file, line: 1, column: 1 };
    const { current } = this.#dependencies.settings;
    return { place, message: current.redact(message), severity: 'error' };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
