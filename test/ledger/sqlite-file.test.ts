/** The SQLite file itself: made once however many begin with it, and no larger than what it holds. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { answered, arrivalOf, delivered, idsOf, settlementOf, target } from '../contract/ledger-contract.ts';
import { callbackWith } from '../support/callbacks.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { noise } from '../support/noise.ts';
import { createSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';

const MEGABYTE = 1024 * 1024;
const SRC = join(import.meta.dirname, '../../src');

/** Opens the ledger of the file named by its argument, proves that it can be written, and closes it. */
const OPENER = `
  import { openLedger } from '${SRC}/ledger/open-ledger.ts';
  import { systemClock as clock } from '${SRC}/time/clock.ts';
  const options = { clock, owner: String(process.pid), leaseMs: 1000, takeOverAfterMs: 1000 };
  const ledger = await openLedger('sqlite:' + process.argv[1], options);
  await ledger.probe();
  await ledger.close();`;

describe('a new SQLite file', () => {
  let store: SqliteStore;
  const clock = new ManualClock();
  const open = (owner: string) =>
    openLedger(`sqlite:${store.file}`, { clock, owner, leaseMs: 1000, takeOverAfterMs: 1000 });

  beforeEach(() => {
    store = createSqliteStore(clock);
  });

  afterEach(() => store.close());

  it('is prepared once when several of one process open it at the same moment', async () => {
    const ledgers = await clock.runAlong(Promise.all(['one', 'two', 'three'].map(open)));
    for (const ledger of ledgers) await ledger.probe();
    await Promise.all(ledgers.map((ledger) => ledger.close()));
    const names = store.connect().prepare('select name from kysely_migration').all();
    expect(new Set(names.map((row) => JSON.stringify(row)))).to.have.property('size', names.length);
  });

  it('is prepared once when several processes open it at the same moment', async () => {
    const processes = Array.from({ length: 3 }, () =>
      spawn(process.execPath, ['--import=tsx', '--input-type=module', '--eval', OPENER, store.file], {
        stdio: ['ignore', 'ignore', 'pipe'],
      }),
    );
    const errors: string[] = [];
    for (const each of processes) each.stderr.on('data', (data: Buffer) => errors.push(data.toString()));
    const codes = await Promise.all(processes.map((each) => once(each, 'close')));
    expect(
      codes.map(([code]) => code as number),
      errors.join(''),
    ).to.deep.equal([0, 0, 0]);
  });

  it('has nothing in it of a preparation that was cut off', async () => {
    const broken = store.connect();
    broken.exec('create table refused (only_this integer)');
    await open('one').then(
      () => expect.fail('it must not open'),
      () => undefined,
    );
    broken.exec('drop table refused');
    await (await open('one')).close();
  });
});

describe('a SQLite file in use', () => {
  let store: SqliteStore;
  let clock: ManualClock;
  let ledger: Ledger;

  beforeEach(async () => {
    clock = new ManualClock();
    store = createSqliteStore(clock);
    ledger = await store.open({ clock, owner: 'one', leaseMs: 18_000, takeOverAfterMs: 120_000 });
  });

  afterEach(() => store.close());

  const prune = (after: number) =>
    ledger.prune({ sweep: 'done', before: clock.now() - 2 * 86_400_000, after });
  const day = async (number: number) => {
    const jobs = Array.from({ length: 100 }, (_, job) => `job-${number}-${job}`);
    const message = 'x'.repeat(2000);
    const admissions = await Promise.all(
      jobs.map((job_id) =>
        ledger.admit(
          arrivalOf(
            callbackWith({ job_id, message }),
            [target('slack:#ops'), target('slack:#log')],
            clock.now(),
          ),
        ),
      ),
    );
    await ledger.settle(settlementOf(admissions.flatMap(idsOf).map(delivered)));
    await Promise.all(admissions.map((admission) => answered(ledger, admission)));
    await clock.advance(86_400_000);
    for (let step = await prune(0); !step.isThrough;) step = await prune(step.lookedAt);
  };
  const pages = () => {
    const row = store.connect().prepare('pragma page_count').get() as { page_count: number };
    return row.page_count;
  };

  it('does not grow while what is old is forgotten', async () => {
    for (let number = 0; number < 6; number += 1) await day(number);
    const before = pages();
    for (let number = 6; number < 30; number += 1) await day(number);
    expect(pages()).to.be.at.most(before * 1.1);
  });

  it('keeps its log small, once whoever kept it from being taken over is gone', async () => {
    const reader = store.connect();
    reader.exec('begin; select count(*) from callbacks');
    for (let number = 0; number < 20; number += 1) {
      await ledger.admit(
        arrivalOf(callbackWith({ job_id: `${number}`, message: noise(2 * MEGABYTE) }), [], clock.now()),
      );
    }
    expect(statSync(`${store.file}-wal`).size).to.be.greaterThan(16 * MEGABYTE);
    reader.exec('rollback');
    for (let number = 0; number < 3; number += 1) await day(number);
    expect(statSync(`${store.file}-wal`).size).to.be.at.most(9 * MEGABYTE);
  });
});
