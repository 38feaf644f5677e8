/** Somebody who holds a table of a PostgreSQL ledger, e.g. to alter it. */
import pg from 'pg';

/** Whoever wants the table waits, until the returned function is called. */
export async function lockTable(url: string, table: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`begin; lock table ${table} in access exclusive mode`);
  return () => client.end();
}
