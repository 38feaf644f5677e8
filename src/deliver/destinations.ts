/** What this process knows of destinations: how many calls it makes there at once, which are down, and when each last succeeded and failed. */
import type { FailureClass } from '../channels/failure.ts';
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import {
  type FailingDestination,
  type Failures,
  isDown,
  type SeenDestination,
} from '../ledger/deliveries/failing.ts';
import type { AttemptResult } from './attempt.ts';
import { errorOf } from './outcome.ts';
import { Places } from '../ledger/deliveries/claim.ts';

/** Times are by the monotonic clock. */
export class Failing {
  /** By destination. */
  #failures = new Map<string, Failures>();
  /** By destination that the store still has as failing: when it last succeeded here. */
  readonly #succeededAt = new Map<string, number>();

  /** Counts an attempt; a rate limit or a refused message says nothing of the destination. @returns if this ends its failures: whether it was down */
  countAttempt(destination: string, failed: FailureClass | undefined, at: number): boolean | undefined {
    const failures = this.#failures.get(destination);
    if (failed === 'transient') this.#failures.set(destination, { first: failures?.first ?? at, last: at });
    if (failed !== undefined || failures === undefined) return undefined;
    this.#failures.delete(destination);
    this.#succeededAt.set(destination, at);
    return isDown(failures);
  }

  /** Whether Botbell should take over new deliveries to the destination at once. */
  isDown(destination: string): boolean {
    const failures = this.#failures.get(destination);
    return failures !== undefined && isDown(failures);
  }

  get down(): readonly string[] {
    return [...this.#failures.keys()].filter((destination) => this.isDown(destination));
  }

  /** @returns those that have succeeded here since, which the store does not know yet: that may have been written meanwhile, or is lost */
  adopt(stored: readonly FailingDestination[], now: number): readonly string[] {
    const known = stored.map(({ destination, first, last }) => {
      return [destination, { first: now + first, last: now + last }] as const;
    });
    const isOver = ([destination, { last }]: (typeof known)[number]) =>
      last <= (this.#succeededAt.get(destination) ?? -Infinity);
    this.#failures = new Map(known.filter((each) => !isOver(each)));
    const names = new Set(stored.map(({ destination }) => destination));
    for (const destination of this.#succeededAt.keys())
      if (!names.has(destination)) this.#succeededAt.delete(destination);
    return known.filter(isOver).map(([destination]) => destination);
  }

  /** The failing destinations of a channel. */
  of(channel: string): readonly string[] {
    return [...this.#failures.keys()].filter((destination) => destination.startsWith(`${channel}:`));
  }
}

/** When each destination last succeeded and failed here, gathered in memory and written every few seconds. */
export class SeenDestinations {
  /** By destination. */
  readonly #unwritten = new Map<string, SeenDestination>();

  /** Ignores rate limits: they do not say whether the destination works. */
  attempted(destination: string, { endedAt: at, failure }: AttemptResult): void {
    if (failure?.class === 'rate_limited') return;
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

/** Most calls to one destination at a time, so that one that does not answer leaves connections of its channel to others. */
const MOST_OF_DESTINATION = 40;

/** The places of calls under way. Destinations in trouble hold half of them at most, so that no other destination waits because of them. */
export class Calls extends Places {
  /** By destination, the longest wait first: called when the destination is given a place. */
  readonly #waiting = new Map<string, () => void>();

  /** Takes a place. @returns false: there is none now */
  begin(destination: string): boolean {
    if (this.roomFor(destination, MOST_OF_DESTINATION) <= 0) return false;
    this.add(destination, 1);
    return true;
  }

  /** Resolves when the destination has been given a place. Only one caller at a time may wait for each destination. */
  async waitForPlace(destination: string): Promise<void> {
    if (!this.begin(destination))
      await new Promise<void>((resolve) => this.#waiting.set(destination, resolve));
  }

  end(destination: string): void {
    this.add(destination, -1);
    for (const [next, give] of this.#waiting) {
      if (!this.begin(next)) continue;
      this.#waiting.delete(next);
      give();
    }
  }

  /** @param isTroubled the destination's last attempt has failed as `transient`, or is past its time limit */
  note(destination: string, isTroubled: boolean): void {
    if (isTroubled) this.troubled.add(destination);
    else this.troubled.delete(destination);
  }
}
