/** The API tells the same of both databases. */
import { describeApi } from '../contract/api-contract.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { createPostgresStore } from '../support/postgres-store.ts';
import { createSqliteStore } from '../support/sqlite-store.ts';

describeApi('SQLite', createSqliteStore);

describe('PostgreSQL', () => {
  let server: PostgresServer;

  before(async () => {
    server = await startPostgres();
  });

  after(() => server.close());

  describeApi('PostgreSQL', (clock) => createPostgresStore(server, clock));
});
