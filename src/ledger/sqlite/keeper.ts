/**
 * The thread beside a SQLite ledger: it reads for people, moves the log into the file, and ends the process if the event loop stands.
 * Each call settles by its deadline, whatever the disk does.
 */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type CallOptions, DEFAULT_WITHIN_MS, MOST_WAITING } from '../database.ts';
import { fromPlainError, type PlainError, ledgerUnavailable } from '../failures.ts';
import { LedgerUnavailable } from '../ledger.ts';
import type { Args, Database, OperationName, Result } from '../registry.ts';
import { Deadline, systemClock } from '../../time/clock.ts';
import { mostLogBytes } from './connection.ts';
import { isFlushing } from './log-flush.ts';

/** The thread's `workerData`. */
export interface KeeperSettings {
  readonly path: string;
  /** Bytes to which the log may grow before the writer has to rest. */
  readonly mostLogBytes: number;
  /** One number, which changes each second while the event loop turns. */
  readonly beats: Int32Array;
  /** How often the thread looks whether it has changed. */
  readonly looksAtLoopMs: number;
}

export interface KeeperCall {
  readonly id: number;
  readonly name: OperationName;
  readonly args: Args<OperationName>;
  /** The deadline, by `sharedClockMs`: past it, the call is not begun. */
  readonly until: number;
}

export type KeeperReply =
  { readonly id: number; readonly result: unknown } | { readonly id: number; readonly error: PlainError };

/** `finish`: the writer rests, so the remainder of the log can be moved. */
export type ToKeeper = KeeperCall | 'finish' | 'close';
/** `rest`: the writer is to begin nothing until `go on`. */
export type FromKeeper = KeeperReply | 'rest' | 'go on';

/** A monotonic clock that is the same in every thread of the process. */
export function sharedClockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** The thread's entry is beside this file, in the sources as in the build. */
const ENTRY = new URL(`./keeper-thread${extname(import.meta.url)}`, import.meta.url);

/** Threads that have not ended. Node does not exit before they have, even if one hangs in a disk operation. */
const threads = new Set<Worker>();

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export interface KeeperOptions {
  readonly path: string;
  /** Of the file with its log; undefined: no limit. */
  readonly maxBytes?: number | undefined;
  /** Of the same file, in this thread. */
  readonly writer: { rest(): void; goOn(): void };
  /** For tests: the entry of another thread, which can hang. */
  readonly entry?: URL | undefined;
  readonly looksAtLoopMs?: number | undefined;
}

/** For young objects in the thread's heap. It keeps next to nothing after a call, and V8 would fill its default of 48 MB before it collects. */
const YOUNG_MB = 6;

/** Node's timers may fire this much early; a call must not be rejected as not begun while the thread can still begin it. */
const EARLY_MS = 1;

const BEAT_MS = 1000;
const LOOKS_AT_LOOP_MS = 5000;
/** After this a thread that has ended is followed by another one. */
const SUCCESSOR_AFTER_MS = 1000;

export class Keeper implements Database {
  readonly #options: KeeperOptions;
  readonly #waiting = new Map<number, Waiting>();
  readonly #beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #beating = setInterval(() => Atomics.add(this.#beats, 0, 1), BEAT_MS).unref();
  #calls = 0;
  #thread: Worker | undefined;
  #isClosed = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#thread = this.#start();
  }

  /** An arrow function, so that it can be passed on without its object. */
  readonly call = <Name extends OperationName>(
    name: Name,
    args: Args<Name>,
    { withinMs = DEFAULT_WITHIN_MS }: CallOptions = {},
  ): Promise<Result<Name>> => {
    const reply = new Promise<unknown>((resolve, reject) => {
      if (this.#isClosed) throw new LedgerUnavailable('the ledger is closed');
      if (this.#waiting.size >= MOST_WAITING) throw new LedgerUnavailable('the ledger is not keeping up');
      this.#calls += 1;
      this.#waiting.set(this.#calls, { resolve, reject });
      this.#thread ??= this.#start();
      this.#post({ id: this.#calls, name, args, until: sharedClockMs() + withinMs });
    }) as Promise<Result<Name>>;
    // The thread uses the system's clock, so no other would match.
    return new Deadline(systemClock, withinMs + EARLY_MS).bound(reply).catch((error: unknown) => {
      throw ledgerUnavailable(error);
    });
  };

  /** Waiting calls are run first, and the log is emptied. Never resolves if the thread hangs in a disk operation. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#beating);
    const thread = this.#thread;
    if (thread === undefined) return;
    this.#post('close');
    await new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  }

  #post(message: ToKeeper): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
    this.#thread?.postMessage(message);
  }

  #start(): Worker {
    const { path, maxBytes, entry = ENTRY, looksAtLoopMs = LOOKS_AT_LOOP_MS } = this.#options;
    const settings: KeeperSettings = {
      path,
      mostLogBytes: mostLogBytes(maxBytes),
      beats: this.#beats,
      looksAtLoopMs,
    };
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB };
    const thread = new Worker(entry, { workerData: settings, resourceLimits });
    threads.add(thread);
    thread.on('message', (message: FromKeeper) => this.#take(message));
    let cause: unknown;
    thread.on('error', (error) => (cause = error));
    thread.on('exit', () => {
      threads.delete(thread);
      this.#giveUp(new LedgerUnavailable('the thread of the ledger has ended', { cause }));
    });
    return thread;
  }

  /** Rejects all calls, and lets another thread follow. */
  #giveUp(error: Error): void {
    this.#thread = undefined;
    this.#options.writer.goOn();
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    if (this.#isClosed) return;
    setTimeout(() => {
      if (!this.#isClosed) this.#thread ??= this.#start();
    }, SUCCESSOR_AFTER_MS).unref();
  }

  #take(message: FromKeeper): void {
    const { writer } = this.#options;
    if (message === 'go on') return writer.goOn();
    if (message === 'rest') {
      // Messages come between turns, when no transaction is open, unless it is one of more than 20 ms: then less is moved.
      writer.rest();
      return this.#post('finish');
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if ('error' in message) waiting?.reject(fromPlainError(message.error));
    else waiting?.resolve(message.result);
  }
}

/** To be called last: if a store hangs, which would keep the process alive for ever, says so and ends it by SIGKILL. */
export function endDespiteHangingStore(say: (text: string) => void): void {
  if (threads.size === 0 && !isFlushing()) return;
  say('the store hangs: this process ends itself by SIGKILL, since it would wait for the disk for ever');
  process.kill(process.pid, 'SIGKILL');
}
