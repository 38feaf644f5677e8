/** The ledger over Kysely: one implementation for every database. */
import { type Insertable, type Kysely, sql } from 'kysely';
import type { Clock } from '../time/clock.ts';
import { admitAll } from './admission.ts';
import { writeAlert } from './alert-rows.ts';
import type { OpenStore } from './dialect.ts';
import { claimDue } from './due.ts';
import { GroupCommit } from './group-commit.ts';
import {
  type Admission,
  type Alert,
  type Arrival,
  type DeliveryRecord,
  type DueDelivery,
  type HistoryRecord,
  type Ledger,
  LedgerUnavailable,
  type OpenCounts,
  type PruneStep,
  type RefusedBody,
  type Settlement,
} from './ledger.ts';
import { patiently } from './patience.ts';
import { deliveryRows, earlierOfTheJob, isOpen } from './pending-rows.ts';
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
  readonly #settlements: GroupCommit<Settlement, void>;
  readonly #unwritten: UnwrittenOutcomes;

  constructor(store: OpenStore, options: LedgerOptions) {
    this.#store = store;
    this.#options = options;
    // Of a store that nobody can write now, each piece of work alone would be refused just as late.
    const isWorthSplitting = (error: unknown) => !store.traits.isBusy(causeOf(error));
    this.#admissions = new GroupCommit((batch) => this.#commitArrivals(batch), isWorthSplitting);
    this.#settlements = new GroupCommit((batch) => this.#commitSettlements(batch), isWorthSplitting);
    this.#unwritten = new UnwrittenOutcomes((settlement) => this.#settlements.add(settlement));
  }

  admit(arrival: Arrival): Promise<Admission> {
    const add = () => this.#admissions.add(arrival);
    const admitted = this.#unwritten.isEmpty ? add() : this.#unwritten.flush().then(add);
    return arrival.isAccepted ? this.#flushed(admitted) : admitted;
  }

  settle(settlement: Settlement): Promise<void> {
    const settled = this.#settlements.add(settlement).catch((error: unknown) => {
      this.#unwritten.keep(settlement);
      throw error;
    });
    return settlement.isDurable ? this.#flushed(settled) : settled;
  }

  isBlocked(deliveryId: number): Promise<boolean> {
    return this.#available(async () => {
      const blocked = await this.#db
        .selectFrom('deliveries')
        .select('id')
        .where('id', '=', deliveryId)
        .where(sql<boolean>`exists (${earlierOfTheJob(this.#time())})`)
        .executeTakeFirst();
      return blocked !== undefined;
    });
  }

  async claimDue(limit: number, pausedChannels: readonly string[]): Promise<readonly DueDelivery[]> {
    await this.#unwritten.flush();
    const { traits } = this.#store;
    const request = { claim: this.#options, limit, pausedChannels };
    return this.#transact(false, (trx) => claimDue(trx, traits, this.#time(), request));
  }

  raise(alert: Alert): Promise<void> {
    return this.#transact(true, (trx) =>
      writeAlert({ trx, time: this.#time() }, this.#store.statements, alert),
    );
  }

  prune(before: number, after: number): Promise<PruneStep> {
    const age = { before, after, now: this.#options.clock.now() };
    return this.#transact(false, (trx) => pruneStep(trx, age));
  }

  deliveriesOf(callbackId: number): Promise<readonly DeliveryRecord[]> {
    return this.#available(async () => {
      const rows = await deliveryRows(this.#db, this.#time(), callbackId);
      return rows.map(deliveryRecord);
    });
  }

  refuse(refused: RefusedBody): Promise<void> {
    return this.#transact(true, async (trx) => {
      await trx.insertInto('refused').values(refusedRow(refused)).execute();
      await trx
        .deleteFrom('refused')
        .where('id', '<=', (eb) =>
          eb.selectFrom('refused').select('id').orderBy('id', 'desc').limit(1).offset(KEPT_REFUSED),
        )
        .execute();
    });
  }

  countOpen(): Promise<OpenCounts> {
    return this.#available(async () => {
      const rows = await this.#db
        .selectFrom('deliveries')
        .select(['state', (eb) => eb.fn.countAll().as('count')])
        .where(isOpen)
        .groupBy('state')
        .execute();
      const countOf = (state: string) => Number(rows.find((row) => row.state === state)?.count ?? 0);
      return { pending: countOf('pending'), dead: countOf('dead') };
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
    const now = this.#store.traits.now(this.#options.clock.now());
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
    return this.#commit(isDurable, (trx) => admitAll({ ...context, trx }, batch));
  }

  async #commitSettlements(batch: readonly Settlement[]): Promise<void[]> {
    const isDurable = batch.some((settlement) => settlement.isDurable);
    const { statements } = this.#store;
    await this.#commit(isDurable, async (trx) => {
      const context = { trx, time: this.#time() };
      await statements.insertHistory(context, batch.flatMap(historyIn));
      const updates = batch.flatMap(({ deliveries }) => deliveries);
      await statements.updateDeliveries(context, updates, this.#options.owner);
    });
    return batch.map(() => undefined);
  }

  /** A durable one is on disk when the promise resolves. */
  #transact<T>(isDurable: boolean, work: (trx: Kysely<Tables>) => Promise<T>): Promise<T> {
    const committed = this.#commit(isDurable, work);
    return isDurable ? this.#flushed(committed) : committed;
  }

  /** To be flushed by whoever needs it on disk: the next batch need not wait for that. */
  #commit<T>(isDurable: boolean, work: (trx: Kysely<Tables>) => Promise<T>): Promise<T> {
    const { db, traits } = this.#store;
    return this.#available(() => traits.transact(db, isDurable, work));
  }

  async #flushed<T>(committed: Promise<T>): Promise<T> {
    const result = await committed;
    await this.#available(() => this.#store.traits.flush());
    return result;
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
