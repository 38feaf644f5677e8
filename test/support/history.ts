/** What a ledger's history says, in the order in which it was written. */
import type { HistoryAttempt, HistoryEntry } from '../../src/ledger/tables.ts';

interface Readable {
  rows(table: string): Promise<readonly Record<string, unknown>[]>;
}

export async function attemptsIn(store: Readable): Promise<HistoryAttempt[]> {
  return (await entriesIn(store)).flatMap(({ attempts }) => attempts ?? []);
}

export async function answersIn(store: Readable): Promise<NonNullable<HistoryEntry['answer']>[]> {
  return (await entriesIn(store)).flatMap(({ answer }) => answer ?? []);
}

async function entriesIn(store: Readable): Promise<HistoryEntry[]> {
  return (await store.rows('history')).map(({ entry }) => JSON.parse(String(entry)) as HistoryEntry);
}
