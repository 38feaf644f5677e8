/** What this process has seen of each destination: gathered in memory, and written down together every few seconds. */
import type { AttemptOutcome, DestinationFigures, DestinationStore } from '../ledger/destination-rows.ts';
import type { DeliveryError } from '../ledger/ledger.ts';
import type { Clock } from '../time/clock.ts';
import type { AttemptResult } from './sender.ts';

const WRITE_EVERY_MS = 5000;

/** Of each destination, to tell how long a send takes. */
const DURATIONS_KEPT = 100;
const FEWEST_TO_TELL = 5;

/** A config may name so many; others of them are not told of. */
const MOST_DESTINATIONS = 10_000;

interface Seen {
  lastDeliveredAt: number;
  lastFailedAt: number;
  lastError: DeliveryError | undefined;
  readonly durations: number[];
}

export interface SeenDestinationsOptions {
  readonly clock: Clock;
  readonly store: DestinationStore;
  readonly onTrouble: (error: unknown) => void;
}

export class SeenDestinations {
  readonly #options: SeenDestinationsOptions;
  readonly #seen = new Map<string, Seen>();
  readonly #unwritten = new Set<string>();
  /** Attempts that are not yet written, by what they came to. */
  #counts = new Map<AttemptOutcome, number>();
  #stopTimer: (() => void) | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: SeenDestinationsOptions) {
    this.#options = options;
  }

  /** A rate limit says when, not whether. */
  attempted(destination: string, { startedAt, durationMs, outcome }: AttemptResult): void {
    const failure = 'failure' in outcome ? outcome.failure : undefined;
    this.#count(failure?.class ?? 'delivered', 1);
    if (failure?.class === 'rate_limited') return;
    const seen = this.#seenOf(destination);
    if (seen === undefined) return;
    const at = Math.round(startedAt + durationMs);
    if (failure === undefined) {
      seen.lastDeliveredAt = at;
      seen.durations.push(durationMs);
      if (seen.durations.length > DURATIONS_KEPT) seen.durations.shift();
    } else {
      seen.lastFailedAt = at;
      seen.lastError = { class: failure.class, code: failure.code, message: failure.message };
    }
    this.#unwritten.add(destination);
  }

  /** Writes what is not yet written. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopTimer?.();
    await this.#write();
  }

  #count(outcome: AttemptOutcome, attempts: number): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + attempts);
    this.#writeSoon();
  }

  #seenOf(destination: string): Seen | undefined {
    const known = this.#seen.get(destination);
    if (known !== undefined || this.#seen.size >= MOST_DESTINATIONS) return known;
    const seen: Seen = { lastDeliveredAt: 0, lastFailedAt: 0, lastError: undefined, durations: [] };
    this.#seen.set(destination, seen);
    return seen;
  }

  #writeSoon(): void {
    if (this.#isStopped) return;
    this.#stopTimer ??= this.#options.clock.startTimer(WRITE_EVERY_MS, () => {
      this.#stopTimer = undefined;
      void this.#write();
    });
  }

  #write(): Promise<void> {
    const { store, onTrouble } = this.#options;
    const write = async () => {
      const names = [...this.#unwritten];
      const counts = this.#counts;
      if (names.length === 0 && counts.size === 0) return;
      this.#unwritten.clear();
      this.#counts = new Map();
      try {
        await store.record(
          names.map((name) => this.#figuresOf(name)),
          counts,
        );
      } catch (error) {
        for (const name of names) this.#unwritten.add(name);
        for (const [outcome, attempts] of counts) this.#count(outcome, attempts);
        onTrouble(error);
        this.#writeSoon();
      }
    };
    this.#writing = this.#writing.then(write);
    return this.#writing;
  }

  #figuresOf(destination: string): DestinationFigures {
    const {
      lastDeliveredAt = 0,
      lastFailedAt = 0,
      lastError,
      durations = [],
    } = this.#seen.get(destination) ?? {};
    const sorted = durations.toSorted((a, b) => a - b);
    return {
      destination,
      lastDeliveredAt,
      lastFailedAt,
      lastError,
      medianMs: quantile(sorted, 0.5),
      slowMs: quantile(sorted, 0.95),
    };
  }
}

/** @param sorted ascending */
function quantile(sorted: readonly number[], share: number): number | undefined {
  if (sorted.length < FEWEST_TO_TELL) return undefined;
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return value === undefined ? undefined : Math.round(value);
}
