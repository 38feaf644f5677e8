/** A SQLite ledger keeps within `store.max_size`: what is done goes early, what is undelivered never. */
import type { DatabaseLedger } from '../../src/ledger/database-ledger.ts';
import { statSync } from 'node:fs';
import { expect } from 'chai';
import type { Admission, DeliveryTarget, DeliveryUpdate } from '../../src/ledger/ledger.ts';
import { LedgerFull } from '../../src/ledger/ledger.ts';
import type { StoreEvent } from '../../src/ledger/sqlite/file.ts';
import { arrivalOf, OPS } from '../contract/arrivals.ts';
import { answeredOf } from '../contract/settlements.ts';
import { delivered, namesOf } from '../contract/updates.ts';
import { anew } from '../support/anew.ts';
import { callbackWith } from '../support/callbacks.ts';
import { noise } from '../support/noise.ts';
import { createSqliteStore } from '../support/sqlite-store.ts';

const MEGABYTE = 1024 * 1024;
const MAX_BYTES = 16 * MEGABYTE;
const ANSWER = { arrivedAt: 0, answeredAt: 1, status: 200, result: 'no_route' } as const;

describe('A SQLite ledger with a limit', () => {
  const store = anew(() => createSqliteStore());
  let ledger: DatabaseLedger;
  let events: StoreEvent[];
  let jobs: number;

  const open = (maxBytes = MAX_BYTES) =>
    store.open({ maxBytes, onStoreEvent: (event) => events.push(event) });
  const arrivalTo = (planned: readonly DeliveryTarget[], bytes = 800_000) => {
    jobs += 1;
    const callback = callbackWith({ job_id: `job-${jobs}`, message: noise(bytes) });
    return arrivalOf(callback, planned);
  };
  const answer = async (admission: Admission, update?: DeliveryUpdate) => {
    await ledger.settle({ ...answeredOf(admission), update, answer: ANSWER });
    return admission;
  };
  const finish = async (bytes?: number) => answer(await ledger.admit(arrivalTo([], bytes)));
  const leave = async (bytes?: number) => answer(await ledger.admit(arrivalTo([OPS], bytes)));
  const tell = (admission: Admission) => answer(admission, delivered(namesOf(admission)[0]));
  /** Until not even a small one fits. */
  const fillWithUndelivered = async () => {
    for (const bytes of [800_000, 20_000, 100]) {
      for (let error: unknown; error === undefined;) {
        error = await leave(bytes).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        if (error !== undefined) expect(error).to.be.instanceOf(LedgerFull);
      }
    }
  };
  const idsIn = async (table: string) => (await store.rows(table)).map((row) => Number(row['id']));
  const forgottenEarly = () =>
    events.reduce((sum, event) => sum + (event.what === 'forgotten_early' ? event.count : 0), 0);

  beforeEach(async () => {
    events = [];
    jobs = 0;
    ledger = await open();
  });

  it('takes whatever comes while what it holds is done, forgets the oldest for it, and grows no further', async () => {
    let largest = 0;
    for (let number = 0; number < 40; number += 1) {
      await Promise.all([finish(), finish(10_000)]);
      largest = Math.max(largest, await ledger.archive.storeBytes());
    }
    expect(largest).to.be.within(MAX_BYTES / 2, 1.2 * MAX_BYTES);
    expect(statSync(store.file).size).to.be.lessThan(1.2 * MAX_BYTES);
    const ids = await idsIn('callbacks');
    expect(ids, 'the newest').to.deep.equal(ids.map((_, index) => 81 - ids.length + index));
    expect(forgottenEarly()).to.equal(80 - ids.length);
    expect(events.some(({ what }) => what === 'full')).to.equal(false);
  });

  it('never forgets what is undelivered: what is new is refused then, and what it knows is taken', async () => {
    const known = arrivalTo([OPS]);
    await ledger.admit(known);
    await fillWithUndelivered();
    const count = (await idsIn('callbacks')).length;
    expect(forgottenEarly()).to.equal(0);
    expect(events.at(-1)).to.deep.equal({ what: 'full' });
    expect(await ledger.admit(known)).to.include({ isNew: false, timesReceived: 2 });
    expect(await idsIn('callbacks')).to.have.length(count);
  });

  it('counts as one that cannot be written while it is full, and has room again, by itself, as soon as something of what it holds is told', async () => {
    const first = await leave();
    const others = [await leave(), await leave()];
    const beat = () => ledger.upkeep.heartbeat({ hash: 'a', channels: new Map() });
    await fillWithUndelivered();
    await beat();
    await tell(first);
    expect([ledger.writtenAt, ledger.trouble]).to.deep.equal([
      store.clock.monotonic(),
      new LedgerFull().message,
    ]);
    for (const admission of others) await tell(admission);
    await store.clock.advance(2000);
    await beat();
    expect([ledger.writtenAt, ledger.trouble]).to.deep.equal([store.clock.monotonic(), undefined]);
    await leave(1000);
    expect(events.at(-1)?.what).to.equal('forgotten_early');
    expect(forgottenEarly()).to.equal(3);
  });

  it('that was larger when it was opened shrinks little by little, and takes what comes meanwhile', async () => {
    await ledger.close();
    ledger = await open(8 * MAX_BYTES);
    for (let number = 0; number < 40; number += 1) await finish();
    await ledger.close();
    ledger = await open();
    for (let number = 0; number < 5; number += 1) await leave(10_000);
    expect(await ledger.archive.storeBytes()).to.be.lessThan(1.2 * MAX_BYTES);
    expect(events.some(({ what }) => what === 'full')).to.equal(false);
  });
});
