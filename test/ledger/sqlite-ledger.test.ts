/** SQLite holds the ledger's contract. */
import { describeLedger } from '../contract/ledger-contract.ts';
import { createSqliteStore } from '../support/sqlite-store.ts';

describeLedger('SQLite', () => Promise.resolve(createSqliteStore()));
