/** Repairs the store after processes died or clocks were set: ends claims on which nobody works, and waits that are longer than they may be. */
import type { Clock } from '../../time/clock.ts';
import { type DeliveryName, isSame, type Settlement } from '../ledger.ts';
import { isGone, type OwnClaims, type RunningConfig } from './processes.ts';
import type { CallOperation } from '../registry.ts';
import { OperationFailed } from '../failures.ts';

/** A process without a heartbeat for so long begins no attempt: ten seconds later the others end its claims. */
const UNHEARD_AFTER_MS = 20_000;

/** The store's, replicas' and this process's clocks may differ by so much. */
const SLACK_MS = 1000;

/** After the store's clock was set forward, time for the other processes to write a heartbeat by it. */
const SETTLED_AFTER_MS = 10_000;

/** All claims are looked at so often even without a reason: a claim of a process that died may have been committed after its death. */
const LOOK_EVERY_MS = 60_000;

/** If a call's answer was lost, its claims are in the store after this time, or never. */
const LATE_MS = 30_000;

export interface UpkeepSettings {
  readonly takeOverAfterMs: number;
  readonly clock: Pick<Clock, 'monotonic' | 'now'>;
  /** How long a call may take until what it has claimed is in the process's hands. */
  readonly workMs: number;
  /** Whether the owner of claims was a process of this machine and is none any more; left out: the OS is asked. */
  readonly isGone?: ((owner: string) => boolean) | undefined;
}

export interface InHand {
  has(delivery: DeliveryName): boolean;
  /** @param key of a timer */
  isFiring(key: string): boolean;
}

/** A heartbeat that was written. `asOf`: by the store's clock; `wallAt`: by this machine's; the others by the monotonic one. */
interface Beat {
  readonly asOf: number;
  readonly wallAt: number;
  readonly begunAt: number;
  readonly endedAt: number;
}

export class Upkeep {
  readonly #call: CallOperation;
  readonly #settings: UpkeepSettings;
  readonly #unwritten: UnwrittenOutcomes;
  #last: Beat | undefined;
  /** Who was dead at the last look. */
  #dead = '';
  /** Claims of this process for which it has nothing in hand, each with when that was first seen. */
  #strays: ReadonlyMap<string, number> = new Map();
  /** Until then a call that failed may still claim something. By the monotonic clock, as the next two. */
  #straysUntil = -Infinity;
  #nextLookAt = -Infinity;
  #silenceCountsFrom = -Infinity;
  /** The store may have times that were made by a clock that was ahead. */
  #mayBeAhead = true;

  /** @param unwritten successes whose claims stay until they are written */
  constructor(call: CallOperation, settings: UpkeepSettings, unwritten: UnwrittenOutcomes) {
    this.#call = call;
    this.#unwritten = unwritten;
    this.#settings = settings;
  }

  /** Whether the last heartbeat is younger than 20 s, also by the wall clock, which runs on while the machine sleeps; if not, others may soon count it as dead. */
  get isHeard(): boolean {
    const { clock } = this.#settings;
    const { begunAt = -Infinity, wallAt = -Infinity } = this.#last ?? {};
    return Math.max(clock.monotonic() - begunAt, clock.now() - wallAt) < UNHEARD_AFTER_MS;
  }

  /** Tells the other processes that share the store which config this one runs. @returns whether this process may route anew */
  async heartbeat(config: RunningConfig): Promise<boolean> {
    const { clock } = this.#settings;
    const begun = { wallAt: clock.now(), begunAt: clock.monotonic() };
    const { mayRouteAnew, asOf } = await this.#call('heartbeat', [config]);
    this.#note({ ...begun, asOf, endedAt: clock.monotonic() });
    return mayRouteAnew;
  }

  /** This process may have claims with nothing in hand: a call failed but was committed, or a POST claimed a delivery anew before this process let go of it. */
  expectStrays(): void {
    this.#straysUntil = this.#settings.clock.monotonic() + LATE_MS;
  }

