/** Moves SQLite's log into the file, in the keeper's thread, so that the event loop waits for none of its flushes. */
import { DatabaseSync } from '@photostructure/sqlite';
import { watchFile } from './file.ts';
import { realpathSync } from 'node:fs';

/** Pages that are in the log alone are moved from this size on. */
const MOVED_FROM_BYTES = 16 * 1024 * 1024;

/** How long cutting the log at the end waits for another connection that writes or reads. */
const BUSY_TIMEOUT_MS = 100;

/** After a rest that was of no use, the writer is asked for none for so long: a long reader, such as a backup, holds the log. */
const AFTER_BUSY_MS = 5000;

interface Found {
  readonly busy: number;
  /** Pages in the log, and how many of them are in the file. */
  readonly log: number;
  readonly checkpointed: number;
}

export class LogMover {
  readonly #database: InstanceType<typeof DatabaseSync>;
  readonly #files: readonly (() => number)[];
  readonly #log: () => number;
  readonly #pageBytes: number;
  readonly #mostLogBytes: number;
  #restsUntil = -Infinity;
  #isAsking = false;

  constructor(path: string, mostLogBytes: number) {
    this.#log = watchFile(`${realpathSync(path)}-wal`);
    this.#files = [watchFile(path), this.#log];
    this.#database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    this.#database.exec('pragma wal_autocheckpoint = 0');
    this.#pageBytes = (this.#database.prepare('pragma page_size').get() as { page_size: number }).page_size;
    this.#mostLogBytes = mostLogBytes;
  }

  /** Moves a part of the log, if it is long. @returns `rest`: the writer is to rest, so that the remainder can be moved */
  look(): 'rest' | undefined {
    const found = this.#isAsking ? undefined : this.#checkpoint('noop');
    if (found === undefined || isMoved(found)) return undefined;
    const bytesIn = (pages: number) => pages * this.#pageBytes;
    const isLarge = bytesIn(found.log) >= this.#mostLogBytes;
    const least = Math.min(MOVED_FROM_BYTES, this.#mostLogBytes / 2);
    if (!isLarge && bytesIn(found.log - found.checkpointed) < least) return undefined;
    const moved = this.#checkpoint('passive');
    // Under a steady load some page is always in the log alone, so that the log only grows.
    const isToRest = isLarge && moved !== undefined && !isMoved(moved);
    this.#isAsking = isToRest && performance.now() >= this.#restsUntil;
    return this.#isAsking ? 'rest' : undefined;
  }

  /**
   * Moves the pages that were written since the last look, which are few. To be called while no other connection writes: the next one
   * that does begins the log anew. The log's file keeps its size, since cutting it takes as long as several flushes.
   */
  finish(): void {
    this.#isAsking = false;
    const moved = this.#checkpoint('passive');
    if (moved === undefined || !isMoved(moved)) this.#restsUntil = performance.now() + AFTER_BUSY_MS;
  }

  /** Also where the file was moved or replaced, as by a backup: at the next start SQLite would write what is left in the log into the other one. */
  close(): void {
    if (this.#checkpoint('truncate', [this.#log]) !== undefined) this.#database.close();
  }

  /** @returns undefined: nothing was done, since the disk is full, or the file is another one */
  #checkpoint(mode: 'noop' | 'passive' | 'truncate', files = this.#files): Found | undefined {
    try {
      // Writing to a log that was replaced would write into a foreign file.
      for (const look of files) look();
      return this.#database.prepare(`pragma wal_checkpoint(${mode})`).get() as Found | undefined;
    } catch {
      return undefined;
    }
  }
}

function isMoved({ log, checkpointed }: Found): boolean {
  return log === checkpointed;
}
