/** SQLite's write-ahead log: what is committed stands there until it is moved into the file. */
import { closeSync, fdatasync, openSync } from 'node:fs';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';

/** Some 200 pages of four kilobytes, where callbacks come one by one. */
const COMMITS_PER_MOVE = 40;

/**
 * Moves the log into the file between two callbacks. SQLite would do so by itself, but within a commit, while somebody
 * waits for it, and nobody is served until the disk has the log and the file.
 */
export class LogMover {
  readonly #database: DatabaseSyncInstance;
  readonly #log: number | undefined;
  #commits = 0;
  #isMoving = false;
  #isClosed = false;

  /** @param path of the log, which is there */
  constructor(database: DatabaseSyncInstance, path: string) {
    this.#database = database;
    this.#log = openToFlush(path);
  }

  /** To be called after each commit. */
  committed(): void {
    this.#commits += 1;
    if (this.#commits < COMMITS_PER_MOVE || this.#isMoving) return;
    this.#commits = 0;
    this.#isMoving = true;
    const move = () => {
      this.#isMoving = false;
      if (!this.#isClosed) this.#move('passive');
    };
    // Most of the time goes into flushing the log; done beforehand by another thread, SQLite finds little left to flush.
    if (this.#log === undefined) setImmediate(move);
    else fdatasync(this.#log, move);
  }

  /** Moves all there is, since whoever copies a file forgets the log beside it. */
  close(): void {
    this.#isClosed = true;
    this.#move('truncate');
    if (this.#log !== undefined) closeSync(this.#log);
  }

  #move(mode: 'passive' | 'truncate'): void {
    try {
      this.#database.exec(`pragma wal_checkpoint(${mode})`);
    } catch {
      // Somebody else reads it, or the disk is full: the log stays, and nothing is lost.
    }
  }
}

/** SQLite locks the file and its index, never the log, so that closing it again releases no lock. */
function openToFlush(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch {
    // In memory there is none.
    return undefined;
  }
}
