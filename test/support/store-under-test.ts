/** An empty store for a ledger's tests, on either database. */
import type { Operation, Transactions } from '../../src/ledger/database.ts';
import type { DatabaseLedger } from '../../src/ledger/database-ledger.ts';
import type { Asking, PlannedDelivery } from '../../src/ledger/ledger.ts';
import type { LedgerOptions } from '../../src/ledger/open-ledger.ts';
import type { ManualClock } from './manual-clock.ts';

export interface StoreUnderTest {
  /** The clock of the whole store, which all its processes share. */
  readonly clock: ManualClock;
  /** Opens another process's ledger, within this process. */
  open(options?: Partial<LedgerOptions>): Promise<DatabaseLedger>;
  /** Runs one operation in a transaction of its own, as the process `owner`. */
  call<Args extends readonly unknown[], Result>(
    operation: Operation<Args, Result>,
    args: Args,
    owner?: string,
  ): Promise<Result>;
  passTime(ms: number): Promise<void>;
  run(statement: string): Promise<void>;
  rows(table: string, orderedBy?: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  close(): Promise<void>;
}

/** The program gives its store less than a second to close when it stops; a test that then reads the store has to wait longer. */
export const CLOSED_WITHIN_MS = 60_000;

export const OPTIONS = { workMs: 18_000, takeOverAfterMs: 120_000, timezone: 'UTC' } as const;

/** An `Arrival.asking` of a BOT about which no rule asks anything, unless `more` says so. */
export function askingOf(planned: readonly PlannedDelivery[], more: Partial<Asking> = {}): Asking {
  const nothing = { timezone: 'UTC', isRemembered: false, expected: [], overdueMs: [], isPlain: true };
  const mayCount = [...planned, ...(more.later ?? [])].some(({ burst }) => burst !== undefined);
  return { ...nothing, planned, mayCount, ...more };
}

/** An `Arrival.routing` of one route that tells. */
export const ROUTING = JSON.stringify([{ route: 'routes[0]', verdict: 'tells', reaches: [] }]);

/** Opens each owner's transactions at their first use. */
export function callsOver(open: (owner: string) => Promise<Transactions>): StoreUnderTest['call'] {
  const opened = new Map<string, Promise<Transactions>>();
  return async (operation, args, owner = 'first') => {
    const transactions = opened.get(owner) ?? open(owner);
    opened.set(owner, transactions);
    return (await transactions).run((tx) => operation(tx, ...args));
  };
}
