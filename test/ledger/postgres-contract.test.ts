import { describeAlerts } from '../contract/alert-contract.ts';
import { describeClocks } from '../contract/clock-contract.ts';
import { describeConfigChanges } from '../contract/config-contract.ts';
import { describeDueDeliveries } from '../contract/due-contract.ts';
import { describeForgetting } from '../contract/forgetting-contract.ts';
import { describeLedger } from '../contract/ledger-contract.ts';
import { describePlans } from '../contract/plan-contract.ts';
import { describeSignals } from '../contract/signal-contract.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { createPostgresStore } from '../support/postgres-store.ts';

describe('a ledger on PostgreSQL', () => {
  let server: PostgresServer;

  before(async () => {
    server = await startPostgres();
  });

  after(() => server.close());

  const createStore = () => createPostgresStore(server);
  describeLedger('PostgreSQL', createStore);
  describeDueDeliveries('PostgreSQL', createStore);
  describeConfigChanges('PostgreSQL', createStore);
  describeAlerts('PostgreSQL', createStore);
  describeSignals('PostgreSQL', createStore);
  describeClocks('PostgreSQL', (clock) => createPostgresStore(server, clock));
  describeForgetting('PostgreSQL', createStore);
  describePlans('PostgreSQL', createStore, {
    explain: 'EXPLAIN',
    prepare: 'SET LOCAL enable_seqscan = off',
    wholeTable: /Seq Scan on (?:callbacks|deliveries|history|jobs|alert_causes|refused)/,
  });
});
