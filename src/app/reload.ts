/** Loads the config again while Botbell runs. Builds everything first, then swaps; a config with errors changes nothing. */
import { isDeepStrictEqual } from 'node:util';
import type {
  Reloading,
  ReloadPreview,
  ReloadResult,
  ReloadStatus,
  RoutingChange,
} from '../admin/services.ts';
import { statusNameOf } from '../callback/callback.ts';
import type { Config, Problem } from '../config/config.ts';
import { isOpenToAll } from '../config/read/cross-checks.ts';
import { fault } from '../config/words.ts';
import type { RunningSettings } from '../deliver/settings.ts';
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import type { CameOfBot } from '../ledger/archive/archive.ts';
import { createRouter, type Router } from '../route/router.ts';
import type { Fault } from '../text/fault.ts';
import type { Clock } from '../time/clock.ts';
import type { AppSettings, UsableConfig, ReadAgain } from './settings.ts';

/** The files are polled: watchers miss changes on network file systems and in folders that Kubernetes mounts. */
const LOOK_MS = 1000;

/** A reload that failed for another reason than what its files say, e.g. for want of file descriptors, is tried again by itself. */
const AGAIN_MS = 10_000;

/** A preview compares the callbacks of the last days. */
const LOOKED_BACK_MS = 7 * 86_400_000;

const MOST_CHANGES = 1000;

export interface ReloaderDependencies {
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'startTimer'>;
  readonly settings: RunningSettings<AppSettings>;
  readonly ledger: Pick<DatabaseLedger, 'archive'>;
  /** Invalid files are problems in the result, not a rejection. */
  readonly readConfig: ReadAgain;
  /** @throws {Error} a channel cannot be opened; then none stays open */
  readonly open: (next: UsableConfig) => Promise<AppSettings>;
  readonly onReload: (result: ReloadResult, cause: string) => void;
}

export class Reloader implements Reloading {
  readonly #dependencies: ReloaderDependencies;
  #stopTimer = () => {};
  #loadedAt: number;
  /** The files that the last reload read, successful or not. */
  #readings: UsableConfig['readings'];
  #failure: ReloadStatus['failure'];
  /** On the monotonic clock; undefined: a change of the files is waited for. */
  #againAt: number | undefined;
  #unchanged: readonly string[] = [];
  /** Settles when the last requested reload has ended; reloads run one after the other. */
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

