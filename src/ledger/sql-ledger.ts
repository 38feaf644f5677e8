/** The ledger over Kysely: one implementation for every database. */
import { type Insertable, type Kysely, sql } from 'kysely';
import type { Clock } from '../time/clock.ts';
import { admitAll } from './admission.ts';
import { alertsToRaise, raiseAlerts } from './alert-rows.ts';
import type { OpenStore } from './dialect.ts';
import { claimDue, dueDestinations } from './due.ts';
import { GroupCommit } from './group-commit.ts';
import {
  type Admission,
  type Alert,
  type Arrival,
  type DeliveryRecord,
  type DueDelivery,
  type DueRequest,
  type HistoryRecord,
  type Ledger,
  LedgerUnavailable,
  type OpenCounts,
  type PaceStore,
  type RefusedBody,
  type Settled,
  type Settlement,
} from './ledger.ts';
import { patiently } from './patience.ts';
import type { Predecessor } from './hot-statements.ts';
import { currentPaces, pausePace, reserveSlot } from './pace-rows.ts';
import { deliveryRows, isPending, supersedeFailed } from './pending-rows.ts';
import { pruneStep } from './prune.ts';
import { deliveryRecord, refusedRow, type StoreTime } from './rows.ts';
import type { RefusedRow, Tables } from './tables.ts';
import { UnwrittenOutcomes } from './unwritten-outcomes.ts';

/** The newest so many refused bodies are kept. */
const KEPT_REFUSED = 1000;

/** Takes more pages than a callback of common size, so that a disk that has no room for one shows. */
const PROBE: Insertable<RefusedRow> = {
  received_at: 0,
  status: 0,
  detail: 'probe',
  errors: '[]',
  remote_address: '',
  body: '.'.repeat(32 * 1024),
};

export interface LedgerOptions {
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

export class SqlLedger implements Ledger {
  readonly #store: OpenStore;
  readonly #options: LedgerOptions;
  readonly #admissions: GroupCommit<Arrival, Admission>;
  readonly #settlements: GroupCommit<Settlement, Settled>;
  readonly #unwritten: UnwrittenOutcomes;
  /** When this process's monotonic clock began: what it tells then runs on, whoever sets the clock. */
  readonly #epoch: number;

  constructor(store: OpenStore, options: LedgerOptions) {
    this.#store = store;
    this.#options = options;
    this.#epoch = options.clock.now() - options.clock.monotonic();
    // Of a store that nobody can write now, each piece of work alone would be refused just as late.
    const isWorthSplitting = (error: unknown) => !store.traits.isBusy(causeOf(error));
    this.#admissions = new GroupCommit((batch) => this.#commitArrivals(batch), isWorthSplitting);
    this.#settlements = new GroupCommit((batch) => this.#commitSettlements(batch), isWorthSplitting);
    this.#unwritten = new UnwrittenOutcomes((settlement) => this.#settlements.add(settlement));
  }

  admit(arrival: Arrival): Promise<Admission> {
    const add = () => this.#admissions.add(arrival);
    return this.#unwritten.isEmpty ? add() : this.#unwritten.flush().then(add);
  }

