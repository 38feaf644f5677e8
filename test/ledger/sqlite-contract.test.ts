import { describeContracts } from '../contract/ledger-contracts.ts';
import { describeDays } from '../contract/days-contract.ts';
import { describeMigrations } from '../contract/migration-contract.ts';
import { describePlans, SQLITE } from '../contract/plan-contract.ts';
import { createSqliteStore, filesIn } from '../support/sqlite-store.ts';
import { sized } from '../support/test-size.ts';

describeContracts('SQLite', createSqliteStore);
describeDays('SQLite', createSqliteStore, sized(30, 300));
const createMigrated = () => {
  const store = createSqliteStore();
  const contents = () => Promise.resolve(filesIn(store.folder));
  return { ...store, storeUrl: `sqlite:${store.file}`, contents };
};
describeMigrations('SQLite', createMigrated, {
  fixture: '1.0.sqlite.sql',
  endless:
    'CREATE TABLE slow AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 0',
  // Whoever writes has the lock, and `begin immediate` waits for it no longer than 2 s.
  isMigrating: async (store) => {
    try {
      await store.run('BEGIN IMMEDIATE; ROLLBACK');
      return false;
    } catch {
      return true;
    }
  },
});
describePlans('SQLite', createSqliteStore, SQLITE);
