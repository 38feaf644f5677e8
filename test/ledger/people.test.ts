/** What people read and do, on both databases. */
import { describeActions } from '../contract/action-contract.ts';
import { describeArchive } from '../contract/archive-contract.ts';
import { describePlans, POSTGRES, SQLITE } from '../contract/plan-contract.ts';
import { forAll } from '../support/anew.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { createPostgresStore } from '../support/postgres-store.ts';
import { createSqliteStore } from '../support/sqlite-store.ts';

describe('on PostgreSQL', () => {
  const server = forAll(() => startPostgres());

  const createStore = (clock?: ManualClock) => createPostgresStore(server, clock);
  describeArchive('PostgreSQL', createStore);
  describeActions('PostgreSQL', createStore);
  describePlans('PostgreSQL', createStore, POSTGRES);
});

describeArchive('SQLite', createSqliteStore);
describeActions('SQLite', createSqliteStore);
describePlans('SQLite', createSqliteStore, SQLITE);
