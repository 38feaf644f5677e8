/** The ledger over Kysely: one implementation for every database. */
import type { Kysely } from 'kysely';
import type { Clock, Deadline } from '../time/clock.ts';
import { Admissions } from './admit/admissions.ts';
import { raiseAlerts } from './alert-rows.ts';
import {
  CallbacksInHand,
  claimingIn,
  type ClaimingTransaction,
  OrphanedClaims,
  Settlements,
} from './settle/settlements.ts';
import { createConfigStore } from './configs/processes.ts';
import type { ConfigStore, OpenLedger } from './configs/config-store.ts';
import type { OpenStore } from './dialect.ts';
import { claimDue, dueDestinations, releaseHeld, unreadNotice } from './due/due.ts';
import type {
  Admission,
  Alert,
  Arrival,
  ClaimedDelivery,
  DeliveryRecord,
  OpenCounts,
  RefusedBody,
  Settled,
  Settlement,
  UnreadNotice,
} from './ledger.ts';
import type { DueDestination, DueRequest } from './due/due-request.ts';
import { createPaceStore, createTurns } from './due/turn-rows.ts';
import type { PaceStore, Turns } from './due/turns.ts';
import { countOpen, deliveryRows, releaseClaims, releaseStranded } from './pending-rows.ts';
import { probeStore, TimedStore, unavailable } from './timed-store.ts';
import { sweepStep } from './retention/prune.ts';
import type { PruneRequest, PruneStep } from './retention/retention.ts';
import { keepRefused, refusedKept, refusedRow } from './retention/refused-rows.ts';
import { deliveryRecord } from './rows.ts';
import {
  bytesAdded,
  limitOf,
  spaceIn,
  type SpaceSettings,
  type StoreSpace,
} from './retention/store-space.ts';
import { BodyCompressor, bytesToStore, Deflated } from './stored-body.ts';
import { botsKept, tidy } from './retention/tidy.ts';
import type { Tables } from './tables.ts';
import { dayIn } from './callback-columns.ts';
import type { Archive } from './archive/archive.ts';
import { countAttempts, type DestinationStore, recordDestinations } from './destination-rows.ts';
import { askOver, createArchive } from './archive/sql-archive.ts';
import type { Actions } from './actions/actions.ts';
import { createActions } from './actions/sql-actions.ts';

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
  /** Where days begin and end that callbacks are counted by; default: UTC. */
  readonly timezone?: string;
}

export class SqlLedger implements OpenLedger {
  readonly #store: TimedStore;
  readonly #options: LedgerOptions;
  readonly #admissions: Admissions;
  readonly #compressor: BodyCompressor;
  readonly #inHand = new CallbacksInHand();
  readonly #space: StoreSpace | undefined;
  readonly #refusedKept: number;
  readonly #settlements: Settlements;
  readonly #orphans: OrphanedClaims;
  readonly paces: PaceStore;
  readonly configs: ConfigStore;
  readonly turns: Turns;
  readonly #claim: ClaimingTransaction;
  readonly #dayOf: (ms: number) => string;
  readonly archive: Archive;
  readonly destinations: DestinationStore;
  readonly actions: Actions;
  #probing: Promise<void> | undefined;

  constructor(store: OpenStore, options: LedgerOptions) {
    this.#store = new TimedStore(store, options.clock);
    this.paces = createPaceStore(this.#store);
    this.configs = createConfigStore(this.#store, options);
    this.turns = createTurns(this.#store);
    this.#options = options;
    this.#dayOf = dayIn(() => options.timezone ?? 'UTC');
    this.destinations = {
      record: (figures, attempts) =>
        this.#transact(async (trx) => {
          await countAttempts(trx, this.#dayOf(options.clock.now()), attempts);
          await recordDestinations(trx, figures);
        }),
    };
    const reader = store.openReader();
    this.archive = createArchive(reader, options.clock, () => this.#store.time());
    this.actions = createActions({
      store: this.#store,
      clock: options.clock,
      takeOverAfterMs: options.takeOverAfterMs,
      ask: askOver(reader, options.clock),
      onDone: (callbackId) => this.#space?.mayBeDone(callbackId),
    });
    this.#orphans = new OrphanedClaims((ids, jobIds) => this.#releaseClaims(ids, jobIds));
    this.#claim = claimingIn(this.#store, this.#orphans);
    this.#compressor = new BodyCompressor(!store.traits.isCompressing);
    this.#space = spaceIn(this.#store, this.#inHand, options);
    this.#refusedKept = refusedKept(limitOf(store, options));
    this.#admissions = new Admissions({
      store: this.#store,
      claim: options,
      dayOf: this.#dayOf,
      now: () => options.clock.now(),
      transact: this.#claim,
      orphans: this.#orphans,
      inHand: this.#inHand,
      compressor: this.#compressor,
      space: this.#space,
    });
    this.#settlements = new Settlements({
      store: this.#store,
      settler: options,
      orphans: this.#orphans,
      inHand: this.#inHand,
      space: this.#space,
    });
  }

  async admit(arrival: Arrival, withinMs?: number): Promise<Admission> {
    const deadline = this.#store.deadline(withinMs);
    await this.#clearArrearsBy(deadline);
    const admission = await this.#admissions.admit(arrival, deadline);
    if (arrival.isAccepted) await this.#store.flush(deadline);
    return admission;
  }

  settle(settlement: Settlement, withinMs?: number): Promise<Settled> {
    return this.#settlements.settle(settlement, this.#store.deadline(withinMs));
  }

  async dueDestinations(): Promise<readonly DueDestination[]> {
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

  async tidy(): Promise<boolean> {
    const { traits, statements } = this.#store;
    const context = {
      traits,
      statements,
      dayOf: this.#dayOf,
      mostBots: botsKept(limitOf(this.#store, this.#options)),
      now: this.#options.clock.now(),
    };
    return this.#transact((trx) => tidy({ ...context, trx, time: this.#store.time() }));
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
      const context = { trx, time: this.#store.time() };
      const alerts = alert === undefined ? [] : [{ ...alert, about: undefined }];
      await raiseAlerts(context, this.#store.statements, alerts);
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
    await deadline.bound(this.#settlements.unwritten.flush()).catch(() => undefined);
    await deadline.bound(this.archive.close()).catch(() => undefined);
    await deadline.bound(this.#store.close()).catch(() => undefined);
  }

  /**
   * Before anything is admitted or claimed, the store must know who was told, and what is in nobody's hands.
   * @throws {LedgerUnavailable}
   */
  async #clearArrearsBy(deadline: Deadline): Promise<void> {
    if (this.#settlements.unwritten.isEmpty && this.#orphans.isEmpty) return;
    const clear = async () => {
      await this.#settlements.unwritten.flush();
      await this.#orphans.flush();
    };
    await deadline.bound(clear()).catch((error: unknown) => {
      throw unavailable(error);
    });
  }

  /** For what nobody waits for. */
  #transact<T>(work: (trx: Kysely<Tables>) => Promise<T>): Promise<T> {
    return this.#store.transact({ isDurable: false, deadline: this.#store.deadline() }, work);
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
