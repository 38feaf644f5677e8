/** What this process has seen of each destination, gathered in memory and written down every few seconds. */
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import type { SeenDestination } from '../ledger/operations/destinations.ts';
import type { AttemptResult } from './attempt.ts';
import { errorOf } from './outcome.ts';

export class SeenDestinations {
  readonly #ledger: Pick<DatabaseLedger, 'recordDestinations'>;
  /** By destination: what is not yet written. */
  readonly #unwritten = new Map<string, SeenDestination>();

  constructor(ledger: Pick<DatabaseLedger, 'recordDestinations'>) {
    this.#ledger = ledger;
  }

  /** A rate limit says when, not whether. */
  attempted(destination: string, { startedAt, durationMs, failure }: AttemptResult): void {
    if (failure?.class === 'rate_limited') return;
    const at = Math.round(startedAt + durationMs);
    const news =
      failure === undefined ? { lastDeliveredAt: at } : { lastFailedAt: at, lastError: errorOf(failure) };
    this.#unwritten.set(destination, { destination, ...this.#unwritten.get(destination), ...news });
  }

  /** Writes what is not yet written. @throws {LedgerUnavailable} and keeps it */
  async write(): Promise<void> {
    const written = [...this.#unwritten.values()];
    if (written.length === 0) return;
    await this.#ledger.recordDestinations(written);
    for (const seen of written)
      if (this.#unwritten.get(seen.destination) === seen) this.#unwritten.delete(seen.destination);
  }
}
