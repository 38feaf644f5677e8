/** What becomes of the ledger when its file is locked, full, read-only, foreign, or was left behind by a crash. */
import { copyFileSync, existsSync, mkdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { sql } from 'kysely';
import { type Ledger, LedgerUnavailable, LedgerUnflushed } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { openSqlite } from '../../src/ledger/sqlite/store.ts';
import { SqlLedger } from '../../src/ledger/sql-ledger.ts';
import { arrivalOf, claimedOf, delivered, idsOf, settlementOf, target } from '../contract/ledger-contract.ts';
import { callbackWith } from '../support/callbacks.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { rejectionOf } from '../support/rejection-of.ts';
import { noise } from '../support/noise.ts';
import { createSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';

const OPS = target('slack:#ops');
const PATIENCE_MS = 2000;

describe('a SQLite ledger in trouble', () => {
  let store: SqliteStore;
  let clock: ManualClock;
  let ledger: Ledger;

  const options = () => ({ clock, owner: 'first', leaseMs: 18_000, takeOverAfterMs: 120_000 });
  const arrive = (job_id: string, by = ledger) =>
    by.admit(arrivalOf(callbackWith({ job_id }), [OPS], clock.now()));

  beforeEach(async () => {
    store = createSqliteStore();
    clock = new ManualClock();
    ledger = await store.open(options());
  });

  afterEach(async () => {
    await store.close();
  });

  describe('locked by somebody else', () => {
    it('waits for the lock and then works', async () => {
      const other = store.connect();
      other.exec('begin immediate');
      const admission = arrive('job-1');
      await clock.advance(PATIENCE_MS / 2);
      other.exec('rollback');
      expect(claimedOf(await clock.runUntil(admission))).to.deep.equal(['slack:#ops']);
    });

    it('is unavailable once its patience is at an end, and works again afterwards', async () => {
      const other = store.connect();
      other.exec('begin immediate');
      const startedAt = clock.now();
      const error = await rejectionOf(clock.runUntil(arrive('job-1')));
      expect(error).to.be.instanceOf(LedgerUnavailable);
      expect(error.message).to.contain('locked');
      expect(clock.now() - startedAt).to.be.within(PATIENCE_MS, PATIENCE_MS + 100);
      expect(await rejectionOf(clock.runUntil(ledger.probe()))).to.be.instanceOf(LedgerUnavailable);
      other.exec('rollback');
      expect((await arrive('job-1')).isNew, 'nothing of it had been written').to.equal(true);
      await ledger.probe();
    });

    it('loses patience once for all who came together, not once for each', async () => {
      store.connect().exec('begin immediate');
      const startedAt = clock.now();
      const all = Promise.allSettled(['a', 'b', 'c', 'd'].map((job_id) => arrive(job_id)));
      const outcomes = await clock.runUntil(all);
      expect(outcomes.map((each) => each.status)).to.deep.equal(Array(4).fill('rejected'));
      expect(clock.now() - startedAt).to.be.lessThan(2 * PATIENCE_MS);
    });

    it('can still be read', async () => {
      const { callbackId } = await arrive('job-1');
      store.connect().exec('begin immediate');
      expect(await ledger.deliveriesOf(callbackId)).to.have.length(1);
      expect(await ledger.countOpen()).to.deep.equal({ pending: 1, dead: 0, held: 0 });
    });
  });

  describe('on a disk that is full', () => {
    let full: Ledger;
    let pragma: (text: string) => Promise<unknown>;

    beforeEach(async () => {
      const opened = openSqlite(store.file);
      full = new SqlLedger(opened, options());
      pragma = (text) => sql.raw(`pragma ${text}`).execute(opened.db);
      await arrive('job-0', full);
      const pages = store.connect().prepare('pragma page_count').get() as { page_count: number };
      await pragma(`max_page_count = ${pages.page_count}`);
    });

    afterEach(() => full.close());

    const arriveLarge = () =>
      full.admit(arrivalOf(callbackWith({ job_id: 'large', message: noise(100_000) }), [OPS], clock.now()));

    it('says so at once, keeps what it has, and works again when there is room', async () => {
      const error = await rejectionOf(arriveLarge());
      expect(error).to.be.instanceOf(LedgerUnavailable);
      expect(error.message).to.contain('full');
      expect(await rejectionOf(full.probe()), 'readiness').to.be.instanceOf(LedgerUnavailable);
      expect(await full.countOpen()).to.deep.equal({ pending: 1, dead: 0, held: 0 });
      await pragma('max_page_count = 1000000');
      expect((await arriveLarge()).isNew).to.equal(true);
      await full.probe();
    });

    it('still writes down the small neighbour of what does not fit', async () => {
      const outcomes = await Promise.allSettled([arriveLarge(), arrive('small', full)]);
      expect(outcomes.map((each) => each.status)).to.deep.equal(['rejected', 'fulfilled']);
    });

    it('that turned read-only is unavailable until it is mended', async () => {
      await pragma('query_only = 1');
      expect(await rejectionOf(arrive('job-1', full))).to.be.instanceOf(LedgerUnavailable);
      expect(await rejectionOf(full.probe())).to.be.instanceOf(LedgerUnavailable);
      await pragma('query_only = 0');
      expect((await arrive('job-1', full)).isNew).to.equal(true);
    });
  });

  it('whose disk is slow says that what was committed was not flushed in time', async () => {
    const opened = openSqlite(store.file);
    const traits: typeof opened.traits = { ...opened.traits, flush: () => new Promise(() => undefined) };
    const slow = new SqlLedger({ ...opened, traits }, options());
    const admission = await arrive('job-1', slow);
    const settled = slow.settle({ ...settlementOf(idsOf(admission).map(delivered)), isDurable: true });
    expect(await rejectionOf(clock.runUntil(settled))).to.be.instanceOf(LedgerUnflushed);
    expect(await slow.countOpen()).to.deep.equal({ pending: 0, dead: 0, held: 0 });
    await slow.close();
  });

  it('opens again on what a crash has left: the file and its log, in the middle of work', async () => {
    await arrive('job-1');
    const crashed = join(store.folder, 'crashed.db');
    for (const ending of ['', '-wal']) copyFileSync(store.file + ending, crashed + ending);
    await ledger.close();
    const reopened = await openLedger(`sqlite:${crashed}`, { ...options(), owner: 'second' });
    expect(
      claimedOf(await arrive('job-1', reopened)),
      'the dead process still holds its claim',
    ).to.deep.equal([]);
    await clock.advance(18_000);
    expect(claimedOf(await arrive('job-1', reopened))).to.deep.equal(['slack:#ops']);
    await reopened.close();
  });

  it('forgets a transaction that a crash has cut off', async () => {
    await arrive('job-1');
    const crashed = join(store.folder, 'crashed.db');
    for (const ending of ['', '-wal']) copyFileSync(store.file + ending, crashed + ending);
    truncateSync(`${crashed}-wal`, statSync(`${crashed}-wal`).size - 10);
    const reopened = await openLedger(`sqlite:${crashed}`, { ...options(), owner: 'second' });
    expect((await arrive('job-1', reopened)).isNew).to.equal(true);
    await reopened.close();
  });
});

describe('opening a SQLite ledger', () => {
  let store: SqliteStore;
  const clock = new ManualClock();
  const options = { clock, owner: 'first', leaseMs: 1000, takeOverAfterMs: 120_000 };
  const openAt = (path: string) => openLedger(`sqlite:${path}`, options);

  beforeEach(() => {
    store = createSqliteStore();
  });

  afterEach(() => store.close());

  it('makes the folders that are missing', async () => {
    const path = join(store.folder, 'a', 'b', 'botbell.db');
    const ledger = await openAt(path);
    await ledger.close();
    expect(existsSync(path)).to.equal(true);
  });

  it('in memory needs no file', async () => {
    const ledger = await openAt(':memory:');
    await ledger.probe();
    await ledger.close();
  });

  it('refuses a ledger that a newer version has written, and leaves it as it is', async () => {
    await (await store.open(options)).close();
    const newer = store.connect();
    const applied = () => newer.prepare('select name from kysely_migration').all().length;
    const before = applied();
    newer.exec("insert into kysely_migration values ('9999-from-the-future', '2030-01-01')");
    const error = await rejectionOf(store.open(options));
    expect(error.message).to.match(/newer version of Botbell.*another store\.url/);
    expect(applied()).to.equal(before + 1);
  });

  it('refuses a ledger from before the first release, whose tables were others', async () => {
    await (await store.open(options)).close();
    for (const name of ['0001-callbacks-and-deliveries', '0001-ledger', '0001-tables']) {
      store.connect().exec(`update kysely_migration set name = '${name}' where name like '0001-%'`);
      const error = await rejectionOf(store.open(options));
      expect(error.message).to.match(/before its first release.*another store\.url/);
    }
  });

  it('says in words which file cannot be opened and why', async () => {
    const file = join(store.folder, 'file');
    writeFileSync(file, 'x'.repeat(2000));
    mkdirSync(join(store.folder, 'folder'));
    for (const path of [join(store.folder, 'folder'), join(file, 'botbell.db'), file]) {
      const error = await rejectionOf(openAt(path));
      expect(error.message).to.match(/^store\.url: the SQLite file .+ cannot be opened: ./);
      expect(error.message).to.contain(path);
    }
  });

  it('by two at the same moment is no trouble', async () => {
    await (await store.open(options)).close();
    const both = Promise.all([store.open(options), store.open({ ...options, owner: 'second' })]);
    const ledgers = await clock.runUntil(both);
    await clock.runUntil(Promise.all(ledgers.map((ledger) => ledger.probe())));
  });
});
