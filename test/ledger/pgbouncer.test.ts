/** A ledger in PostgreSQL behind PgBouncer, which gives each transaction any of its sessions. */
import { expect } from 'chai';
import pg from 'pg';
import { inspectStore, openLedger } from '../../src/ledger/open-ledger.ts';
import { systemClock } from '../../src/time/clock.ts';
import { describeLedger } from '../contract/ledger-contract.ts';
import { arrivalOf, OPS } from '../contract/arrivals.ts';
import { callbackWith } from '../support/callbacks.ts';
import { isInstalled } from '../support/installed.ts';
import { lockTable } from '../support/lock-table.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import { type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { createPostgresStore } from '../support/postgres-store.ts';
import { rejectionOf } from '../support/rejection-of.ts';
import { OPTIONS } from '../support/store-under-test.ts';

/** As many as the pooler has. */
const SESSIONS = 3;

if (isInstalled('pgbouncer', 'a ledger behind PgBouncer')) {
  describe('behind PgBouncer', () => {
    let server: PostgresServer;
    let pooler: PgBouncer;

    before(async () => {
      server = await startPostgres();
      pooler = await startPgBouncer(await server.createDatabase());
    });

    after(async () => {
      await pooler.close();
      await server.close();
    });

    const createStore = (clock?: ManualClock) =>
      createPostgresStore(server, clock, (url) => pooler.urlThrough(url));

    describeLedger('PostgreSQL behind PgBouncer', createStore);

    it('is refused where each statement may get another session', async () => {
      const url = await server.createDatabase();
      const other = await startPgBouncer(url, 'statement');
      const through = other.urlThrough(url);
      const opening = openLedger(through, { ...OPTIONS, clock: systemClock, owner: 'one' });
      const said = [await rejectionOf(opening), await rejectionOf(inspectStore(through))];
      for (const { message } of said) expect(message).to.contain('set pool_mode = transaction, or session');
      await other.close();
    });

    it('has what takes too long ended by the server, and leaves no setting in its sessions', async () => {
      const url = await server.createDatabase();
      const options = { ...OPTIONS, clock: systemClock, owner: 'one' };
      const ledger = await openLedger(pooler.urlThrough(url), options);
      const unlock = await lockTable(url, 'callbacks');
      const error = await rejectionOf(ledger.admit(arrivalOf(callbackWith({}), [OPS]), 10_000));
      expect(error.message).to.contain('lock timeout');
      await unlock();
      await ledger.close();
      const through = await settingsOf(pooler.urlThrough(url));
      expect(through).to.deep.equal(Array(SESSIONS).fill((await settingsOf(url))[0]));
    });
  });
}

/** What several sessions in turn have set. */
async function settingsOf(url: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const all: unknown[] = [];
  for (let session = 0; session < SESSIONS; session += 1) {
    const { rows } = await client.query<object>(
      `select name, setting from pg_settings
       where name ~ '^enable_|_timeout$' or name in ('jit', 'plan_cache_mode', 'synchronous_commit') order by name`,
    );
    all.push(rows);
  }
  await client.end();
  return all;
}
