/** SQLite's log goes into the file between two callbacks, and wholly when the ledger is closed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { expect } from 'chai';
import { LogMover } from '../../src/ledger/sqlite-log.ts';

const PASSIVE = 'pragma wal_checkpoint(passive)';
const TRUNCATE = 'pragma wal_checkpoint(truncate)';

describe("SQLite's log", () => {
  let folder: string;
  let said: string[];
  let onMove: () => void;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'botbell-log-'));
    said = [];
    onMove = () => undefined;
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function moverOf(path: string): LogMover {
    const exec = (text: string) => {
      said.push(text);
      onMove();
    };
    return new LogMover({ exec } as unknown as DatabaseSyncInstance, path);
  }

  function moverOfFile(): LogMover {
    const path = join(folder, 'botbell.db-wal');
    writeFileSync(path, 'a log');
    return moverOf(path);
  }

  function commit(mover: LogMover, times: number): void {
    for (let time = 0; time < times; time += 1) mover.committed();
  }

  const nextMove = () => new Promise<void>((resolve) => (onMove = resolve));

  it('stays where it is while it is short', async () => {
    const mover = moverOfFile();
    commit(mover, 39);
    mover.close();
    await new Promise((resolve) => setImmediate(resolve));
    expect(said).to.deep.equal([TRUNCATE]);
  });

  it('is moved after some forty commits, not within one of them', async () => {
    const mover = moverOfFile();
    commit(mover, 100);
    expect(said).to.deep.equal([]);
    await nextMove();
    expect(said).to.deep.equal([PASSIVE]);
    commit(mover, 40);
    await nextMove();
    expect(said).to.deep.equal([PASSIVE, PASSIVE]);
    mover.close();
  });

  it('is moved in memory, too, where there is no file of it', async () => {
    const mover = moverOf(join(folder, 'none'));
    commit(mover, 40);
    await nextMove();
    expect(said).to.deep.equal([PASSIVE]);
    mover.close();
  });

  it('is not moved any more once the ledger is closed', async () => {
    const mover = moverOf(join(folder, 'none'));
    commit(mover, 40);
    mover.close();
    await new Promise((resolve) => setImmediate(resolve));
    expect(said).to.deep.equal([TRUNCATE]);
  });

  it('stays when SQLite cannot move it, and is tried again', async () => {
    const mover = moverOfFile();
    for (let time = 1; time <= 2; time += 1) {
      commit(mover, 40);
      await new Promise<void>((resolve) => {
        onMove = () => {
          resolve();
          throw new Error('database is locked');
        };
      });
    }
    expect(said).to.deep.equal([PASSIVE, PASSIVE]);
    onMove = () => undefined;
    mover.close();
  });
});
