import { describeContracts } from '../contract/ledger-contracts.ts';
import { describeDays } from '../contract/days-contract.ts';
import { describeMigrations } from '../contract/migration-contract.ts';
import { describePlans, POSTGRES } from '../contract/plan-contract.ts';
import { forAll } from '../support/anew.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { createPostgresStore } from '../support/postgres-store.ts';
import { sized } from '../support/test-size.ts';

describe('a ledger on PostgreSQL', () => {
  const server = forAll(() => startPostgres());

  const createStore = () => createPostgresStore(server);
  describeContracts('PostgreSQL', createStore);
  describeDays('PostgreSQL', createStore, sized(3, 6));
  const createMigrated = async () => {
    const store = await createStore();
    const clear = () => store.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    await clear();
    const close = async () => {
      // The server ends what a killed program has begun when it notices.
      await clear();
      await store.close();
    };
    const contents = () =>
      store.query(
        "SELECT oid, relname, relfilenode FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY oid",
      );
    return { ...store, storeUrl: store.url, close, contents };
  };
  describeMigrations('PostgreSQL', createMigrated, {
    fixture: '1.0.postgres.sql',
    endless: 'SELECT pg_sleep(600)',
    isMigrating: async (store) =>
      (
        await store.rows(
          `pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND datname = current_database()`,
          'pid',
        )
      ).length > 0,
  });
  describePlans('PostgreSQL', createStore, POSTGRES);
});
