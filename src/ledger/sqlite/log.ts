/**
 * SQLite's write-ahead log, flushed and moved into the file without holding up the event loop. SQLite would flush within
 * its calls, which return only when the disk is done. So it is told to flush nothing (`synchronous = off`), and what it
 * would flush is flushed here, in its order, by another thread.
 */
import { closeSync, fdatasync, openSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { openDatabase } from './open-database.ts';

/** SQLite's default, a thousand pages of four kilobytes: to move them takes some two milliseconds. */
const LARGEST_LOG_BYTES = 4 * 1024 * 1024;

export interface LedgerFiles {
  /** Both by another thread. */
  flushLog(): Promise<void>;
  flushFile(): Promise<void>;
  /** What is being flushed is closed when it is. */
  close(): void;
}

/** What SQLite does with its log, without flushing anything. */
export interface LogSteps {
  /**
   * Until it is called again, nobody begins the log anew, and what is committed from now on is not copied: others who
   * have the file open included.
   */
  pin(): void;
  /** Copies what was committed before `pin` into the file. */
  copy(): void;
  /** Empties the log. @returns false: somebody is still reading it, or has written meanwhile */
  empty(): boolean;
}

/**
 * Closing a descriptor of the file releases all locks that this process has on it, those of SQLite as well: they are to
 * be closed after the database.
 * @throws {Error} no such files
 */
export function openFiles(path: string): LedgerFiles {
  const [file, log] = [openSync(path, 'r+'), openSync(`${path}-wal`, 'r+')];
  let flushing = 0;
  let isClosed = false;
  const closeIfIdle = () => {
    // Another thread must not find another file under the same number.
    if (isClosed && flushing === 0) [file, log].forEach((each) => closeSync(each));
  };
  const flush = (descriptor: number) =>
    new Promise<void>((resolve, reject) => {
      if (isClosed) throw new Error('the ledger is closed');
      flushing += 1;
      fdatasync(descriptor, (error) => {
        flushing -= 1;
        closeIfIdle();
        if (error === null) resolve();
        else reject(error);
      });
    });
  return {
    flushLog: () => flush(log),
    flushFile: () => flush(file),
    close() {
      isClosed = true;
      closeIfIdle();
    },
  };
}

/** By the connection that writes, and one that only reads. */
export class LogConnection implements LogSteps {
  readonly #writer: DatabaseSyncInstance;
  readonly #reader: DatabaseSyncInstance;

  constructor(writer: DatabaseSyncInstance, path: string) {
    this.#writer = writer;
    this.#reader = openDatabase(path);
  }

  pin(): void {
    if (this.#reader.isTransaction) this.#reader.exec('commit');
    // SQLite begins to read with the first row.
    this.#reader.exec('begin; select 1 from sqlite_master limit 1');
  }

  copy(): void {
    this.#writer.exec('pragma wal_checkpoint(passive)');
  }

  empty(): boolean {
    this.#reader.exec('commit');
    try {
      const isEmpty = this.#truncate();
      // Were all of the log in the file, the next one to write would begin it anew, without a flush.
      if (!isEmpty) writeNothing(this.#writer);
      return isEmpty;
    } finally {
      this.pin();
    }
  }

  close(): void {
    this.#reader.close();
  }

  #truncate(): boolean {
    // What somebody else has written since must be on disk first; it is the only thing that is flushed here.
    this.#writer.exec('pragma synchronous = full');
    try {
      const outcome = this.#writer.prepare('pragma wal_checkpoint(truncate)').get() as { busy: number };
      return outcome.busy === 0;
    } finally {
      this.#writer.exec('pragma synchronous = off');
    }
  }
}

/** The cheapest write that changes nothing: nobody else uses that number. */
export function writeNothing(database: DatabaseSyncInstance): void {
  database.exec('pragma user_version = 0');
}

export class WriteAheadLog {
  readonly #files: LedgerFiles;
  readonly #steps: LogSteps;
  #flush: Promise<void> | undefined;
  #nextFlush: Promise<void> | undefined;
  #move: Promise<void> | undefined;
  /** Moved when it is larger. */
  #limit = LARGEST_LOG_BYTES;
  /**
   * What the operating system could not write to the disk, it may never write: it counts as written from then on. So the log
   * is no longer to be trusted until all of it is in the file.
   */
  #isSuspect = false;
  /** The same of the file: the log holds what it lacks, and must stay until SQLite begins with it again. */
  #fileError: Error | undefined;
  #isStopped = false;

  constructor(files: LedgerFiles, steps: LogSteps) {
    this.#files = files;
    this.#steps = steps;
  }

  /** Resolves when something may be written. @throws {Error} nothing may be any more, until a restart */
  async writable(): Promise<void> {
    while (this.#move !== undefined) await this.#move;
    if (this.#fileError !== undefined) throw this.#fileError;
  }

  /** Resolves when all that is committed now is on disk. @throws {Error} the disk refuses */
  async flush(): Promise<void> {
    if (this.#isSuspect) await this.#moveOnce();
    if (this.#isSuspect) throw new Error('the disk could not take the log of the ledger');
    await (this.#flush === undefined ? this.#beginFlush() : this.#flushAfter(this.#flush));
  }

  /** To be called after each commit. @param bytes the size of the log, as far as is known */
  committed(bytes: number): void {
    if (bytes < this.#limit) return;
    // Whoever reads it for long keeps it as it is: then it is tried again when it has grown by as much.
    this.#limit = bytes + LARGEST_LOG_BYTES;
    void this.#moveOnce();
  }

  /** Nothing is moved any more. @returns whether SQLite may empty the log */
  stop(): boolean {
    this.#isStopped = true;
    return this.#fileError === undefined;
  }

  close(): void {
    this.#files.close();
  }

  /** One flush for all who ask while another one is under way: that one may have begun before their commits. */
  #flushAfter(earlier: Promise<void>): Promise<void> {
    this.#nextFlush ??= earlier
      .catch(() => undefined)
      .then(() => {
        this.#nextFlush = undefined;
        return this.flush();
      });
    return this.#nextFlush;
  }

  #beginFlush(): Promise<void> {
    this.#flush = this.#flushLog().finally(() => {
      this.#flush = undefined;
    });
    return this.#flush;
  }

  async #flushLog(): Promise<void> {
    try {
      await this.#files.flushLog();
    } catch (error) {
      this.#isSuspect = true;
      throw error;
    }
  }

  async #flushFile(): Promise<void> {
    try {
      await this.#files.flushFile();
    } catch (error) {
      this.#fileError = new Error(
        'the disk could not take what the ledger holds: restart Botbell once the disk is well',
        { cause: error },
      );
      throw error;
    }
  }

  #moveOnce(): Promise<void> {
    this.#move ??= this.#moveAll()
      // It stays in the log, and nothing is lost.
      .catch(() => undefined)
      .finally(() => {
        this.#move = undefined;
      });
    return this.#move;
  }

  async #moveAll(): Promise<void> {
    // Who has begun to write is done by then: a transaction waits for nothing but SQLite.
    await nextTurn();
    for (const step of this.#stepsOfAMove()) {
      if (this.#isStopped) return;
      await step();
    }
    this.#isSuspect = false;
  }

  /**
   * The log is on disk before any of it is copied, the copy before the log is emptied, and that before anything new is in
   * it: whenever the power fails, the file and what is on disk of the log make up the ledger.
   */
  #stepsOfAMove(): readonly (() => Promise<void>)[] {
    return [
      () => {
        this.#steps.pin();
        return this.#flushLog();
      },
      () => {
        this.#steps.copy();
        return this.#flushFile();
      },
      async () => {
        if (!this.#steps.empty()) return;
        this.#limit = LARGEST_LOG_BYTES;
        await this.#flushLog();
      },
    ];
  }
}
