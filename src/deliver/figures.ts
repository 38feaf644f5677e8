/** When each destination last succeeded and failed in this process, gathered in memory and written every few seconds. */
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import type { SeenDestination } from '../ledger/deliveries/destinations.ts';
import type { AttemptResult } from './attempt.ts';
import { errorOf } from './outcome.ts';

export class SeenDestinations {
  /** By destination. */
  readonly #unwritten = new Map<string, SeenDestination>();

  /** Ignores rate limits: they do not say whether the destination works. */
  attempted(destination: string, { startedAt, durationMs, failure }: AttemptResult): void {
    if (failure?.class === 'rate_limited') return;
    const at = Math.round(startedAt + durationMs);
    const news =
      failure === undefined ? { lastDeliveredAt: at } : { lastFailedAt: at, lastError: errorOf(failure) };
    this.#unwritten.set(destination, { destination, ...this.#unwritten.get(destination), ...news });
  }

  /** @throws {LedgerUnavailable} nothing is lost: the next call writes it */
  async write(ledger: Pick<DatabaseLedger, 'recordDestinations'>): Promise<void> {
    const written = [...this.#unwritten.values()];
    if (written.length === 0) return;
    await ledger.recordDestinations(written);
    for (const seen of written)
      if (this.#unwritten.get(seen.destination) === seen) this.#unwritten.delete(seen.destination);
  }
}
