/** How a ledger is brought up to date, the same on every database. The next version is one step ahead of today's. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { DatabaseLedger } from '../../src/ledger/database-ledger.ts';
import { inspectStore, openArchive, openBesideService } from '../../src/ledger/open-ledger.ts';
import { FIRST_VERSION, type Migration, MIGRATIONS } from '../../src/ledger/shared/schema.ts';
import { anew } from '../support/anew.ts';
import { until } from '../support/proof-wait.ts';
import { refusalOf, rejectionOf } from '../support/rejection-of.ts';
import type { StoreUnderTest } from '../support/store-under-test.ts';
import { callbackWith } from '../support/callbacks.ts';
import { arrivalOf, OPS } from './arrivals.ts';

const FIXTURES = join(import.meta.dirname, '../fixtures/ledgers');
const CHILD = join(import.meta.dirname, '../support/open-and-migrate.ts');

const TODAY = FIRST_VERSION + MIGRATIONS.length - 1;

const STEP: Migration = {
  statements: [
    `ALTER TABLE callbacks ADD COLUMN colour TEXT NOT NULL DEFAULT 'none'`,
    'CREATE TABLE colours (id $id, name TEXT NOT NULL)',
    'CREATE INDEX callbacks_by_colour ON callbacks (colour)',
  ],
  oldest: FIRST_VERSION,
};
const NEXT = [...MIGRATIONS, STEP];
/** Takes away what today's version needs. */
const RENAMES = 'ALTER TABLE callbacks RENAME COLUMN bot_name TO name';
const MAJOR = [...NEXT, { statements: [RENAMES], oldest: TODAY + 2 }];

/** The store of a test, and where it is for those who open it by themselves. */
export interface MigratedStore extends StoreUnderTest {
  readonly storeUrl: string;
  /** All that would show if somebody changed the store. */
  contents(): Promise<unknown>;
}

interface Dialect {
  readonly fixture: string;
  /** A statement that runs until it is killed. */
  readonly endless: string;
  /** Whether `endless` is at work. */
  readonly isMigrating: (store: MigratedStore) => Promise<boolean>;
}

