/** What people do about deliveries, on either database: each in one short transaction with the row that says so. */
import type { Kysely } from 'kysely';
import type { Clock } from '../../time/clock.ts';
import type { Ask } from '../archive/find-callbacks.ts';
import type { Tables } from '../tables.ts';
import type { TimedStore } from '../timed-store.ts';
import type { ActionContext } from './action-rows.ts';
import type { Actions } from './actions.ts';
import { isAnyOpen, readBulk, readBulks, startBulk, stopBulk } from './bulk-rows.ts';
import { bulkStep, NOTHING_TO_DO } from './bulk-step.ts';
import { dismiss, redeliver } from './one-delivery.ts';
import { routeByHand } from './route-by-hand.ts';
import { redeliverResult, standingQuery } from './standing.ts';
import { tallyOf } from './tally.ts';
import { withdrawStep } from './withdraw.ts';

const MOST_LOOKED_AT = 1000;

export interface ActionsDependencies {
  readonly store: TimedStore;
  readonly clock: Clock;
  readonly takeOverAfterMs: number;
  /** On the connection for whoever reads at length. */
  readonly ask: Ask;
  /** Something of this callback has been dismissed. */
  readonly onDone: (callbackId: number) => void;
}

interface Transactions {
  /** Somebody is told that it is done, so it must survive a power cut. */
  readonly act: <T>(work: (context: ActionContext) => Promise<T>) => Promise<T>;
  /** For what the next step does where this one is lost. */
  readonly step: <T>(work: (context: ActionContext) => Promise<T>) => Promise<T>;
}

export function createActions(dependencies: ActionsDependencies): Actions {
  const { clock, ask, onDone } = dependencies;
  const transactions = transactionsOn(dependencies);
  const { act } = transactions;
  return {
    redeliver: (id, request, again) => act((context) => redeliver(context, id, request, again)),
    dismiss: (id, request) => act((context) => dismiss(context, id, request, onDone)),
    routeAnew: (id, plan, request) => act((context) => routeByHand(context, id, plan, request)),
    lookAt: (ids) =>
      ask(async (db) => {
        const rows = await standingQuery(db, ids.slice(0, MOST_LOOKED_AT)).execute();
        return rows.map((row) => ({
          id: row.id,
          destination: row.destination,
          receivedAt: row.received_at,
          result: redeliverResult(row, false),
        }));
      }),
    tally: (filter) => tallyOf(ask, clock, filter),
    ...inBulk(dependencies, transactions),
  };
}

function transactionsOn({ store, clock, takeOverAfterMs }: ActionsDependencies): Transactions {
  const contextOf = (trx: Kysely<Tables>): ActionContext => ({
    trx,
    time: store.time(),
    traits: store.traits,
    statements: store.statements,
    now: clock.now(),
    takeOverAfterMs,
  });
  return {
    async act(work) {
      const deadline = store.deadline();
      const result = await store.transact({ isDurable: true, deadline }, (trx) => work(contextOf(trx)));
      await store.flush(deadline);
      return result;
    },
    step: (work) =>
      store.transact({ isDurable: false, deadline: store.deadline() }, (trx) => work(contextOf(trx))),
  };
}

function inBulk(
  { store, ask, onDone }: ActionsDependencies,
  { act, step }: Transactions,
): Pick<Actions, 'startBulk' | 'bulks' | 'bulk' | 'stopBulk' | 'continueBulk'> {
  const bulkWith = (id: number) => readBulk(ask, id);
  return {
    startBulk: async (filter, request, what = 'redelivered') => {
      const id = await act((context) => startBulk(context, filter, request, what));
      const bulk = await bulkWith(id);
      if (bulk === undefined) throw new Error(`the ledger has no redelivery ${id} that it has just begun`);
      return bulk;
    },
    bulks: () => readBulks(ask),
    bulk: bulkWith,
    stopBulk: async (id, request) => {
      await act((context) => stopBulk(context, id, request));
      // Whoever stops what is small sees that it is withdrawn; with what is large, the next steps go on.
      await step((context) => withdrawStep(context, id));
      return bulkWith(id);
    },
    continueBulk: async () => {
      // Most of the time there is none, and this is asked every second.
      if (!(await store.read(store.deadline(), isAnyOpen))) return NOTHING_TO_DO;
      return step((context) => bulkStep(context, onDone));
    },
  };
}
