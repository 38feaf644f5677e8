/** Keeps the store's word true while processes die: what one held that is no more is free, and one that is not heard begins nothing. */
import type { Clock } from '../time/clock.ts';
import type { RunningConfig } from './operations/processes.ts';
import type { CallOperation } from './registry.ts';

/** From then on a process begins no attempt: ten seconds later the others take over what it has claimed. */
const UNHEARD_AFTER_MS = 20_000;

export interface UpkeepSettings {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Whether the owner of claims was a process of this machine and is none any more. */
  readonly isGone: (owner: string) => boolean;
}

export class Upkeep {
  readonly #call: CallOperation;
  readonly #settings: UpkeepSettings;
  /** When the last heartbeat began that was written, by the monotonic clock. */
  #heardAt = -Infinity;
  /** Silent processes whose claims have been freed since. */
  #freed: ReadonlySet<string> = new Set();

  constructor(call: CallOperation, settings: UpkeepSettings) {
    this.#call = call;
    this.#settings = settings;
  }

  /** Whether a heartbeat could be written within 20 s; if not, others may soon take this process for dead. */
  get isHeard(): boolean {
    return this.#settings.clock.monotonic() - this.#heardAt < UNHEARD_AFTER_MS;
  }

  /** As the operation `heartbeat`. */
  async heartbeat(config: RunningConfig): Promise<boolean> {
    const begunAt = this.#settings.clock.monotonic();
    const mayRouteAnew = await this.#call('heartbeat', [config]);
    this.#heardAt = begunAt;
    return mayRouteAnew;
  }

  /** Frees the claims of processes that have died. @returns whether something is due because of it @throws {LedgerUnavailable} */
  async freeClaims(): Promise<boolean> {
    const others = await this.#call('otherProcesses', []);
    const silent = others.filter(({ isSilent }) => isSilent).map(({ owner }) => owner);
    const gone = others.map(({ owner }) => owner).filter(this.#settings.isGone);
    const unfreed = silent.filter((owner) => !this.#freed.has(owner));
    const isAny = gone.length + unfreed.length > 0 && (await this.#call('freeClaims', [gone, unfreed]));
    this.#freed = new Set(silent);
    return isAny;
  }
}
