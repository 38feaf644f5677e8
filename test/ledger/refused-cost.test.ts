/** A refused body comes from whoever may post; it must not cost more than a callback does. */
import { expect } from 'chai';
import { migrate } from '../../src/ledger/migrations/migrate.ts';
import { openSqlite } from '../../src/ledger/sqlite/store.ts';
import { SqlLedger } from '../../src/ledger/sql-ledger.ts';
import { claimAllDue, target } from '../contract/ledger-contract.ts';
import { REFUSED } from '../support/alerts.ts';
import { ManualClock } from '../support/manual-clock.ts';

describe('a refused body', () => {
  it('costs one transaction with its alert, and no flush', async () => {
    const clock = new ManualClock();
    const store = openSqlite(':memory:');
    await migrate(store, clock);
    const flushed: boolean[] = [];
    const traits: typeof store.traits = {
      ...store.traits,
      transact: (db, settings, work) => {
        flushed.push(settings.isDurable);
        return store.traits.transact(db, settings, work);
      },
    };
    const options = { clock, owner: 'first', leaseMs: 18_000, takeOverAfterMs: 120_000 };
    const ledger = new SqlLedger({ ...store, traits }, options);
    const targets = [target('slack:#alerts')];
    const refused = { receivedAt: 1, status: 422, detail: '', errors: [], from: '', body: '{}' } as const;
    await ledger.refuse(refused, { cause: 'refused 422', subject: REFUSED, targets, language: 'en' });
    expect(flushed).to.deep.equal([false]);
    expect(await claimAllDue(ledger)).to.have.length(1);
    await ledger.close();
  });
});
