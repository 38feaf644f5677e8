/** The ledger's operations in SQLite's thread, each answered by its deadline, whatever the disk does. */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import {
  type ArgsOf,
  type CallOptions,
  type Database,
  DEFAULT_WITHIN_MS,
  MOST_WAITING,
  type ResultOf,
} from '../database.ts';
import { receivedError, unavailable } from '../failures.ts';
import { LedgerUnavailable } from '../ledger.ts';
import { noteThread } from '../open-threads.ts';
import type { LedgerOperations } from '../registry.ts';
import { Deadline, systemClock } from '../../time/clock.ts';
import type { StoreEvent } from './space.ts';
import { type FromThread, sharedClockMs, type ThreadSettings, type ToThread } from './thread-messages.ts';

/** Beside this file, in the sources as in the build. */
const ENTRY = new URL(`./sqlite-thread${extname(import.meta.url)}`, import.meta.url);

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export interface ThreadDatabaseOptions extends ThreadSettings {
  /** Another thread, which hangs when a test wants it to. */
  readonly entry?: URL;
  readonly onEvent?: ((event: StoreEvent) => void) | undefined;
}

/** Its thread is started by the first call. */
export class ThreadDatabase implements Database<LedgerOperations> {
  readonly #options: ThreadDatabaseOptions;
  readonly #waiting = new Map<number, Waiting>();
  #calls = 0;
  #thread: Worker | undefined;
  #isClosed = false;

  constructor(options: ThreadDatabaseOptions) {
    this.#options = options;
  }

  /** Bound, to be handed on as it is. */
  readonly call = <Name extends keyof LedgerOperations>(
    name: Name,
    args: ArgsOf<LedgerOperations[Name]>,
    options: CallOptions<ResultOf<LedgerOperations[Name]>> = {},
  ): Promise<ResultOf<LedgerOperations[Name]>> => {
    const { withinMs = DEFAULT_WITHIN_MS, isDurable = false, onLate } = options;
    const reply = new Promise<unknown>((resolve, reject) => {
      if (this.#isClosed) throw new LedgerUnavailable('the ledger is closed');
      if (this.#waiting.size >= MOST_WAITING) throw new LedgerUnavailable('the ledger is not keeping up');
      this.#calls += 1;
      this.#waiting.set(this.#calls, { resolve, reject });
      this.#send({ id: this.#calls, name, args, isDurable, until: sharedClockMs() + withinMs });
    }) as Promise<ResultOf<LedgerOperations[Name]>>;
    // The thread has no other clock than the system's.
    return new Deadline(systemClock, withinMs).bound(reply, onLate).catch((error: unknown) => {
      throw unavailable(error);
    });
  };

  /** What waits is run first. Of a thread that hangs in the disk, it does not resolve. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const thread = this.#thread;
    if (thread === undefined) return;
    this.#send('close');
    await new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  }

  #send(message: ToThread): void {
    const thread = (this.#thread ??= this.#start());
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
    thread.postMessage(message);
  }

  #start(): Worker {
    const { path, owner, isReader, maxBytes, timezone, entry = ENTRY } = this.#options;
    const settings: ThreadSettings = { path, owner, isReader, maxBytes, timezone };
    const thread = new Worker(entry, { workerData: settings });
    noteThread(thread);
    thread.on('message', (message: FromThread) => this.#take(message));
    let cause: unknown;
    thread.on('error', (error) => (cause = error));
    thread.on('exit', () => {
      // The next call starts another one.
      this.#thread = undefined;
      for (const { reject } of this.#waiting.values())
        reject(new LedgerUnavailable('the thread of the ledger has ended', { cause }));
      this.#waiting.clear();
    });
    return thread;
  }

  #take(message: FromThread): void {
    if ('event' in message) {
      this.#options.onEvent?.(message.event);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if ('error' in message) waiting?.reject(receivedError(message.error));
    else waiting?.resolve(message.result);
  }
}
