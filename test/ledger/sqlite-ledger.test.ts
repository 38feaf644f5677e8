/** SQLite holds the ledger's contract. */
import { describeActions } from '../contract/action-contract.ts';
import { describeAlerts } from '../contract/alert-contract.ts';
import { describeArchive } from '../contract/archive-contract.ts';
import { describeConfigChanges } from '../contract/config-contract.ts';
import { describeDueDeliveries } from '../contract/due-contract.ts';
import { describeForgetting } from '../contract/forgetting-contract.ts';
import { describeLedger } from '../contract/ledger-contract.ts';
import { describeOldLedger } from '../contract/old-ledger-contract.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { OLD_SQLITE_LEDGER } from '../support/old-ledger.ts';
import { createSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';

describeLedger('SQLite', (clock) => Promise.resolve(createSqliteStore(clock)));
describeDueDeliveries('SQLite', (clock) => Promise.resolve(createSqliteStore(clock)));
describeForgetting('SQLite', (clock) => Promise.resolve(createSqliteStore(clock)));
describeAlerts('SQLite', (clock) => Promise.resolve(createSqliteStore(clock)));
describeConfigChanges('SQLite', (clock) => Promise.resolve(createSqliteStore(clock)));
describeArchive('SQLite', (clock) => Promise.resolve(createSqliteStore(clock)));
describeActions('SQLite', (clock) => Promise.resolve(createSqliteStore(clock)));

describe('SQLite', () => {
  let store: SqliteStore;

  afterEach(() => store.close());

  describeOldLedger('SQLite', async () => {
    const clock = new ManualClock(Date.parse('2026-11-21T00:00:00Z'));
    store = createSqliteStore(clock);
    await store.run(OLD_SQLITE_LEDGER);
    return store.open({ clock, owner: 'new', leaseMs: 18_000, takeOverAfterMs: 120_000 });
  });
});
