/** Calls the ledger's operations in SQLite's thread; each call settles by its deadline, whatever the disk does. */
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
  readonly args: Args<OperationName>;
  readonly isDurable: boolean;
  /** The deadline, by `sharedClockMs`: past it, the call is not begun. */
  readonly until: number;
}

export type ThreadReply =
  { readonly id: number; readonly result: unknown } | { readonly id: number; readonly error: SentError };

/** Sending a message costs more than its contents, so all calls of one turn of the event loop share one, and so do their replies. */
export type ToThread = readonly ThreadCall[] | 'close';
export type FromThread = readonly ThreadReply[] | StoreEvent;

/** A monotonic clock that is the same in every thread of the process. */
export function sharedClockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** The thread's entry is beside this file, in the sources as in the build. */
const ENTRY = new URL(`./sqlite-thread${extname(import.meta.url)}`, import.meta.url);

/** Threads that have not ended. Node does not exit before they have, even if one hangs in a disk operation. */
const threads = new Set<Worker>();

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export interface ThreadDatabaseOptions extends ThreadSettings {
  /** For tests: the entry of another thread, which can hang. */
  readonly entry?: URL;
  readonly onEvent?: ((event: StoreEvent) => void) | undefined;
}

/** Of the thread's heap. It keeps next to nothing beyond a call, and V8's default of 48 MB is filled before it is collected. */
const YOUNG_MB = 6;

/** Node's timers may fire this much early; a call must not be rejected as not begun while the thread can still begin it. */
const EARLY_MS = 1;

/** The first call starts the thread. */
export class ThreadDatabase implements Database {
  readonly #options: ThreadDatabaseOptions;
  readonly #waiting = new Map<number, Waiting>();
  /** The calls of this turn of the event loop. */
  #unsent: ThreadCall[] = [];
  #calls = 0;
  #thread: Worker | undefined;
  #isClosed = false;

  constructor(options: ThreadDatabaseOptions) {
    this.#options = options;
  }

  /** An arrow function, so that it can be passed on without its object. */
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
    // The thread uses the system's clock, so no other would match.
    return new Deadline(systemClock, withinMs + EARLY_MS).bound(reply).catch((error: unknown) => {
      throw unavailable(error);
    });
  };

  /** Waiting calls are run first. Never resolves if the thread hangs in a disk operation. */
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
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB };
    const thread = new Worker(entry, { workerData: settings, resourceLimits });
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

  /** Rejects all calls; the next one starts another thread. */
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

/** To be called last: if a store hangs, which would keep the process alive for ever, says so and ends it by SIGKILL. */
export function endDespiteHangingStore(say: (text: string) => void): void {
  if (threads.size === 0) return;
  say('the store hangs: this process ends itself by SIGKILL, since it would wait for the disk for ever');
  process.kill(process.pid, 'SIGKILL');
}
