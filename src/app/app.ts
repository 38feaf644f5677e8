/** The composition root: a checked config in, a service that starts and stops out. */
import type { ReloadResult } from '../admin/services.ts';
import type { ChannelType } from '../channels/channel.ts';
import { RunningSettings } from '../deliver/settings.ts';
import type { ListeningServer } from '../http/server.ts';
import type { OpenLedger } from '../ledger/database-ledger.ts';
import type { Logger } from '../observe/logger.ts';
import { createMetrics, type Metrics } from '../observe/metrics.ts';
import { Traffic } from '../receive/receiver.ts';
import { actionReports } from './action-reports.ts';
import { startHeartbeat } from './heartbeat.ts';
import { openAdmin, openReceiver } from './listeners.ts';
import { beginSeries } from './series.ts';
import type { Services } from './services.ts';
import { Pipeline } from './pipeline.ts';
import {
  createRefusalLog,
  createStoreReport,
  pipelineReports,
  reportTrouble,
  reportUnforeseen,
} from './reports.ts';
import type { ConfigReading } from './read-config.ts';
import { reportReload } from './reload-report.ts';
import { openReloading } from './reloading.ts';
import { type LoadedConfig, openSettings, openStore, type SettingsEnvironment } from './settings.ts';
import { HiddenSecrets } from '../text/hide-secrets.ts';
import { type Clock, unfailing, within } from '../time/clock.ts';

/** For the listeners to close, and for the channels, beside the store. */
const GOODBYE_MS = 100;

/** After `answer_within`, the store is waited for so long, and at least so long: the rest of a second is for all else. */
const STORE_GOODBYE_MS = 700;

export interface AppOptions extends LoadedConfig {
  readonly channelTypes: ReadonlyMap<string, ChannelType>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly version: string;
  /** Where the outbox prints. */
  readonly print: (text: string) => void;
  /** Reads the config again, for a reload. Never rejects for what the files hold. */
  readonly readConfig: () => Promise<ConfigReading>;
  /** Whether a change of the config's files is followed by itself; default: yes. */
  readonly followsFiles?: boolean;
  /** SQLite without a thread of its own: for tests, whose clocks no thread shares. */
  readonly isLedgerInProcess?: boolean;
  /** Gets those of each config that is loaded; whoever logs hides them. */
  readonly secrets?: HiddenSecrets;
}

export interface RunningApp {
  readonly receiver: ListeningServer;
  readonly admin: ListeningServer | undefined;
  /**
   * Goes on with what the config is now from the next callback on, but for `receiver.listen`, `admin.listen`, `store.url`
   * and `store.max_size`; one that cannot be used leaves the one before in force.
   * @param cause for the log
   */
  reload(cause: string): Promise<ReloadResult>;
  /** Answers 503 to what comes, finishes what is in flight, closes everything. */
  stop(): Promise<void>;
}

type CleanUp = () => Promise<void>;

