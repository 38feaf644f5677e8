/** Tells a watcher elsewhere, at an interval and while all is well, that Botbell is there, so that it reports when it is gone. */
import { networkErrorOf } from '../channels/network-error.ts';
import type { Config } from '../config/config.ts';
import { askUrl, NotTaken } from '../outbound/ask-url.ts';
import { poolsThrough } from '../outbound/open-pool.ts';
import { readinessOf, type ReadinessSources, type Services } from './listeners.ts';

/** The ledger is looked at for what is due every second, and each look has a deadline far below this. */
const SILENT_MS = 60_000;

/** A watcher that takes longer to say yes is asked again next time. */
const ASKED_FOR_MS = 5000;

/** How often it is looked whether the next one is due, or the config has another URL. */
const LOOK_MS = 1000;

export interface HeartbeatServices
  extends Omit<ReadinessSources, 'clock'>, Pick<Services, 'clock' | 'logger'> {
  readonly settings: {
    readonly current: { readonly config: Pick<Config, 'heartbeat' | 'proxies'> };
  };
  readonly pipeline: { readonly lookedAt: number };
}

/** Looks at once, and again a second after what the last look asked has ended. @returns ends it */
export function startHeartbeat(services: HeartbeatServices, ask = askUrl): () => void {
  const { clock, logger, settings } = services;
  let [askedUrl, dueAt, said] = ['', 0, ''];
  let isStopped = false;
  let stopTimer = () => {};
  /** A line when it changes. */
  const say = (level: 'info' | 'warn', line: string, why: object = {}) => {
    if (!isStopped && line !== said) logger[level](why, line);
    said = line;
  };
  const beat = async (url: string) => {
    const troubles = troublesOf(services);
    if (troubles.length > 0) return say('warn', 'no heartbeat is sent while not all is well', { troubles });
    try {
      await ask(url, ASKED_FOR_MS, poolsThrough(settings.current.config.proxies));
      say('info', 'the heartbeat is taken');
    } catch (error) {
      const reason = error instanceof NotTaken ? error.message : networkErrorOf(error).words.en;
      say('warn', 'the heartbeat fails: whoever waits for it may report that Botbell is gone', { reason });
    }
  };
  const look = async () => {
    const { heartbeat } = settings.current.config;
    if (heartbeat !== undefined && (heartbeat.url !== askedUrl || clock.monotonic() >= dueAt)) {
      askedUrl = heartbeat.url;
      dueAt = clock.monotonic() + heartbeat.everyMs;
      await beat(heartbeat.url);
    }
    if (!isStopped) stopTimer = clock.startTimer(LOOK_MS, () => void look());
  };
  void look();
  return () => {
    isStopped = true;
    stopTimer();
  };
}

function troublesOf(services: HeartbeatServices): readonly string[] {
  const { clock, pipeline } = services;
  const { store, accepting } = readinessOf(services);
  const troubles = [
    !store && 'the store cannot be used',
    !accepting && 'Botbell is shutting down',
    clock.monotonic() - pipeline.lookedAt > SILENT_MS && 'nothing looks for what is due any more',
  ];
  return troubles.filter((trouble) => trouble !== false);
}
