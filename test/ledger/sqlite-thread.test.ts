/** A SQLite ledger in its thread: nobody waits for a disk longer than they said, and nothing stays claimed in vain. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type DatabaseLedger, ledgerOver } from '../../src/ledger/database-ledger.ts';
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { ThreadDatabase } from '../../src/ledger/sqlite/thread-database.ts';
import { systemClock } from '../../src/time/clock.ts';
import { answerOf, arrivalOf, delivered, LOG, OPS, settlementOf } from '../contract/ledger-under-test.ts';
import { callbackWith } from '../support/callbacks.ts';
import { until } from '../support/proof-wait.ts';
import { rejectionOf } from '../support/rejection-of.ts';
import { createSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';
import { OPTIONS } from '../support/store-under-test.ts';

const HANGING = new URL('../support/hanging-thread.ts', import.meta.url);
const ROOT = join(import.meta.dirname, '../..');
const WITHIN_MS = 300;
const LATENESS_MS = 9000;

/** So long that no test sees its end. */
const LEASE_MS = 600_000;

/** Opens the ledger of the file named by its argument, lets its disk hang, closes it, and ends. */
const STOPPER = `
  import { writeFileSync } from 'node:fs';
  import { ThreadDatabase } from '${ROOT}/src/ledger/sqlite/thread-database.ts';
  import { endDespiteHangingStore } from '${ROOT}/src/ledger/sqlite/thread-database.ts';
  import { systemClock as clock, within } from '${ROOT}/src/time/clock.ts';
  const [path, entry] = process.argv.slice(2);
  const settings = { path, owner: 'me', isReader: false, maxBytes: undefined, clock, entry: new URL(entry) };
  const database = new ThreadDatabase(settings);
  await database.call('countOpen', []);
  if (process.argv[4] === 'hangs') writeFileSync(path + '.hangs', '');
  database.call('leave', [], { withinMs: 100 }).catch(() => undefined);
  await within(process.argv[4] === 'hangs' ? 1500 : 60_000, database.close(), clock);
  endDespiteHangingStore((text) => console.error(text));`;

