/** The heartbeat of the running service: by the settings in force, while it is ready and looks for what is due. */
import { networkErrorOf } from '../channels/network-error.ts';
import { poolsThrough } from '../outbound/open-pool.ts';
import type { Config } from '../config/config.ts';
import { askUrl, NotTaken } from '../outbound/ask-url.ts';
import { Heartbeat, type HeartbeatReport } from '../observe/heartbeat.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';
import { unfailing } from '../time/clock.ts';
import { readinessOf, type ReadinessSources } from './admin-services.ts';
import type { Services } from './services.ts';

/** The ledger is looked at for what is due every second, and each look has a deadline far below this. */
const SILENT_MS = 60_000;

interface WithHeartbeat {
  readonly loaded: { readonly config: Pick<Config, 'heartbeat' | 'proxies'> };
}

export interface HeartbeatServices
  extends Omit<ReadinessSources, 'clock'>, Pick<Services, 'clock' | 'logger' | 'metrics'> {
  readonly onUnforeseen: (error: unknown) => void;
  readonly settings: {
    readonly current: WithHeartbeat;
    onSwap(swapped: (next: WithHeartbeat) => void): void;
  };
  readonly pipeline: { readonly lookedAt: number };
}

export function startHeartbeat(services: HeartbeatServices): Heartbeat {
  const { clock, settings, logger, metrics, onUnforeseen } = services;
  const heartbeat = new Heartbeat({
    clock,
    troubles: () => Promise.resolve(troublesOf(services)),
    ask: (url, signal) => askUrl(url, signal, poolsThrough(settings.current.loaded.config.proxies)),
    onBeat: unfailing((report, isNews) => reportBeat(logger, metrics, report, isNews), onUnforeseen),
  });
  heartbeat.follow(settings.current.loaded.config.heartbeat);
  settings.onSwap((next) => heartbeat.follow(next.loaded.config.heartbeat));
  return heartbeat;
}

function troublesOf(services: HeartbeatServices): readonly string[] {
  const { clock, pipeline } = services;
  const { store, config, accepting } = readinessOf(services);
  const isWorking = clock.monotonic() - pipeline.lookedAt <= SILENT_MS;
  const troubles = [
    !store && 'the store cannot be used',
    !config && 'no config is loaded',
    !accepting && 'Botbell is shutting down',
    !isWorking && 'nothing looks for what is due any more',
  ];
  return troubles.filter((trouble) => trouble !== false);
}

/** A line when it changes, and a count of all. */
function reportBeat(logger: Logger, metrics: Metrics, report: HeartbeatReport, isNews: boolean): void {
  metrics.heartbeat(report.outcome);
  if (!isNews) return;
  if (report.outcome === 'sent') logger.info('the heartbeat is taken');
  else if (report.outcome === 'withheld')
    logger.warn({ troubles: report.troubles }, 'no heartbeat is sent while not all is well');
  else
    logger.warn(
      { reason: reasonOf(report.error) },
      'the heartbeat fails: whoever waits for it may report that Botbell is gone',
    );
}

function reasonOf(error: unknown): string {
  return error instanceof NotTaken ? error.message : networkErrorOf(error).words.en;
}