  /** Ends claims on which no living process works, and waits that a wrong clock made. @returns whether something may be due because of it */
  async repair(inHand: InHand): Promise<boolean> {
    const isCorrected = this.#mayBeAhead;
    if (isCorrected) await this.#call('correctTimes', [this.#settings.takeOverAfterMs]);
    this.#mayBeAhead = false;
    return (await this.#freeClaims(inHand)) || isCorrected;
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

  /** Looks at all claims if a process has died since the last look, if a call has failed, and once a minute. */
  async #freeClaims(inHand: InHand): Promise<boolean> {
    const { clock, isGone: hasEnded = isGone, workMs } = this.#settings;
    const now = clock.monotonic();
    const isLate = now < this.#straysUntil || this.#strays.size > 0 || now >= this.#nextLookAt;
    let strays = this.#strays;
    const { dead, isAny, hasLooked } = await this.#call('freeClaims', [
      {
        isGone: hasEnded,
        isSilenceJudged: now >= this.#silenceCountsFrom,
        isDue: (found) => isLate || found !== this.#dead,
        abandonedOf: (own) => {
          const looked = this.#abandonedOf(own, inHand, now - workMs);
          strays = looked.strays;
          return looked.left;
        },
      },
    ]);
    // Set after the call, which may be run again, or fail.
    this.#strays = strays;
    this.#dead = dead;
    if (hasLooked) this.#nextLookAt = now + LOOK_EVERY_MS;
    return isAny;
  }

  /** `left`: claims that have had nothing in hand since before `before`; `strays`: the others that have nothing, with since when. */
  #abandonedOf(own: OwnClaims, inHand: InHand, before: number) {
    const now = this.#settings.clock.monotonic();
    const known = this.#strays;
    const strays = new Map<string, number>();
    const isAbandoned = (claim: string) => {
      const since = known.get(claim) ?? now;
      if (since < before) return true;
      strays.set(claim, since);
      return false;
    };
    const left = {
      deliveries: own.deliveries.filter(
        (each) =>
          !inHand.has(each) && !this.#unwritten.has(each) && isAbandoned(`${each.id} ${each.updatedAt}`),
      ),
      timers: own.timers.filter((key) => !inHand.isFiring(key) && isAbandoned(key)),
    };
    return { left, strays };
  }
}

/** Successes that could not be written, until they can; as many as attempts in flight at most. */
export class UnwrittenOutcomes {
  readonly #write: (settlement: Settlement) => Promise<unknown>;
  readonly #kept = new Set<Settlement>();
  #writing: Promise<void> | undefined;

  /** @param write must be idempotent: the first write may have been committed although it threw */
  constructor(write: (settlement: Settlement) => Promise<unknown>) {
    this.#write = write;
  }

  /** Keeps no failures, since those are retried anyway, and no answer, since the caller may now answer otherwise. */
  keep({ callbackId, receivedAt, update, attempts, isDurable }: Settlement): void {
    if (update?.state === 'delivered')
      this.#kept.add({ callbackId, receivedAt, update, attempts, isDurable });
  }

  /** Whether the delivery's success is not written yet: it must not be attempted again. */
  has(delivery: DeliveryName): boolean {
    return [...this.#kept].some(({ update }) => update !== undefined && isSame(update, delivery));
  }

  /** Writes what is kept up to the first failure; the next call begins behind that. Never rejects. */
  write(): Promise<void> {
    this.#writing ??= this.#writeAll()
      .catch(() => undefined)
      .finally(() => (this.#writing = undefined));
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    for (const kept of this.#kept) {
      try {
        await this.#write(kept);
      } catch (error) {
        // An outcome that a working store refuses, or has no row for any more, is dropped, so that it is not tried for ever.
        if (!(error instanceof OperationFailed)) {
          // Moved to the end, so that the next call begins behind it.
          this.#kept.delete(kept);
          this.#kept.add(kept);
          throw error;
        }
      }
      this.#kept.delete(kept);
    }
  }
}
