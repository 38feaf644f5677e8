/**
 * What came of deliveries, and what was answered: written together with what is settled at the same moment. And what the
 * store may commit after its caller has heard otherwise: claims that nobody works on, and outcomes.
 */
import type { Admission, Settled, Settlement } from '../ledger.ts';
import type { Kysely } from 'kysely';
import type { Deadline } from '../../time/clock.ts';
import { alertsToRaise, raiseAlerts } from '../alert-rows.ts';
import { GroupCommit } from '../group-commit.ts';
import type { Settler } from '../hot-statements.ts';
import type { TransactionSettings } from '../dialect.ts';
import { supersedeFailed } from '../due/held.ts';
import { isAnyUntold } from '../pending-rows.ts';
import type { StoreSpace } from '../retention/store-space.ts';
import { historyIn } from '../rows.ts';
import type { Tables } from '../tables.ts';
import { inOneTrip, type TimedStore, unavailable } from '../timed-store.ts';

/** Of a callback that comes again and again; whoever reads its history has seen enough by then. */
const MOST_ANSWERS = 1000;

/** One that nobody ever answers, since its request failed for a reason that nobody foresaw, is not remembered for ever. */
const MOST_REMEMBERED = 100_000;

interface InHand {
  readonly timesReceived: number;
  /** That are not answered yet. */
  readonly requests: number;
}

export class CallbacksInHand {
  readonly #byId = new Map<number, InHand>();

  begin({ callbackId, timesReceived }: Pick<Admission, 'callbackId' | 'timesReceived'>): void {
    const requests = (this.#byId.get(callbackId)?.requests ?? 0) + 1;
    this.#byId.set(callbackId, { timesReceived, requests });
    if (this.#byId.size <= MOST_REMEMBERED) return;
    const [oldest] = this.#byId.keys();
    if (oldest !== undefined) this.#byId.delete(oldest);
  }

  has(callbackId: number): boolean {
    return this.#byId.has(callbackId);
  }

  /** @returns what of it is worth writing: a history that anybody may prolong has an end */
  worthWriting(settlement: Settlement): Settlement {
    const { history } = settlement;
    if (history?.answer === undefined) return settlement;
    const times = this.#byId.get(history.callbackId)?.timesReceived ?? 1;
    const isTold = history.attempts.some(({ outcome }) => outcome === 'delivered');
    return times <= MOST_ANSWERS || isTold ? settlement : { ...settlement, history: undefined };
  }

  /** It has been written, or could not be. */
  end({ history }: Settlement): void {
    if (history?.answer === undefined) return;
    const inHand = this.#byId.get(history.callbackId);
    if (inHand === undefined) return;
    const { timesReceived, requests } = inHand;
    if (requests <= 1) this.#byId.delete(history.callbackId);
    else this.#byId.set(history.callbackId, { timesReceived, requests: requests - 1 });
  }
}

export interface SettlementsOptions {
  readonly store: TimedStore;
  readonly settler: Settler;
  readonly orphans: OrphanedClaims;
  readonly inHand: CallbacksInHand;
  /** Undefined: the store is bounded by others. */
  readonly space: StoreSpace | undefined;
}

export class Settlements {
  readonly #options: SettlementsOptions;
  readonly #group: GroupCommit<Settlement, Settled>;
  readonly unwritten: UnwrittenOutcomes;

  constructor(options: SettlementsOptions) {
    this.#options = options;
    const mayPassInPieces = (error: unknown) => options.store.isRefusal(error);
    this.unwritten = new UnwrittenOutcomes((settlement) => this.#writeBelated(settlement), mayPassInPieces);
    this.#group = new GroupCommit({
      commit: (batch, deadline) => this.#commit(batch, deadline),
      mayPassInPieces,
      onLate: (settlement) => this.unwritten.drop(settlement),
    });
  }

  /** @throws {LedgerUnavailable} what was told is kept, and what failed is in nobody's hands */
  async settle(whole: Settlement, deadline: Deadline): Promise<Settled> {
    const { store, inHand, orphans, space } = this.#options;
    const settlement = inHand.worthWriting(whole);
    const settled = await this.#group
      .add(settlement, deadline)
      .catch((error: unknown) => {
        this.unwritten.keep(settlement);
        const untold = settlement.deliveries.filter(({ state }) => state !== 'delivered');
        orphans.keep(untold.map(({ id }) => id));
        throw unavailable(error);
      })
      .finally(() => inHand.end(whole));
    if (whole.history !== undefined) space?.mayBeDone(whole.history.callbackId);
    if (settlement.isDurable) await store.flush(deadline);
    return settled;
  }

  async #commit(batch: readonly Settlement[], deadline: Deadline): Promise<Settled[]> {
    const isDurable = batch.some((settlement) => settlement.isDurable);
    const work = (trx: Kysely<Tables>) => this.#write(trx, batch);
    const settled = await this.#options.store.transact({ isDurable, deadline }, work);
    return batch.map(() => settled);
  }

  async #write(trx: Kysely<Tables>, batch: readonly Settlement[]): Promise<Settled> {
    const { store, settler } = this.#options;
    const { statements } = store;
    const context = { trx, time: store.time() };
    const updates = batch.flatMap(({ deliveries }) => deliveries);
    const [, { counted, hasReleased }] = await inOneTrip([
      statements.insertHistory(context, batch.flatMap(historyIn)),
      statements.updateDeliveries(context, updates, settler),
    ]);
    const failed = updates.filter(({ state }) => state === 'pending').map(({ id }) => id);
    const isFreed =
      failed.length > 0 && (await supersedeFailed(trx, context.time, failed, settler.takeOverAfterMs));
    if (counted.length > 0) {
      await raiseAlerts(context, statements, await alertsToRaise(context, updates, counted));
    }
    return { hasReleased: hasReleased || isFreed };
  }

  /** Nobody was told whether the first try was committed: it may have been. */
  async #writeBelated(settlement: Settlement): Promise<void> {
    const { isDurable, deliveries } = settlement;
    const { store } = this.#options;
    const deadline = store.deadline();
    await store.transact({ isDurable, deadline }, async (trx) => {
      const ids = deliveries.map(({ id }) => id);
      if (await isAnyUntold({ trx, traits: store.traits }, ids)) await this.#write(trx, [settlement]);
    });
    if (isDurable) await store.flush(deadline);
  }
}

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
