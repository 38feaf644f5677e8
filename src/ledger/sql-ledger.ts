/** The ledger over Kysely: one implementation for every database. */
import type { Kysely } from 'kysely';
import type { Clock, Deadline } from '../time/clock.ts';
import { Admissions } from './admit/admissions.ts';
import { alertsToRaise, raiseAlerts } from './alert-rows.ts';
import { CallbacksInHand } from './callbacks-in-hand.ts';
import { type ClaimingTransaction, claimingIn } from './claiming.ts';
import { createConfigStore } from './configs/config-rows.ts';
import type { ConfigStore, OpenLedger } from './configs/config-store.ts';
import type { OpenStore } from './dialect.ts';
import { claimDue, dueDestinations, unreadNotice } from './due/due.ts';
import { GroupCommit } from './group-commit.ts';
import {
  type Admission,
  type Alert,
  type Arrival,
  type ClaimedDelivery,
  type DeliveryRecord,
  type DueRequest,
  type OpenCounts,
  type RefusedBody,
  type Settled,
  type Settlement,
  type UnreadNotice,
} from './ledger.ts';
import { releaseHeld, supersedeFailed } from './due/held.ts';
import { OrphanedClaims } from './orphaned-claims.ts';
import { createPaceStore } from './due/pace-rows.ts';
import type { PaceStore } from './due/pace-store.ts';
import { countOpen, deliveryRows, isAnyUntold, releaseClaims, releaseStranded } from './pending-rows.ts';
import { probeStore } from './probe.ts';
import type { PruneRequest, PruneStep } from './retention/pruning.ts';
import { keepRefused, refusedKept, refusedRow } from './retention/refused-rows.ts';
import { deliveryRecord, historyIn } from './rows.ts';
import { limitOf, type SpaceSettings, spaceIn } from './retention/sql-space.ts';
import { bytesAdded } from './retention/store-size.ts';
import type { StoreSpace } from './retention/store-space.ts';
import { BodyCompressor, bytesToStore, Deflated } from './stored-body.ts';
import { forgetCauses, sweepStep } from './retention/sweeps.ts';
import type { Tables } from './tables.ts';
import { TimedStore, unavailable } from './timed-store.ts';
import { createTurns } from './due/turn-rows.ts';
import type { Turns } from './due/turns.ts';
import { UnwrittenOutcomes } from './unwritten-outcomes.ts';

const CLOSE_TIMEOUT_MS = 1000;

/** Readiness is asked for by who has little time: is there room for a callback of common size? */
const ROOM_TIMEOUT_MS = 1000;
const COMMON_BYTES = 16 * 1024;

export interface LedgerOptions extends SpaceSettings {
  readonly clock: Clock;
  /** Names this process among all that may share the store. */
  readonly owner: string;
  /** How long a claim lasts: longer than a process can take over one callback. */
  readonly leaseMs: number;
  /** How long the service may take to retry before Botbell does. */
  readonly takeOverAfterMs: number;
  /** The store is out of reach while nobody asks for it, e.g. its server was restarted. */
  readonly onTrouble?: (error: Error) => void;
}

export class SqlLedger implements OpenLedger {
  readonly #store: TimedStore;
  readonly #options: LedgerOptions;
  readonly #admissions: Admissions;
  readonly #compressor: BodyCompressor;
  readonly #inHand = new CallbacksInHand();
  readonly #space: StoreSpace | undefined;
  readonly #refusedKept: number;
  readonly #settlements: GroupCommit<Settlement, Settled>;
  readonly #unwritten: UnwrittenOutcomes;
  readonly #orphans: OrphanedClaims;
  readonly paces: PaceStore;
  readonly configs: ConfigStore;
  readonly turns: Turns;
  readonly #claim: ClaimingTransaction;
  #probing: Promise<void> | undefined;

