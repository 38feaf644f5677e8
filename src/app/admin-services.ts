/** What the admin listener shows and does, by the settings in force whenever it is asked. */
import { readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import type { AdminServices, Readiness, Reloading, Sample, Surroundings } from '../admin/services.ts';
import type { ChannelType } from '../channels/channel.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';
import { SAMPLES } from '../package-files.ts';
import { drawingOf } from './drawing.ts';
import type { Loads } from '../receive/loads.ts';
import type { Pipeline, PipelineParts } from './pipeline.ts';

/** What the listeners need of the process. */
export interface Services extends PipelineParts {
  readonly logger: Logger;
  readonly pipeline: Pipeline;
  readonly metrics: Metrics;
  readonly loads: Loads;
  readonly reloading: Reloading;
  readonly version: string;
  readonly channelTypes: ReadonlyMap<string, ChannelType>;
}

export function adminServices(services: Services): AdminServices {
  const { pipeline, ledger, metrics, reloading, reports } = services;
  return {
    surroundings: surroundingsOf(services),
    metrics,
    readiness: () => readinessOf(services),
    archive: ledger.archive,
    operations: pipeline.operations,
    reloading,
    onUnforeseen: reports.onUnforeseen,
    drawing: () => drawingOf(services),
    paused: () => pipeline.paces.paused,
    samples: samplesIn(SAMPLES),
  };
}

/** @throws {Error} the program is not whole */
function samplesIn(folder: string): readonly Sample[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({ name: basename(file, '.json'), text: readFileSync(join(folder, file), 'utf8') }));
}

function surroundingsOf({ clock, settings, version }: Services): Surroundings {
  return {
    version,
    processName: `${hostname()}/${process.pid}`,
    now: () => clock.now(),
    display: () => settings.current.config.display,
    redact: (text) => settings.current.redact(text),
  };
}

export interface ReadinessSources {
  readonly clock: Pick<Services['clock'], 'monotonic'>;
  readonly ledger: Pick<Services['ledger'], 'writtenAt'>;
  readonly loads: Pick<Services['loads'], 'isDraining'>;
}

/** The heartbeat writes every five seconds. */
const WRITTEN_WITHIN_MS = 15_000;

export function readinessOf({ clock, ledger: { writtenAt }, loads }: ReadinessSources): Readiness {
  const store = writtenAt !== undefined && clock.monotonic() - writtenAt <= WRITTEN_WITHIN_MS;
  // A reload that was refused leaves a good one in force: no reason to send the service's callbacks elsewhere.
  return { store, config: true, accepting: !loads.isDraining };
}
