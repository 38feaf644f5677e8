/** A SQLite ledger keeps within `store.max_size`: what is done goes early, what is undelivered never. */
import { statSync } from 'node:fs';
import { expect } from 'chai';
import { type Admission, type Arrival, LedgerFull } from '../../src/ledger/ledger.ts';
import type { OpenLedger } from '../../src/ledger/configs/config-store.ts';
import type { StoreEvent } from '../../src/ledger/retention/store-space.ts';
import { DEAD_LETTER } from '../support/alerts.ts';
import {
  arrivalOf,
  claimAllDue,
  delivered,
  failed,
  idsOf,
  settlementOf,
  target,
} from '../contract/ledger-contract.ts';
import { callbackWith } from '../support/callbacks.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { noise } from '../support/noise.ts';
import { rejectionOf } from '../support/rejection-of.ts';
import { createSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';

const MEGABYTE = 1024 * 1024;
const MAX_BYTES = 16 * MEGABYTE;
const OPS = target('slack:#ops');
const HOUR_MS = 3_600_000;

describe('A SQLite ledger with a limit', () => {
  let store: SqliteStore;
  let clock: ManualClock;
  let ledger: OpenLedger;
  let events: StoreEvent[];
  let jobs: number;
  let onEvent: (event: StoreEvent) => void;

  const open = (maxBytes = MAX_BYTES) =>
    store.open({
      clock,
      owner: 'one',
      leaseMs: 18_000,
      takeOverAfterMs: 120_000,
      maxBytes,
      onStoreEvent: (event) => {
        events.push(event);
        onEvent(event);
      },
    });
  /** A body of which a quarter can be compressed away. */
  const arrivalTo = (planned: Arrival['planned'], bytes = 800_000) => {
    jobs += 1;
    const callback = callbackWith({ job_id: `job-${jobs}`, message: noise(bytes) });
    return arrivalOf(callback, planned, clock.now());
  };
  const answer = { receivedAt: 0, answeredAt: 1, status: 200, result: 'no_route' } as const;
  /** Told to nobody, or to `#ops`, and answered. */
  const finish = async (planned: Arrival['planned'] = [], bytes?: number) => {
    const admission = await ledger.admit(arrivalTo(planned, bytes));
    const { callbackId } = admission;
    await ledger.settle({
      ...settlementOf(planned.length === 0 ? [] : idsOf(admission).map(delivered)),
      history: { callbackId, attempts: [], answer },
    });
    return admission;
  };
  /** Answered, and not delivered. */
  const leave = async (bytes?: number) => {
    const admission = await ledger.admit(arrivalTo([OPS], bytes));
    const { callbackId } = admission;
    await ledger.settle({ ...settlementOf([]), history: { callbackId, attempts: [], answer } });
    return admission;
  };
  /** Until not even a small one fits. @returns how many fitted */
  const fillWithUndelivered = async () => {
    let count = 0;
    for (const bytes of [800_000, 20_000, 100]) {
      for (let error: unknown; error === undefined; count += 1) {
        error = await leave(bytes).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        if (error !== undefined) expect(error).to.be.instanceOf(LedgerFull);
      }
    }
    return count - 3;
  };
  const idsIn = async (table: string) => (await store.rows(table)).map((row) => Number(row['id']));
  const forgottenEarly = () =>
    events.reduce((sum, event) => sum + (event.what === 'forgotten_early' ? event.count : 0), 0);

  beforeEach(async () => {
    clock = new ManualClock();
    store = createSqliteStore(clock);
    events = [];
    onEvent = () => undefined;
    jobs = 0;
    ledger = await open();
  });

  afterEach(() => store.close());

  it('takes whatever comes while what it holds is done, forgets the oldest for it, and grows no further', async () => {
    let largest = 0;
    for (let number = 0; number < 50; number += 1) {
      await finish();
      largest = Math.max(largest, await ledger.bytesUsed());
    }
    expect(largest).to.be.within(MAX_BYTES / 2, MAX_BYTES);
    const ids = await idsIn('callbacks');
    expect(ids.at(-1)).to.equal(50);
    expect(ids, 'the newest').to.deep.equal(ids.map((_, index) => 51 - ids.length + index));
    expect(forgottenEarly()).to.equal(50 - ids.length);
    expect(events.filter(({ what }) => what !== 'forgotten_early')).to.deep.equal([]);
  });

  it('uses freed pages again: a ledger that was filled, emptied and filled anew takes no more of the disk', async () => {
    const size = () => statSync(store.file).size;
    for (let number = 0; number < 30; number += 1) await finish();
    const filled = size();
    for (let number = 0; number < 60; number += 1) await finish();
    expect(size())
      .to.be.lessThan(filled + 5 * MEGABYTE)
      .and.lessThan(MAX_BYTES + 5 * MEGABYTE);
  });

  it('does not grow while a crowd comes at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(Array.from({ length: 10 }, () => finish()));
      expect(await ledger.bytesUsed()).to.be.lessThan(MAX_BYTES);
    }
  });

  it('gives others their turn between the steps by which it makes room', async () => {
    await ledger.close();
    ledger = await open(8 * MAX_BYTES);
    for (let number = 0; number < 3000; number += 1) await finish([OPS], 3000);
    await ledger.close();
    ledger = await open(1);
    let turn = 0;
    const turnsOfSteps: number[] = [];
    onEvent = ({ what }) => {
      if (what === 'forgotten_early') turnsOfSteps.push(turn);
    };
    const count = () => {
      turn += 1;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    // Of a store that is too large as it is, nothing more than it was is taken.
    await ledger.admit(arrivalTo([], 6_000_000));
    clearImmediate(counting);
    expect(turnsOfSteps.length).to.be.greaterThan(10);
    expect(new Set(turnsOfSteps)).to.have.property('size', turnsOfSteps.length);
  });

  it('never forgets what is pending or dead: what is new is refused then, and what is not is written down', async () => {
    const dead = idsOf(await leave()).map((id) => ({ ...failed(id), state: 'dead' as const }));
    await ledger.settle(settlementOf(dead));
    const count = await fillWithUndelivered();
    expect(await idsIn('callbacks')).to.have.length(count + 1);
    expect(events.at(-1)).to.deep.equal({ what: 'full' });
    expect(forgottenEarly()).to.equal(0);
    expect(await ledger.hasRoom()).to.equal(false);
    await ledger.probe();
    await clock.advance(130_000);
    const due = await claimAllDue(ledger, 5);
    expect(due).to.have.length(5);
    const alert = {
      cause: 'c',
      subject: DEAD_LETTER,
      targets: [target('slack:#alerts')],
      language: 'en',
    } as const;
    await ledger.settle(
      settlementOf(due.map(({ record }) => ({ ...failed(record.id), state: 'dead', alert }))),
    );
    expect((await store.rows('deliveries')).at(-1)).to.include({ destination: 'slack:#alerts' });
    expect(await idsIn('callbacks')).to.have.length(count + 2);
  });

  it('takes a callback that it knows, however full it is', async () => {
    const known = arrivalTo([OPS]);
    const knownAlone = arrivalOf(callbackWith({ job_id: 'small' }), [OPS], clock.now());
    await ledger.admit(known);
    await ledger.admit(knownAlone);
    await fillWithUndelivered();
    expect(await ledger.admit(known)).to.include({ isNew: false, timesReceived: 2 });
    expect(await ledger.admit(knownAlone)).to.include({ isNew: false, timesReceived: 2 });
    const other = arrivalOf(callbackWith({ job_id: 'small', message: 'other' }), [OPS], clock.now());
    expect(await rejectionOf(ledger.admit(other))).to.be.instanceOf(LedgerFull);
  });

  it('has room again, by itself, as soon as something of what it holds is told', async () => {
    const some = [await leave(), await leave(), await leave()];
    await fillWithUndelivered();
    for (const admission of some) {
      await ledger.settle({
        ...settlementOf(idsOf(admission).map(delivered)),
        history: { callbackId: admission.callbackId, attempts: [], answer },
      });
    }
    await leave(1000);
    expect(events.slice(-2).map(({ what }) => what)).to.deep.equal(['forgotten_early', 'has_room']);
    expect(forgottenEarly()).to.equal(3);
  });

  it('has room again, by itself, where what was told came and was tried many times', async () => {
    const all = [await leave(40_000), await leave(40_000)];
    while ((await ledger.bytesUsed()) < 0.8 * MAX_BYTES) all.push(await leave(40_000));
    await store.run(`
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 9)
      insert into history (callback_id, entry) select id, '{}' from callbacks, numbers`);
    await fillWithUndelivered();
    for (const { callbackId, deliveries } of all) {
      const told = deliveries.map(({ id }) => delivered(id));
      await ledger.settle({ ...settlementOf(told), history: { callbackId, attempts: [], answer } });
    }
    for (let number = 0; number < all.length / 2; number += 1) await leave(40_000);
    const entries = new Map<unknown, number>();
    for (const row of await store.rows('history')) {
      entries.set(row['callback_id'], (entries.get(row['callback_id']) ?? 0) + 1);
    }
    const left = new Set(await idsIn('callbacks'));
    const stayed = all.filter(({ callbackId }) => left.has(callbackId));
    expect(stayed.every(({ callbackId }) => entries.get(callbackId) === 11)).to.equal(true);
    expect(forgottenEarly()).to.be.greaterThan(all.length / 3);
  });

  it('forgets no more than some megabytes at once, so that nobody waits for it', async () => {
    await ledger.close();
    ledger = await open(4 * MAX_BYTES);
    const some: Admission[] = [];
    while ((await ledger.bytesUsed()) < 3 * MAX_BYTES) some.push(await leave(4_000_000));
    await fillWithUndelivered();
    for (const admission of some) {
      const { callbackId } = admission;
      const told = idsOf(admission).map(delivered);
      await ledger.settle({ ...settlementOf(told), history: { callbackId, attempts: [], answer } });
    }
    await leave(8_000_000);
    const counts = events.flatMap((event) => (event.what === 'forgotten_early' ? event.count : []));
    expect(Math.max(...counts), 'of three megabytes').to.equal(2);
    expect(counts.length).to.be.greaterThan(1);
  });

  it('finds now and then what somebody else has finished', async () => {
    await leave();
    const count = await fillWithUndelivered();
    await store.run("update deliveries set state = 'delivered'");
    expect(await ledger.hasRoom()).to.equal(false);
    await clock.advance(10 * 60_000);
    expect(await ledger.hasRoom()).to.equal(true);
    expect(forgottenEarly()).to.be.within(1, count);
  });

  it('keeps no refused body when it is full, and raises the alert all the same', async () => {
    const refused = {
      receivedAt: 1,
      status: 422,
      detail: '',
      errors: [],
      from: '',
      body: noise(60_000),
    } as const;
    const alert = {
      cause: 'c',
      subject: DEAD_LETTER,
      targets: [target('slack:#alerts')],
      language: 'en',
    } as const;
    await ledger.refuse(refused);
    await fillWithUndelivered();
    await ledger.refuse(refused, alert);
    expect(await idsIn('refused')).to.have.length(1);
    expect((await store.rows('deliveries')).at(-1)).to.include({ destination: 'slack:#alerts' });
  });

  it('takes callbacks however many bodies are refused, and keeps the newest of these', async () => {
    const body = noise(64 * 1024);
    const refuse = (detail: string) =>
      ledger.refuse({ receivedAt: 1, status: 422, detail, errors: [], from: '', body });
    for (let number = 0; number < 400; number += 1) await refuse(String(number));
    expect(await ledger.bytesUsed()).to.be.lessThan(MAX_BYTES / 4);
    const details = (await store.rows('refused')).map((row) => row['detail']);
    expect(details.slice(-10)).to.deep.equal(Array.from({ length: 10 }, (_, index) => String(390 + index)));
    await leave();
    expect(events).to.deep.equal([]);
  });

  it('takes callbacks again once it is opened, where an earlier version filled it with refused bodies', async () => {
    await store.run(`
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 1000)
      insert into refused (received_at, status, detail, errors, remote_address, body)
        select 0, 422, '', '[]', '', randomblob(65536) from numbers`);
    await ledger.close();
    ledger = await open();
    await leave();
    expect(events).to.deep.equal([]);
  });

  it('keeps of what is done whatever may come again, for as long as there is room', async () => {
    const old = await finish([OPS]);
    await clock.advance(2 * HOUR_MS);
    const young = await finish([OPS]);
    while ((await ledger.bytesUsed()) < 0.92 * MAX_BYTES) await finish([OPS], 50_000);
    await clock.advance(60_000);
    await finish([OPS], 1000);
    await clock.advance(1000);
    const ids = await idsIn('callbacks');
    expect(ids).not.to.include(old.callbackId);
    expect(ids).to.include(young.callbackId);
  });

  it('forgets nothing that has not been answered', async () => {
    const open = await Promise.all([ledger.admit(arrivalTo([])), ledger.admit(arrivalTo([]))]);
    for (let number = 0; number < 30; number += 1) await finish();
    expect(await idsIn('callbacks')).to.include.members(open.map(({ callbackId }) => callbackId));
  });

  it('gives nobody the id of what was forgotten', async () => {
    const last = await finish([OPS], 1000);
    const deliveries = Math.max(...(await idsIn('deliveries')));
    for (let number = 0; number < 30; number += 1) await finish();
    await finish([OPS]);
    expect(await idsIn('callbacks')).to.include(last.callbackId);
    expect(Math.max(...(await idsIn('deliveries')))).to.be.greaterThan(deliveries);
  });

  it('that was larger when it was opened shrinks little by little, and takes what comes meanwhile', async () => {
    await ledger.close();
    ledger = await open(8 * MAX_BYTES);
    for (let number = 0; number < 50; number += 1) await finish([OPS]);
    const before = await ledger.bytesUsed();
    await ledger.close();
    await clock.advance(2 * HOUR_MS);
    ledger = await open();
    for (let number = 0; number < 60; number += 1) {
      await finish([OPS], 10_000);
      expect(await ledger.bytesUsed()).to.be.lessThan(before + MEGABYTE);
      await clock.advance(100);
    }
    expect(await ledger.bytesUsed()).to.be.lessThan(MAX_BYTES);
  });
});

describe('The history of a callback', () => {
  it('ends after a thousand answers, but for what was told', async () => {
    const clock = new ManualClock();
    const store = createSqliteStore(clock);
    const ledger = await store.open({ clock, owner: 'one', leaseMs: 18_000, takeOverAfterMs: 120_000 });
    const arrival = arrivalOf(callbackWith({}), [], clock.now());
    const answer = { receivedAt: 0, answeredAt: 1, status: 200, result: 'no_route' } as const;
    const { callbackId } = await ledger.admit(arrival);
    await store.run('update callbacks set times_received = 998');
    for (let number = 0; number < 5; number += 1) {
      await ledger.admit(arrival);
      await ledger.settle({ ...settlementOf([]), history: { callbackId, attempts: [], answer } });
    }
    expect(await store.rows('history')).to.have.length(2);
    const attempt = {
      deliveryId: 1,
      startedAt: 0,
      durationMs: 1,
      outcome: 'delivered',
      error: undefined,
    } as const;
    await ledger.admit(arrival);
    await ledger.settle({ ...settlementOf([]), history: { callbackId, attempts: [attempt], answer } });
    expect(await store.rows('history')).to.have.length(3);
    await store.close();
  });
});
