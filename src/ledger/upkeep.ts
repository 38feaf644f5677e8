/** Keeps what is stored true while processes die and clocks are set: claims of the dead are free, and no wait is longer than it may be. */
import type { Clock } from '../time/clock.ts';
import type { LongestWaits } from './operations/clock.ts';
import type { RunningConfig } from './operations/processes.ts';
import { isGone } from './owners.ts';
import type { CallOperation } from './registry.ts';

/** From then on a process begins no attempt: ten seconds later the others take over what it has claimed. */
const UNHEARD_AFTER_MS = 20_000;

/** The store's time and this process's may part by so much within a call. */
const SLACK_MS = 1000;

/** After the store's clock was set forward, time for the other processes to write a heartbeat by it. */
const SETTLED_AFTER_MS = 10_000;

export interface UpkeepSettings extends LongestWaits {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly isGone?: ((owner: string) => boolean) | undefined;
}

/** A heartbeat that was written. `asOf`: by the store's clock, the others by the monotonic one. */
interface Beat {
  readonly asOf: number;
  readonly begunAt: number;
  readonly endedAt: number;
}

export class Upkeep {
  readonly #call: CallOperation;
  readonly #settings: UpkeepSettings;
  #last: Beat | undefined;
  /** Silent processes whose claims have been freed since. */
  #freed: ReadonlySet<string> = new Set();
  /** The store may have times that were made by a clock that was ahead. */
  #mayBeAhead = true;
  /** By the monotonic clock. */
  #silenceCountsFrom = -Infinity;

  constructor(call: CallOperation, settings: UpkeepSettings) {
    this.#call = call;
    this.#settings = settings;
  }

  /** Whether a heartbeat could be written within 20 s; if not, others may soon take this process for dead. */
  get isHeard(): boolean {
    return this.#settings.clock.monotonic() - (this.#last?.begunAt ?? -Infinity) < UNHEARD_AFTER_MS;
  }

  /** As the operation `heartbeat`. @returns whether this process may route anew */
  async heartbeat(config: RunningConfig): Promise<boolean> {
    const { clock } = this.#settings;
    const begunAt = clock.monotonic();
    const { mayRouteAnew, asOf } = await this.#call('heartbeat', [config]);
    this.#note({ asOf, begunAt, endedAt: clock.monotonic() });
    return mayRouteAnew;
  }

  /** As `DatabaseLedger.lookAfter`. @throws {LedgerUnavailable} */
  async lookAfter(): Promise<boolean> {
    const isCorrected = this.#mayBeAhead;
    const { leaseMs, takeOverAfterMs } = this.#settings;
    if (isCorrected) await this.#call('correctTimes', [{ leaseMs, takeOverAfterMs }]);
    this.#mayBeAhead = false;
    return (await this.#freeClaims()) || isCorrected;
  }

  #note(beat: Beat): void {
    const last = this.#last;
    this.#last = beat;
    if (last === undefined) return;
    const passedMs = beat.asOf - last.asOf;
    if (passedMs < beat.begunAt - last.endedAt - SLACK_MS) this.#mayBeAhead = true;
    if (passedMs > beat.endedAt - last.begunAt + SLACK_MS)
      this.#silenceCountsFrom = beat.endedAt + SETTLED_AFTER_MS;
  }

  async #freeClaims(): Promise<boolean> {
    const { clock, isGone: hasEnded = isGone } = this.#settings;
    const others = await this.#call('otherProcesses', []);
    const gone = others.map(({ owner }) => owner).filter(hasEnded);
    if (clock.monotonic() < this.#silenceCountsFrom) return this.#free(gone, []);
    const silent = others.filter(({ isSilent }) => isSilent).map(({ owner }) => owner);
    const isAny = await this.#free(
      gone,
      silent.filter((owner) => !this.#freed.has(owner)),
    );
    this.#freed = new Set(silent);
    return isAny;
  }

  async #free(gone: readonly string[], silent: readonly string[]): Promise<boolean> {
    return gone.length + silent.length > 0 && this.#call('freeClaims', [gone, silent]);
  }
}
