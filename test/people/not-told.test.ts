/** What has not reached a destination is found a day at a time. */
import { expect } from 'chai';
import { notTold } from '../../src/people/not-told.ts';
import { arrivalOf, LOG, OPS } from '../contract/ledger-under-test.ts';
import { callbackWith } from '../support/callbacks.ts';
import { createSqliteStore } from '../support/sqlite-store.ts';

const HOUR_MS = 3_600_000;

const CONTEXT = { timezone: 'UTC', language: 'en', redact: (text: string) => text } as const;

describe('What has not reached a destination', () => {
  it('is counted once, whatever day it came on, from the moment that is asked for', async () => {
    const store = createSqliteStore();
    const ledger = await store.open();
    const came: number[] = [];
    for (let number = 0; number < 9; number += 1) {
      came.push(store.clock.now());
      await ledger.admit(arrivalOf(callbackWith({ job_id: `job ${number}` }), [LOG]));
      await store.passTime(8 * HOUR_MS);
    }
    // The clock of who asks may be behind.
    for (const now of [store.clock.now(), store.clock.now() - 1])
      for (const from of came.flatMap((at) => [at, at + 1])) {
        const search = { destination: OPS.destination, from };
        const found = await notTold(ledger.archive, search, { ...CONTEXT, now });
        const counts = found.map(({ count }) => count);
        const since = came.filter((at) => at >= from).length;
        expect(counts, String(from)).to.deep.equal(since === 0 ? [] : [since]);
      }
    await store.close();
  });
});