/** @throws {Error} whatever keeps the service from starting, with everything that was opened closed again */
export async function startApp(options: AppOptions): Promise<RunningApp> {
  const cleanUps: CleanUp[] = [];
  const stop = async () => {
    for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
  };
  try {
    return { ...(await start(options, cleanUps)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(options: AppOptions, cleanUps: CleanUp[]): Promise<Omit<RunningApp, 'stop'>> {
  const { clock, logger, version, channelTypes } = options;
  const onUnforeseen = reportUnforeseen(logger);
  const sources: { ledger?: OpenLedger } = {};
  const metrics = metricsOf(options, sources);
  const environment = settingsEnvironment(options, metrics, onUnforeseen);
  const settings = new RunningSettings(await openSettings(options, environment), onUnforeseen);
  beginSeries(metrics, settings);
  let closeBy = 0;
  const closeStore = async () =>
    sources.ledger?.close(Math.max(STORE_GOODBYE_MS, closeBy - clock.monotonic()));
  cleanUps.push(() => allOf([closeStore(), within(GOODBYE_MS, settings.close(), clock)]));
  const ledger = (sources.ledger = await openStore(settings, {
    clock,
    isInProcess: options.isLedgerInProcess,
    onStoreEvent: unfailing(createStoreReport(logger, metrics, clock), onUnforeseen),
    onTrouble: reportTrouble(logger),
  }));
  const reports = {
    ...pipelineReports(logger, metrics, clock, onUnforeseen),
    ...actionReports(logger, onUnforeseen),
  };
  const pipeline = new Pipeline({ clock, settings, ledger, onUnforeseen, ...reports });
  metrics.pausesCountedBy(() => pipeline.paused.length);
  const reloading = openReloading({
    clock,
    settings,
    ledger,
    readConfig: options.readConfig,
    open: (next) => openSettings(next, environment, settings.current),
    tryAgain: () => pipeline.reviewAgain(),
    onReload: unfailing((result, cause) => reportReload(logger, metrics, result, cause), onUnforeseen),
  });
  const traffic = new Traffic();
  const parts = { clock, logger, pipeline, settings, ledger, metrics, traffic, onUnforeseen };
  const services = { ...parts, reloading, version, channelTypes };
  const doors: CleanUp[] = [() => pipeline.leave()];
  cleanUps.push(() => allOf(doors.map((close) => close())));
  cleanUps.push(() => {
    closeBy = clock.monotonic() + settings.current.answer.answerWithinMs + STORE_GOODBYE_MS;
    return drain(services, reloading.stop());
  });
  await pipeline.start();
  const listeners = await openListeners(services, doors);
  const heartbeat = startHeartbeat(services);
  doors.push(() => within(GOODBYE_MS, heartbeat.stop(), clock));
  if (options.followsFiles !== false) reloading.watch();
  return { ...listeners, reload: (cause) => reloading.reload(cause) };
}

/** Whoever comes is answered 503, and every POST by its time; the pipeline ends soon after that. */
async function drain({ traffic, pipeline, settings, clock }: Services, reload: Promise<void>): Promise<void> {
  const drained = allOf([traffic.drain(), reload]);
  await allOf([pipeline.stop(), within(settings.current.answer.answerWithinMs, drained, clock)]);
}

async function allOf(works: readonly Promise<unknown>[]): Promise<void> {
  await Promise.all(works);
}

async function openListeners(
  services: Services,
  doors: CleanUp[],
): Promise<Pick<RunningApp, 'receiver' | 'admin'>> {
  const refusals = createRefusalLog(services.logger, services.clock);
  doors.push(() => Promise.resolve(refusals.close()));
  const admin = await openAdmin(services, refusals);
  if (admin !== undefined) doors.push(() => admin.close(GOODBYE_MS));
  const receiver = await openReceiver(services, refusals);
  doors.push(() => receiver.close(GOODBYE_MS));
  return { receiver, admin };
}

/** They ask the store how much it holds, which counts in them what it forgets early. */
function metricsOf({ version, config }: AppOptions, sources: { readonly ledger?: OpenLedger }): Metrics {
  const metrics = createMetrics({
    version,
    countOpen: async () => sources.ledger?.countOpen().catch(() => undefined),
    storeBytes: async () => sources.ledger?.bytesUsed().catch(() => undefined),
  });
  const { url, maxSizeBytes } = config.store;
  metrics.storeLimitedTo(url.startsWith('sqlite:') ? maxSizeBytes : Number.POSITIVE_INFINITY);
  return metrics;
}

function settingsEnvironment(
  { channelTypes, clock, logger, print, secrets = new HiddenSecrets() }: AppOptions,
  metrics: Metrics,
  onUnforeseen: (error: unknown) => void,
): SettingsEnvironment {
  return {
    channelTypes,
    clock,
    print,
    secrets,
    onTemplateError: unfailing((failure) => {
      metrics.templateFailed();
      logger.error(failure, 'a template failed; the built-in one was used');
    }, onUnforeseen),
  };
}