export function describeMigrations(
  database: string,
  createStore: () => Promise<MigratedStore> | MigratedStore,
  { fixture, endless, isMigrating }: Dialect,
): void {
  describeForeign(database, createStore);
  describe(`a ledger on ${database} that another version has written`, () => {
    const store = anew(() => createStore());

    const version = async () => {
      const [row, ...more] = await store.rows('botbell_schema', 'version');
      expect(more).to.deep.equal([]);
      return [Number(row?.['version']), Number(row?.['oldest'])];
    };
    const admit = async (ledger: DatabaseLedger, jobId: string) => {
      const { deliveries } = await ledger.admit(arrivalOf(callbackWith({ job_id: jobId }), [OPS]));
      return deliveries.map(({ destination, state }) => `${destination} ${state}`);
    };
    const jobs = async () => (await store.rows('callbacks')).map((row) => row['job_id']);
    const colours = async () => (await store.rows('callbacks')).map((row) => row['colour']);

    it('is opened as Botbell 1.0 wrote it, by this version and by the next', async () => {
      await store.run(readFileSync(join(FIXTURES, fixture), 'utf8'));
      expect(await version()).to.deep.equal([FIRST_VERSION, FIRST_VERSION]);
      for (const migrations of [MIGRATIONS, NEXT]) {
        const ledger = await store.open({ migrations });
        const found = await ledger.archive.callbacks({}, { limit: 10 });
        expect(found.items.map(({ jobId, kind }) => `${kind} ${jobId}`)).to.include('callback still-waiting');
        expect(await admit(ledger, `by-${migrations.length}`)).to.deep.equal(['slack:#ops pending']);
        await ledger.close();
      }
    });

    it('is worked on by this version and the next one side by side, and by this one again', async () => {
      const told: unknown[] = [];
      const onUpgrade = (versions: unknown) => void told.push(versions);
      const old = await store.open({ owner: 'old', onUpgrade });
      const next = await store.open({ owner: 'next', migrations: NEXT, onUpgrade });
      expect(told).to.deep.equal([{ from: TODAY, to: TODAY + 1 }]);
      await admit(old, 'by the old one');
      await admit(next, 'by the new one');
      await old.close();
      await admit(await store.open({ owner: 'old again' }), 'by the old one again');
      expect(await jobs()).to.deep.equal(['by the old one', 'by the new one', 'by the old one again']);
      expect(await version()).to.deep.equal([TODAY + 1, FIRST_VERSION]);
    });

    for (const { what, before, version: expected } of [
      { what: 'made', before: [], version: TODAY },
      { what: 'changed', before: ['before'], version: TODAY + 1 },
    ])
      it(`is ${what} by one of three that start at once`, async () => {
        for (const job of before) await admit(await store.open(), job);
        const migrations = expected === TODAY ? MIGRATIONS : NEXT;
        // Only today's steps are known to a thread of SQLite, which runs beside the others.
        const isInProcess = migrations !== MIGRATIONS;
        const ledgers = await Promise.all(
          ['a', 'b', 'c'].map((owner) => store.open({ owner, migrations, isInProcess })),
        );
        for (const [index, ledger] of ledgers.entries()) await admit(ledger, `after ${index}`);
        expect(await jobs()).to.have.length(before.length + 3);
        expect(await version()).to.deep.equal([expected, FIRST_VERSION]);
      });

    it('is left as it is where a step fails', async () => {
      await admit(await store.open(), 'before');
      const broken = [...NEXT, { statements: ['CREATE TABLE a (b TEXT)', 'NO STATEMENT'], oldest: 1 }];
      await rejectionOf(store.open({ migrations: broken }));
      expect(await version()).to.deep.equal([TODAY, FIRST_VERSION]);
      expect(await colours()).to.deep.equal([undefined]);
      await admit(await store.open({ owner: 'again' }), 'after');
    });

    it('is left as it is where the program is killed in the middle of a step, and is brought up to date afterwards', async () => {
      await admit(await store.open(), 'before');
      const child = spawn(process.execPath, ['--import', 'tsx', CHILD, store.storeUrl, endless], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      try {
        await until('the step runs', () => {
          expect(child.exitCode, 'it runs until it is killed').to.equal(null);
          return isMigrating(store);
        });
      } finally {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      await (await store.open({ owner: 'next', migrations: NEXT })).close();
      expect(await version()).to.deep.equal([TODAY + 1, FIRST_VERSION]);
      expect(await colours()).to.deep.equal(['none']);
    });

    it('is refused by name, and left as it is, where this version cannot work on it', async () => {
      await (await store.open({ migrations: MAJOR })).close();
      const refusal =
        /is of a newer Botbell: its schema is version \d+, and this program, which knows version \d+, cannot work on it/;
      expect(await refusalOf(store.open())).to.match(refusal);
      expect(await refusalOf(inspectStore(store.storeUrl))).to.match(refusal);
      expect(await version()).to.deep.equal([TODAY + 2, TODAY + 2]);
    });

    it('is refused where it is older than 1.0, and is to be drained first', async () => {
      await (await store.open()).close();
      for (const older of [
        `UPDATE botbell_schema SET version = ${FIRST_VERSION - 1}`,
        'ALTER TABLE botbell_schema RENAME TO schema_version',
      ]) {
        await store.run(older);
        expect(await refusalOf(store.open({ migrations: NEXT }))).to.match(
          /a Botbell from before 1\.0 wrote it: drain it first .*store\.url/,
        );
      }
    });

    it('is not changed by what only looks at it, which says that the service does it', async () => {
      const found = [await inspectStore(store.storeUrl)];
      await (await store.open()).close();
      const next = { migrations: NEXT };
      for (const known of [{}, next]) found.push(await inspectStore(store.storeUrl, known));
      expect(found).to.deep.equal(['none', 'ready', 'older']);
      expect((await rejectionOf(openArchive(store.storeUrl, next))).message).to.include(
        'the service brings it up to date when it starts',
      );
      expect(await version()).to.deep.equal([TODAY, FIRST_VERSION]);
    });
  });
}

const OF_ITS_OWN = /(?:: |, or )give Botbell a store of its own$/;

const MANY = 'abcdef'.replaceAll(/./g, 'CREATE TABLE $& (a INTEGER); ');
const OTHER_TOOL = `CREATE TABLE schema_version (version TEXT, description TEXT); INSERT INTO schema_version VALUES ('9', '')`;
const LEFT = `CREATE TABLE botbell_schema (version INTEGER, oldest INTEGER); INSERT INTO botbell_schema VALUES (${TODAY}, ${TODAY})`;

/** What somebody else has made in the store, by what statements, and what is said of it. */
const FOREIGN: readonly (readonly [what: string, made: string, says: RegExp])[] = [
  ['tables of other names', MANY, /it has a, b, c, d, e, …\)/],
  ['a table of one of its names', 'CREATE TABLE jobs (a INTEGER)', /it has jobs\)/],
  ['a table callbacks', 'CREATE TABLE callbacks (a INTEGER)', /it has callbacks\): give/],
  ['nothing but a view', 'CREATE VIEW jobs AS SELECT 1 AS a', /it has jobs\)/],
  ['another tool’s table schema_version', OTHER_TOOL, /it has schema_version\)/],
  ['its version, and none of its tables', LEFT, /a ledger without its tables callbacks, .*restore a copy/],
];

/** Each way into a store that a command or the service takes. */
const WAYS_IN = [
  (store: MigratedStore) => store.open(),
  ({ storeUrl }: MigratedStore) => inspectStore(storeUrl),
  ({ storeUrl }: MigratedStore) => openArchive(storeUrl),
  ({ storeUrl }: MigratedStore) => openBesideService(storeUrl),
];

function describeForeign(database: string, createStore: () => Promise<MigratedStore> | MigratedStore): void {
  describe(`a store on ${database} that another program uses`, () => {
    const store = anew(() => createStore());

    for (const [what, made, says] of FOREIGN)
      it(`is refused in words, and left as it is, with ${what}`, async () => {
        await store.run(made);
        const before = await store.contents();
        for (const enter of WAYS_IN)
          expect(await refusalOf(enter(store)))
            .to.match(says)
            .and.to.match(OF_ITS_OWN);
        expect(await store.contents()).to.deep.equal(before);
      });
  });
}
