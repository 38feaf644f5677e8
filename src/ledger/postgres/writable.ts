/** Whether sessions of a PostgreSQL may write, of which one that only reads learns nothing. */
import pg from 'pg';

const MAY_ONLY_READ =
  'it is read-only: the server is a standby, or default_transaction_read_only is on for server, database or role';

/** Changes nothing. @throws {Error} the database cannot be reached, or may only be read; says why */
export async function checkServerWritable(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 3000, query_timeout: 3000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
    if (rows[0]?.transaction_read_only === 'on') throw new Error(MAY_ONLY_READ);
  } finally {
    await client.end();
  }
}
