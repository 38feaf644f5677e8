/** A thread that does one task after the other. It is started by the first one, and ended when there has been none for a while. */
import { Worker } from 'node:worker_threads';
import type { Deadline } from '../time/clock.ts';

/** What a thread has held of large callbacks is given back with it. */
const IDLE_MS = 30_000;

/** Ten times what the largest callback takes on a slow machine: whatever takes longer never ends. */
const LONGEST_TASK_MS = 20_000;

/** Of a task's size: for each of these, one smaller task that comes later is done before it. */
const SIZE_OF_PLACE = 32 * 1024;

/** The thread ended before the task was done. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
}

export interface TaskThreadOptions {
  readonly entry: URL;
  /** Its `workerData`. */
  readonly data: unknown;
  readonly idleMs?: number;
  readonly longestTaskMs?: number;
  /**
   * It is never ended in the middle of a task, however long that takes, nor does the process end meanwhile by itself: ended
   * within a call of an addon, a thread may take the process with it.
   */
  readonly finishesTasks?: boolean;
}

export interface TaskTerms {
  /** Tasks of the same subject are done one after the other where possible: the thread remembers the last one. */
  readonly subject: unknown;
  /**
   * In bytes. Of other subjects, smaller ones come before larger ones, so that a sender of large ones delays no other; but
   * only so many of those that come later that a large one gets its turn, however many small ones keep coming.
   */
  readonly size: number;
  readonly deadline: Deadline;
}

interface Waiting<Task, Answer> extends TaskTerms {
  readonly task: Task;
  /** The lowest is next. */
  readonly place: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

export class TaskThread<Task, Answer> {
  readonly #options: TaskThreadOptions;
  readonly #waiting = new Set<Waiting<Task, Answer>>();
  #count = 0;
  #current: Waiting<Task, Answer> | undefined;
  #lastSubject: unknown;
  #thread: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #onTaskEnd: (() => void) | undefined;

  constructor(options: TaskThreadOptions) {
    this.#options = options;
  }

  /**
   * Whatever has waited beyond its deadline is not begun any more.
   * @throws {DeadlinePassed}
   * @throws {ThreadEnded}
   */
  async run(task: Task, terms: TaskTerms): Promise<Answer> {
    this.#count += 1;
    const place = this.#count + terms.size / SIZE_OF_PLACE;
    let leave = () => undefined as void;
    const done = new Promise<Answer>((resolve, reject) => {
      const waiting = { task, ...terms, place, resolve, reject };
      leave = () => void this.#waiting.delete(waiting);
      this.#waiting.add(waiting);
      this.#next();
    });
    try {
      return await terms.deadline.bound(done);
    } finally {
      // A task that does not end would keep all that come after it.
      leave();
    }
  }

  /** Nothing may be run any more. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    for (const { reject } of this.#waiting) reject(new ThreadEnded('it was closed'));
    this.#waiting.clear();
    if (this.#options.finishesTasks === true && this.#current !== undefined) {
      await new Promise<void>((resolve) => (this.#onTaskEnd = resolve));
    }
    clearTimeout(this.#timer);
    await this.#thread?.terminate();
  }

  #next(): void {
    if (this.#current !== undefined) return;
    clearTimeout(this.#timer);
    const next = this.#choose();
    if (next === undefined) return this.#retireWhenIdle();
    this.#waiting.delete(next);
    this.#current = next;
    this.#lastSubject = next.subject;
    try {
      this.#begin(next.task);
    } catch (cause) {
      this.#end(({ reject }) => reject(new ThreadEnded('it could not be started', { cause })));
    }
  }

  #choose(): Waiting<Task, Answer> | undefined {
    let next: Waiting<Task, Answer> | undefined;
    for (const waiting of this.#waiting) {
      if (waiting.deadline.remainingMs === 0) this.#waiting.delete(waiting);
      else if (waiting.subject === this.#lastSubject) return waiting;
      else if (next === undefined || waiting.place < next.place) next = waiting;
    }
    return next;
  }

  #begin(task: Task): void {
    const thread = (this.#thread ??= this.#start());
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
    thread.postMessage(task);
    const { longestTaskMs: longestMs = LONGEST_TASK_MS, finishesTasks = false } = this.#options;
    if (finishesTasks) return thread.ref();
    this.#timer = setTimeout(() => void thread.terminate(), longestMs).unref();
  }

  #retireWhenIdle(): void {
    const thread = this.#thread;
    if (thread === undefined) return;
    const retire = () => {
      // The next task starts another one, however long this one takes to end.
      this.#thread = undefined;
      void thread.terminate();
    };
    this.#timer = setTimeout(retire, this.#options.idleMs ?? IDLE_MS).unref();
  }

  #start(): Worker {
    const { entry, data } = this.#options;
    const thread = new Worker(entry, { workerData: data });
    // Requests that wait for an answer keep the process alive.
    thread.unref();
    let cause: unknown;
    thread.on('message', (answer: Answer) => this.#end(({ resolve }) => resolve(answer)));
    thread.on('error', (error) => (cause = error));
    thread.on('exit', () => {
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      this.#end(({ reject }) => reject(new ThreadEnded('it ended in the middle of a task', { cause })));
    });
    return thread;
  }

  #end(settle: (current: Waiting<Task, Answer>) => void): void {
    const current = this.#current;
    this.#current = undefined;
    this.#thread?.unref();
    if (current !== undefined) settle(current);
    this.#onTaskEnd?.();
    this.#next();
  }
}
