/** PostgreSQL keeps every promise of a ledger. */
import { describeLedger } from '../contract/ledger-contract.ts';
import { startPostgres, type PostgresServer } from '../support/postgres-server.ts';
import { createPostgresStore } from '../support/postgres-store.ts';

describe('PostgreSQL', () => {
  let server: PostgresServer;

  before(async () => {
    server = await startPostgres();
  });

  after(() => server.close());

  describeLedger('PostgreSQL', () => createPostgresStore(server));
});
