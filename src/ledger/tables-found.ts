/** What the tables of a store say of its ledger. */
import { migrationNames, NEWER_LEDGER } from './migrations/migrate.ts';

/** `new`: there is no ledger yet, and one can be made. */
export type StoreState = 'new' | 'ready';

/** Of a ledger of any version; Kysely's list of the migrations that it has had. */
export const MIGRATIONS_TABLE = 'kysely_migration';

/** Of the first version on. */
export const LEDGER_TABLES = ['callbacks', 'deliveries', 'history', 'refused'] as const;

export interface TablesFound {
  readonly tables: readonly string[];
  /** Migrations that the ledger has had. */
  readonly migrations: readonly string[];
}

/** @throws {Error} what is there is no ledger, or one of a newer version */
export function stateOf({ tables, migrations }: TablesFound): StoreState {
  const foreign = LEDGER_TABLES.filter((name) => tables.includes(name));
  if (migrations.length === 0 && foreign.length > 0) {
    throw new Error(`it has a table ${foreign[0]} that is not Botbell's: give Botbell a store of its own`);
  }
  if (migrations.some((name) => !migrationNames.includes(name))) throw new Error(NEWER_LEDGER);
  return migrations.length === 0 ? 'new' : 'ready';
}
