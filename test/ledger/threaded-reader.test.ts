/** People read a SQLite ledger without holding up the callbacks that come meanwhile. */
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { sql } from 'kysely';
import type { StoreReader } from '../../src/ledger/dialect.ts';
import { openThreadedReader } from '../../src/ledger/sqlite/threaded-reader.ts';
import { Deadline, DeadlinePassed, systemClock } from '../../src/time/clock.ts';
import { ThreadEnded } from '../../src/threads/task-thread.ts';
import { rejectionOf } from '../support/rejection-of.ts';

const soon = () => new Deadline(systemClock, 60_000);

const counting = (to: number) => sql<{ count: number }>`
  with recursive numbers(number) as (select 1 union all select number + 1 from numbers where number < ${to})
  select count(*) as count from numbers`;

describe('a SQLite file that is read in a thread', () => {
  let folder: string;
  let path: string;
  let reader: StoreReader;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'botbell-reader-'));
    path = join(folder, 'ledger.db');
    const database = new DatabaseSync(path);
    database.exec("create table things (name text, body blob); insert into things values ('one', x'0001ff')");
    database.close();
    reader = openThreadedReader(path);
  });

  afterEach(async () => {
    await reader.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = <Row>(question: ReturnType<typeof sql<Row>>, deadline = soon()) =>
    reader.read(deadline, async (db) => (await question.execute(db)).rows);

  it('gives rows as a connection of its own would', async () => {
    const [row] = await ask(
      sql<{ name: string; body: Uint8Array }>`select * from things where name = ${'one'}`,
    );
    expect(row?.name).to.equal('one');
    expect(row && [...row.body]).to.deep.equal([0, 1, 255]);
  });

  it('leaves the event loop to others while a question is answered', async () => {
    const turns = { taken: 0, isOver: false };
    const answer = ask(counting(1_000_000)).finally(() => (turns.isOver = true));
    for (; !turns.isOver; turns.taken += 1) await nextTurn();
    expect(await answer).to.deep.equal([{ count: 1_000_000 }]);
    // Answered on the event loop, it would have had a handful.
    expect(turns.taken).to.be.above(100);
  });

  it('answers who asked first first', async () => {
    const answered: number[] = [];
    const asked = [300_000, 1, 2].map(async (count) => {
      await ask(counting(count));
      answered.push(count);
    });
    await Promise.all(asked);
    expect(answered).to.deep.equal([300_000, 1, 2]);
  });

  it('says what SQLite says of a question that fails, and goes on', async () => {
    const error = await rejectionOf(ask(sql`select * from nowhere`));
    expect(error).to.be.an('error').with.property('message', 'no such table: nowhere');
    expect(await ask(counting(3))).to.deep.equal([{ count: 3 }]);
  });

  it('cannot write', async () => {
    expect(await rejectionOf(ask(sql`delete from things returning name`)))
      .to.be.an('error')
      .with.property('message')
      .that.matches(/readonly/);
  });

  it('is waited for no longer than there is time', async () => {
    const error = await rejectionOf(ask(counting(5_000_000), new Deadline(systemClock, 50)));
    expect(error).to.be.an.instanceOf(DeadlinePassed);
  });

  it('is closed when it has answered: ended in the midst of it, SQLite would end the process', async () => {
    const answer = ask(counting(300_000));
    const waiting = rejectionOf(ask(counting(2)));
    await new Promise((resolve) => setTimeout(resolve, 1));
    await reader.close();
    expect(await answer).to.deep.equal([{ count: 300_000 }]);
    expect(await waiting).to.be.an.instanceOf(ThreadEnded);
  });

  it('leaves no file open when it is closed', async function () {
    if (process.platform !== 'linux') this.skip();
    await ask(counting(1));
    expect(openFilesIn(folder)).to.have.length(1);
    await reader.close();
    expect(openFilesIn(folder)).to.deep.equal([]);
  });
});

function openFilesIn(folder: string): string[] {
  return readdirSync('/proc/self/fd')
    .map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return '';
      }
    })
    .filter((target) => target.startsWith(folder));
}
