/** Tells a watcher elsewhere, at an interval and while all is well, that Botbell is there, so that it reports when it is gone. */
import { networkErrorOf } from '../channels/network-error.ts';
import type { Config } from '../config/config.ts';
import { askUrl, NotTaken } from '../outbound/ask-url.ts';
import { poolsThrough } from '../outbound/open-pool.ts';
import { readinessOf, type ReadinessSources, type Services } from './admin-services.ts';

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

export class Heartbeat {
  readonly #services: HeartbeatServices;
  readonly #ask: typeof askUrl;
  #url: string | undefined;
  #dueAt = 0;
  #isStopped = false;
  #stopTimer = () => {};
  #said: string | undefined;

  constructor(services: HeartbeatServices, ask = askUrl) {
    this.#services = services;
    this.#ask = ask;
    void this.#look();
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopTimer();
  }

  /** One at a time: the next look is after what this one asked has ended. */
  async #look(): Promise<void> {
    const { clock, settings } = this.#services;
    const { heartbeat } = settings.current.config;
    if (heartbeat !== undefined && (heartbeat.url !== this.#url || clock.monotonic() >= this.#dueAt)) {
      this.#url = heartbeat.url;
      this.#dueAt = clock.monotonic() + heartbeat.everyMs;
      await this.#beat(heartbeat.url);
    }
    if (!this.#isStopped) this.#stopTimer = clock.startTimer(LOOK_MS, () => void this.#look());
  }

  async #beat(url: string): Promise<void> {
    const troubles = troublesOf(this.#services);
    if (troubles.length > 0)
      return this.#say('warn', 'no heartbeat is sent while not all is well', { troubles });
    try {
      await this.#ask(url, ASKED_FOR_MS, poolsThrough(this.#services.settings.current.config.proxies));
      this.#say('info', 'the heartbeat is taken');
    } catch (error) {
      const reason = error instanceof NotTaken ? error.message : networkErrorOf(error).words.en;
      this.#say('warn', 'the heartbeat fails: whoever waits for it may report that Botbell is gone', {
        reason,
      });
    }
  }

  /** A line when it changes. */
  #say(level: 'info' | 'warn', line: string, why: object = {}): void {
    if (!this.#isStopped && line !== this.#said) this.#services.logger[level](why, line);
    this.#said = line;
  }
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
