/** SQLite's write-ahead log: what is committed stands there until it is moved into the file. */
import { closeSync, fdatasync, openSync } from 'node:fs';

/**
 * Some 800 pages of four kilobytes where callbacks come one by one, of SQLite's thousand. To move them takes two
 * milliseconds, a third of that however few there are, so it is done as rarely as SQLite allows.
 */
const COMMITS_PER_MOVE = 150;

export interface LogFile {
  /** By another thread; calls back even where that failed, since SQLite flushes again what it must have on disk. */
  flush(done: () => void): void;
  close(): void;
}

/** SQLite locks the file and its index, never the log, so closing this releases no lock. @throws {Error} no such log */
export function openLog(path: string): LogFile {
  const log = openSync(path, 'r');
  return { flush: (done) => fdatasync(log, () => done()), close: () => closeSync(log) };
}

/**
 * Has the log flushed, then moved into the file, between two callbacks. SQLite would do both within a commit, while
 * somebody waits for it; flushing takes most of that time, and afterwards SQLite finds little left to flush.
 */
export class LogMover {
  readonly #log: LogFile;
  readonly #move: () => void;
  #commits = 0;
  #isFlushing = false;
  #isClosed = false;

  constructor(log: LogFile, move: () => void) {
    this.#log = log;
    this.#move = move;
  }

  /** To be called after each commit. */
  committed(): void {
    this.#commits += 1;
    if (this.#commits < COMMITS_PER_MOVE || this.#isFlushing) return;
    this.#commits = 0;
    this.#isFlushing = true;
    this.#log.flush(() => this.#flushed());
  }

  /** Moves nothing any more. */
  close(): void {
    this.#isClosed = true;
    // The other thread must not find another file under the same number.
    if (!this.#isFlushing) this.#log.close();
  }

  #flushed(): void {
    this.#isFlushing = false;
    if (this.#isClosed) this.#log.close();
    else this.#move();
  }
}
