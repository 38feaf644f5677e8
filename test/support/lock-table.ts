/** Holds locks in a PostgreSQL ledger, as a frozen replica does. */
import pg from 'pg';

/** Whoever uses the table waits until the returned function is called. */
export function lockTable(url: string, table: string): Promise<() => Promise<void>> {
  return holdLocks(url, `lock table ${table} in access exclusive mode`);
}

export async function holdLocks(url: string, ...statements: string[]): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  await client.query(['begin', ...statements].join('; '));
  return () => client.end();
}
