import { describeLostRows } from '../contract/lost-rows-contract.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { createPostgresStore } from '../support/postgres-store.ts';
import { createSqliteStore } from '../support/sqlite-store.ts';

describeLostRows('SQLite', createSqliteStore, 'delete from callbacks; delete from sqlite_sequence');

describe('on PostgreSQL', () => {
  let server: PostgresServer;

  before(async () => {
    server = await startPostgres();
  });

  after(() => server.close());

  describeLostRows(
    'PostgreSQL',
    () => createPostgresStore(server),
    `delete from callbacks; alter table callbacks alter column id restart;
      alter table deliveries alter column id restart`,
    (clock) => createPostgresStore(server, clock),
  );
});
