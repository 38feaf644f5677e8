/** The ledger's operations in SQLite's thread, each answered by its deadline, whatever the disk does. */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type CallOptions, DEFAULT_WITHIN_MS, MOST_WAITING } from '../database.ts';
import { receivedError, type SentError, unavailable } from '../failures.ts';
import { LedgerUnavailable } from '../ledger.ts';
import type { Args, Database, OperationName, Result } from '../registry.ts';
import { Deadline, systemClock } from '../../time/clock.ts';
import type { StoreEvent } from './space.ts';

/** The thread's `workerData`. */
export interface ThreadSettings {
  readonly path: string;
  readonly owner: string;
  readonly isReader: boolean;
  readonly maxBytes?: number | undefined;
}

export interface ThreadCall {
  readonly id: number;
  readonly name: OperationName;
  readonly args: readonly unknown[];
  readonly isDurable: boolean;
  /** By `sharedClockMs`: past it, it is not begun. */
  readonly until: number;
}

export type ThreadReply =
  { readonly id: number; readonly result: unknown } | { readonly id: number; readonly error: SentError };

/** A message costs more than what it says: calls of one turn of the event loop go together, and so do their replies. */
export type ToThread = readonly ThreadCall[] | 'close';
export type FromThread = readonly ThreadReply[] | StoreEvent;

/** A clock that is the same in every thread of the process, and that nobody sets. */
export function sharedClockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Beside this file, in the sources as in the build. */
const ENTRY = new URL(`./sqlite-thread${extname(import.meta.url)}`, import.meta.url);

/** Those that have not ended yet: Node waits for each of them, also for one that hangs in the disk. */
const threads = new Set<Worker>();

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export interface ThreadDatabaseOptions extends ThreadSettings {
  /** Another thread, which hangs when a test wants it to. */
  readonly entry?: URL;
  readonly onEvent?: ((event: StoreEvent) => void) | undefined;
}

/** Node's timers may fire so much early: whoever is told that nothing was begun must not be wrong. */
const EARLY_MS = 1;

/** Its thread is started by the first call. */
export class ThreadDatabase implements Database {
  readonly #options: ThreadDatabaseOptions;
  readonly #waiting = new Map<number, Waiting>();
  /** Of this turn of the event loop. */
  #unsent: ThreadCall[] = [];
  #calls = 0;
  #thread: Worker | undefined;
  #isClosed = false;

  constructor(options: ThreadDatabaseOptions) {
    this.#options = options;
  }

  /** Bound, to be handed on as it is. */
  readonly call = <Name extends OperationName>(
    name: Name,
    args: Args<Name>,
    { withinMs = DEFAULT_WITHIN_MS, isDurable = false }: CallOptions = {},
  ): Promise<Result<Name>> => {
    const reply = new Promise<unknown>((resolve, reject) => {
      if (this.#isClosed) throw new LedgerUnavailable('the ledger is closed');
      if (this.#waiting.size >= MOST_WAITING) throw new LedgerUnavailable('the ledger is not keeping up');
      this.#calls += 1;
      this.#waiting.set(this.#calls, { resolve, reject });
      this.#unsent.push({ id: this.#calls, name, args, isDurable, until: sharedClockMs() + withinMs });
      if (this.#unsent.length === 1) setImmediate(() => this.#send());
    }) as Promise<Result<Name>>;
    // The thread has no other clock than the system's.
    return new Deadline(systemClock, withinMs + EARLY_MS).bound(reply).catch((error: unknown) => {
      throw unavailable(error);
    });
  };

  /** What waits is run first. Of a thread that hangs in the disk, it does not resolve. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#send();
    const thread = this.#thread;
    if (thread === undefined) return;
    this.#post(thread, 'close');
    await new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  }

  #send(): void {
    const calls = this.#unsent.splice(0);
    if (calls.length > 0) this.#post((this.#thread ??= this.#start()), calls);
  }

  #post(thread: Worker, message: ToThread): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
    thread.postMessage(message);
  }

  #start(): Worker {
    const { path, owner, isReader, maxBytes, entry = ENTRY } = this.#options;
    const settings: ThreadSettings = { path, owner, isReader, maxBytes };
    const thread = new Worker(entry, { workerData: settings });
    threads.add(thread);
    thread.on('message', (message: FromThread) => this.#take(message));
    let cause: unknown;
    thread.on('error', (error) => (cause = error));
    thread.on('exit', () => {
      threads.delete(thread);
      this.#giveUp(new LedgerUnavailable('the thread of the ledger has ended', { cause }));
    });
    return thread;
  }

  /** The next call starts another thread. */
  #giveUp(error: Error): void {
    this.#thread = undefined;
    this.#unsent = [];
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #take(message: FromThread): void {
    if ('what' in message) {
      this.#options.onEvent?.(message);
      return;
    }
    for (const reply of message) {
      const waiting = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if ('error' in reply) waiting?.reject(receivedError(reply.error));
      else waiting?.resolve(reply.result);
    }
  }
}

/**
 * To be called when nothing is left to be done: ends the process by SIGKILL (a supervisor sees 137) where a store hangs, which
 * would keep it for ever. Otherwise the process ends by itself.
 * @param say tells the operator before
 */
export function endDespiteHangingStore(say: (text: string) => void): void {
  if (threads.size === 0) return;
  say('the store hangs: this process ends itself by SIGKILL, since it would wait for the disk for ever');
  process.kill(process.pid, 'SIGKILL');
}
