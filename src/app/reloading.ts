/** What a running Botbell does with a config that has changed, for whoever asks: SIGHUP, the admin listener, its files. */
import type { Reloading, ReloadPreview, ReloadResult } from '../admin/services.ts';
import type { RunningSettings } from '../deliver/settings.ts';
import type { OpenLedger } from '../ledger/database-ledger.ts';
import { createRouter } from '../route/router.ts';
import type { Clock } from '../time/clock.ts';
import { ConfigWatch } from './config-watch.ts';
import { asItCanRun } from './fixed-settings.ts';
import type { ConfigReading } from './read-config.ts';
import { Reloader } from './reloader.ts';
import { firstDay, routingChanges } from './routing-changes.ts';
import type { AppSettings, LoadedConfig } from './settings.ts';

type Route = AppSettings['route'];

export interface ReloadingDependencies {
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'startTimer'>;
  readonly settings: RunningSettings<AppSettings>;
  readonly ledger: Pick<OpenLedger, 'archive' | 'configs'>;
  /** Never rejects for what the files hold. */
  readonly readConfig: () => Promise<ConfigReading>;
  /** @throws {Error} a channel that cannot be opened; then nothing is */
  readonly open: (next: LoadedConfig) => Promise<AppSettings>;
  readonly tryAgain: () => void;
  readonly onReload: (result: ReloadResult, cause: string) => void;
}

export interface OpenReloading extends Reloading {
  /** From now on, a change of the config's files is followed. */
  watch(): void;
  /** Ends with the reload that is under way. */
  stop(): Promise<void>;
}

export function openReloading(dependencies: ReloadingDependencies): OpenReloading {
  const { clock, settings, ledger } = dependencies;
  const reloader = new Reloader(dependencies);
  const watch = new ConfigWatch({
    clock,
    watched: () => reloader.readings,
    onChange: () => reloader.reloadIfChanged('a change of its files'),
  });
  return {
    get status() {
      return reloader.status;
    },
    reload: (cause) => reloader.reload(cause),
    preview: () => preview(dependencies, reloader),
    configText: () => settings.current.loaded.text,
    processes: () => ledger.configs.processes(),
    watch: () => watch.start(),
    stop: async () => {
      watch.stop();
      await reloader.stop();
    },
  };
}

async function preview(
  { clock, settings, ledger, readConfig }: ReloadingDependencies,
  { isInForce, previousRoute, status: { unchanged: left } }: Reloader,
): Promise<ReloadPreview> {
  const { current } = settings;
  const { config: running, configHash, warnings } = current.loaded;
  const since = firstDay(clock.now(), running.display.timezone);
  const changesFrom = (before: Route, after: Route) =>
    routingChanges({ archive: ledger.archive, clock }, since, before, after);
  if (isInForce) {
    const found = await changesFrom(previousRoute ?? current.route, current.route);
    return { isApplied: true, problems: warnings, configHash, since, ...found, unchanged: left };
  }
  const { loaded, problems } = await readConfig();
  if (loaded === undefined) return refusedPreview(problems, since);
  const { unchanged } = asItCanRun(loaded.config, running);
  const next = createRouter(loaded.config.routes, loaded.config.defaultRoute);
  const found = await changesFrom(current.route, (callback) => next.route(callback));
  return { isApplied: false, problems, configHash: loaded.configHash, since, ...found, unchanged };
}

function refusedPreview(problems: ReloadPreview['problems'], since: string): ReloadPreview {
  const nothing = { changes: [], isComplete: true, unchanged: [] };
  return { isApplied: false, problems, configHash: undefined, since, ...nothing };
}
