/** What is admitted together goes on together: how much that is goes by what came, and not by what is stored of it. */
import { expect } from 'chai';
import { migrate } from '../../src/ledger/migrations/migrate.ts';
import { SqlLedger } from '../../src/ledger/sql-ledger.ts';
import { openSqlite } from '../../src/ledger/sqlite/store.ts';
import { BodyCompressor } from '../../src/ledger/stored-body.ts';
import { arrivalOf } from '../contract/ledger-contract.ts';
import { callbackWith } from '../support/callbacks.ts';
import { ManualClock } from '../support/manual-clock.ts';

describe('callbacks that arrive together', () => {
  /** In how many transactions they are admitted that come while another one is. */
  const transactionsFor = async (messages: readonly string[]) => {
    const clock = new ManualClock();
    const store = openSqlite(':memory:');
    await migrate(store, clock);
    let goOn: () => void = () => undefined;
    const isHeld = new Promise<void>((resolve) => (goOn = resolve));
    let begun: () => void = () => undefined;
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    let transactions = 0;
    const transact: typeof store.traits.transact = async (...of) => {
      transactions += 1;
      begun();
      await isHeld;
      return store.traits.transact(...of);
    };
    const options = { clock, owner: 'one', leaseMs: 18_000, takeOverAfterMs: 120_000 };
    const ledger = new SqlLedger({ ...store, traits: { ...store.traits, transact } }, options);
    const arrive = (message: string, index: number) =>
      ledger.admit(arrivalOf(callbackWith({ job_id: `job-${index}`, message }), [], clock.now()));
    const first = arrive('first', -1);
    await hasBegun;
    const others = messages.map(arrive);
    // The ledger compresses two at once: after as many one by one it is through.
    const compressor = new BodyCompressor(true);
    for (const message of messages) await compressor.toStore(Buffer.from(message));
    goOn();
    await Promise.all([first, ...others]);
    await ledger.close();
    return transactions - 1;
  };

  it('share a transaction while they are small', async () => {
    expect(await transactionsFor(Array.from({ length: 20 }, () => 'x'.repeat(1000)))).to.equal(1);
  });

  it('have one each where they are large, however well they can be compressed', async () => {
    expect(await transactionsFor(Array.from({ length: 4 }, () => 'x'.repeat(200_000)))).to.equal(4);
  });
});
