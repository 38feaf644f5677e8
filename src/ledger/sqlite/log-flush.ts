/** Flushes SQLite's log off the event loop, for what has to outlast a power cut. */
import { closeSync, fdatasync, openSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

/** So many flushes overlap, evenly, so that under a steady load a call waits for one and for a part of one, not for two. */
const AT_ONCE = 3;

export type Flush = (descriptor: number, onFlushed: (error: Error | null) => void) => void;

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

let underWay = 0;

/** Whether a flush has not ended. Node does not exit before it has, even if the disk hangs. */
export function isFlushing(): boolean {
  return underWay > 0;
}

export class LogFlush {
  readonly #look: () => unknown;
  readonly #flush: Flush;
  /** Descriptors in no flush. The kernel reports an error once to each, so each flush has its own, opened before the writes that it flushes. */
  readonly #free: number[];
  #waiting: Waiting[] = [];
  #begunAt = 0;
  #tookMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** @param log its path @param look throws if the log is another file than the one that was opened */
  constructor(log: string, look: () => unknown, flush: Flush = fdatasync) {
    this.#free = Array.from({ length: AT_ONCE }, () => openSync(log, 'r+'));
    this.#look = look;
    this.#flush = flush;
  }

  /** Resolves after a flush that began after this call. Rejects if that fails: what it was to write may be lost, so no later one counts. */
  flushed(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#beginInTime();
    });
  }

  /** What waits is still flushed, by a flush that is under way or has to begin. */
  close(): void {
    this.#isClosed = true;
    this.#closeFree();
  }

  #beginInTime(): void {
    if (this.#waiting.length === 0 || this.#free.length === 0 || this.#timer !== undefined) return;
    const isAlone = this.#free.length === AT_ONCE;
    const waitMs = isAlone ? 0 : this.#begunAt + this.#tookMs / AT_ONCE - performance.now();
    if (waitMs <= 0) return this.#begin();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#beginInTime();
    }, waitMs);
  }

  #begin(): void {
    const served = this.#waiting.splice(0);
    const descriptor = this.#free.pop() as number;
    const begunAt = (this.#begunAt = performance.now());
    const end = (error: unknown) => {
      underWay -= 1;
      this.#tookMs = performance.now() - begunAt;
      this.#free.push(descriptor);
      for (const { resolve, reject } of served)
        if (error === undefined) resolve();
        else reject(error);
      this.#beginInTime();
      if (this.#isClosed) this.#closeFree();
    };
    underWay += 1;
    const before = this.#errorOfLook();
    if (before !== undefined) return end(before);
    this.#flush(descriptor, (error) => end(error ?? this.#errorOfLook()));
  }

  #errorOfLook(): unknown {
    try {
      this.#look();
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /** Closing a descriptor of the log drops no lock: SQLite's are on the database and the log's index. */
  #closeFree(): void {
    if (this.#waiting.length > 0) return;
    for (const descriptor of this.#free.splice(0)) closeSync(descriptor);
  }
}
