import { expect } from 'chai';
import { notTold } from '../../src/people/not-told.ts';
import { arrivalOf, LOG, OPS } from '../contract/arrivals.ts';
import { callbackWith } from '../support/callbacks.ts';
import { createSqliteStore } from '../support/sqlite-store.ts';

const CONTEXT = { timezone: 'UTC', language: 'en', redact: (text: string) => text } as const;

describe('What has not reached a destination', () => {
  it('is counted once, however much of it is looked through at once, from the moment that is asked for', async () => {
    const store = createSqliteStore();
    const ledger = await store.open();
    const came: number[] = [];
    for (let number = 0; number < 9; number += 1) {
      came.push(store.clock.now());
      await ledger.admit(arrivalOf(callbackWith({ job_id: `job ${number}` }), [LOG]));
      await store.passTime(8 * 3_600_000);
      // From the last one back, the third is the first of 50,000 ids.
      if (number === 3) await store.run(`UPDATE sqlite_sequence SET seq = 49997 WHERE name = 'callbacks'`);
    }
    for (const from of came.flatMap((at) => [at, at + 1])) {
      const search = { destination: OPS.destination, from };
      const found = await notTold(ledger.archive, search, { ...CONTEXT, now: store.clock.now() });
      const since = came.filter((at) => at >= from).length;
      const counts = found.map(({ count }) => count);
      expect(counts, String(from)).to.deep.equal(since === 0 ? [] : [since]);
    }
    await store.close();
  });
});
