import { describeAlerts } from '../contract/alert-contract.ts';
import { describeClocks } from '../contract/clock-contract.ts';
import { describeConfigChanges } from '../contract/config-contract.ts';
import { describeDueDeliveries } from '../contract/due-contract.ts';
import { describeForgetting } from '../contract/forgetting-contract.ts';
import { describeLedger } from '../contract/ledger-contract.ts';
import { describePlans } from '../contract/plan-contract.ts';
import { describeSignals } from '../contract/signal-contract.ts';
import { createSqliteStore } from '../support/sqlite-store.ts';

describeLedger('SQLite', createSqliteStore);
describeDueDeliveries('SQLite', createSqliteStore);
describeConfigChanges('SQLite', createSqliteStore);
describeAlerts('SQLite', createSqliteStore);
describeSignals('SQLite', createSqliteStore);
describeClocks('SQLite');
describeForgetting('SQLite', createSqliteStore);
describePlans('SQLite', createSqliteStore, {
  explain: 'EXPLAIN QUERY PLAN',
  wholeTable:
    /^SCAN (?:\w+ AS )?(?:callbacks|deliveries|earlier|other|ended|history|jobs|alert_causes)(?! USING)/,
});
