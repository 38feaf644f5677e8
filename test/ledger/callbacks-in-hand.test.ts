/** What has not been answered, or whose answer is being written, is not forgotten. */
import { expect } from 'chai';
import { type Arrival, LedgerFull } from '../../src/ledger/ledger.ts';
import { migrate } from '../../src/ledger/migrations/migrate.ts';
import { SqlLedger } from '../../src/ledger/sql-ledger.ts';
import { openSqlite } from '../../src/ledger/sqlite/store.ts';
import { arrivalOf, settlementOf, target } from '../contract/ledger-contract.ts';
import { callbackWith } from '../support/callbacks.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { noise } from '../support/noise.ts';
import { rejectionOf } from '../support/rejection-of.ts';

const OPS = target('slack:#ops');

describe('A full SQLite ledger', () => {
  it('forgets nothing while its answer is being written', async () => {
    const clock = new ManualClock();
    const store = openSqlite(':memory:');
    await migrate(store, clock);
    let isDelayed: Promise<void> | undefined;
    const transact: typeof store.traits.transact = async (...of) => {
      const before = isDelayed;
      isDelayed = undefined;
      await before;
      return store.traits.transact(...of);
    };
    const options = {
      clock,
      owner: 'one',
      leaseMs: 18_000,
      takeOverAfterMs: 120_000,
      maxBytes: 16 * 1024 * 1024,
    };
    const ledger = new SqlLedger({ ...store, traits: { ...store.traits, transact } }, options);
    const arrive = (job_id: string, planned: Arrival['planned']) =>
      ledger.admit(arrivalOf(callbackWith({ job_id, message: noise(800_000) }), planned, clock.now()));
    const { callbackId } = await arrive('told to nobody', []);
    let full: unknown;
    for (let number = 0; full === undefined; number += 1) {
      full = await arrive(String(number), [OPS]).then(
        () => undefined,
        (reason: unknown) => reason,
      );
    }
    await clock.advance(11 * 60_000);
    let goOn: () => void = () => undefined;
    isDelayed = new Promise((resolve) => (goOn = resolve));
    const answer = { receivedAt: 0, answeredAt: 1, status: 200, result: 'no_route' } as const;
    const settled = ledger.settle({ ...settlementOf([]), history: { callbackId, attempts: [], answer } });
    await Promise.resolve();
    expect(await rejectionOf(arrive('another', [OPS]))).to.be.instanceOf(LedgerFull);
    goOn();
    await settled;
    expect(await arrive('another', [OPS]), 'forgotten once it is answered').to.include({ isNew: true });
    await ledger.close();
  });
});
