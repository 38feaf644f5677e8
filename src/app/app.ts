/** The composition root: makes a checked config into a service that starts and stops, with two listeners that stay open while a reload swaps the settings. */
import { readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import type { AdminServices, Readiness, Reloading } from '../admin/services.ts';
import { RunningSettings } from '../deliver/settings.ts';
import { type Handler, listen as listenAt, type ListeningServer } from '../http/server.ts';
import { type LedgerOptions, openLedger } from '../ledger/open-ledger.ts';
import { ownerName } from '../ledger/shared/processes.ts';
import type { Logger } from '../observe/logger.ts';
import { createMetrics, type Metrics } from '../observe/metrics.ts';
import { Loads } from '../receive/loads.ts';
import { type Random, systemRandom } from '../text/random.ts';
import { type Clock, waitAtMost } from '../time/clock.ts';
import { Pipeline, type PipelineParts } from './pipeline.ts';
import { Reloader } from './reload.ts';
import { Reports } from './reports.ts';
import { beginSeries, figuresOf } from './series.ts';
import {
  type AppSettings,
  openSettings,
  type SettingsEnvironment,
  type UsableConfig,
  type ReadAgain,
} from './settings.ts';
import { createAdmin } from '../admin/admin.ts';
import { createApi } from '../admin/api.ts';
import { drawingOf } from '../admin/drawing.ts';
import { createPages } from '../admin/page/page-router.tsx';
import { WrongPasswords } from '../admin/password.ts';
import { samplesIn } from '../package-files.ts';
import { createReceiver } from '../receive/receiver.ts';
import { isWritten, storeTroubleOf } from './heartbeat.ts';

const GOODBYE_MS = 100;

/** Time for the store to close, counted from the end of `answer_within` or from now if that is later. A stop adds at most 1 s in all. */
const STORE_GOODBYE_MS = 500;

export interface AppOptions extends UsableConfig, Omit<SettingsEnvironment, 'onTemplateError'> {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly version: string;
  /** For a reload. Invalid files are problems in the result, not a rejection. */
  readonly readConfig: ReadAgain;
  /** Default: the system's. */
  readonly random?: Random;
  /** Default: opens sockets. */
  readonly listen?: typeof listenAt;
  /** What differs in how this process opens its store. */
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
  cleanUps.push(() => waitAtMost(GOODBYE_MS, settings.close(), clock));
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
      pipeline.configRead(result.isLoaded ? undefined : result.problems);
    },
  });
  const loads = new Loads(clock, options.config.receiver, () => pipeline.posts.makeRoom());
  const parts = { clock, random, logger, channelTypes, pipeline, settings, ledger, metrics, reports };
  const services = { ...parts, listen, loads, reloading, version };
  const doors: CleanUp[] = [() => pipeline.signOff()];
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
    waitAtMost(settings.current.config.receiver.answerWithinMs, drained, clock),
  ]);
}

interface Services extends PipelineParts {
  readonly pipeline: Pipeline;
  readonly metrics: Metrics;
  readonly listen: typeof listenAt;
  readonly loads: Loads;
  readonly reloading: Reloading;
  readonly version: string;
}

async function openAdmin(running: Services): Promise<ListeningServer | undefined> {
  const { settings, clock, reports } = running;
  const { admin } = settings.current.config;
  if (admin === undefined) return undefined;
  const services = adminServices(running);
  const fixed = {
    services,
    wrongPasswords: new WrongPasswords(clock),
    api: createApi(services),
    page: createPages(services),
    onTurnedAway: reports.onAdminTurnedAway,
  };
  const handler = inForce(settings, ({ config }) =>
    // The address, and whether there is one, changes only with a restart.
    createAdmin({ ...fixed, config: config.admin ?? admin }).callback(),
  );
  return running.listen(handler, admin.listen, reports.onAdminTurnedAway);
}

/** Handles each request by the settings in force when it comes. */
function inForce(settings: RunningSettings<AppSettings>, handlerOf: (by: AppSettings) => Handler): Handler {
  let handle = handlerOf(settings.current);
  settings.onSwap((next) => {
    handle = handlerOf(next);
  });
  return (request, response) => handle(request, response);
}

export function openReceiver(services: Services): Promise<ListeningServer> {
  const { settings, loads, reports, listen } = services;
  settings.onSwap(({ config }) => loads.resize(config.receiver));
  const handler = inForce(settings, (by) => receiverOf(by, services));
  return listen(handler, settings.current.config.receiver.listen, reports.onTurnedAway);
}

function receiverOf({ config }: AppSettings, services: Services): Handler {
  const { pipeline, clock, loads, reports } = services;
  const { onTurnedAway, onUnforeseen } = reports;
  return createReceiver({
    config: config.receiver,
    clock,
    timezone: config.display.timezone,
    post: pipeline.posts.post,
    refuse: (refusal) => pipeline.refuse(refusal),
    loads,
    onTurnedAway,
    onUnforeseen,
    onCallback: (report) => {
      reports.onCallback(report);
      if (report.status === 503 && report.callback) pipeline.outage.refused(report.callback);
    },
  }).callback();
}

function adminServices(services: Services): AdminServices {
  const { pipeline, ledger, metrics, reloading, reports, settings } = services;
  return {
    surroundings: {
      version: services.version,
      processName: `${hostname()}/${process.pid}`,
      now: () => services.clock.now(),
      display: () => settings.current.config.display,
      redact: (text) => settings.current.hide(text),
    },
    metrics: {
      contentType: metrics.contentType,
      text: () => metrics.text(() => figuresOf(services)),
    },
    readiness: () => readinessOf(services),
    storeTrouble: () => storeTroubleOf(services),
    archive: ledger.archive,
    people: pipeline.people,
    reloading,
    onUnforeseen: reports.onUnforeseen,
    drawing: () => drawingOf(settings.current, services.channelTypes),
    samples: jsonFilesOf(samplesIn(settings.current.config.display.language)),
  };
}

/** @throws {Error} the folder is missing from the installation */
function jsonFilesOf(folder: string): AdminServices['samples'] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({ name: basename(file, '.json'), text: readFileSync(join(folder, file), 'utf8') }));
}

export function readinessOf({
  clock,
  ledger,
  loads,
}: Pick<Services, 'clock' | 'ledger' | 'loads'>): Readiness {
  // `config` is always true: after a refused reload a valid config is still in force, so callbacks need not go elsewhere.
  return { store: isWritten(ledger, clock), config: true, accepting: !loads.isDraining };
}