  /** Starts to poll the files. A change is loaded once two polls in a row read the same, so no file is half written. */
  watch(): void {
    let seen = '';
    const look = async () => {
      const found = await this.#readings.again();
      if (found === seen && this.#isDue(found))
        await this.reload(this.#againAt === undefined ? 'a change of its files' : 'another try');
      seen = found;
      if (!this.#isStopped) lookSoon();
    };
    const lookSoon = () => {
      this.#stopTimer = this.#dependencies.clock.startTimer(LOOK_MS, () => void look());
    };
    lookSoon();
  }

  reload(cause: string): Promise<ReloadResult> {
    if (this.#isStopped)
      return Promise.resolve({ isLoaded: false, problems: [this.#problem(fault('config.stopping'))] });
    const result = this.#last.then(() => this.#reload());
    this.#last = result.then((ended) => this.#dependencies.onReload(ended, cause)).catch(() => undefined);
    return result;
  }

  async preview(): Promise<ReloadPreview> {
    const { clock, readConfig, ledger } = this.#dependencies;
    const { router, config: running } = this.#loaded;
    const from = clock.now() - LOOKED_BACK_MS;
    const since = new Date(from).toISOString();
    const { loaded: next, problems } = await readConfig(running);
    const refused = { problems, configHash: undefined, since, unchanged: [], changes: [], isComplete: true };
    if (next === undefined) return refused;
    const { unchanged } = asItCanRun(next.config, running);
    const nextRouter = createRouter(next.config.routes, next.config.defaultRoute);
    const found = await routingChanges(ledger.archive, from, router.route, nextRouter.route);
    return { problems, configHash: next.configHash, since, ...found, unchanged };
  }

  /** Refuses further reloads and waits for the last requested one. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopTimer();
    await this.#last;
  }

  get #loaded(): AppSettings {
    return this.#dependencies.settings.current;
  }

  #isDue(found: string): boolean {
    if (this.#againAt === undefined) return found !== this.#readings.digest;
    return this.#dependencies.clock.monotonic() >= this.#againAt;
  }

  async #reload(): Promise<ReloadResult> {
    this.#againAt = undefined;
    const inForce = this.#failure === undefined ? this.#readings.digest : undefined;
    try {
      const { loaded, problems, readings } = await this.#dependencies.readConfig(this.#loaded.config);
      this.#readings = readings;
      if (loaded === undefined) return this.#refused(problems);
      await this.#put(loaded);
    } catch (error) {
      this.#againAt = this.#dependencies.clock.monotonic() + AGAIN_MS;
      const reason = error instanceof Error ? error.message : String(error);
      return this.#refused([this.#problem(fault('config.unusable', { why: this.#loaded.redact(reason) }))]);
    }
    const { configHash, warnings } = this.#loaded;
    const hasChanged = this.#readings.digest !== inForce;
    return { isLoaded: true, hasChanged, configHash, warnings, unchanged: this.#unchanged };
  }

  async #put(loaded: UsableConfig): Promise<void> {
    const { settings, open, clock } = this.#dependencies;
    const { config, unchanged } = asItCanRun(loaded.config, this.#loaded.config);
    settings.swap(await open({ ...loaded, config }));
    this.#loadedAt = clock.now();
    this.#failure = undefined;
    this.#unchanged = unchanged;
  }

  #refused(problems: readonly Problem[]): ReloadResult {
    this.#failure = { at: this.#dependencies.clock.now(), problems };
    return { isLoaded: false, problems };
  }

  #problem(what: Fault): Problem {
    const place = { file: this.#loaded.config.file, line: 1, column: 1 };
    return { place, fault: what, severity: 'error' };
  }
}

/**
 * The next config with the values that only a restart can change, the listeners' addresses and the store, taken from the running
 * one. If `admin.listen` differs, all of `admin` is kept: the next config may have no password, since its address needs none. So
 * is who may post, if the running receiver would be open to everybody.
 * @returns also the keys that differ, as `unchanged`
 */
export function asItCanRun(next: Config, running: Config) {
  const { listen } = running.receiver;
  const { url, maxSizeBytes } = running.store;
  const isAdminKept = !isDeepStrictEqual(next.admin?.listen, running.admin?.listen);
  const unchanged = [
    !isDeepStrictEqual(next.receiver.listen, listen) && 'receiver.listen',
    next.store.url !== url && 'store.url',
    next.store.maxSizeBytes !== maxSizeBytes && 'store.max_size',
    isAdminKept && 'admin.listen',
  ];
  const admin = isAdminKept ? running.admin : next.admin;
  const { tokens, allowFrom, trustProxy } = running.receiver;
  const asked = { ...next.receiver, listen };
  const receiver = isOpenToAll(asked) ? { ...asked, tokens, allowFrom, trustProxy } : asked;
  const config = { ...next, admin, receiver, store: { ...next.store, url, maxSizeBytes } };
  return { config, unchanged: unchanged.filter((key) => key !== false) };
}

type Route = Router['route'];

/** The destinations in which two routers differ for the callbacks of one BOT and status; empty when they agree. */
function changesOf(
  { botId, status, callbacks }: CameOfBot,
  before: Route,
  after: Route,
): readonly RoutingChange[] {
  const callback = { bot_id: botId, status };
  const keysOf = (route: Route) => route(callback).destinations.map(({ destination }) => destination);
  const [old, next] = [keysOf(before), keysOf(after)];
  const added = next.filter((key) => !old.includes(key));
  const removed = old.filter((key) => !next.includes(key));
  if (added.length + removed.length === 0) return [];
  return [{ botId, status: statusNameOf(callback), callbacks, added, removed }];
}

/** @param since milliseconds since 1970 @throws {LedgerUnavailable} */
export async function routingChanges(
  archive: Pick<DatabaseLedger['archive'], 'cameSince'>,
  since: number,
  before: Route,
  after: Route,
): Promise<Pick<ReloadPreview, 'changes' | 'isComplete'>> {
  const { came, isComplete } = await archive.cameSince(since);
  const changes = came.flatMap((each) => changesOf(each, before, after));
  return {
    changes: changes.toSorted((a, b) => b.callbacks - a.callbacks).slice(0, MOST_CHANGES),
    isComplete: isComplete && changes.length <= MOST_CHANGES,
  };
}