  constructor(store: OpenStore, options: LedgerOptions) {
    this.#store = new TimedStore(store, options.clock);
    this.paces = createPaceStore(this.#store);
    this.configs = createConfigStore(this.#store, options);
    this.turns = createTurns(this.#store);
    this.#options = options;
    const mayPassInPieces = (error: unknown) => this.#store.isRefusal(error);
    this.#orphans = new OrphanedClaims((ids, jobIds) => this.#releaseClaims(ids, jobIds));
    this.#claim = claimingIn(this.#store, this.#orphans);
    this.#unwritten = new UnwrittenOutcomes((settlement) => this.#writeBelated(settlement), mayPassInPieces);
    this.#compressor = new BodyCompressor(!store.traits.isCompressing);
    this.#space = spaceIn(this.#store, this.#inHand, options);
    this.#refusedKept = refusedKept(limitOf(store, options));
    this.#admissions = new Admissions({
      store: this.#store,
      claim: options,
      now: () => options.clock.now(),
      transact: this.#claim,
      orphans: this.#orphans,
      inHand: this.#inHand,
      compressor: this.#compressor,
      space: this.#space,
    });
    this.#settlements = new GroupCommit({
      commit: (batch, deadline) => this.#commitSettlements(batch, deadline),
      mayPassInPieces,
      onLate: (settlement) => this.#unwritten.drop(settlement),
    });
  }

  async admit(arrival: Arrival, withinMs?: number): Promise<Admission> {
    const deadline = this.#store.deadline(withinMs);
    await this.#clearArrearsBy(deadline);
    const admission = await this.#admissions.admit(arrival, deadline);
    if (arrival.isAccepted) await this.#store.flush(deadline);
    return admission;
  }

  async settle(whole: Settlement, withinMs?: number): Promise<Settled> {
    const deadline = this.#store.deadline(withinMs);
    const settlement = this.#inHand.worthWriting(whole);
    const settled = await this.#settlements
      .add(settlement, deadline)
      .catch((error: unknown) => {
        this.#unwritten.keep(settlement);
        const untold = settlement.deliveries.filter(({ state }) => state !== 'delivered');
        this.#orphans.keep(untold.map(({ id }) => id));
        throw unavailable(error);
      })
      .finally(() => this.#inHand.end(whole));
    if (whole.history !== undefined) this.#space?.mayBeDone(whole.history.callbackId);
    if (settlement.isDurable) await this.#store.flush(deadline);
    return settled;
  }

  async dueDestinations(): Promise<readonly string[]> {
    const deadline = this.#store.deadline();
    await this.#clearArrearsBy(deadline);
    return this.#store.read(deadline, (db) => dueDestinations(db, this.#store.time()));
  }

  async claimDue(requests: readonly DueRequest[]): Promise<readonly ClaimedDelivery[]> {
    const deadline = this.#store.deadline();
    await this.#clearArrearsBy(deadline);
    const { traits, statements } = this.#store;
    const { takeOverAfterMs } = this.#options;
    const context = { traits, statements, time: this.#store.time(), claim: this.#options, takeOverAfterMs };
    return this.#claim(
      { isDurable: false, deadline },
      (trx) => claimDue({ ...context, trx }, requests),
      (due) => ({ ids: due.map(({ record }) => record.id), jobIds: [] }),
    );
  }

  readNotice(callbackId: number): Promise<UnreadNotice> {
    return this.#store.read(this.#store.deadline(), (db) => unreadNotice(db, callbackId));
  }

  releaseStranded(): Promise<void> {
    return this.#transact((trx) => releaseStranded(trx, this.#store.time()));
  }

  releaseHeld(): Promise<number> {
    return releaseHeld(this.#store);
  }

  prune({ sweep, before, after }: PruneRequest): Promise<PruneStep> {
    const range = { sweep, before, after, now: this.#options.clock.now(), kept: this.#inHand };
    return this.#transact((trx) => sweepStep(trx, this.#store.traits, range));
  }

  pruneCauses(): Promise<boolean> {
    return this.#transact((trx) => forgetCauses(trx, this.#store.traits, this.#store.time()));
  }

  deliveriesOf(callbackId: number, withinMs?: number): Promise<readonly DeliveryRecord[]> {
    return this.#store.read(this.#store.deadline(withinMs), async (db) => {
      const rows = await deliveryRows(db, this.#store.time(), callbackId);
      return rows.map(deliveryRecord);
    });
  }

  /** Not flushed: what a power cut takes of it, no retry would bring. */
  async refuse(refused: RefusedBody, alert?: Alert, withinMs?: number): Promise<void> {
    const settings = { isDurable: false, deadline: this.#store.deadline(withinMs) };
    const row = refusedRow(refused);
    const body = await this.#compressor.toStore(Buffer.from(row.body));
    const bytes = bytesAdded(bytesToStore(body).byteLength + Buffer.byteLength(row.errors), 0);
    const hasRoom = this.#space?.tryReserve(bytes) ?? true;
    if (hasRoom) this.#space?.release(bytes, true);
    await this.#store.transact(settings, async (trx) => {
      const stored = body instanceof Deflated ? body.bytes : row.body;
      if (hasRoom) await keepRefused(trx, { ...row, body: stored }, this.#refusedKept);
      if (alert !== undefined) await this.#raise(trx, [alert]);
    });
  }

  countOpen(): Promise<OpenCounts> {
    return this.#store.read(this.#store.deadline(), countOpen);
  }

  bytesUsed(): Promise<number> {
    return this.#store.read(this.#store.deadline(), (db) => this.#store.traits.bytesUsed(db));
  }

  async hasRoom(): Promise<boolean> {
    const hasRoom = (await this.#space?.reserve(COMMON_BYTES, this.#store.deadline(ROOM_TIMEOUT_MS))) ?? true;
    if (hasRoom) this.#space?.release(COMMON_BYTES, false);
    return hasRoom;
  }

  /** Once for all who ask at the same moment. */
  probe(): Promise<void> {
    this.#probing ??= probeStore(this.#store, (deadline) => this.#clearArrearsBy(deadline)).finally(() => {
      this.#probing = undefined;
    });
    return this.#probing;
  }

  async close(): Promise<void> {
    this.#space?.close();
    const deadline = this.#store.deadline(CLOSE_TIMEOUT_MS);
    await deadline.bound(this.#unwritten.flush()).catch(() => undefined);
    await deadline.bound(this.#store.close()).catch(() => undefined);
  }

  /**
   * Before anything is admitted or claimed, the store must know who was told, and what is in nobody's hands.
   * @throws {LedgerUnavailable}
   */
  async #clearArrearsBy(deadline: Deadline): Promise<void> {
    if (this.#unwritten.isEmpty && this.#orphans.isEmpty) return;
    const clear = async () => {
      await this.#unwritten.flush();
      await this.#orphans.flush();
    };
    await deadline.bound(clear()).catch((error: unknown) => {
      throw unavailable(error);
    });
  }

  async #commitSettlements(batch: readonly Settlement[], deadline: Deadline): Promise<Settled[]> {
    const isDurable = batch.some((settlement) => settlement.isDurable);
    const settled = await this.#store.transact({ isDurable, deadline }, (trx) =>
      this.#writeSettlements(trx, batch),
    );
    return batch.map(() => settled);
  }

  async #writeSettlements(trx: Kysely<Tables>, batch: readonly Settlement[]): Promise<Settled> {
    const { statements } = this.#store;
    const context = { trx, time: this.#store.time() };
    await statements.insertHistory(context, batch.flatMap(historyIn));
    const updates = batch.flatMap(({ deliveries }) => deliveries);
    const { counted, hasReleased } = await statements.updateDeliveries(context, updates, this.#options);
    const failed = updates.filter(({ state }) => state === 'pending').map(({ id }) => id);
    const isFreed = await supersedeFailed(trx, context.time, failed, this.#options.takeOverAfterMs);
    if (counted.length > 0) await this.#raise(trx, await alertsToRaise(context, updates, counted));
    return { hasReleased: hasReleased || isFreed };
  }

  /** For what nobody waits for. */
  #transact<T>(work: (trx: Kysely<Tables>) => Promise<T>): Promise<T> {
    return this.#store.transact({ isDurable: false, deadline: this.#store.deadline() }, work);
  }

  async #raise(trx: Kysely<Tables>, alerts: readonly Alert[]): Promise<void> {
    const context = { trx, time: this.#store.time() };
    if (alerts.length > 0) await raiseAlerts(context, this.#store.statements, alerts);
  }

  /** Nobody was told whether the first try was committed: it may have been. */
  async #writeBelated(settlement: Settlement): Promise<void> {
    const { isDurable, deliveries } = settlement;
    const { traits } = this.#store;
    const deadline = this.#store.deadline();
    await this.#store.transact({ isDurable, deadline }, async (trx) => {
      const ids = deliveries.map(({ id }) => id);
      if (await isAnyUntold({ trx, traits }, ids)) await this.#writeSettlements(trx, [settlement]);
    });
    if (isDurable) await this.#store.flush(deadline);
  }

  /** Whoever is still committing holds the locks of the jobs, and of the rows that were there before. */
  #releaseClaims(ids: readonly number[], jobIds: readonly string[]): Promise<void> {
    const { traits } = this.#store;
    return this.#transact(async (trx) => {
      await traits.lockJobs(trx, jobIds);
      const writes = { trx, traits, time: this.#store.time() };
      await releaseClaims(writes, this.#options.owner, ids);
    });
  }
}