  settle(settlement: Settlement): Promise<Settled> {
    return this.#settlements.add(settlement).catch((error: unknown) => {
      this.#unwritten.keep(settlement);
      throw error;
    });
  }

  predecessorOf(deliveryId: number): Promise<Predecessor | undefined> {
    return this.#transact(false, async (trx) => {
      const row = await trx
        .selectFrom('deliveries')
        .select(['job_key', 'destination', 'callback_id'])
        .where('id', '=', deliveryId)
        .executeTakeFirst();
      if (row === undefined || row.job_key === null) return undefined;
      const { job_key: jobId, destination, callback_id: callbackId } = row;
      const context = { trx, time: this.#time() };
      const [before] = await this.#store.statements.predecessors(context, [
        { jobId, destination, callbackId },
      ]);
      return before;
    });
  }

  dueDestinations(): Promise<readonly string[]> {
    return this.#available(() => dueDestinations(this.#db, this.#time()));
  }

  async claimDue(requests: readonly DueRequest[]): Promise<readonly DueDelivery[]> {
    await this.#unwritten.flush();
    const { traits } = this.#store;
    const { takeOverAfterMs } = this.#options;
    const context = { traits, time: this.#time(), claim: this.#options, takeOverAfterMs };
    return this.#transact(false, (trx) => claimDue({ ...context, trx }, requests));
  }

  get paces(): PaceStore {
    return {
      isShared: this.#store.traits.isShared,
      reserve: (destination, intervalMs, mostMs) =>
        this.#transact(false, (trx) => reserveSlot(trx, this.#time(), { destination, intervalMs, mostMs })),
      pause: (destination, ms) =>
        this.#transact(false, (trx) => pausePace(trx, this.#time(), destination, ms)),
      current: (idleMs) => this.#transact(false, (trx) => currentPaces(trx, this.#time(), idleMs)),
    };
  }

  prune(before: number): Promise<number> {
    return this.#transact(false, (trx) => pruneStep(trx, { before, now: this.#options.clock.now() }));
  }

  deliveriesOf(callbackId: number): Promise<readonly DeliveryRecord[]> {
    return this.#available(async () => {
      const rows = await deliveryRows(this.#db, this.#time(), callbackId);
      return rows.map(deliveryRecord);
    });
  }

  /** Not flushed: what a power cut takes of it, no retry would bring. */
  refuse(refused: RefusedBody, alert?: Alert): Promise<void> {
    return this.#transact(false, async (trx) => {
      await trx.insertInto('refused').values(refusedRow(refused)).execute();
      await trx
        .deleteFrom('refused')
        .where('id', '<=', (eb) =>
          eb.selectFrom('refused').select('id').orderBy('id', 'desc').limit(1).offset(KEPT_REFUSED),
        )
        .execute();
      if (alert !== undefined) await this.#raise(trx, [alert]);
    });
  }

  countOpen(): Promise<OpenCounts> {
    return this.#available(async () => {
      const pending = await this.#db
        .selectFrom('deliveries')
        .select((eb) => eb.fn.countAll().as('count'))
        .where(isPending)
        .executeTakeFirstOrThrow();
      const dead = await this.#db
        .selectFrom('deliveries')
        .select((eb) => eb.fn.countAll().as('count'))
        .where(sql<boolean>`deliveries.state = 'dead'`)
        .executeTakeFirstOrThrow();
      return { pending: Number(pending.count), dead: Number(dead.count) };
    });
  }

  async probe(): Promise<void> {
    await this.#unwritten.flush();
    // SQLite never writes what is gone again within the transaction.
    await this.#transact(false, (trx) => trx.insertInto('refused').values(PROBE).execute());
    await this.#transact(false, (trx) =>
      trx.deleteFrom('refused').where('status', '=', PROBE.status).execute(),
    );
  }

  async close(): Promise<void> {
    await this.#unwritten.flush().catch(() => undefined);
    await this.#db.destroy();
  }

  get #db(): Kysely<Tables> {
    return this.#store.db;
  }

  /** Claims and due times are told by the store's clock: those of its processes may differ by minutes. */
  #time(): StoreTime {
    const now = this.#store.traits.now(this.#epoch + this.#options.clock.monotonic());
    return { now, in: (ms) => (typeof now === 'number' ? now + ms : sql<number>`${now} + ${ms}`) };
  }

  #commitArrivals(batch: readonly Arrival[]): Promise<readonly Admission[]> {
    const isDurable = batch.some(({ isAccepted }) => isAccepted);
    const { clock, takeOverAfterMs } = this.#options;
    const { traits, statements } = this.#store;
    const context = {
      traits,
      statements,
      time: this.#time(),
      claim: this.#options,
      takeOverAfterMs,
      now: clock.now(),
    };
    const alerts = batch.flatMap((arrival) => arrival.alerts ?? []);
    return this.#transact(isDurable, async (trx) => {
      const admissions = await admitAll({ ...context, trx }, batch);
      await this.#raise(trx, alerts);
      return admissions;
    });
  }

  async #commitSettlements(batch: readonly Settlement[]): Promise<Settled[]> {
    const isDurable = batch.some((settlement) => settlement.isDurable);
    const { statements } = this.#store;
    const { takeOverAfterMs } = this.#options;
    const hasReleased = await this.#transact(isDurable, async (trx) => {
      const context = { trx, time: this.#time() };
      await statements.insertHistory(context, batch.flatMap(historyIn));
      const updates = batch.flatMap(({ deliveries }) => deliveries);
      const { counted, hasReleased: isNext } = await statements.updateDeliveries(
        context,
        updates,
        this.#options,
      );
      const failed = updates.filter(({ state }) => state === 'pending').map(({ id }) => id);
      const isFreed = await supersedeFailed(trx, context.time, failed, takeOverAfterMs);
      if (counted.length > 0) await this.#raise(trx, await alertsToRaise(context, updates, counted));
      return isNext || isFreed;
    });
    return batch.map(() => ({ hasReleased }));
  }

  async #raise(trx: Kysely<Tables>, alerts: readonly Alert[]): Promise<void> {
    if (alerts.length > 0) await raiseAlerts({ trx, time: this.#time() }, this.#store.statements, alerts);
  }

  #transact<T>(isDurable: boolean, work: (trx: Kysely<Tables>) => Promise<T>): Promise<T> {
    const { db, traits } = this.#store;
    return this.#available(() => traits.transact(db, isDurable, work));
  }

  async #available<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await patiently(this.#options.clock, this.#store.traits.isBusy, work);
    } catch (error) {
      throw unavailable(error);
    }
  }
}

/** An attempt that was not made, say at a channel that asked to be left alone, is nothing to remember. */
function historyIn({ history }: Settlement): readonly HistoryRecord[] {
  const isEmpty = history === undefined || (history.attempts.length === 0 && history.answer === undefined);
  return isEmpty ? [] : [history];
}

function causeOf(error: unknown): unknown {
  return error instanceof LedgerUnavailable ? error.cause : error;
}

function unavailable(error: unknown): LedgerUnavailable {
  const reason = error instanceof Error ? error.message : String(error);
  return new LedgerUnavailable(`the ledger cannot be used: ${reason}`, { cause: error });
}
