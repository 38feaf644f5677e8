/** A ledger's database on a PostgreSQL server, with a way to look into it past the ledger. */
import pg from 'pg';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import type { StoreUnderTest } from '../contract/ledger-contract.ts';
import type { PostgresServer } from './postgres-server.ts';

export async function createPostgresStore(
  server: PostgresServer,
): Promise<StoreUnderTest & { readonly url: string }> {
  const url = await server.createDatabase();
  const closers: (() => Promise<void>)[] = [];
  return {
    url,
    async open(options) {
      const ledger = await openLedger(url, options);
      closers.push(() => ledger.close());
      return ledger;
    },
    async rows(table) {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const { rows } = await client.query<Record<string, unknown>>(`select * from ${table} order by id`);
      await client.end();
      return rows;
    },
    async close() {
      for (const close of closers.splice(0).toReversed()) await close();
    },
  };
}
