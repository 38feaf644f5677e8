/** Tells a watcher elsewhere, at an interval, that all is well, so that it reports when Botbell is gone. */
import type { Clock } from '../time/clock.ts';

export interface HeartbeatSettings {
  /** http or https. */
  readonly url: string;
  readonly everyMs: number;
}

export type HeartbeatReport =
  | { readonly outcome: 'sent' }
  | { readonly outcome: 'failed'; readonly error: unknown }
  /** Not all is well: the URL was not asked. */
  | { readonly outcome: 'withheld'; readonly troubles: readonly string[] };

export type HeartbeatOutcome = HeartbeatReport['outcome'];

export interface HeartbeatDependencies {
  readonly clock: Pick<Clock, 'monotonic' | 'startTimer'>;
  /** What is not well, each in a few words; empty: all is well. Has a deadline of its own. */
  readonly troubles: () => Promise<readonly string[]>;
  /** @throws {Error} it was not taken, or the signal's reason */
  readonly ask: (url: string, signal: AbortSignal) => Promise<void>;
  /** @param isNews the one before came to something else, or there was none. Must not throw */
  readonly onBeat: (report: HeartbeatReport, isNews: boolean) => void;
}

/** A watcher that takes longer to say yes is asked again next time. */
const ASKED_FOR_MS = 5000;

export class Heartbeat {
  readonly #dependencies: HeartbeatDependencies;
  #settings: HeartbeatSettings | undefined;
  #superseded = new AbortController();
  #stopTimer = () => {};
  #beating: Promise<void> = Promise.resolve();
  #last: HeartbeatOutcome | undefined;

  constructor(dependencies: HeartbeatDependencies) {
    this.#dependencies = dependencies;
  }

  /** Goes by these from now on, with a first beat at once where they are others; undefined: there is none. */
  follow(next: HeartbeatSettings | undefined): void {
    if (next?.url === this.#settings?.url && next?.everyMs === this.#settings?.everyMs) return;
    this.#end();
    this.#settings = next;
    this.#last = undefined;
    if (next !== undefined) this.#begin(next);
  }

  /** Cuts off what is being asked; resolves when nothing of it is left. */
  async stop(): Promise<void> {
    this.#end();
    this.#settings = undefined;
    await this.#beating;
  }

  #end(): void {
    this.#stopTimer();
    this.#superseded.abort();
    this.#superseded = new AbortController();
  }

  #begin(settings: HeartbeatSettings): void {
    this.#beating = this.#beat(settings, this.#superseded.signal);
  }

  /** One at a time: the next one is `everyMs` after this one began, or when it has ended. */
  async #beat(settings: HeartbeatSettings, superseded: AbortSignal): Promise<void> {
    const { clock, onBeat } = this.#dependencies;
    const nextAt = clock.monotonic() + settings.everyMs;
    const report = await this.#try(settings.url, superseded);
    if (superseded.aborted) return;
    onBeat(report, report.outcome !== this.#last);
    this.#last = report.outcome;
    this.#stopTimer = clock.startTimer(Math.max(0, nextAt - clock.monotonic()), () => this.#begin(settings));
  }

  async #try(url: string, superseded: AbortSignal): Promise<HeartbeatReport> {
    const { clock, troubles: findTroubles, ask } = this.#dependencies;
    const late = new AbortController();
    let stopTimer = () => {};
    try {
      const troubles = await findTroubles();
      if (troubles.length > 0) return { outcome: 'withheld', troubles };
      stopTimer = clock.startTimer(ASKED_FOR_MS, () => late.abort(timeout()));
      await ask(url, AbortSignal.any([superseded, late.signal]));
      return { outcome: 'sent' };
    } catch (error) {
      return { outcome: 'failed', error };
    } finally {
      stopTimer();
    }
  }
}

function timeout(): DOMException {
  return new DOMException('The heartbeat was not answered in time', 'TimeoutError');
}
