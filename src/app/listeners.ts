/** Opens the two listeners, which stay open while a reload swaps the settings behind them, and gives them their services. */
import { readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { createAdmin } from '../admin/admin.ts';
import { createApi } from '../admin/api.ts';
import { drawingOf } from '../admin/drawing.ts';
import { createPages } from '../admin/page/page-router.tsx';
import { WrongPasswords } from '../admin/password.ts';
import type { AdminServices, Readiness, Reloading } from '../admin/services.ts';
import type { Handler, listen, ListeningServer } from '../http/server.ts';
import type { Metrics } from '../observe/metrics.ts';
import { samplesIn } from '../package-files.ts';
import type { Loads } from '../receive/loads.ts';
import { createReceiver } from '../receive/receiver.ts';
import { isWritten, storeTroubleOf } from './heartbeat.ts';
import type { Pipeline, PipelineParts } from './pipeline.ts';
import { figuresOf } from './series.ts';
import type { AppSettings } from './settings.ts';

export interface Services extends PipelineParts {
  readonly pipeline: Pipeline;
  readonly metrics: Metrics;
  readonly listen: typeof listen;
  readonly loads: Loads;
  readonly reloading: Reloading;
  readonly version: string;
}

export async function openAdmin(running: Services): Promise<ListeningServer | undefined> {
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
  let handle = createAdmin({ ...fixed, config: admin }).callback();
  settings.onSwap(({ config }) => {
    if (config.admin !== undefined) handle = createAdmin({ ...fixed, config: config.admin }).callback();
  });
  return running.listen(
    (request, response) => handle(request, response),
    admin.listen,
    reports.onAdminTurnedAway,
  );
}

export function openReceiver(services: Services): Promise<ListeningServer> {
  const { settings, loads, reports } = services;
  const { receiver } = settings.current.config;
  let handle = receiverOf(settings.current, services);
  settings.onSwap((next) => {
    loads.resize(next.config.receiver);
    handle = receiverOf(next, services);
  });
  return services.listen(
    (request, response) => handle(request, response),
    receiver.listen,
    reports.onTurnedAway,
  );
}

function receiverOf({ config }: AppSettings, services: Services): Handler {
  const { pipeline, clock, loads, reports } = services;
  return createReceiver({
    config: config.receiver,
    clock,
    timezone: config.display.timezone,
    post: pipeline.posts.post,
    refuse: (refusal) => pipeline.refuse(refusal),
    loads,
    report: (report) => {
      reports.onCallback(report);
      if (report.status === 503 && report.callback) pipeline.outage.refused(report.callback);
    },
    reportTurnedAway: reports.onTurnedAway,
    onUnforeseen: reports.onUnforeseen,
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
      redact: (text) => settings.current.redact(text),
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
    paused: () => pipeline.paces.paused,
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
