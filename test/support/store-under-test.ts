/** One empty store for a ledger's tests, whichever database holds it. */
import type { Operation, Transactions } from '../../src/ledger/database.ts';
import type { DatabaseLedger } from '../../src/ledger/database-ledger.ts';
import type { Asking, PlannedDelivery } from '../../src/ledger/ledger.ts';
import type { LedgerOptions } from '../../src/ledger/open-ledger.ts';
import type { ManualClock } from './manual-clock.ts';

export interface StoreUnderTest {
  /** Of the whole store: its processes share it. */
  readonly clock: ManualClock;
  /** A process's ledger, in this process. */
  open(options?: Partial<LedgerOptions>): Promise<DatabaseLedger>;
  /** One operation in a transaction of its own, by whoever `owner` is. */
  call<Args extends readonly unknown[], Result>(
    operation: Operation<Args, Result>,
    args: Args,
    owner?: string,
  ): Promise<Result>;
  /** Moves the store's time on. */
  passTime(ms: number): Promise<void>;
  /** Runs statements past the ledger. */
  run(statement: string): Promise<void>;
  /** Every row of a table, read past the ledger. */
  rows(table: string, orderedBy?: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Closes every ledger and removes the store. */
  close(): Promise<void>;
}

/** The program waits for its store for less than a second when it stops; whoever looks into the store has to wait. */
export const CLOSED_WITHIN_MS = 60_000;

/** Of tests that do not care. */
export const OPTIONS = { workMs: 18_000, takeOverAfterMs: 120_000, timezone: 'UTC' } as const;

/** `Arrival.asking`, of a BOT that no rule asks about unless more is given. */
export function askingOf(planned: readonly PlannedDelivery[], more: Partial<Asking> = {}): Asking {
  const nothing = { timezone: 'UTC', isRemembered: false, expected: [], overdueMs: [], isPlain: true };
  const mayCount = [...planned, ...(more.later ?? [])].some(({ burst }) => burst !== undefined);
  return { ...nothing, planned, mayCount, ...more };
}

/** `Arrival.routing`, of one route that tells. */
export const ROUTING = JSON.stringify([{ route: 'routes[0]', verdict: 'tells', reaches: [] }]);

/** Opens each owner's transactions when they are first asked for. */
export function callsOver(open: (owner: string) => Promise<Transactions>): StoreUnderTest['call'] {
  const opened = new Map<string, Promise<Transactions>>();
  return async (operation, args, owner = 'first') => {
    const transactions = opened.get(owner) ?? open(owner);
    opened.set(owner, transactions);
    return (await transactions).run((tx) => operation(tx, ...args));
  };
}
