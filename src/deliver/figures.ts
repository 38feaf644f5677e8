/** What this process has seen of each destination, gathered in memory and written down every few seconds. */
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import type { DeliveryError, DestinationFigures } from '../ledger/ledger.ts';
import type { AttemptResult } from './attempt.ts';
import { errorOf } from './outcome.ts';

/** Of each destination, to tell how long an attempt takes. */
const DURATIONS_KEPT = 100;
const FEWEST_TO_TELL = 5;

interface Seen {
  lastDeliveredAt: number;
  lastFailedAt: number;
  lastError: DeliveryError | undefined;
  readonly durations: number[];
}

export class SeenDestinations {
  readonly #ledger: Pick<DatabaseLedger, 'recordDestinations'>;
  readonly #seen = new Map<string, Seen>();
  #unwritten = new Set<string>();

  constructor(ledger: Pick<DatabaseLedger, 'recordDestinations'>) {
    this.#ledger = ledger;
  }

  /** A rate limit says when, not whether. */
  attempted(destination: string, { startedAt, durationMs, outcome }: AttemptResult): void {
    const failure = 'failure' in outcome ? outcome.failure : undefined;
    if (failure?.class === 'rate_limited') return;
    const seen = this.#seenOf(destination);
    const at = Math.round(startedAt + durationMs);
    if (failure === undefined) {
      seen.lastDeliveredAt = at;
      seen.durations.push(durationMs);
      if (seen.durations.length > DURATIONS_KEPT) seen.durations.shift();
    } else {
      seen.lastFailedAt = at;
      seen.lastError = errorOf(failure);
    }
    this.#unwritten.add(destination);
  }

  /** Writes what is not yet written. @throws {LedgerUnavailable} and keeps it */
  async write(): Promise<void> {
    const names = this.#unwritten;
    if (names.size === 0) return;
    this.#unwritten = new Set();
    try {
      await this.#ledger.recordDestinations([...names].map((name) => this.#figuresOf(name)));
    } catch (error) {
      for (const name of names) this.#unwritten.add(name);
      throw error;
    }
  }

  #seenOf(destination: string): Seen {
    const known = this.#seen.get(destination);
    if (known !== undefined) return known;
    const seen: Seen = { lastDeliveredAt: 0, lastFailedAt: 0, lastError: undefined, durations: [] };
    this.#seen.set(destination, seen);
    return seen;
  }

  #figuresOf(destination: string): DestinationFigures {
    const { durations, ...last } = this.#seen.get(destination) as Seen;
    const sorted = durations.toSorted((a, b) => a - b);
    const median = sorted.length < FEWEST_TO_TELL ? undefined : sorted[Math.floor(sorted.length / 2)];
    return { destination, ...last, medianMs: median === undefined ? undefined : Math.round(median) };
  }
}
