/** The composition root: makes a checked config into a service that starts and stops. */
import type { Reloading } from '../admin/services.ts';
import { RunningSettings } from '../deliver/settings.ts';
import { listen as listenAt, type ListeningServer } from '../http/server.ts';
import { type LedgerOptions, openLedger } from '../ledger/open-ledger.ts';
import { ownerName } from '../ledger/shared/processes.ts';
import type { Logger } from '../observe/logger.ts';
import { createMetrics } from '../observe/metrics.ts';
import { Loads } from '../receive/loads.ts';
import { type Random, systemRandom } from '../text/random.ts';
import { type Clock, within } from '../time/clock.ts';
import { openAdmin, openReceiver, type Services } from './listeners.ts';
import { Pipeline } from './pipeline.ts';
import type { ReadAgain } from './read-config.ts';
import { Reloader } from './reload.ts';
import { Reports } from './reports.ts';
import { beginSeries } from './series.ts';
import { type AppSettings, openSettings, type SettingsEnvironment, type UsableConfig } from './settings.ts';

const GOODBYE_MS = 100;

/** Time for the store to close, counted from the end of `answer_within` or from now if that is later. A stop adds at most 1 s in all. */
const STORE_GOODBYE_MS = 500;

export interface AppOptions extends UsableConfig, Omit<SettingsEnvironment, 'onTemplateError'> {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly version: string;
  /** For a reload. Invalid files are problems in the result, not a rejection. */
  readonly readConfig: ReadAgain;
  /** The system's where it is left out. */
  readonly random?: Random;
  /** Opens sockets where it is left out. */
  readonly listen?: typeof listenAt;
  /** How this process opens its store, where that differs. */
  readonly store?: Partial<
    Pick<LedgerOptions, 'clock' | 'owner' | 'isGone' | 'isInProcess' | 'flush' | 'around'>
  >;
}

export interface RunningApp {
  readonly receiver: ListeningServer;
  readonly admin: ListeningServer | undefined;
  /** @param cause for the log */
  readonly reload: Reloading['reload'];
  /** Answers new requests with 503, finishes those in flight, then closes everything. */
  stop(): Promise<void>;
}

type CleanUp = () => Promise<unknown>;

/** @throws {Error} the service cannot start; everything that was opened is closed again */
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
  const { clock, logger, version, channelTypes, readConfig } = options;
  const { random = systemRandom, listen = listenAt } = options;
  const metrics = createMetrics(version);
  const reports = new Reports(logger, metrics, clock);
  const environment = { ...options, onTemplateError: reports.onTemplateError };
  const settings = new RunningSettings(await openSettings(options, environment), clock, reports.onUnforeseen);
  beginSeries(metrics, settings);
  cleanUps.push(() => within(GOODBYE_MS, settings.close(), clock));
  const ledger = await openStore(options, settings, reports);
  let closeBy = 0;
  cleanUps.push(() => ledger.close(Math.max(STORE_GOODBYE_MS, closeBy - clock.monotonic())));
  const pipeline = new Pipeline({ clock, random, logger, channelTypes, settings, ledger, reports });
  const reloading = new Reloader({
    clock,
    settings,
    ledger,
    readConfig,
    open: (next) => openSettings(next, environment, settings.current),
    onReload: (result, cause) => {
      reports.onReload(result, cause);
      void (result.isLoaded ? pipeline.configMended() : pipeline.reloadRefused(result.problems));
    },
  });
  const loads = new Loads(clock, options.config.receiver, () => pipeline.posts.relieve());
  const parts = { clock, random, logger, channelTypes, pipeline, settings, ledger, metrics, reports };
  const services = { ...parts, listen, loads, reloading, version };
  const doors: CleanUp[] = [() => pipeline.leave()];
  cleanUps.push(() => Promise.all(doors.map((close) => close())));
  cleanUps.push(() => {
    closeBy = clock.monotonic() + settings.current.config.receiver.answerWithinMs + STORE_GOODBYE_MS;
    return drain(services, reloading.stop());
  });
  await pipeline.start();
  const admin = await openAdmin(services);
  if (admin !== undefined) doors.push(() => admin.close(GOODBYE_MS));
  const receiver = await openReceiver(services);
  doors.push(() => receiver.close(GOODBYE_MS));
  reloading.watch();
  return { receiver, admin, reload: (cause) => reloading.reload(cause) };
}

/** The ledger reads the durations from the settings in force at each use. */
function openStore(
  { clock, random, store }: AppOptions,
  settings: Pick<RunningSettings<AppSettings>, 'current' | 'workMs'>,
  { onStoreEvent, onUpgrade }: Reports,
) {
  const { url, maxSizeBytes: maxBytes } = settings.current.config.store;
  const owner = ownerName(clock.now());
  return openLedger(url, {
    clock,
    random,
    owner,
    maxBytes,
    onStoreEvent,
    onUpgrade,
    ...store,
    get workMs() {
      return settings.workMs;
    },
    get takeOverAfterMs() {
      return settings.current.config.delivery.takeOverAfterMs;
    },
  });
}

/** Answers new POSTs with 503 and those in flight within `answer_within`; the pipeline ends soon after that. */
function drain({ loads, pipeline, settings, clock }: Services, reload: Promise<void>): Promise<unknown> {
  const drained = Promise.all([loads.drain(), reload]);
  return Promise.all([
    pipeline.stop(),
    within(settings.current.config.receiver.answerWithinMs, drained, clock),
  ]);
}
