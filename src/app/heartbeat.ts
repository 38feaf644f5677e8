/** Tells a watcher elsewhere, at an interval and while all is well, that Botbell is there, so that it reports when it is gone. */
import { isDeepStrictEqual } from 'node:util';
import { networkErrorOf } from '../channels/network-error.ts';
import type { Config } from '../config/config.ts';
import type { HeartbeatOutcome } from '../observe/metrics.ts';
import { askUrl, NotTaken } from '../outbound/ask-url.ts';
import { poolsThrough } from '../outbound/open-pool.ts';
import { readinessOf, type ReadinessSources } from './admin-services.ts';
import type { Services } from './services.ts';

/** The ledger is looked at for what is due every second, and each look has a deadline far below this. */
const SILENT_MS = 60_000;

/** A watcher that takes longer to say yes is asked again next time. */
const ASKED_FOR_MS = 5000;

interface WithHeartbeat {
  readonly loaded: { readonly config: Pick<Config, 'heartbeat' | 'proxies'> };
}

export interface HeartbeatServices
  extends Omit<ReadinessSources, 'clock'>, Pick<Services, 'clock' | 'logger' | 'metrics'> {
  readonly settings: {
    readonly current: WithHeartbeat;
    onSwap(swapped: () => void): void;
  };
  readonly pipeline: { readonly lookedAt: number };
}

export class Heartbeat {
  readonly #services: HeartbeatServices;
  readonly #ask: typeof askUrl;
  #followed: Config['heartbeat'];
  #superseded = new AbortController();
  #stopTimer = () => {};
  #last: HeartbeatOutcome | undefined;

  constructor(services: HeartbeatServices, ask = askUrl) {
    this.#services = services;
    this.#ask = ask;
    this.#follow();
    services.settings.onSwap(() => this.#follow());
  }

  /** Cuts off what is being asked. */
  stop(): void {
    this.#stopTimer();
    this.#superseded.abort();
  }

  /** By another config there is a first beat at once. */
  #follow(): void {
    const next = this.#services.settings.current.loaded.config.heartbeat;
    if (isDeepStrictEqual(next, this.#followed)) return;
    this.stop();
    this.#followed = next;
    this.#superseded = new AbortController();
    this.#last = undefined;
    if (next !== undefined) void this.#beat(next, this.#superseded.signal);
  }

  /** One at a time: the next one is `everyMs` after this one began, or when it has ended. */
  async #beat(settings: NonNullable<Config['heartbeat']>, superseded: AbortSignal): Promise<void> {
    const { clock } = this.#services;
    const nextAt = clock.monotonic() + settings.everyMs;
    const [outcome, why] = await this.#try(settings.url, superseded);
    if (superseded.aborted) return;
    this.#report(outcome, why);
    const beat = () => void this.#beat(settings, superseded);
    this.#stopTimer = clock.startTimer(Math.max(0, nextAt - clock.monotonic()), beat);
  }

  async #try(url: string, superseded: AbortSignal): Promise<[HeartbeatOutcome, why?: object]> {
    const troubles = troublesOf(this.#services);
    if (troubles.length > 0) return ['withheld', { troubles }];
    const open = poolsThrough(this.#services.settings.current.loaded.config.proxies);
    try {
      await this.#ask(url, ASKED_FOR_MS, superseded, open);
      return ['sent'];
    } catch (error) {
      const reason = error instanceof NotTaken ? error.message : networkErrorOf(error).words.en;
      return ['failed', { reason }];
    }
  }

  /** A line when it changes, and a count of all. */
  #report(outcome: HeartbeatOutcome, why: object = {}): void {
    const { logger, metrics } = this.#services;
    metrics.heartbeat(outcome);
    if (outcome === this.#last) return;
    this.#last = outcome;
    logger[outcome === 'sent' ? 'info' : 'warn'](why, LINES[outcome]);
  }
}

const LINES: Readonly<Record<HeartbeatOutcome, string>> = {
  sent: 'the heartbeat is taken',
  withheld: 'no heartbeat is sent while not all is well',
  failed: 'the heartbeat fails: whoever waits for it may report that Botbell is gone',
};

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
