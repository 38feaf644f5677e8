/** The composition root: a checked config in, a service that starts and stops out. */
import { getHeapStatistics } from 'node:v8';
import type { ReloadResult } from '../admin/services.ts';
import type { ChannelType } from '../channels/channel.ts';
import type { Config } from '../config/config.ts';
import { MemoryBudget, memoryFor } from '../deliver/memory-budget.ts';
import { RunningSettings } from '../deliver/settings.ts';
import type { ListeningServer } from '../http/server.ts';
import type { OpenLedger } from '../ledger/configs/config-store.ts';
import { startRetention } from '../ledger/retention/retention.ts';
import type { Logger } from '../observe/logger.ts';
import { createMetrics, type Metrics } from '../observe/metrics.ts';
import { Traffic } from '../receive/receiver.ts';
import { actionReports } from './action-reports.ts';
import { startHeartbeat } from './heartbeat.ts';
import { openAdmin, openReceiver } from './listeners.ts';
import { beginSeries } from './series.ts';
import type { Services } from './services.ts';
import { composePipeline, type Pipeline } from './pipeline.ts';
import {
  createRefusalLog,
  createStoreReport,
  pipelineReports,
  reportError,
  reportTrouble,
  reportUnforeseen,
} from './reports.ts';
import type { ConfigReading } from './read-config.ts';
import { reportReload } from './reload-report.ts';
import { openReloading } from './reloading.ts';
import { type LoadedConfig, openSettings, openStore, type SettingsEnvironment } from './settings.ts';
import { HiddenSecrets } from '../text/hide-secrets.ts';
import { type Clock, unfailing, within } from '../time/clock.ts';

/**
 * Once nothing is waited for any more: for what was cut to be written down, and for each listener, the channels and the
 * store to close. Together less than a second (contract, "Stopping").
 */
const GOODBYE_MS = 150;

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
  cleanUps.push(() => within(GOODBYE_MS, settings.close(), clock));
  const ledger = await openStore(settings, {
    clock,
    onStoreEvent: unfailing(createStoreReport(logger, metrics, clock), onUnforeseen),
    onTrouble: reportTrouble(logger),
  });
  sources.ledger = ledger;
  cleanUps.push(() => within(GOODBYE_MS, ledger.close(), clock));
  const memory = new MemoryBudget(clock, memoryFor(heapBytes()));
  const warnOfHeap = () => warnOfSmallHeap(settings.current.loaded.config, memory, logger);
  warnOfHeap();
  settings.onSwap(warnOfHeap);
  const reports = {
    ...pipelineReports(logger, metrics, clock, onUnforeseen),
    ...actionReports(logger, onUnforeseen),
  };
  const pipeline = composePipeline({ clock, settings, ledger, memory, onUnforeseen, ...reports });
  metrics.pausesCountedBy(() => pipeline.lanes.paused.length);
  const keepMs = () => settings.current.loaded.config.store.keepMs;
  const retention = startRetention(ledger, keepMs, clock, reportTrouble(logger));
  cleanUps.push(() => retention.stop());
  cleanUps.push(() => within(GOODBYE_MS, pipeline.seen.stop(), clock));
  await startPipeline(pipeline, clock, cleanUps);
  const traffic = new Traffic();
  const reloading = openReloading({
    clock,
    settings,
    ledger,
    readConfig: options.readConfig,
    open: (next) => openSettings(next, environment, settings.current),
    tryAgain: () => pipeline.follower.reviewAgain(),
    onReload: unfailing((result, cause) => reportReload(logger, metrics, result, cause), onUnforeseen),
  });
  const parts = { clock, logger, pipeline, settings, ledger, metrics, traffic, memory, onUnforeseen };
  const services = { ...parts, reloading, version, channelTypes };
  const listeners = await openListeners(services, cleanUps);
  beginHeartbeat(services, cleanUps);
  if (options.followsFiles !== false) reloading.watch();
  cleanUps.push(() => reloading.stop());
  return { ...listeners, reload: (cause) => reloading.reload(cause) };
}

async function startPipeline(
  { lanes, follower, worker, bulks }: Pipeline,
  clock: Clock,
  cleanUps: CleanUp[],
): Promise<void> {
  await lanes.refresh();
  await follower.start();
  cleanUps.push(() => within(GOODBYE_MS, follower.stop(), clock));
  worker.start();
  bulks.start();
  cleanUps.push(() => within(GOODBYE_MS, bulks.stop(), clock));
}

function beginHeartbeat(services: Services, cleanUps: CleanUp[]): void {
  const heartbeat = startHeartbeat(services);
  cleanUps.push(() => within(GOODBYE_MS, heartbeat.stop(), services.clock));
}

async function openListeners(
  services: Services,
  cleanUps: CleanUp[],
): Promise<Pick<RunningApp, 'receiver' | 'admin'>> {
  let draining: Promise<void> | undefined;
  const drained = () => (draining ??= drain(services));
  cleanUps.push(drained);
  const refusals = createRefusalLog(services.logger, services.clock);
  cleanUps.push(() => Promise.resolve(refusals.close()));
  const admin = await openAdmin(services, refusals);
  if (admin !== undefined) cleanUps.push(() => admin.close(GOODBYE_MS));
  const receiver = await openReceiver(services, refusals);
  cleanUps.push(async () => {
    await drained();
    await receiver.close(GOODBYE_MS);
  });
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
    onThreadEnded: reportError(logger, 'the thread of large callbacks ended'),
  };
}

/**
 * Nothing new begins, who only waits is taken over, and what is being attempted is finished, or cut at the end of
 * `answer_within`.
 */
async function drain({ pipeline, settings, traffic, clock }: Services): Promise<void> {
  const { bridge, worker, lanes, underWay } = pipeline;
  lanes.stop();
  underWay.stop();
  const drained = Promise.all([traffic.drain(), worker.stop(), bridge.drained()]);
  await within(settings.current.answer.answerWithinMs, drained, clock);
  underWay.cut();
  await within(GOODBYE_MS, drained, clock);
}

/** Whoever runs it in a heap that is too small for what its config lets in learns that when it is loaded. */
function warnOfSmallHeap({ receiver }: Config, { largest }: MemoryBudget, logger: Logger): void {
  const { maxBodyBytes, maxNodes } = receiver;
  if (maxBodyBytes <= largest.bytes && maxNodes <= largest.values) return;
  logger.warn(
    { heap_bytes: heapBytes(), max_body_bytes: largest.bytes, max_nodes: largest.values },
    'the heap is too small for receiver.max_body or max_nodes: larger callbacks are answered 413',
  );
}

function heapBytes(): number {
  return getHeapStatistics().heap_size_limit;
}
