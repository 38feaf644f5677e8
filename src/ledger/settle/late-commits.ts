/** What the store may commit after its caller has heard otherwise: claims that nobody works on, and outcomes. */
import type { Kysely } from 'kysely';
import type { TransactionSettings } from '../dialect.ts';
import type { Tables } from '../tables.ts';
import type { TimedStore } from '../timed-store.ts';
import type { Settlement } from '../ledger.ts';

export interface Claims {
  /** Of deliveries. */
  readonly ids: readonly number[];
  readonly jobIds: readonly string[];
}

/** @throws {LedgerUnavailable} */
export type ClaimingTransaction = <T>(
  settings: TransactionSettings,
  work: (trx: Kysely<Tables>) => Promise<T>,
  claimsOf: (result: T) => Claims,
) => Promise<T>;

export function claimingIn(store: TimedStore, orphans: OrphanedClaims): ClaimingTransaction {
  return async (settings, work, claimsOf) => {
    let claims: Claims | undefined;
    const orphan = () => claims && orphans.keep(claims.ids, claims.jobIds);
    const noting = async (trx: Kysely<Tables>) => {
      claims = undefined;
      const result = await work(trx);
      claims = claimsOf(result);
      return result;
    };
    try {
      const result = await store.transact(settings, noting, orphan);
      orphans.adopt(claims?.ids ?? []);
      return result;
    } catch (error) {
      orphan();
      throw error;
    }
  };
}

export class OrphanedClaims {
  readonly #release: (ids: readonly number[], jobIds: readonly string[]) => Promise<void>;
  readonly #ids = new Set<number>();
  readonly #jobIds = new Set<string>();
  #flushing: Promise<void> | undefined;

  /** @param release must wait until whoever may still be committing claims for these jobs is through */
  constructor(release: (ids: readonly number[], jobIds: readonly string[]) => Promise<void>) {
    this.#release = release;
  }

  get isEmpty(): boolean {
    return this.#ids.size === 0;
  }

  /** @param jobIds of deliveries that the store may not show yet */
  keep(ids: readonly number[], jobIds: readonly string[] = []): void {
    if (ids.length === 0) return;
    for (const id of ids) this.#ids.add(id);
    for (const jobId of jobIds) this.#jobIds.add(jobId);
  }

  /** Somebody works on them again. */
  adopt(ids: readonly number[]): void {
    for (const id of ids) this.#ids.delete(id);
  }

  /** Releases what is kept; never rejects, and keeps what could not be released. */
  flush(): Promise<void> {
    if (this.isEmpty) return Promise.resolve();
    this.#flushing ??= this.#releaseAll().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  async #releaseAll(): Promise<void> {
    const ids = [...this.#ids];
    const jobIds = [...this.#jobIds];
    try {
      await this.#release(ids, jobIds);
    } catch {
      return;
    }
    this.adopt(ids);
    for (const jobId of jobIds) this.#jobIds.delete(jobId);
  }
}

interface Kept {
  /** What could not be written. */
  readonly of: Settlement;
  readonly told: Settlement;
}

export class UnwrittenOutcomes {
  readonly #write: (settlement: Settlement) => Promise<unknown>;
  readonly #isRefusal: (error: unknown) => boolean;
  #kept: Kept[] = [];
  #flushing: Promise<void> | undefined;

  /**
   * @param write writes nothing that stands there already
   * @param isRefusal whether the store works, and refuses what it was given
   */
  constructor(write: (settlement: Settlement) => Promise<unknown>, isRefusal: (error: unknown) => boolean) {
    this.#write = write;
    this.#isRefusal = isRefusal;
  }

  get isEmpty(): boolean {
    return this.#kept.length === 0;
  }

  /** Failures are not kept: what failed is tried again anyway. */
  keep(of: Settlement): void {
    const { history, deliveries, isDurable } = of;
    const told = deliveries.filter(({ state }) => state === 'delivered');
    if (told.length === 0) return;
    const ids = new Set(told.map(({ id }) => id));
    const attempts = history?.attempts.filter(({ deliveryId }) => ids.has(deliveryId)) ?? [];
    // What was answered is the caller's to decide, now that the ledger could not take it.
    const ofTheTold = history && { callbackId: history.callbackId, attempts, answer: undefined };
    this.#kept.push({ of, told: { deliveries: told, history: ofTheTold, isDurable } });
  }

  /** It was written after all. */
  drop(settlement: Settlement): void {
    this.#kept = this.#kept.filter(({ of }) => of !== settlement);
  }

  /** Writes what is kept. @throws what the store throws, keeping the rest */
  flush(): Promise<void> {
    if (this.isEmpty) return Promise.resolve();
    this.#flushing ??= this.#writeAll().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  async #writeAll(): Promise<void> {
    for (let [first] = this.#kept; first !== undefined; [first] = this.#kept) {
      await this.#writeOne(first.told);
      this.drop(first.of);
    }
  }

  /** History that the store refuses, say of a callback it has forgotten, must not hold everything else up. */
  async #writeOne(settlement: Settlement): Promise<void> {
    try {
      await this.#write(settlement);
    } catch (error) {
      if (!this.#isRefusal(error)) throw error;
      await this.#write({ ...settlement, history: undefined });
    }
  }
}