describe('A SQLite ledger in its thread', () => {
  let store: SqliteStore;
  let ledger: DatabaseLedger;

  const hang = () => writeFileSync(`${store.file}.hangs`, '');
  const recover = () => rmSync(`${store.file}.hangs`, { force: true });
  const arrive = (job_id: string, withinMs?: number) =>
    ledger.admit(arrivalOf(callbackWith({ job_id }), [OPS, LOG]), withinMs);
  const beat = () => ledger.heartbeat({ hash: 'h', channels: new Map() });
  const has = (answer: Promise<unknown>) => answer.then(Boolean, () => false);

  beforeEach(async () => {
    store = createSqliteStore();
    const settings = { path: store.file, owner: 'one', maxBytes: undefined, clock: systemClock };
    const writing = new ThreadDatabase({ ...settings, isReader: false, entry: HANGING });
    const reading = new ThreadDatabase({ ...settings, isReader: true });
    ledger = ledgerOver(writing, reading, { ...OPTIONS, leaseMs: LEASE_MS, clock: systemClock });
    // On a busy machine a thread loads the sources for longer than a call waits.
    await until('the thread runs', () => has(beat()));
  });

  afterEach(async () => {
    recover();
    await ledger.close();
    await store.close();
  });

  it('reads a store that could not be opened before, once it is there', async () => {
    const path = join(store.folder, 'late.db');
    const settings = { path, owner: 'one', maxBytes: undefined, clock: systemClock };
    const reading = new ThreadDatabase({ ...settings, isReader: true });
    const writing = new ThreadDatabase({ ...settings, isReader: false });
    expect(String(await rejectionOf(reading.call('countOpen', [], { withinMs: LEASE_MS })))).to.contain(
      'store.url',
    );
    await writing.call('countOpen', [], { withinMs: LEASE_MS });
    await until('it is read', () => reading.call('countOpen', []).then(Boolean, () => false));
    await Promise.all([reading.close(), writing.close()]);
  });

  it('gives everybody up in the time they gave while the disk hangs, and still reads', async () => {
    const { callbackId } = await arrive('before');
    await until('the reading thread runs', () => has(ledger.archive.countOpen()));
    hang();
    const begun = performance.now();
    const calls = [
      ...Array.from({ length: 100 }, (_, number) => arrive(`job-${number}`, WITHIN_MS)),
      ledger.settle(settlementOf([delivered(1)]), WITHIN_MS),
      ledger.takeOver([2], WITHIN_MS),
    ];
    const story = ledger.archive.story(callbackId);
    const errors = await Promise.all(calls.map(rejectionOf));
    expect(performance.now() - begun).to.be.below(WITHIN_MS + LATENESS_MS);
    expect(errors.every((error) => error instanceof LedgerUnavailable)).to.equal(true);
    expect((await story)?.deliveries).to.have.length(2);
  });

  it('begins nothing that is too late', async () => {
    hang();
    const begun = arrive('in time', LEASE_MS);
    await until('the disk hangs', () => existsSync(`${store.file}.hung`));
    await rejectionOf(arrive('too late', WITHIN_MS));
    recover();
    await begun;
    expect(await arrive('too late')).to.include({ isNew: true });
  });

  it('writes down once who was told while the disk hung, before anything else is admitted', async () => {
    const { callbackId, deliveries } = await arrive('job');
    const attempts = deliveries.map(({ id }) => ({
      deliveryId: id,
      startedAt: 1,
      durationMs: 1,
      outcome: 'delivered' as const,
      error: undefined,
    }));
    const answer = answerOf(200, 'delivered');
    const settlement = {
      ...settlementOf(
        deliveries.map(({ id }) => delivered(id)),
        callbackId,
      ),
      attempts,
      answer,
    };
    hang();
    await rejectionOf(ledger.settle(settlement, WITHIN_MS));
    recover();
    const again = await arrive('job');
    expect(again.deliveries.map(({ state }) => state)).to.deep.equal(['delivered', 'delivered']);
    const told = (await store.rows('history')).filter(({ what }) => what === 'attempt');
    expect(told).to.have.length(2);
  });

  it('tells when it was last written', async () => {
    const before = ledger.writtenAt ?? 0;
    hang();
    await rejectionOf(arrive('job', WITHIN_MS));
    expect(ledger.writtenAt).to.equal(before);
    recover();
    await beat();
    expect(ledger.writtenAt).to.be.greaterThan(before);
  });

  it('closes within a second while the disk hangs', async () => {
    hang();
    void rejectionOf(arrive('job', WITHIN_MS));
    const begun = performance.now();
    await ledger.close();
    expect(performance.now() - begun).to.be.below(1000 + LATENESS_MS);
    expect(await rejectionOf(arrive('job'))).to.be.instanceOf(LedgerUnavailable);
  });

  for (const { disk, code, signal } of [
    { disk: 'hangs', code: null, signal: 'SIGKILL' },
    { disk: 'works', code: 0, signal: null },
  ]) {
    it(`lets its process end where the disk ${disk}: by ${signal ?? 'itself'}`, async () => {
      const stopper = join(store.folder, 'stopper.mjs');
      writeFileSync(stopper, STOPPER);
      const importer = `--import=${ROOT}/test/support/import-tests.mjs`;
      const file = join(store.folder, 'other.db');
      const stopping = spawn(process.execPath, [importer, stopper, file, HANGING.href, disk], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let said = '';
      stopping.stderr.on('data', (data: Buffer) => (said += data.toString()));
      expect(await once(stopping, 'close'), said).to.deep.equal([code, signal]);
      expect(said).to.match(disk === 'hangs' ? /^the store hangs: .*SIGKILL/ : /^$/);
    });
  }
});
