/** SQLite holds the ledger's contract. */
import { describeAlerts } from '../contract/alert-contract.ts';
import { describeDueDeliveries } from '../contract/due-contract.ts';
import { describeLedger } from '../contract/ledger-contract.ts';
import { createSqliteStore } from '../support/sqlite-store.ts';

describeLedger('SQLite', (clock) => Promise.resolve(createSqliteStore(clock)));
describeDueDeliveries('SQLite', (clock) => Promise.resolve(createSqliteStore(clock)));
describeAlerts('SQLite', (clock) => Promise.resolve(createSqliteStore(clock)));
