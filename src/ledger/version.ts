/** Whether a store holds a ledger of this version, could become one, or belongs to another version or program. */
import sql, { raw } from 'sql-template-tag';
import type { Tx } from './database.ts';
import { SCHEMA_VERSION, VERSION_TABLE } from './schema.ts';

/** `new`: there is no ledger yet, and one can be made. */
export type StoreState = 'new' | 'ready';

/** Kysely's list, which versions of Botbell before the first release kept. */
const BEFORE = 'kysely_migration';

/** To look for in a store: what tells that it is a ledger, and a table that would be in its way. */
export const TELLING_TABLES = [VERSION_TABLE, BEFORE, 'callbacks'] as const;

const DRAIN_IT =
  'the ledger was written by another version of Botbell: drain it first (run that version until nothing is undelivered), then start this one with a new file or database in store.url';

/**
 * @param tables those of `TELLING_TABLES` that are there
 * @throws {Error} it cannot be used: why, and what to do
 */
export async function stateOf(
  tx: Pick<Tx, 'first'>,
  tables: readonly { readonly name: string }[],
): Promise<StoreState> {
  const found = tables.map(({ name }) => name);
  if (found.includes(BEFORE)) throw new Error(DRAIN_IT);
  if (found.includes(VERSION_TABLE)) {
    const row = await tx.first<{ version: number }>(sql`SELECT version FROM ${raw(VERSION_TABLE)}`);
    if (row?.version !== SCHEMA_VERSION) throw new Error(DRAIN_IT);
    return 'ready';
  }
  if (found.length === 0) return 'new';
  throw new Error(`it has a table ${found.join()} that is not Botbell's: give Botbell a store of its own`);
}
