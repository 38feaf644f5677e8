/** Whether a PostgreSQL database holds, or could hold, a ledger. */
import sql, { join } from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { type StoreState, TELLING_TABLES } from '../schema.ts';
import { postgresState } from './open.ts';

/** Identity columns and what the operations ask for. */
const OLDEST_VERSION = 110_000;

/** @throws {Error} why it cannot be used */
export async function inspectPostgres(tx: Tx): Promise<StoreState> {
  await checkServer(tx);
  const unwritable = await tx.first<{ name: string }>(sql`
    SELECT relname AS name FROM pg_class
    WHERE relname IN (${join(TELLING_TABLES)}) AND pg_table_is_visible(oid)
      AND NOT (has_table_privilege(oid, 'select') AND has_table_privilege(oid, 'insert')
        AND has_table_privilege(oid, 'update') AND has_table_privilege(oid, 'delete'))`);
  if (unwritable !== undefined) throw new Error(`this user may not write to the table ${unwritable.name}`);
  return postgresState(tx);
}

interface Server {
  readonly version: number;
  readonly isReadOnly: boolean;
  readonly mayCreate: boolean | null;
}

async function checkServer(tx: Tx): Promise<void> {
  const server = await tx.first<Server>(sql`SELECT
    current_setting('server_version_num')::int AS version,
    pg_is_in_recovery() OR current_setting('default_transaction_read_only')::bool AS "isReadOnly",
    has_schema_privilege(current_schema(), 'create') AS "mayCreate"`);
  if ((server?.version ?? 0) < OLDEST_VERSION) throw new Error('PostgreSQL 11 or newer is needed');
  if (server?.isReadOnly === true)
    throw new Error('the server takes no writes: it is a standby, or read-only by its settings');
  if (server?.mayCreate !== true) throw new Error('this user may not create tables in the schema');
}
